//! Progress on stderr: a bar on a terminal, lines for people or JSON lines on request.

use crate::output::{bytes, info, info_json, shown};
use indicatif::{ProgressBar, ProgressStyle};
use outcrop::{Event, Meter, Observer, Phase, Progress, ProgressUnit, RunProgress, Stopwatch};
use std::io::IsTerminal;
use std::sync::{Arc, Mutex, PoisonError};

/// Progress output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ProgressMode {
    /// A progress bar if stderr is a terminal, otherwise nothing.
    Auto,
    /// No output.
    None,
    /// One line per phase, then one every ten seconds.
    Plain,
    /// JSON lines on stderr.
    Json,
}

/// Seconds between two lines of a phase for people.
const PAUSE: f64 = 10.0;
/// Steps of a bar.
const STEPS: u64 = 1000;

impl ProgressMode {
    /// The observer that shows progress in this way.
    pub(crate) fn observer(self) -> Arc<dyn Observer> {
        match self {
            Self::Json => Arc::new(Meter::new(|event| info_json(&event.to_json()))),
            Self::Plain => {
                let lines = Lines::default();
                Arc::new(Meter::new(move |event| lines.take(event)))
            }
            Self::Auto if std::io::stderr().is_terminal() => {
                let bar = Bar::default();
                Arc::new(Meter::new(move |event| bar.take(event)))
            }
            Self::Auto | Self::None => Arc::new(Notes),
        }
    }
}

fn info_note(message: &str) {
    info(&format!("outcrop: note: {message}"));
}

/// Only what a user should know.
struct Notes;

impl Observer for Notes {
    fn note(&self, message: &str) {
        info_note(message);
    }
}

/// Lines for people who look at them later.
#[derive(Default)]
struct Lines(Mutex<Option<Stopwatch>>);

impl Lines {
    fn take(&self, event: &Event<'_>) {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Phase(Phase { name, .. }) => {
                info(&format!("outcrop: {name}"));
                *told = Some(Stopwatch::start());
            }
            Event::Progress(progress) if told.as_ref().is_none_or(|told| told.seconds() >= PAUSE) => {
                info(&format!("outcrop: {}: {}", progress.phase, in_words(progress)));
                *told = Some(Stopwatch::start());
            }
            Event::Note(message) => info_note(message),
            Event::Progress(_) | Event::Iteration(_) => {}
        }
    }
}

/// A bar that is redrawn in place.
#[derive(Default)]
struct Bar(Mutex<Option<ProgressBar>>);

impl Bar {
    fn take(&self, event: &Event<'_>) {
        let mut bar = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match (event, &*bar) {
            (Event::Phase(phase), before) => {
                before.iter().for_each(|before| before.finish());
                let next = ProgressBar::new(STEPS).with_prefix(phase.name);
                next.set_style(style(false));
                *bar = Some(next);
            }
            (Event::Progress(progress), Some(bar)) => {
                bar.set_style(style(progress.share.is_some()));
                progress.share.iter().for_each(|share| bar.set_position((share * STEPS as f64) as u64));
                bar.set_message(in_words(progress));
            }
            (Event::Note(message), Some(bar)) => bar.println(shown(&format!("note: {message}"))),
            (Event::Note(message), None) => info_note(message),
            (Event::Progress(_), None) | (Event::Iteration(_), _) => {}
        }
    }
}

