//! Input: text that is right, text that is wrong, and graphs with next to nothing in them.

mod accepted;
mod bad;
mod dialects;
mod objects;
mod paths;
mod round_trips;
mod stated;
mod tables;
mod tiny_graphs;
mod weights;
