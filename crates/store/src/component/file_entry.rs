//! Entry of a file in the manifest.

use serde::{Deserialize, Serialize};

/// A file of the store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileEntry {
    /// Its name in the store's folder: `[a-z0-9_.-]+`.
    pub name: String,
    /// Its length in bytes.
    pub bytes: u64,
    /// XXH3-64 over the checksums of its units, in hexadecimal.
    pub checksum: String,
}
