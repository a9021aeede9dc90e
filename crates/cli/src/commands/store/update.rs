//! `outcrop update`

use super::build::{input, not_understood};
use super::input_summary::of_files;
use crate::options::text::TextOptions;
use crate::options::work::{WaitOption, WorkOptions};
use crate::output::{bytes, count, json, remark, say};
use clap::Args;
use outcrop::{Cancellation, Error, IoChoice, MergeRule, Result, UpdateRecord, UpdateRequest, counted};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct UpdateArguments {
    /// The store
    pub(crate) store: PathBuf,
    /// A file of edges to add (as for `outcrop build`), `-` for standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) add: Vec<PathBuf>,
    /// A file of edges to remove, each with all its copies, before any is added
    #[arg(long, value_name = "FILE")]
    pub(crate) remove: Vec<PathBuf>,
    /// Name of the update: one that was made already, by this name, is not made again (the last 1,000 are known)
    #[arg(long, value_name = "NAME")]
    pub(crate) id: Option<String>,
    /// Make the update only if so many updates were made before, as `outcrop info` says
    #[arg(long, value_name = "N")]
    pub(crate) if_generation: Option<u64>,
    /// Write what changed since the lists were written into them, which rewrites the store
    #[arg(long)]
    pub(crate) merge: bool,
    /// Do so where it is more than this share of the list entries, or never
    #[arg(long, value_name = "SHARE", default_value = "1%", conflicts_with = "merge")]
    pub(crate) merge_above: MergeRule,
    /// Weights of edges to add are in this column [default: the third]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) weight: Option<String>,
    #[command(flatten)]
    pub(crate) text: TextOptions,
    /// Folder for the temporary files of a merge [default: beside the store]
    #[arg(long, value_name = "DIR")]
    pub(crate) tmp_dir: Option<PathBuf>,
    /// Print what was done as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// I/O backend: auto, uring, pread, buffered or mmap
    #[arg(long, value_name = "BACKEND", default_value = "auto", help_heading = "Memory and I/O")]
    pub(crate) io: IoChoice,
    #[command(flatten)]
    pub(crate) wait: WaitOption,
    #[command(flatten)]
    pub(crate) work: WorkOptions,
}

pub(crate) fn run(arguments: &UpdateArguments, cancellation: &Cancellation) -> Result<()> {
    let (add, remove) = (&arguments.add, &arguments.remove);
    if add.is_empty() && remove.is_empty() && !arguments.merge {
        return Err(Error::Usage("update takes --add FILE, --remove FILE, or --merge".to_owned()));
    }
    if add.iter().chain(remove).filter(|path| path.as_os_str() == "-").count() > 1 {
        return Err(Error::Usage("the standard input can be read once".to_owned()));
    }
    let request = UpdateRequest {
        add: add.iter().map(|path| input(path)).collect(),
        remove: remove.iter().map(|path| input(path)).collect(),
        text: arguments.text.edges(false, arguments.weight.as_ref())?,
        name: arguments.id.clone(),
        if_generation: arguments.if_generation,
        wait: arguments.wait.wait,
        merge: if arguments.merge { MergeRule::Now } else { arguments.merge_above },
        memory: arguments.work.memory,
        threads: arguments.work.threads(),
        io: arguments.io,
        temp_folder: arguments.tmp_dir.clone(),
        ..UpdateRequest::new(&arguments.store)
    };
    let record = outcrop::update(&request, cancellation, &*arguments.work.progress.progress.observer())?;
    // The update is made: an error would say that it is not.
    if let Err(error) = summarize(&record, arguments) {
        remark(&format!("outcrop: note: the update is made, and its record could not be printed: {error}"));
    }
    Ok(())
}

fn summarize(record: &UpdateRecord, arguments: &UpdateArguments) -> Result<()> {
    if record.skipped_lines > 0 {
        remark(&not_understood(record.skipped_lines));
    }
    if arguments.json {
        return say(&json(record)?);
    }
    if let (Some(made), Some(name)) = (record.made_before, &arguments.id) {
        remark(&format!(
            "{}: the update {name} was made already, as generation {made}; nothing was done",
            record.store
        ));
        return Ok(());
    }
    let counts = &record.counts;
    let further = [
        (counts.absent, "to remove were not there"),
        (counts.present, "to add were there already"),
        (counts.reweighted, "of these got another weight"),
        (counts.loops_dropped, "were loops, which the store does not keep"),
        (record.new_vertices.into(), if record.new_vertices == 1 { "vertex is new" } else { "vertices are new" }),
    ];
    let further = further.iter().filter(|(number, _)| *number > 0);
    let further: String = further.map(|(number, what)| format!(", {} {what}", count(*number))).collect();
    let place = match (&record.updates, record.merged) {
        (Some(updates), _) => format!("{} beside the lists", bytes(updates.bytes)),
        (None, true) => "written into the lists".to_owned(),
        (None, false) => "nothing beside the lists".to_owned(),
    };
    remark(&format!(
        "{}: {} added, {} removed{further}; {}, {}, generation {}, {place} in {:.1} s",
        record.store,
        counted(counts.added, "edge"),
        count(counts.removed),
        counted(record.vertices.into(), "vertex"),
        counted(record.edges, "edge"),
        record.generation,
        record.seconds,
    ));
    let (removed, added) = (&record.removed_from, &record.added_from);
    of_files("remove: ", removed, "edge").iter().chain(&of_files("add: ", added, "edge")).for_each(|line| remark(line));
    if removed.iter().chain(added).all(|file| file.edges == 0) && !(removed.is_empty() && added.is_empty()) {
        remark("outcrop: note: the update has no edges; nothing was changed");
    }
    Ok(())
}
