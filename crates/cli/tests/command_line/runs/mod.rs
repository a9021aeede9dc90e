//! Runs of algorithms: models, memory, and the same answers whatever is chosen.

mod arrivals;
mod budgets;
mod capacity;
mod deep_graphs;
mod fallbacks;
mod gas;
mod memory_limits;
mod messages;
mod models;
mod same_answers;
mod spark;
