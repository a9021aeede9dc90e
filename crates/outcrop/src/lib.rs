//! outcrop outcrop.
