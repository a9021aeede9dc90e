//! `outcrop build`

use super::output;
use crate::arguments::{BuildArguments, DedupOption, IdsOption, SelfLoopsOption};
use crate::commands::input_summary;
use crate::output::{bytes, count, json, remark, say};
use outcrop::{BuildRecord, BuildRequest, Cancellation, Dedup, EdgeInput, Error, IdMode, Result, SelfLoops};
use std::path::{Path, PathBuf};

pub(crate) fn run(mut arguments: BuildArguments, cancellation: &Cancellation) -> Result<()> {
    let store = arguments.paths.pop().unwrap_or_default();
    if arguments.paths.is_empty() {
        return Err(Error::Usage(
            "build takes files of edges, then the store to make; only one path was given".to_owned(),
        ));
    }
    let request = request(&arguments, store)?;
    if arguments.report.as_ref().is_some_and(|path| *path == request.store) {
        return Err(Error::Usage("--report names the store".to_owned()));
    }
    let report = output(arguments.report.as_deref(), arguments.overwrite)?;
    let record = outcrop::build(&request, cancellation, &*arguments.work.progress.progress.observer())?;
    if let Some(report) = report {
        outcrop::write_report(&record.to_html(), report)?;
    }
    summarize(&record, arguments.json)
}

fn request(arguments: &BuildArguments, store: PathBuf) -> Result<BuildRequest> {
    let edges = arguments.paths.iter().map(|path| input(path)).collect();
    Ok(BuildRequest {
        vertices: arguments.vertices.as_deref().map(input),
        text: arguments.text.edges(arguments.weighted, arguments.weight.as_ref())?,
        ids: match arguments.ids {
            IdsOption::Auto => IdMode::Auto,
            IdsOption::Dense => IdMode::Dense,
            IdsOption::String => IdMode::Text,
        },
        num_vertices: arguments.num_vertices,
        directed: (arguments.directed || arguments.undirected).then_some(arguments.directed),
        dedup: match arguments.dedup {
            DedupOption::Keep => Dedup::Keep,
            DedupOption::First => Dedup::First,
            DedupOption::Sum => Dedup::Sum,
            DedupOption::Min => Dedup::Min,
            DedupOption::Max => Dedup::Max,
        },
        self_loops: match arguments.self_loops {
            SelfLoopsOption::Keep => SelfLoops::Keep,
            SelfLoopsOption::Drop => SelfLoops::Drop,
        },
        layout: arguments.layout.layout()?,
        order: arguments.order.order()?.unwrap_or_default(),
        memory: arguments.work.memory,
        threads: arguments.work.threads(),
        weights: arguments.weight_type,
        temp_folder: arguments.tmp_dir.clone(),
        overwrite: arguments.overwrite,
        verify: arguments.verify,
        ..BuildRequest::new(edges, store)
    })
}

/// A file, or the standard input for `-`.
pub(super) fn input(path: &Path) -> EdgeInput {
    if path.as_os_str() == "-" { EdgeInput::StandardInput } else { EdgeInput::Path(path.to_owned()) }
}

pub(super) fn summarize(record: &BuildRecord, as_json: bool) -> Result<()> {
    if record.skipped_lines > 0 {
        remark(&format!("outcrop: note: {} lines were skipped as not understood", count(record.skipped_lines)));
    }
    if as_json {
        return say(&json(record)?);
    }
    let rate = record.edges as f64 / record.seconds.max(1e-9);
    remark(&format!(
        "{}: {} vertices, {} edges, {} in {:.1} s ({} edges a second, at most {} of memory)",
        record.store,
        count(record.vertices.into()),
        count(record.edges),
        bytes(record.bytes),
        record.seconds,
        count(rate as u64),
        bytes(record.peak_rss),
    ));
    input_summary::lines(record).iter().for_each(|line| remark(line));
    Ok(())
}
