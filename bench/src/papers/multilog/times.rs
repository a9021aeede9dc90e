//! Figures 6, 8 and 10: times of the applications.

use super::requests::{APPLICATIONS, Multilog, cell, messages};
use crate::table::{Section, Table};
use outcrop::{MemorySize, Result};

/// Creates figure 6.
pub(super) fn all(multilog: &Multilog<'_>) -> Result<Section> {
    let mut table = Table::new("Seconds; bytes of lists, of logs and values", ["multi-logs", "supersteps", "messages"]);
    for application in APPLICATIONS {
        let record = multilog.run(application, &[])?;
        let sent = messages(&record)?.sent.to_string();
        table.row(application, [cell(&record), record.convergence.iterations.to_string(), sent]);
    }
    let found = "against GraphChi pagerank is 1.2 times as fast, community detection 1.7, coloring 1.4, independent sets 3.2, walks 6 times";
    let section = Section::new("Figure 6", found, vec![table]);
    Ok(section.here("GraphChi is not run: compare with one log (figure 8) and with sweeps (figure 5)"))
}

/// Creates figure 8.
pub(super) fn single_log(multilog: &Multilog<'_>) -> Result<Section> {
    let columns = ["multi-logs", "one sorted log", "times as long"];
    let mut table = Table::new("Seconds; bytes of lists, of logs and values", columns);
    for application in APPLICATIONS {
        let multi = multilog.run(application, &[])?;
        let single = multilog.run_with_single_log(application)?;
        let times = format!("{:.2}", single.time.seconds / multi.time.seconds.max(1e-9));
        table.row(application, [cell(&multi), cell(&single), times]);
    }
    let found =
        "against one sorted log (GraFBoost) the first iteration of pagerank is 2.8 times as fast, coloring 2.7 times";
    Ok(Section::new("Figure 8", found, vec![table]))
}

/// Creates figure 10.
pub(super) fn memory(multilog: &Multilog<'_>) -> Result<Section> {
    let mut table = Table::new("Multiples of the memory", ["1", "2", "4"]);
    for application in ["mis", "cdlp"] {
        let first = multilog.run(application, &[])?;
        let more = |times: u64| {
            let memory = MemorySize::Bytes(first.memory.budget.saturating_mul(times));
            multilog.run_in(memory, application, &[]).map(|record| cell(&record))
        };
        table.row(application, [cell(&first), more(2)?, more(4)?]);
    }
    Ok(Section::new("Figure 10", "with 4 and 8 GB in place of 1 the lead over GraphChi grows by 5 to 10%", vec![table]))
}
