//! Propagations of monotonically improving values along edges, until none improves.

mod pull;
mod steps;
mod update_buffers;
