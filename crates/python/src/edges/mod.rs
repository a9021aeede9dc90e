//! Edges that are in memory already: pairs from arrays and lists, and streams of Arrow batches.

mod arrays;
mod arrow_stream;

pub(crate) use arrays::ArrayEdges;
pub(crate) use arrow_stream::ArrowEdges;

use outcrop::{FileSummary, InputSummary, WeightType};

/// Name of edges in memory, for messages.
const TABLE: &str = "the edges";

/// Account of edges in memory, which are one table.
fn summary(format: &str, table: FileSummary) -> InputSummary {
    let table = FileSummary { name: TABLE.to_owned(), format: format.to_owned(), ..table };
    InputSummary { files: vec![table], ..InputSummary::default() }
}

/// What is read of edges.
#[derive(Clone, Debug)]
pub(crate) struct EdgeArguments {
    pub(crate) source: Option<String>,
    pub(crate) target: Option<String>,
    pub(crate) weight: Option<String>,
    pub(crate) weighted: bool,
    /// The type that weights are to have; `None` for weights as they are.
    pub(crate) weight_type: Option<WeightType>,
    /// Whether ids must be texts.
    pub(crate) texts: bool,
    /// The largest id that may appear.
    pub(crate) largest: u64,
}
