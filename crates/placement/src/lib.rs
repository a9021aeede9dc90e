//! outcrop placement.
