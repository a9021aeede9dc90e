//! Selection of the source, target, weight and time columns of a table, shared by texts, table files and frames.

mod columns;
mod ends;
mod values;
mod words;

use super::options::EdgeListOptions;
use columns::Table;
use outcrop_types::{Error, Location, Result};

pub(crate) use columns::{Column, ColumnKind};
pub(crate) use ends::{may_name_ends, names_columns, names_ends, names_source_and_target};
pub(crate) use words::is_noun;

/// Positions of the edge columns, with notes on their choice.
#[derive(Debug, Default)]
pub(crate) struct Roles {
    pub(crate) ends: [usize; 2],
    pub(crate) weight: Option<usize>,
    pub(crate) time: Option<usize>,
    /// True if the target is the remaining column, not one with the name of a target.
    pub(crate) target_by_place: bool,
    /// Note on ends that are recognized by unusual names.
    pub(crate) unusual_names: Option<String>,
    /// Note on an unread weight column.
    pub(crate) unread: Option<String>,
    pub(crate) notes: Vec<String>,
}

impl Roles {
    /// Returns the notes, with `advice` after the note on unusual names.
    pub(crate) fn into_notes(self, advice: &str) -> impl Iterator<Item = String> {
        self.unusual_names.map(|note| note + advice).into_iter().chain(self.notes).chain(self.unread)
    }
}

/// Returns the roles of columns without names: by position.
pub(crate) fn by_place(options: &EdgeListOptions) -> Roles {
    let weight = options.wants_weights().then_some(2);
    let time = options.wants_times().then_some(if weight.is_some() { 3 } else { 2 });
    Roles { ends: [0, 1], weight, time, ..Roles::default() }
}

/// Returns the roles of columns with names: requested columns, otherwise those with usual names, otherwise by position,
/// which is noted, or refused if in doubt.
pub(crate) fn by_name(columns: &[Column], options: &EdgeListOptions, location: &Location) -> Result<Roles> {
    let mut table =
        Table { columns, options, location, target_by_place: false, unusual_names: None, notes: Vec::new() };
    let ends = table.ends()?;
    let [source, target] = ends;
    if source == target {
        return Err(Error::Usage("source and target must be different columns".to_owned()));
    }
    let weight = options.wants_weights().then(|| table.weight(ends)).transpose()?;
    let taken: Vec<usize> = ends.into_iter().chain(weight).collect();
    let time = options.wants_times().then(|| table.time(&taken)).transpose()?;
    let unread = table.unread_weights(&taken, time);
    let Table { target_by_place, unusual_names, notes, .. } = table;
    Ok(Roles { ends, weight, time, target_by_place, unusual_names, unread, notes })
}

/// Names of the ID column in a table of vertices.
const VERTEX_NAMES: [&str; 6] = ["node", "vertex", "id", "source", "src", "from"];

/// Returns true if the name is that of an ID column in a table of vertices.
pub(crate) fn names_vertices(name: &str) -> bool {
    VERTEX_NAMES.contains(&name.to_lowercase().as_str()) || is_neo4j_id(name)
}

/// Returns true if the name is that of an ID column in a Neo4j import file: `:ID`, `personId:ID(Person)`.
pub(crate) fn is_neo4j_id(name: &str) -> bool {
    name.split_once(':').is_some_and(|(_, kind)| kind == "ID" || kind.starts_with("ID("))
}

/// Returns the ID column of a table of vertices: the first with a usual name, otherwise the first.
pub(crate) fn vertex_column<'n>(names: impl Iterator<Item = &'n str> + Clone) -> usize {
    let place = |is: fn(&str) -> bool| names.clone().position(is);
    // Default: the first column.
    place(is_neo4j_id).or_else(|| place(names_vertices)).unwrap_or(0)
}

#[cfg(test)]
mod tests;
