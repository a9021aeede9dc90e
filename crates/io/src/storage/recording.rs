//! x
/// x
pub struct RecordingStorage;
