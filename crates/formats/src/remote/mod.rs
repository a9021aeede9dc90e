//! Objects of S3, Google Cloud Storage and web servers, fetched in ranges ahead of their readers (decision 0040).

#[cfg(not(feature = "remote"))]
mod absent;
mod address;
#[cfg(feature = "remote")]
mod client;
#[cfg(feature = "remote")]
mod driver;
#[cfg(feature = "remote")]
mod failure;
mod input_path;
mod object;
mod stream;

#[cfg(not(feature = "remote"))]
pub(crate) use absent::Client;
pub use address::require_on_disk;
pub(crate) use address::{Address, Names};
#[cfg(feature = "remote")]
pub(crate) use client::Client;
pub use input_path::{InputPath, redacted};
pub(crate) use object::{GroupNeed, Object, ObjectParts};
