//! Into which intervals the vertices are split (MultiLogVC section V.A.1): a message on every edge that leads to one fits the memory in
//! which messages are grouped.

use super::demand::{MessageDemand, Sides};
use super::log::space_bytes;
use crate::interval::DegreeSource;
use outcrop_store::access::Workers;
use outcrop_types::{Direction, Result, VertexRange};

/// Degrees that are read at once.
const STRETCH: u32 = 1 << 14;

/// Splits the vertices so that grouping a message an edge takes at most `memory`, or an interval has one vertex. One pass over the
/// degrees, unless messages are combined: then memory does not depend on them.
pub(super) fn choose_intervals(
    demand: &MessageDemand,
    (degrees, undirected): (&DegreeSource<'_>, bool),
    memory: u64,
    workers: &Workers,
) -> Result<Vec<VertexRange>> {
    let directions: &[Direction] = match (demand.along, demand.combines) {
        (_, true) => &[],
        (Sides::Both, _) if undirected => &[Direction::Out],
        (Sides::Both, _) => &[Direction::Out, Direction::In],
        (Sides::Out, _) => &[Direction::Out],
        (Sides::In, _) => &[Direction::In],
    };
    let bytes = |messages, vertices| space_bytes(messages, vertices, demand.message_bytes, demand.combines);
    let (mut intervals, mut range, mut messages) = (Vec::new(), VertexRange::new(0, 0), 0_u64);
    let mut lengths = [Vec::new(), Vec::new()];
    for start in (0..demand.all_vertices()).step_by(STRETCH as usize) {
        workers.cancellation().check()?;
        let stretch = VertexRange::new(start, start.saturating_add(STRETCH).min(demand.all_vertices()));
        let stored = VertexRange::new(start.min(demand.vertices), stretch.end.min(demand.vertices));
        for (direction, lengths) in directions.iter().zip(&mut lengths) {
            degrees.with_reader(*direction, undirected, |reader| reader.read(stored, lengths))?;
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
