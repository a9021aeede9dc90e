//! Properties that identify the version of a file.

use outcrop_types::{Error, Result};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Returns the length, change time and identity of the file at `path`: a replacement differs even if its length and
/// modification time are the same, as for copies.
///
/// # Errors
///
/// Returns an error if the file does not exist or its metadata are not readable.
pub fn file_version(path: &Path) -> Result<String> {
    let found = std::fs::metadata(path).map_err(|error| Error::io("inspect", path, error))?;
    let (changed, part) = (found.ctime(), found.ctime_nsec());
    Ok(format!("{} bytes, changed at {changed}.{part:09}, inode {}", found.len(), found.ino()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "Miri has no futimens")]
    fn a_file_of_the_same_length_and_age_is_another() {
        let folder = tempfile::tempdir().unwrap();
        let [one, other] = ["one", "other"].map(|name| folder.path().join(name));
        for (path, text) in [(&one, "1,2"), (&other, "1,3")] {
            std::fs::write(path, text).unwrap();
            let file = std::fs::File::options().write(true).open(path).unwrap();
            file.set_modified(std::time::UNIX_EPOCH).unwrap();
        }
        let before = file_version(&one).unwrap();
        assert_eq!(before, file_version(&one).unwrap());
        std::fs::rename(&other, &one).unwrap();
        assert_ne!(before, file_version(&one).unwrap());
        assert!(file_version(&other).is_err());
    }
}
