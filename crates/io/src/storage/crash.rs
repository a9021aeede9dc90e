//! x
/// x
pub enum CrashMode {}
