//! `outcrop update`

use super::build::{input, not_understood};
use super::input_summary::of_files;
use crate::options::output::JsonOption;
use crate::options::text::TextOptions;
use crate::options::work::{ReadOptions, WaitOption};
use crate::output::{bytes, count, info, json, print};
use clap::Args;
use outcrop::{Cancellation, Error, MergeRule, OpenOptions, Result, UpdateRecord, UpdateRequest, counted};
use std::path::PathBuf;

/// Help on what an update does.
const NOTES: &str =
    "An inserted edge with an unknown ID creates the vertex; in a store with dense IDs, also all vertices
up to it, beyond the --num-vertices of the build. Deleting edges never deletes vertices.

Changes are pending until they are merged: at once if they exceed --merge-above, which a few changes
of a small store do. Runs apply pending changes.

Runs, servers and other processes may have the store open; they keep the graph as they opened it.
Only --merge needs the store alone: then --wait applies to all processes, otherwise to other updates.";

#[derive(Debug, Args)]
#[command(after_help = NOTES)]
pub(crate) struct UpdateArguments {
    /// Path of the store
    pub(crate) store: PathBuf,
    /// Edge file to insert, as for `outcrop build`; - for standard input (repeatable)
    #[arg(long, value_name = "FILE")]
    pub(crate) add: Vec<PathBuf>,
    /// Edge file to delete, with all copies of each edge, before insertions (repeatable)
    #[arg(long, value_name = "FILE")]
    pub(crate) remove: Vec<PathBuf>,
    /// Idempotency key: skip the update if one with this ID is among the last 1,000
    #[arg(long, value_name = "NAME")]
    pub(crate) id: Option<String>,
    /// Apply the update only if the store has this generation (see `outcrop info`)
    #[arg(long, value_name = "N")]
    pub(crate) if_generation: Option<u64>,
    /// Merge all pending updates, which rewrites the store
    #[arg(long)]
    pub(crate) merge: bool,
    /// Merge if pending updates exceed this fraction of the list entries or vertices: 1%, 0.01, or never
    #[arg(long, value_name = "FRACTION", default_value = "1%", conflicts_with = "merge")]
    pub(crate) merge_above: MergeRule,
    #[command(flatten)]
    pub(crate) text: TextOptions,
    #[command(flatten)]
    pub(crate) output: JsonOption,
    #[command(flatten)]
    pub(crate) wait: WaitOption,
    #[command(flatten)]
    pub(crate) reading: ReadOptions,
}

pub(crate) fn run(arguments: &UpdateArguments, cancellation: &Cancellation) -> Result<()> {
    let (add, remove) = (&arguments.add, &arguments.remove);
    if add.is_empty() && remove.is_empty() && !arguments.merge {
        return Err(Error::Usage("nothing to do; use --add FILE, --remove FILE or --merge".to_owned()));
    }
    if add.iter().chain(remove).filter(|path| path.as_os_str() == "-").count() > 1 {
        return Err(Error::Usage("standard input can be read only once; pass - once".to_owned()));
    }
    let OpenOptions { memory, threads, io, temp_folder, observer, .. } = arguments.reading.open(cancellation);
    let request = UpdateRequest {
        add: add.iter().map(|path| input(path)).collect(),
        remove: remove.iter().map(|path| input(path)).collect(),
        text: arguments.text.edges(false)?,
        name: arguments.id.clone(),
        if_generation: arguments.if_generation,
        wait: arguments.wait.wait,
        merge: if arguments.merge { MergeRule::Now } else { arguments.merge_above },
        memory,
        threads,
        io,
        temp_folder,
        ..UpdateRequest::new(&arguments.store)
    };
    let record = outcrop::update(&request, cancellation, &*observer)?;
    // The update is made: an error would say that it is not.
    if let Err(error) = summarize(&record, arguments) {
        info(&format!("outcrop: note: the update is applied, but its record could not be printed: {error}"));
    }
    Ok(())
}

fn summarize(record: &UpdateRecord, arguments: &UpdateArguments) -> Result<()> {
    if record.skipped_lines > 0 {
        info(&not_understood(record.skipped_lines));
    }
    if arguments.output.json {
        return print(&json(record)?);
    }
    if let (Some(made), Some(name)) = (record.made_before, &arguments.id) {
        info(&format!("{}: skipped the update {name}, which was applied as generation {made}", record.store));
        return Ok(());
    }
    if record.updates.is_none() && !record.merged && arguments.add.is_empty() && arguments.remove.is_empty() {
        info(&format!("{}: nothing to merge", record.store));
        return Ok(());
    }
    let counts = &record.counts;
    let further = [
        (counts.absent, "to delete did not exist"),
        (counts.present, "to insert already existed"),
        (counts.reweighted, "of these changed their weight"),
        (
            counts.loops_dropped,
            if counts.loops_dropped == 1 { "self-loop was dropped" } else { "self-loops were dropped" },
        ),
        (record.new_vertices.into(), if record.new_vertices == 1 { "vertex is new" } else { "vertices are new" }),
    ];
    let further = further.iter().filter(|(number, _)| *number > 0);
    let further: String = further.map(|(number, what)| format!(", {} {what}", count(*number))).collect();
    let place = match (&record.updates, record.merged) {
        (Some(updates), _) => format!("{} of pending updates", bytes(updates.bytes)),
        (None, true) => "merged".to_owned(),
        (None, false) => "no pending updates".to_owned(),
    };
    info(&format!(
        "{}: {} inserted, {} deleted{further}; {}, {}, generation {}, {place} ({:.1} s)",
        record.store,
        counted(counts.added, "edge"),
        count(counts.removed),
        counted(record.vertices.into(), "vertex"),
        counted(record.edges, "edge"),
        record.generation,
        record.seconds,
    ));
    let (removed, added) = (&record.removed_from, &record.added_from);
    of_files("remove: ", removed, "edge").iter().chain(&of_files("add: ", added, "edge")).for_each(|line| info(line));
    Ok(())
}
