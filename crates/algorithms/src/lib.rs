//! outcrop algorithms.
