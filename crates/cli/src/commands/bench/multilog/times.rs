//! Figures 6, 8 and 10: how long the applications take.

use super::super::markdown::{Section, Table};
use super::laboratory::{APPLICATIONS, Laboratory, Setting, cell, messages};
use outcrop::Result;

/// Figure 6.
pub(super) fn all(laboratory: &Laboratory<'_>) -> Result<Section> {
    let mut table = Table::new("Seconds; bytes of lists, of logs and values", ["multi-logs", "supersteps", "messages"]);
    for application in APPLICATIONS {
        let record = laboratory.run(application, Setting::default())?;
        let sent = messages(&record)?.sent.to_string();
        table.row(application, [cell(&record), record.iterations.to_string(), sent]);
    }
    Ok(Section {
        name: "Figure 6".to_owned(),
        paper: "beside GraphChi pagerank is 1.2 times as fast, community detection 1.7, coloring 1.4, independent sets 3.2, walks 6 times",
        here: vec!["GraphChi is not run: compare with one log (figure 8) and with sweeps (figure 5)".to_owned()],
        tables: vec![table],
    })
}

/// Figure 8.
pub(super) fn single_log(laboratory: &Laboratory<'_>) -> Result<Section> {
    let mut table =
        Table::new("Seconds; bytes of lists, of logs and values", ["multi-logs", "one sorted log", "times as long"]);
    for application in APPLICATIONS {
        let multi = laboratory.run(application, Setting::default())?;
        let single = laboratory.run(application, Setting { options: &[("log", "single")], ..Setting::default() })?;
        let times = format!("{:.2}", single.seconds / multi.seconds.max(1e-9));
        table.row(application, [cell(&multi), cell(&single), times]);
    }
    Ok(Section {
        name: "Figure 8".to_owned(),
        paper: "beside one sorted log (GraFBoost) the first iteration of pagerank is 2.8 times as fast, coloring 2.7 times",
        here: Vec::new(),
        tables: vec![table],
    })
}

/// Figure 10.
pub(super) fn memory(laboratory: &Laboratory<'_>) -> Result<Section> {
    let columns = [1_u64, 2, 4];
    let mut table = Table::new("So many times the memory", columns.map(|times| times.to_string()));
    for application in ["mis", "cdlp"] {
        let first = laboratory.run(application, Setting::default())?;
        let more = |times: &u64| {
            let memory = Some(first.memory_budget.saturating_mul(*times));
            laboratory.run(application, Setting { memory, ..Setting::default() }).map(|record| cell(&record))
        };
        let others = columns[1..].iter().map(more).collect::<Result<Vec<_>>>()?;
        table.row(application, std::iter::once(cell(&first)).chain(others));
    }
    Ok(Section {
        name: "Figure 10".to_owned(),
        paper: "with 4 and 8 GB in place of 1 the lead over GraphChi grows by 5 to 10%",
        here: Vec::new(),
        tables: vec![table],
    })
}
