//! Into which intervals the vertices are split (MultiLogVC section V.A.1): a message on every edge that leads to one
//! fits the memory in which messages are grouped.

use super::shares::{Shares, messages_at_once};
use crate::log::{LogPlan, PAGE_BYTES, page_sizes, space_bytes};
use crate::setup::MessageSetup;
use outcrop_types::{Result, VertexRange};

/// Degrees that are read at once.
const STRETCH: u32 = 1 << 14;

/// Logs may take as much of the memory to sort in, where there are many intervals.
const MOST_FOR_LOGS: u64 = 4;

/// Splits the vertices so that grouping a message an edge takes at most half of the memory to sort in, or an interval
/// has one vertex. Where the logs of so many intervals need more memory, they get it from sorting, up to a quarter of
/// it; intervals are larger beyond that, and then their messages come in parts.
pub(crate) fn choose_intervals(setup: &MessageSetup<'_>, shares: &mut Shares) -> Result<Vec<VertexRange>> {
    let both = shares.sort + shares.log;
    let most = (both / MOST_FOR_LOGS).max(shares.log);
    let mut memory = shares.sort / 2;
    loop {
        let intervals = split(setup, memory)?;
        let logs = least_log(setup, intervals.len());
        if logs <= shares.log || intervals.len() == 1 {
            return Ok(intervals);
        }
        if logs <= most && shares.log < most {
            // What sorting has left may take a few intervals more.
            shares.log = (logs + logs / 8).min(most);
            shares.sort = both - shares.log;
            memory = shares.sort / 2;
        } else {
            memory = memory.max(4) / 4 * 5;
        }
    }
}

/// Memory that the log of so many intervals takes at the least; one of another kind has no page for each.
fn least_log(setup: &MessageSetup<'_>, intervals: usize) -> u64 {
    let plans = log_plans(setup, intervals).filter(|_| setup.log.is_none());
    plans.map(|plan| with_spare_pages(&plan)).min().unwrap_or(0)
}

/// Bytes of the pages of a log in so much memory: the larger the fewer are numbered, the smaller the more are filled at
/// once.
pub(crate) fn log_page_bytes(setup: &MessageSetup<'_>, intervals: usize, memory: u64) -> usize {
    let fits = log_plans(setup, intervals).find(|plan| with_spare_pages(plan) <= memory);
    let least = || log_plans(setup, intervals).min_by_key(with_spare_pages);
    fits.or_else(least).map_or(PAGE_BYTES, |plan| plan.page_bytes)
}

/// Bytes of a log that has some pages beyond those that are being filled.
fn with_spare_pages(plan: &LogPlan) -> u64 {
    plan.bytes() / 4 * 5
}

/// Returns log plans with the minimum memory, for each page size, the largest first.
fn log_plans(setup: &MessageSetup<'_>, intervals: usize) -> impl Iterator<Item = LogPlan> {
    let plan = LogPlan {
        intervals,
        slots: setup.workers.slots(),
        message_bytes: setup.requirements.message_bytes as usize,
        page_bytes: PAGE_BYTES,
        memory: 0,
        messages: messages_at_once(setup.lists.arcs(), &setup.requirements),
        combines: setup.requirements.combines,
    };
    page_sizes().map(move |page_bytes| LogPlan { page_bytes, ..plan })
}

/// Splits the vertices into intervals. Reads all degrees once, unless messages are combined: then they do not matter.
fn split(setup: &MessageSetup<'_>, memory: u64) -> Result<Vec<VertexRange>> {
    let (requirements, undirected) = (&setup.requirements, setup.lists.undirected());
    let directions = if requirements.combines { &[] } else { requirements.along.lists(undirected) };
    let bytes = |messages, vertices| space_bytes(messages, vertices, requirements.message_bytes, requirements.combines);
    let (mut intervals, mut range, mut messages) = (Vec::new(), VertexRange::new(0, 0), 0_u64);
    let mut lengths = [Vec::new(), Vec::new()];
    for start in (0..requirements.all_vertices()).step_by(STRETCH as usize) {
        setup.workers.cancellation().check()?;
        let stretch = VertexRange::new(start, start.saturating_add(STRETCH).min(requirements.all_vertices()));
        let stored = VertexRange::new(start.min(requirements.vertices), stretch.end.min(requirements.vertices));
        for (direction, lengths) in directions.iter().zip(&mut lengths) {
            setup.degrees.with_reader(*direction, undirected, |reader| reader.read(stored, lengths))?;
        }
        for position in 0..stretch.len() {
            let more: u64 = lengths.iter().filter_map(|lengths| lengths.get(position)).copied().map(u64::from).sum();
            if !range.is_empty() && bytes(messages + more, range.len() as u64 + 1) > memory {
                intervals.push(range);
                (range.start, messages) = (range.end, 0);
            }
            range.end += 1;
            messages += more;
        }
    }
    intervals.push(range);
    Ok(intervals)
}
