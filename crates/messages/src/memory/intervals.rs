//! Choice of vertex intervals (MultiLogVC section V.A.1): one message per edge into an interval fits in the grouping
//! memory.

use super::shares::{Shares, messages_at_once};
use crate::log::{LogPlan, PAGE_BYTES, page_sizes, space_bytes};
use crate::requirements::Delivery;
use crate::setup::MessageSetup;
use outcrop_types::{Result, VertexRange};

/// Number of degrees per read.
const STRETCH: u32 = 1 << 14;

/// Inverse of the share of the sorting memory that logs may take with many intervals.
const MOST_FOR_LOGS: u64 = 4;

/// Number of intervals with asynchronous delivery, if memory does not require more: messages are delivered from one to
/// the next.
const ASYNCHRONOUS_INTERVALS: u32 = 16;

/// Splits the vertices so that grouping one message per edge takes at most half of the sorting memory, or an interval
/// has one vertex. If the logs need more memory for that many intervals, they take it from sorting, up to a quarter.
/// Beyond that, intervals are larger and their messages are loaded in parts.
pub(crate) fn choose_intervals(setup: &MessageSetup<'_>, shares: &mut Shares) -> Result<Vec<VertexRange>> {
    let both = shares.sort + shares.log;
    let most = (both / MOST_FOR_LOGS).max(shares.log);
    let mut memory = shares.sort / 2;
    let vertices = setup.requirements.all_vertices();
    let mut longest = match setup.options.delivery {
        Delivery::Synchronous => vertices,
        Delivery::Asynchronous => vertices.div_ceil(ASYNCHRONOUS_INTERVALS),
    };
    loop {
        let intervals = split(setup, memory, longest)?;
        let logs = least_log(setup, intervals.len());
        if logs <= shares.log || intervals.len() == 1 {
            return Ok(intervals);
        }
        if logs <= most && shares.log < most {
            // The remaining sorting memory may require a few more intervals.
            shares.log = (logs + logs / 8).min(most);
            shares.sort = both - shares.log;
            memory = shares.sort / 2;
        } else {
            memory = memory.max(4) / 4 * 5;
            longest = (longest.max(4) / 4).saturating_mul(5);
        }
    }
}

/// Returns the minimum memory of a log with this many intervals. Other backends do not have a page per interval.
fn least_log(setup: &MessageSetup<'_>, intervals: usize) -> u64 {
    let plans = log_plans(setup, intervals).filter(|_| setup.log.is_none());
    plans.map(|plan| with_spare_pages(&plan)).min().unwrap_or(0)
}

/// Returns the page size of a log in bytes. Larger pages need fewer numbers; smaller pages allow more to be filled at
/// once.
pub(crate) fn log_page_bytes(setup: &MessageSetup<'_>, intervals: usize, memory: u64) -> usize {
    let fits = log_plans(setup, intervals).find(|plan| with_spare_pages(plan) <= memory);
    let least = || log_plans(setup, intervals).min_by_key(with_spare_pages);
    fits.or_else(least).map_or(PAGE_BYTES, |plan| plan.page_bytes)
}

/// Returns the bytes of a log with a few spare pages.
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

/// Splits the vertices into intervals of at most `longest` vertices. Reads all degrees once, unless messages are
/// combined, because then the degrees do not matter.
fn split(setup: &MessageSetup<'_>, memory: u64, longest: u32) -> Result<Vec<VertexRange>> {
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
            let fits = bytes(messages + more, range.len() as u64 + 1) <= memory && range.len() < longest as usize;
            if !range.is_empty() && !fits {
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
