//! Tables in Markdown: what the paper says, and what is seen here.

use super::measure::{Row, Run};
use crate::commands::bench::markdown::Table;
use crate::output::bytes;
use serde::Serialize;

/// What a table shows of each run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Metric {
    Seconds,
    BytesRead,
    HitRatio,
    StaticHitRatio,
    Utilisation,
}

impl Metric {
    const fn title(self) -> &'static str {
        match self {
            Self::Seconds => "Seconds (in parts of the first line)",
            Self::BytesRead => "Bytes read (in parts of the first line)",
            Self::HitRatio => "Hit ratio of the page cache",
            Self::StaticHitRatio => "Part of the lists that the static cache served",
            Self::Utilisation => "Part of a page's 64-byte units that was used",
        }
    }

    fn cell(self, run: &Run, first: Option<&Run>) -> String {
        let part = |mine: f64, first: Option<f64>| match first {
            Some(first) if first > 0.0 => format!(" ({:.2})", mine / first),
            _ => String::new(),
        };
        let percent = |ratio: Option<f64>| ratio.map_or("-".to_owned(), |ratio| format!("{:.1}%", 100.0 * ratio));
        match self {
            Self::Seconds => format!("{:.2}{}", run.seconds, part(run.seconds, first.map(|run| run.seconds))),
            Self::BytesRead => {
                let of = |run: &Run| run.bytes_read as f64;
                format!("{}{}", bytes(run.bytes_read), part(of(run), first.map(of)))
            }
            Self::HitRatio => percent(run.cache_hit_ratio),
            Self::StaticHitRatio => percent(run.static_hit_ratio),
            Self::Utilisation => percent(run.page_utilisation),
        }
    }
}

/// A figure or table of the paper.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Section {
    /// Its number.
    pub(super) name: String,
    /// What the paper found.
    pub(super) paper: &'static str,
    pub(super) metrics: Vec<Metric>,
    pub(super) rows: Vec<Row>,
    /// What is seen here, in words.
    pub(super) here: Vec<String>,
}

impl Section {
    pub(super) fn text(&self) -> String {
        let mut text = format!("\n## {}\n\nPaper: {}\n\n", self.name, self.paper);
        for line in &self.here {
            text += &format!("Here: {line}\n\n");
        }
        if self.rows.iter().any(|row| row.making.is_some()) {
            text += &self.making().text();
        }
        let tables = self.metrics.iter().filter_map(|metric| self.table(*metric));
        text + &tables.map(|table| table.text()).collect::<String>()
    }

    fn making(&self) -> Table {
        let mut table = Table::new("Making", ["seconds"]);
        for (row, seconds) in self.rows.iter().filter_map(|row| Some((row, row.making?))) {
            table.row(&row.label, [format!("{seconds:.2}")]);
        }
        table
    }

    fn table(&self, metric: Metric) -> Option<Table> {
        let first = self.rows.first().filter(|first| !first.runs.is_empty())?;
        let mut table = Table::new(metric.title(), first.runs.iter().map(|run| run.algorithm.as_str()));
        for (number, row) in self.rows.iter().enumerate() {
            let base = |at: usize| first.runs.get(at).filter(|_| number > 0);
            table.row(&row.label, row.runs.iter().enumerate().map(|(at, run)| metric.cell(run, base(at))));
        }
        Some(table)
    }
}

/// The harmonic mean of how many times as long `base` takes as `other`, over pairs of runs of the same algorithm.
pub(super) fn times_faster<'r>(pairs: impl Iterator<Item = (&'r Row, &'r Row)>, of: impl Fn(&Run) -> f64) -> f64 {
    let ratios = pairs.flat_map(|(base, other)| base.runs.iter().zip(&other.runs));
    let (count, sum) = ratios.fold((0.0, 0.0), |(count, sum), (base, other)| {
        (count + 1.0, sum + of(other) / of(base).max(f64::MIN_POSITIVE))
    });
    count / sum
}
