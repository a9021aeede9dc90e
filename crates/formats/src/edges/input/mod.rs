//! Inputs: opened, identified by their first bytes, decompressed, and counted as they are consumed.

mod file;
mod gzip;
mod look;
mod origin;
mod stream;
mod zstd_frames;

pub(crate) use file::InputFile;
pub(crate) use look::TEXT_HEAD;
pub(crate) use origin::Origin;
pub(crate) use stream::{Content, Progress, READ_AHEAD, Tap, TextStream, open_file};
