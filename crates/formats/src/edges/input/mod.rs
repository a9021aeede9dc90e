//! Inputs: opened, told apart by their first bytes, freed from compression, counted as they are consumed.

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
