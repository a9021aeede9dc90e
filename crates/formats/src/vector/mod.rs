//! Vectors over the vertices as text: the personalisation of a PageRank.
//!
//! A `.csv` or `.tsv` file has two columns, a node's original id and its weight. A first line whose first cell is `node`, `id` or
//! `vertex` and whose second is no number is a header; empty lines are skipped. Cells may be quoted as in RFC 4180, on one line.

mod line;
mod paid_rows;

use self::line::Line;
use self::paid_rows::PaidRows;
use outcrop_types::{Error, Location, MemoryBudget, Result};
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::ops::Deref;
use std::path::Path;

/// The longest line that is read, in bytes.
const LONGEST_LINE: u64 = 1 << 20;

/// A node's id as the user knows it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NodeKey {
    /// A whole number.
    Integer(u64),
    /// A text.
    Text(String),
}

/// Nodes with their weights, finite and not negative, in the order of the file; a node that is named twice is there twice.
#[derive(Debug)]
pub struct NodeWeights(PaidRows);

impl Deref for NodeWeights {
    type Target = [(NodeKey, f64)];

    fn deref(&self) -> &Self::Target {
        self.0.rows()
    }
}

/// Reads a weight a node from a `.csv` or `.tsv` file, in memory taken from `budget`.
///
/// # Errors
/// [`Error::BadInput`] with line and column for anything that is not an id and a finite weight of at least 0; [`Error::Usage`] for
/// other files; [`Error::BudgetTooSmall`]; failures of reading.
pub fn read_node_weights(path: &Path, ids_are_text: bool, budget: &MemoryBudget) -> Result<NodeWeights> {
    let delimiter = delimiter_of(path)?;
    let file = File::open(path).map_err(|source| match source.kind() {
        ErrorKind::NotFound => Error::NotFound { path: path.into(), hint: "" },
        _ => Error::io("open", path, source),
    })?;
    let mut rows = PaidRows::new(budget.clone());
    for_each_line(BufReader::new(file), path, |line| match row(&line, delimiter, ids_are_text) {
        Ok((key, weight)) => rows.push(key, weight),
        Err(_) if line.number == 1 && is_header(&line, delimiter) => Ok(()),
        Err(error) => Err(error),
    })?;
    Ok(NodeWeights(rows.complete()))
}

fn delimiter_of(path: &Path) -> Result<u8> {
    match path.extension().map(|ending| ending.to_ascii_lowercase()) {
        Some(ending) if ending == "csv" => Ok(b','),
        Some(ending) if ending == "tsv" => Ok(b'\t'),
        _ => Err(Error::Usage(format!("node weights are read from .csv or .tsv files, not from {}", path.display()))),
    }
}

/// Calls `visit` with every line that is not empty.
fn for_each_line(mut file: impl BufRead, path: &Path, mut visit: impl FnMut(Line<'_>) -> Result<()>) -> Result<()> {
    let name = path.display().to_string();
    let mut bytes = Vec::new();
    for number in 1.. {
        bytes.clear();
        let length = file.by_ref().take(LONGEST_LINE + 1).read_until(b'\n', &mut bytes);
        if length.map_err(|source| Error::io("read", path, source))? == 0 {
            break;
        }
        if outcrop_types::length_from(bytes.len()) > LONGEST_LINE {
            let message = format!("the line is longer than {LONGEST_LINE} bytes");
            return Err(Error::bad_input(Location::at(name, number, LONGEST_LINE + 1), message));
        }
        let line = Line::new(&bytes, &name, number)?;
        if !line.text.is_empty() {
            visit(line)?;
        }
    }
    Ok(())
}

fn row(line: &Line<'_>, delimiter: u8, ids_are_text: bool) -> Result<(NodeKey, f64)> {
    let id = line.cell(0, delimiter)?;
    let Some(next) = id.next else {
        return Err(line.error(line.text.len(), "expected a second column, the weight"));
    };
    let weight = line.cell(next, delimiter)?;
    if let Some(third) = weight.next {
        return Err(line.error(third, "expected two columns, an id and a weight, and found a third"));
    }
    let key = if ids_are_text { line.text_id(&id) } else { line.integer_id(&id) }?;
    Ok((key, line.weight(&weight)?))
}

fn is_header(line: &Line<'_>, delimiter: u8) -> bool {
    let cells = line.cell(0, delimiter).ok().and_then(|id| Some((line.cell(id.next?, delimiter).ok()?, id)));
    cells.is_some_and(|(weight, id)| {
        ["node", "id", "vertex"].iter().any(|name| id.text.trim().eq_ignore_ascii_case(name))
            && weight.next.is_none()
            && !weight.text.trim().is_empty()
            && weight.text.trim().parse::<f64>().is_err()
    })
}

#[cfg(test)]
mod tests;
