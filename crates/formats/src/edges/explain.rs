//! Explanation of how edge files would be read.

use super::folder;
use super::input::Origin;
use super::options::{EdgeInput, EdgeListOptions};
use super::source::EdgeInputs;
use super::text::BlockSizes;
use crate::remote::Client;
use outcrop_store::writing::{EdgeBatch, EdgeSource, IdBatch, IdKind};
use outcrop_types::{FileSummary, MemoryBudget, Result};

/// Maximum number of edges shown per file.
const ROWS: usize = 10;

/// Interpretation of a file, as determined by its first lines.
#[derive(Clone, Debug)]
pub struct ExplainedFile {
    /// Format, header, columns and notes; counts cover only the rows read.
    pub summary: FileSummary,
    /// Description of the field separator, if the file is a text with one.
    pub separator: Option<String>,
    /// True if IDs are strings.
    pub text_ids: bool,
    /// Direction of the edges as the file states it.
    pub directed: Option<bool>,
    /// First edges: source, target, and weight and time if they are read.
    pub rows: Vec<Vec<String>>,
}

/// Reads the first edges of each file as [`open_edges`](super::open_edges) would.
///
/// # Errors
///
/// Returns an error under the same conditions as [`open_edges`](super::open_edges).
pub fn explain_edges(
    inputs: &[EdgeInput],
    options: &EdgeListOptions,
    budget: &MemoryBudget,
) -> Result<Vec<ExplainedFile>> {
    let client = Client::new(budget);
    let (inputs, _) = folder::expand(inputs, options, &client)?;
    inputs.iter().map(|input| explain(Origin::inspect(input, &client)?, options, budget)).collect()
}

fn explain(origin: Origin, options: &EdgeListOptions, budget: &MemoryBudget) -> Result<ExplainedFile> {
    let name = origin.name.clone();
    let mut edges = EdgeInputs::open(vec![origin], options, budget, 1, BlockSizes::usual())?;
    let mut batch = EdgeBatch::empty(edges.id_kind());
    edges.next_batch(&mut batch)?;
    // Default: a file without a summary has an empty one.
    let summary = edges.account().unwrap_or_else(|| FileSummary { name, ..FileSummary::default() });
    let weight = |row: usize| batch.weights.get(row).map(f64::to_string);
    let rule = edges.times();
    let time = |row: usize| Some(rule?.kind.show(*batch.times.get(row)?));
    let row = |(place, ends): (usize, &[String])| {
        ends.iter().cloned().chain(weight(place)).chain(time(place)).collect::<Vec<_>>()
    };
    let rows = first_ids(&batch.endpoints, 2 * ROWS).chunks_exact(2).enumerate().map(row).collect();
    Ok(ExplainedFile {
        separator: edges.separator(),
        text_ids: edges.id_kind() == IdKind::Text,
        directed: edges.stated.directed.as_ref().map(|(directed, _)| *directed),
        summary,
        rows,
    })
}

/// Returns the first `most` IDs of a batch.
fn first_ids(ids: &IdBatch, most: usize) -> Vec<String> {
    match ids {
        IdBatch::Integers(ids) => ids.iter().take(most).map(u64::to_string).collect(),
        IdBatch::Texts { bytes, ends } => {
            let starts = std::iter::once(0).chain(ends.iter().copied());
            let text = |(start, end): (usize, &usize)| String::from_utf8_lossy(&bytes[start..*end]).into_owned();
            starts.zip(ends).take(most).map(text).collect()
        }
    }
}
