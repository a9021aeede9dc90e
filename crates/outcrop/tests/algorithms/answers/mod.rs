//! Answers: what is asked for, and the form in which it comes.

mod by_weight;
mod convergence;
mod node_ids;
mod orders;
mod ppr;
mod samples;
mod table;
mod vectors;
