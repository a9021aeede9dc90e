//! Options of questions: vertices, and the destination of the answer.

use crate::commands::store::build::input;
use crate::options::output::OverwriteOption;
use crate::options::work::ReadOptions;
use crate::output::{create, info, stdout};
use clap::Args;
use outcrop::{
    Answer, Cancellation, Error, Graph, IdBatch, IdKind, Location, Result, Sides, TableFormat, counted, read_ids,
};
use std::path::{Path, PathBuf};

/// The vertices that are asked about, and the direction of their edges.
#[derive(Debug, Args)]
pub(crate) struct NodeOptions {
    /// Original IDs of vertices
    #[arg(value_name = "ID", allow_negative_numbers = true)]
    pub(crate) ids: Vec<String>,
    /// File of IDs: one per line, or in the first column of a table (.csv, .tsv, .parquet, .arrow); - for standard
    /// input
    #[arg(long, value_name = "FILE")]
    pub(crate) ids_from: Option<PathBuf>,
    /// Edge direction: out, in or both
    #[arg(long, value_name = "DIRECTION", default_value = "out")]
    pub(crate) direction: Sides,
}

#[derive(Debug, Args)]
pub(crate) struct WeightsOption {
    /// Include edge weights
    #[arg(long)]
    pub(crate) weights: bool,
}

/// Destination of the answer, and memory and I/O.
#[derive(Debug, Args)]
pub(crate) struct AnswerOptions {
    /// Output file: .csv, .tsv, .jsonl, .parquet or .npy
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Format on standard output: tsv, csv or jsonl
    #[arg(long, value_name = "FORMAT", default_value = "tsv", conflicts_with = "output")]
    pub(crate) format: TableFormat,
    #[command(flatten)]
    pub(crate) overwrite: OverwriteOption,
    #[command(flatten)]
    pub(crate) reading: ReadOptions,
}

impl NodeOptions {
    /// The ids in their order, those of the command line first.
    ///
    /// # Errors
    /// None are named; the file cannot be read or is not in UTF-8.
    pub(crate) fn all(&self) -> Result<IdBatch> {
        if self.ids.is_empty() && self.ids_from.is_none() {
            return Err(Error::Usage("no vertices given; pass IDs, or a file with --ids-from".to_owned()));
        }
        let mut ids = IdBatch::empty(IdKind::Text);
        self.ids.iter().for_each(|id| ids.push_text(id.as_bytes()));
        if let Some(path) = &self.ids_from {
            let more = read_ids(&input(path))?;
            if more.is_empty() && ids.is_empty() {
                let message = "found no IDs, expected at least one; write one ID per line";
                return Err(Error::bad_input(Location::file(path.display().to_string()), message));
            }
            (0..more.len()).for_each(|place| ids.push_from(&more, place));
        }
        Ok(ids)
    }

    /// [`NodeOptions::all`]; `None` where none are named.
    pub(crate) fn some(&self) -> Result<Option<IdBatch>> {
        (!self.ids.is_empty() || self.ids_from.is_some()).then(|| self.all()).transpose()
    }
}

impl AnswerOptions {
    /// Opens `store`, asks it and writes the answer.
    ///
    /// # Errors
    /// A file that cannot be written; those of the question.
    pub(crate) fn answer(
        &self,
        store: &Path,
        cancellation: &Cancellation,
        ask: impl FnOnce(&Graph) -> Result<Answer>,
    ) -> Result<()> {
        let path = self.output.as_deref();
        path.map(TableFormat::from_path).transpose()?;
        let file = create(path, self.overwrite.overwrite)?;
        let answer = ask(&Graph::open(store, self.reading.open(cancellation))?)?;
        let rows = answer.rows();
        match (file, path) {
            (Some(file), Some(path)) => {
                answer.write_into(file)?;
                info(&format!("{}: {}", path.display(), counted(rows, "row")));
                Ok(())
            }
            _ => answer.write_to(stdout(), self.format),
        }
    }
}
