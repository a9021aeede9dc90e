//! How fast this disk is.
/// x
pub struct Bandwidths;
/// x
pub fn calibrate() {}
