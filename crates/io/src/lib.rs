//! outcrop io.
