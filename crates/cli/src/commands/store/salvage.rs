//! `outcrop salvage`

use crate::options::output::{EdgeFileOptions, JsonOption};
use crate::options::work::ReadOptions;
use crate::output::{count, info, json, named, print};
use clap::Args;
use outcrop::{Cancellation, Error, Graph, LostVertices, Result, SalvagedLists, counted};
use std::path::{Path, PathBuf};

/// Remedy for a store that cannot be opened.
const NO_MANIFEST: &str = "no edge can be salvaged without the manifest, which describes all other files; rebuild the \
                           store from its edges";

/// Maximum number of ranges of vertices in the text.
const SHOWN_RANGES: usize = 10;
const FORMATS: &str = "Format: edge-list, outcrop (binary) or parquet [default: by extension, edge-list for -]";

#[derive(Debug, Args)]
#[command(after_help = "\
Exit code 0: the output has all edges. Exit code 7: some edges are lost, and the output has all others.")]
#[command(mut_arg("format", |format| format.help(FORMATS)))]
pub(crate) struct SalvageArguments {
    /// Path of the damaged store
    pub(crate) store: PathBuf,
    /// Output file: .el, .wel, .txt, .csv, .tsv (text, also .gz or .zst), .bin (binary) or .parquet; - for standard
    /// output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    #[command(flatten)]
    pub(crate) file: EdgeFileOptions,
    #[command(flatten)]
    pub(crate) json: JsonOption,
    #[command(flatten)]
    pub(crate) reading: ReadOptions,
}

pub(crate) fn run(arguments: &SalvageArguments, cancellation: &Cancellation) -> Result<()> {
    let (store, output) = (&arguments.store, &arguments.output);
    if arguments.json.json && output == Path::new("-") {
        return Err(Error::Usage("--json and `--output -` both need standard output; choose a file".to_owned()));
    }
    let graph = Graph::open(store, arguments.reading.open(cancellation)).map_err(|error| match &error {
        Error::Corrupt { path, .. } if path.ends_with("manifest.json") => error.with_remedy(NO_MANIFEST),
        Error::NotFound { path, .. } if path.ends_with("manifest.json") => {
            Error::corrupt(path, "the file is missing").with_remedy(NO_MANIFEST)
        }
        _ => error,
    })?;
    let record = graph.salvage(&arguments.file.request(output))?;
    if arguments.json.json {
        print(&json(&record)?)?;
    } else {
        let lost = counted(record.edges_lost, "edge");
        let file = if record.is_written() { named(output) } else { format!("{} was not written", named(output)) };
        info(&format!("{file}: {}, {lost} lost", counted(record.edges_written, "edge")));
        record.lists.iter().for_each(|lists| info(&described(lists)));
    }
    if record.edges_lost == 0 {
        return Ok(());
    }
    let (lost, edges) = (count(record.edges_lost), counted(record.edges, "edge"));
    let remedy = if record.is_written() { "the output has all others" } else { "nothing was written" };
    Err(Error::corrupt(store, format!("{lost} of {edges} are lost")).with_remedy(remedy))
}

/// Describes the lists of one direction.
fn described(lists: &SalvagedLists) -> String {
    let name = if lists.direction == "both" { "lists".to_owned() } else { format!("{}-lists", lists.direction) };
    let mut text = format!("{name}: {} intact, {} lost", count(lists.intact.into()), count(lists.lost.into()));
    if lists.lost > 0 {
        let range = |LostVertices { first, last }: &LostVertices| match first == last {
            true => first.to_string(),
            false => format!("{first} to {last}"),
        };
        let ranges: Vec<String> = lists.ranges.iter().take(SHOWN_RANGES).map(range).collect();
        text += &format!(" (vertices {}", ranges.join(", "));
        let more = lists.more_ranges + lists.ranges.len().saturating_sub(SHOWN_RANGES) as u64;
        if more > 0 {
            text += &format!(" and {}", counted(more, "further range"));
        }
        text.push(')');
    }
    lists.faults.iter().for_each(|fault| text += &format!("\n  {fault}"));
    text
}
