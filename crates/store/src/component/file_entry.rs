//! Entry of a file in the manifest.

use serde::{Deserialize, Serialize};

/// File of the store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileEntry {
    /// Name in the store's folder: `[a-z0-9_.-]+`.
    pub name: String,
    /// Length in bytes.
    pub bytes: u64,
    /// XXH3-64 of the checksums of its units, in hexadecimal.
    pub checksum: String,
}
