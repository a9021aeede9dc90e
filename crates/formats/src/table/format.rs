//! Formats of result tables.

use outcrop_types::{Error, Result};
use std::path::Path;
use std::str::FromStr;

/// File format of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TableFormat {
    /// Comma-separated text as in RFC 4180, with a header.
    Csv,
    /// Tab-separated text with a header.
    Tsv,
    /// JSON Lines: one JSON object per line.
    JsonLines,
    /// Apache Parquet, compressed with Zstandard.
    Parquet,
    /// NumPy array file.
    Npy,
}

impl TableFormat {
    /// Every format, in display order.
    pub(crate) const ALL: [Self; 5] = [Self::Csv, Self::Tsv, Self::JsonLines, Self::Parquet, Self::Npy];

    /// Returns the extension of files in this format, without the dot.
    pub(crate) const fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Tsv => "tsv",
            Self::JsonLines => "jsonl",
            Self::Parquet => "parquet",
            Self::Npy => "npy",
        }
    }

    /// Returns true for a text format, which can be written to a terminal or a pipe.
    pub(crate) const fn is_text(self) -> bool {
        matches!(self, Self::Csv | Self::Tsv | Self::JsonLines)
    }

    /// Returns the format for the extension of a file, ignoring case; `.ndjson` is also JSON Lines.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Usage`] with the supported formats if the extension is unknown.
    pub fn from_path(path: &Path) -> Result<Self> {
        // Default: a name without an extension has an unknown one.
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let ending = if ending == "ndjson" { "jsonl" } else { &ending };
        let format = Self::ALL.into_iter().find(|format| format.extension() == ending);
        format.ok_or_else(|| {
            Error::Usage(format!("{} must have one of the extensions {}", path.display(), endings(&Self::ALL)))
        })
    }

    /// Returns the format if it is text.
    pub(super) fn for_stream(self) -> Result<Self> {
        let texts: Vec<_> = Self::ALL.into_iter().filter(|format| format.is_text()).collect();
        let refusal = || format!("{} needs a file; standard output supports {}", endings(&[self]), endings(&texts));
        if self.is_text() { Ok(self) } else { Err(Error::Usage(refusal())) }
    }
}

impl FromStr for TableFormat {
    type Err = Error;

    /// Parses an extension such as `csv`.
    fn from_str(text: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|format| format.extension() == text);
        found.ok_or_else(|| Error::Usage(format!("{text:?} is not one of {}", endings(&Self::ALL))))
    }
}

fn endings(formats: &[TableFormat]) -> String {
    formats.iter().map(|format| format!(".{}", format.extension())).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_the_format() {
        let format = |name: &str| TableFormat::from_path(Path::new(name)).ok();
        assert!(TableFormat::ALL.into_iter().all(|known| format(&format!("a.b.{}", known.extension())) == Some(known)));
        assert_eq!((format("X.CSV"), format("x.ndjson")), (Some(TableFormat::Csv), Some(TableFormat::JsonLines)));
        assert_eq!([format("csv"), format("x.csv.gz"), format("x."), format(".csv"), format("")], [None; 5]);
    }

    #[test]
    fn an_unknown_name_is_told_the_choices() {
        let Err(Error::Usage(text)) = TableFormat::from_path(Path::new("x.xls")) else { panic!() };
        assert_eq!(text, "x.xls must have one of the extensions .csv, .tsv, .jsonl, .parquet, .npy");
    }
}
