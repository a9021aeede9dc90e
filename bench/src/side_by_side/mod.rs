//! outcrop and other programs in turn on the same graph, under equal conditions.

mod isolation;
mod measure;
mod peers;

use crate::harness::median;
use crate::output::{bytes, remark, say, say_json};
use crate::table::Table;
use clap::Args;
use measure::{Cost, measure};
use outcrop::{Cancellation, Error, Result};
use peers::Peer;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

/// Programs to compare, and the number of rounds.
#[derive(Debug, Args)]
pub(crate) struct SideBySideArguments {
    /// File with descriptions of the programs: see bench/peers
    peers: PathBuf,
    /// Value of a placeholder of that file: --set store=PATH for {store}
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    set: Vec<(String, String)>,
    /// Rounds with one run per program; every other round is in reverse order
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=999))]
    rounds: u32,
    /// Keep the page cache as it is, which needs no root
    #[arg(long)]
    warm: bool,
    /// Print as JSON, with every run
    #[arg(long)]
    json: bool,
    /// Additional arguments of every program
    #[arg(last = true, value_name = "ARGUMENTS")]
    further: Vec<String>,
}

fn setting(text: &str) -> std::result::Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

/// Runs of a program.
#[derive(Debug, Serialize)]
struct Account {
    #[serde(flatten)]
    peer: Peer,
    runs: Vec<Cost>,
}

impl Account {
    /// Returns the median of a figure; `None` if it is unknown for some run.
    fn median(&self, figure: impl Fn(&Cost) -> Option<f64>) -> Option<f64> {
        median(self.runs.iter().map(figure).collect::<Option<_>>()?)
    }

    /// Returns the median ratio to the seconds of `first` in the same rounds.
    fn ratio(&self, first: &Self) -> Option<f64> {
        median(self.runs.iter().zip(&first.runs).map(|(own, first)| own.seconds / first.seconds).collect())
    }
}

/// All runs, and their conditions.
#[derive(Debug, Serialize)]
struct Comparison {
    rounds: u32,
    page_cache: &'static str,
    kernel: String,
    cpu: String,
    /// Per disk, in KiB.
    read_ahead: BTreeMap<String, u64>,
    peers: Vec<Account>,
    /// Median ratio of the seconds of each program to those of the first, by round.
    ratios: Vec<Option<f64>>,
}

/// Runs all programs and prints their costs.
///
/// # Errors
/// Returns an error if the file does not describe programs, if a program fails, if the user lacks the permission to
/// isolate them, or on interruption.
pub(crate) fn run(arguments: &SideBySideArguments, cancellation: &Cancellation) -> Result<()> {
    let mut peers = peers::read(&arguments.peers, &arguments.set)?;
    peers.iter_mut().for_each(|peer| peer.command.extend_from_slice(&arguments.further));
    let read_ahead = isolation::read_ahead();
    let mut accounts: Vec<_> = peers.into_iter().map(|peer| Account { peer, runs: Vec::new() }).collect();
    for round in 0..arguments.rounds {
        for place in 0..accounts.len() {
            let place = if round % 2 == 0 { place } else { accounts.len() - 1 - place };
            let account = &mut accounts[place];
            remark(&format!("round {} of {}: {}", round + 1, arguments.rounds, account.peer.name));
            account.runs.push(measure(&account.peer, arguments.warm, cancellation)?);
        }
    }
    let first = accounts.first().ok_or_else(|| Error::internal("nothing was compared"))?;
    let ratios = accounts.iter().map(|account| account.ratio(first)).collect();
    let comparison = Comparison {
        rounds: arguments.rounds,
        page_cache: if arguments.warm { "as it was" } else { "dropped before each run" },
        kernel: first_line("/proc/sys/kernel/osrelease", ""),
        cpu: first_line("/proc/cpuinfo", "model name"),
        read_ahead,
        ratios,
        peers: accounts,
    };
    if arguments.json { say_json(&comparison) } else { say(&comparison.text()) }
}

/// Returns the value after the colon of the first line of a file that starts with `start`, or the whole line if it has
/// no colon; empty without such a line.
fn first_line(path: &str, start: &str) -> String {
    let text = fs::read_to_string(path).ok();
    let line = text.as_deref().and_then(|text| text.lines().find(|line| line.starts_with(start)));
    line.map_or_else(String::new, |line| line.split_once(": ").map_or(line, |(_, value)| value).to_owned())
}

impl Comparison {
    fn text(&self) -> String {
        let columns = ["seconds", "ratio", "whole run, s", "CPU, s", "read", "peak RSS", "peak of the group"];
        let mut table = Table::new(format!("Medians of {} rounds", self.rounds), columns);
        let known = |value: Option<f64>, show: fn(f64) -> String| value.map_or_else(|| "-".to_owned(), show);
        let (number, size) = (|value| format!("{value:.3}"), |value| bytes(value as u64));
        for (account, ratio) in self.peers.iter().zip(&self.ratios) {
            let cells = [
                account.spread(),
                known(*ratio, |ratio| format!("{ratio:.2}")),
                known(account.median(|cost| Some(cost.wall_seconds)), number),
                known(account.median(|cost| Some(cost.cpu_seconds)), number),
                known(account.median(|cost| cost.bytes_read), size),
                known(account.median(|cost| Some(cost.peak_rss)), size),
                known(account.median(|cost| cost.peak_group), size),
            ];
            table.row(&account.peer.name, cells);
        }
        let read_ahead: Vec<_> = self.read_ahead.iter().map(|(disk, kib)| format!("{disk} {kib} KiB")).collect();
        let Self { page_cache, kernel, cpu, .. } = self;
        let facts = format!("read-ahead: {}; kernel: {kernel}; CPU: {cpu}", read_ahead.join(", "));
        format!("{}Page cache: {page_cache}; {facts}", table.text())
    }
}

impl Account {
    /// Formats the median of the seconds, and their minimum and maximum.
    fn spread(&self) -> String {
        let seconds = || self.runs.iter().map(|cost| cost.seconds);
        let (least, most) = (seconds().fold(f64::INFINITY, f64::min), seconds().fold(0.0, f64::max));
        median(seconds().collect()).map_or_else(String::new, |median| format!("{median:.3} ({least:.3} to {most:.3})"))
    }
}
