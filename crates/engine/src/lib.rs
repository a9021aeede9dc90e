//! outcrop engine.