fn style(with_bar: bool) -> ProgressStyle {
    let template = match with_bar {
        true => "{prefix} {bar:12} {percent}% {wide_msg}",
        false => "{prefix} {spinner} {wide_msg}",
    };
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// State of a phase, as a person reads it.
fn in_words(progress: &Progress) -> String {
    let Progress { unit, done, total, at_most, seconds_left, per_second, run, .. } = progress;
    let up_to = if *at_most { "at most " } else { "" };
    let of =
        |amount: &dyn Fn(u64) -> String| total.map_or(String::new(), |total| format!(" of {up_to}{}", amount(total)));
    let mut words = vec![match unit {
        ProgressUnit::Bytes => format!("{}{}", bytes(*done), of(&bytes)),
        _ => format!("{}{} {}", short(*done as f64), of(&|total| short(total as f64)), unit.name()),
    }];
    words.extend(seconds_left.map(|seconds| format!("{} left", time(seconds))));
    match run {
        Some(run) => words.extend(of_run(run, *unit)),
        None if *unit == ProgressUnit::Bytes => words.push(format!("{}/s", bytes(*per_second as u64))),
        None => words.push(format!("{} {}/s", short(*per_second), unit.name())),
    }
    words.join(", ")
}

fn of_run(run: &RunProgress, unit: ProgressUnit) -> impl Iterator<Item = String> {
    let RunProgress { iterations, iteration_share, change, tolerance, edges_per_second, bytes_read_per_second, .. } =
        *run;
    let share = iteration_share.map(|share| format!("{:.0}%", 100.0 * share));
    let iteration = match (unit, share) {
        (ProgressUnit::Iterations, share) => share.map(|share| format!("{share} of the next")),
        (_, Some(share)) => Some(format!("{share} of iteration {}", iterations + 1)),
        (_, None) => Some(format!("{iterations} iterations")),
    };
    let below = tolerance.map_or(String::new(), |tolerance| format!(" (to {tolerance:.1e})"));
    let change = change.map(|change| format!("change {change:.1e}{below}"));
    let edges = format!("{} edges/s", short(edges_per_second));
    let read = Some(bytes_read_per_second).filter(|read| *read >= 1.0).map(|read| format!("{}/s", bytes(read as u64)));
    change.into_iter().chain([edges]).chain(read).chain(iteration)
}

/// A number in three digits or so: 31.4M.
fn short(number: f64) -> String {
    let steps = ["", "k", "M", "G", "T"];
    let mut rest = number;
    let mut steps = steps.iter();
    let mut step = steps.next();
    while rest >= 999.5
        && let Some(next) = steps.next()
    {
        (rest, step) = (rest / 1000.0, Some(next));
    }
    let digits = if rest.fract() == 0.0 || rest >= 99.95 {
        0
    } else if rest >= 9.995 {
        1
    } else {
        2
    };
    format!("{rest:.digits$}{}", step.unwrap_or(&""))
}

/// A time that is still to come.
fn time(seconds: f64) -> String {
    match seconds {
        ..99.5 => format!("{seconds:.0} s"),
        ..5970.0 => format!("{:.0} min", seconds / 60.0),
        _ => format!("{:.1} h", seconds / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_reads_well() {
        let phase = Phase { name: "reading edges", unit: ProgressUnit::Bytes, total: Some(10 << 30) };
        let reading = Progress::of_phase(&phase, 1 << 30, 2.0);
        assert_eq!(in_words(&reading), "1.00 GiB of 10.00 GiB, 18 s left, 512.00 MiB/s");
        let run = RunProgress {
            iterations: 7,
            iteration_share: Some(0.456),
            change: Some(3.21e-4),
            tolerance: Some(1e-6),
            edges_per_second: 412.3e6,
            bytes_read: 1 << 40,
            bytes_read_per_second: 1.5 * 1024.0 * 1024.0,
        };
        let (unit, done, total) = (ProgressUnit::Iterations, 7, Some(23));
        let ranks = Progress { unit, done, total, seconds_left: Some(7200.0), run: Some(run), ..reading.clone() };
        let said =
            "7 of 23 iterations, 2.0 h left, change 3.2e-4 (to 1.0e-6), 412M edges/s, 1.50 MiB/s, 46% of the next";
        assert_eq!(in_words(&ranks), said);
        let run = RunProgress { change: None, tolerance: None, bytes_read_per_second: 0.0, ..run };
        let (unit, done, total) = (ProgressUnit::Vertices, 1_234_567, Some(4_000_000));
        let found = Progress { unit, done, total, at_most: true, seconds_left: None, run: Some(run), ..reading };
        assert_eq!(in_words(&found), "1.23M of at most 4M vertices, 412M edges/s, 46% of iteration 8");
    }

    #[test]
    fn numbers_are_short() {
        let said = [0.0, 7.0, 12.34, 999.0, 999.6, 1500.0, 99_960.0, 2e9, 3e15].map(short);
        assert_eq!(said, ["0", "7", "12.3", "999", "1.00k", "1.50k", "100k", "2G", "3000T"]);
        assert_eq!([0.4, 99.0, 150.0, 9000.0].map(time), ["0 s", "99 s", "2 min", "2.5 h"]);
    }
}
