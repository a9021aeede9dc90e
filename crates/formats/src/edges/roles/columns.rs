//! Columns of a table, described by their names and values.

use crate::edges::options::EdgeListOptions;
use outcrop_types::{Error, Location, Result};

/// Kind of the values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColumnKind {
    Whole,
    Number,
    Text,
    /// Neither ids nor numbers.
    Other,
    /// No values.
    Unknown,
}

impl ColumnKind {
    pub(crate) const fn is_id(self) -> bool {
        matches!(self, Self::Whole | Self::Text | Self::Unknown)
    }

    pub(super) const fn is_number(self) -> bool {
        matches!(self, Self::Whole | Self::Number | Self::Unknown)
    }
}

/// Column of a table.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) kind: ColumnKind,
}

/// Table with column names.
pub(super) struct Table<'t> {
    pub(super) columns: &'t [Column],
    pub(super) options: &'t EdgeListOptions,
    pub(super) location: &'t Location,
    pub(super) target_by_place: bool,
    pub(super) unusual_names: Option<String>,
    pub(super) notes: Vec<String>,
}

impl Table<'_> {
    pub(super) fn name(&self, place: usize) -> &str {
        self.columns.get(place).map_or("", |column| column.name.as_str())
    }

    pub(super) fn kind(&self, place: usize) -> ColumnKind {
        self.columns.get(place).map_or(ColumnKind::Unknown, |column| column.kind)
    }

    pub(super) fn names(&self, places: &[usize]) -> String {
        const MOST: usize = 20;
        let names: Vec<&str> = places.iter().take(MOST).map(|place| self.name(*place)).collect();
        let more = if places.len() > MOST { format!(" and {} more", places.len() - MOST) } else { String::new() };
        names.join(", ") + &more
    }

    pub(super) fn wrong(&self, message: String) -> Error {
        Error::bad_input(self.location.clone(), message)
    }

    /// Returns the requested column: the one with exactly this name, otherwise the only one that matches ignoring case
    /// and surrounding blanks.
    pub(super) fn named(&self, name: &str) -> Result<usize> {
        let places = |same: &dyn Fn(&str) -> bool| -> Vec<usize> {
            (0..self.columns.len()).filter(|place| same(self.name(*place))).collect()
        };
        let folded = |text: &str| text.trim().to_lowercase();
        let mut found = places(&|column| column == name);
        if found.is_empty() {
            found = places(&|column| folded(column) == folded(name));
        }
        let all: Vec<usize> = (0..self.columns.len()).collect();
        match found[..] {
            [place] => Ok(place),
            [] => {
                let columns = if all.is_empty() { "nothing".to_owned() } else { self.names(&all) };
                Err(self.wrong(format!("found the columns {columns}, but no column {name}; use one of these names")))
            }
            _ => {
                let places: Vec<String> = found.iter().map(|place| (place + 1).to_string()).collect();
                Err(self.wrong(format!(
                    "found {} columns named {name} (columns {}), expected one; rename the others",
                    found.len(),
                    places.join(", ")
                )))
            }
        }
    }

    pub(super) fn exists(&self, place: usize) -> Result<usize> {
        if place < self.columns.len() {
            return Ok(place);
        }
        let all: Vec<usize> = (0..place.min(self.columns.len())).collect();
        let found = if all.is_empty() { "no column".to_owned() } else { format!("only {}", self.names(&all)) };
        let expected = match (self.options.wants_weights(), self.options.wants_times()) {
            (false, false) => "source and target columns",
            (true, false) => "source, target and weight columns",
            (false, true) => "source, target and time columns",
            (true, true) => "source, target, weight and time columns",
        };
        Err(self.wrong(format!("found {found}, expected {expected}")))
    }
}
