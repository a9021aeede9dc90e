//! Graphs, models and settings that tests share.

pub mod collect;
pub mod graph;
pub mod layouts;
pub mod lists;
pub mod model;
