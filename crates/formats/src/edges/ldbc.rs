//! Companion files of the edges of an LDBC Graphalytics graph: `NAME.v` with its vertices, `NAME.properties` with its
//! direction.

use outcrop_types::{Error, Location, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// Maximum size of the properties, in bytes.
const LONGEST: u64 = 1 << 20;

/// Companion files of an edge file.
#[derive(Debug, Default)]
pub(crate) struct Companions {
    /// The file of vertices.
    pub(crate) vertices: Option<PathBuf>,
    /// True if edges are directed.
    pub(crate) directed: Option<bool>,
}

impl Companions {
    /// Finds the companion files of `edges`.
    pub(crate) fn of(edges: &Path) -> Result<Self> {
        let packed = edges.extension().is_some_and(|extension| extension == "gz" || extension == "zst");
        let stem = if packed { edges.with_extension("") } else { edges.to_owned() }.with_extension("");
        let with = |extension: &str| {
            let mut path = stem.clone().into_os_string();
            path.push(extension);
            Some(PathBuf::from(path)).filter(|path| path.is_file())
        };
        let vertices = with(".v").or_else(|| with(".v.gz")).or_else(|| with(".v.zst"));
        let directed = with(".properties").map(|path| direction(&path)).transpose()?.flatten();
        Ok(Self { vertices, directed })
    }
}

/// Returns the value of `graph.NAME.directed`, or of `directed`.
fn direction(path: &Path) -> Result<Option<bool>> {
    let length = fs::metadata(path).map_err(|source| Error::io("inspect", path, source))?.len();
    let location = |line| Location { file: path.display().to_string(), line, column: None };
    if length > LONGEST {
        let message = format!("found properties of {length} bytes, expected at most {LONGEST}");
        return Err(Error::bad_input(location(None), message));
    }
    let bytes = fs::read(path).map_err(|source| Error::io("read", path, source))?;
    for (line, number) in String::from_utf8_lossy(&bytes).lines().zip(1..) {
        let Some((name, value)) = line.split_once('=') else { continue };
        if name.trim().rsplit('.').next() == Some("directed") && !line.trim_start().starts_with('#') {
            return match value.trim() {
                "true" => Ok(Some(true)),
                "false" => Ok(Some(false)),
                other => {
                    let message = format!("found `{}`, expected true or false", other.escape_debug());
                    Err(Error::bad_input(location(Some(number)), message))
                }
            };
        }
    }
    Ok(None)
}
