//! Options for what a command writes.

use crate::options::layout::LayoutOptions;
use crate::options::order::OrderOptions;
use crate::options::work::WaitOption;
use clap::Args;
use outcrop::{EdgeFormat, ExportOrder, ExportRequest, WeightChoice};
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub(crate) struct OverwriteOption {
    /// Overwrite existing output
    #[arg(long)]
    pub(crate) overwrite: bool,
}

/// Options of commands that write an edge file.
#[derive(Debug, Args)]
pub(crate) struct EdgeFileOptions {
    /// Format: edge-list, outcrop (binary), parquet, sg or wsg [default: by extension, edge-list for -]
    #[arg(long, value_name = "FORMAT")]
    format: Option<EdgeFormat>,
    /// IDs to write and sort by: id (original IDs) or store (positions in the store, from 0)
    #[arg(long, value_name = "ORDER", default_value = "id")]
    order: ExportOrder,
    /// Omit edge weights
    #[arg(long)]
    unweighted: bool,
    #[command(flatten)]
    overwrite: OverwriteOption,
}

impl EdgeFileOptions {
    /// Returns the request to write edges to `output`.
    pub(crate) fn request(&self, output: &Path) -> ExportRequest {
        ExportRequest {
            format: self.format,
            order: self.order,
            unweighted: self.unweighted,
            overwrite: self.overwrite.overwrite,
            ..ExportRequest::new(output)
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct JsonOption {
    /// Print JSON instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

/// Options of commands that have a record.
#[derive(Debug, Args)]
pub(crate) struct RecordOptions {
    #[command(flatten)]
    overwrite: OverwriteOption,
    #[command(flatten)]
    json: JsonOption,
    /// Write an HTML report
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,
}

impl RecordOptions {
    pub(crate) const fn overwrite(&self) -> bool {
        self.overwrite.overwrite
    }

    pub(crate) const fn json(&self) -> bool {
        self.json.json
    }
}

/// Options of commands that write a store.
#[derive(Debug, Args)]
pub(crate) struct StoreOptions {
    /// Stored weight type: auto (the smallest without loss), f64, f32 (rounds), u8, u16 or u32 [default: auto for
    /// build, unchanged for convert]
    #[arg(long, value_name = "TYPE")]
    pub(crate) weight_type: Option<WeightChoice>,
    /// Verify the new store before it becomes visible
    #[arg(long)]
    pub(crate) verify: bool,
    #[command(flatten)]
    pub(crate) wait: WaitOption,
    #[command(flatten)]
    pub(crate) record: RecordOptions,
    #[command(flatten)]
    pub(crate) order: OrderOptions,
    #[command(flatten)]
    pub(crate) layout: LayoutOptions,
}
