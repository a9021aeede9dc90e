//! The command line of outcrop.
fn main() {}
