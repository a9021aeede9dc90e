//! Stores: layouts, orders, conversions, selections, and the places where they lie.

mod conversions;
mod copies;
mod export_orders;
mod exports;
mod file_systems;
mod layouts;
mod links;
mod orders;
mod permissions;
mod selections;
