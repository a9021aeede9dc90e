//! `outcrop cache`

use crate::options::output::JsonOption;
use crate::options::work::{DeviceOptions, WaitOption};
use crate::output::{bytes, info, json, print};
use clap::{Args, ValueEnum};
use outcrop::{
    CacheSize, Cancellation, Graph, Result, Rounds, SelectionGain, SelectionRequest, SelectionsRecord, Selector,
    counted,
};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct CacheArguments {
    /// Path of the store
    pub(crate) store: PathBuf,
    /// Total size of the pinned lists: a percentage of all lists, or a size [default: 20%]
    #[arg(long, value_name = "SIZE", conflicts_with = "remove")]
    pub(crate) size: Option<CacheSize>,
    /// Method to choose lists
    #[arg(long, value_enum, value_name = "METHOD", default_value_t = SelectOption::Observed, conflicts_with = "remove")]
    pub(crate) select: SelectOption,
    /// Number of times that --select gvs recomputes priorities, or each: after every list [default: each]
    #[arg(long, value_name = "N", value_parser = rounds, conflicts_with = "remove")]
    pub(crate) rounds: Option<Rounds>,
    /// Random seed [default: 1]
    #[arg(long, value_name = "N", conflicts_with = "remove")]
    pub(crate) seed: Option<u64>,
    /// Keep the pinned lists without measuring sample searches
    #[arg(long, conflicts_with = "remove")]
    pub(crate) keep: bool,
    /// Remove the pinned lists from the store
    #[arg(long)]
    pub(crate) remove: bool,
    #[command(flatten)]
    pub(crate) output: JsonOption,
    #[command(flatten)]
    pub(crate) wait: WaitOption,
    #[command(flatten)]
    pub(crate) device: DeviceOptions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SelectOption {
    /// Lists on pages of which sample searches use little else
    Observed,
    /// Greedy choice by the cost model of BASC
    Gvs,
}

/// Parses the rounds of GVS: a number, or `each` for one per list.
fn rounds(text: &str) -> std::result::Result<Rounds, String> {
    match text {
        "each" => Ok(Rounds::OneByOne),
        number => number.parse().map(Rounds::Of).map_err(|_| "expected a positive integer, or `each`".to_owned()),
    }
}

impl CacheArguments {
    /// # Errors
    /// An option that another makes useless.
    fn selector(&self) -> Result<Selector> {
        let name = self.select.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
        Selector::named(&name, self.rounds, self.seed)
    }
}

pub(crate) fn run(arguments: &CacheArguments, cancellation: &Cancellation) -> Result<()> {
    let selector = arguments.selector()?;
    outcrop::while_in_use(arguments.wait.wait, cancellation, || select(arguments, selector.clone(), cancellation))
}

fn select(arguments: &CacheArguments, selector: Selector, cancellation: &Cancellation) -> Result<()> {
    let graph = Graph::open(&arguments.store, arguments.device.open(cancellation))?;
    if arguments.remove {
        graph.forget_selections()?;
        info(&format!("{}: removed the pinned lists", arguments.store.display()));
        return Ok(());
    }
    let size = arguments.size.unwrap_or(CacheSize::Percent(20.0));
    let record = graph.select(&SelectionRequest { size, selector, keep: arguments.keep })?;
    if arguments.output.json { print(&json(&record)?) } else { print(&summary(&record)) }
}

fn summary(record: &SelectionsRecord) -> String {
    let line = |selection: &outcrop::SelectionRecord| {
        let info = &selection.info;
        format!(
            "{:<4} {} with {}, {}; chosen in {:.1} s, written in {:.1} s",
            info.direction.name(),
            counted(info.lists.into(), "list"),
            counted(info.arcs, "entry"),
            bytes(info.bytes),
            selection.seconds_selecting,
            selection.seconds_writing
        )
    };
    let mut lines: Vec<String> = record.selections.iter().map(line).collect();
    lines.extend(record.gain.as_ref().map(searches));
    let store = &record.store;
    lines.push(match (record.kept, record.gain.as_ref().and_then(|gain| gain.pays_after)) {
        (false, _) => {
            format!("{store}: unchanged, because searches gain nothing from these lists; --keep pins them anyway")
        }
        (true, None) => format!("{store}: pinned for Python, `outcrop serve` and `outcrop run --static-cache 80%`"),
        (true, Some(runs)) => format!(
            "{store}: pinned for Python and `outcrop serve`, where loading them pays after {}; a single `outcrop run` \
             loads them only with --static-cache",
            counted(runs, "search")
        ),
    });
    lines.push(format!("peak memory {}", bytes(record.peak_rss)));
    lines.join("\n")
}

/// Describes the sample searches with and without pinned lists.
fn searches(gain: &SelectionGain) -> String {
    let each = |all: u64| bytes(all / u64::from(gain.searches.max(1)));
    format!(
        "{} read {} each without and {} with them, in a cache of {}; loading them reads {}",
        counted(gain.searches.into(), "sample search"),
        each(gain.bytes_without),
        each(gain.bytes_with),
        bytes(gain.cache_bytes),
        bytes(gain.loaded_bytes)
    )
}
