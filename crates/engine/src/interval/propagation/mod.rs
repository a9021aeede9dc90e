//! Propagations: values that only get better, handed along edges until none does.

mod pull;
mod steps;
mod update_buffers;
