//! Figure 1: requests for adjacency lists by in-degree.

use super::measure::Basc;
use crate::opened::Opened;
use crate::table::{Section, Table};
use outcrop::Result;
use outcrop_algorithms::bc::BcParams;
use outcrop_algorithms::bc::edge_map as bc;
use outcrop_algorithms::bfs::edge_map as bfs;
use outcrop_algorithms::sampling::shuffled;
use outcrop_engine::Engine;
use outcrop_store::access::{AccessStatistics, Adjacency, IoCost, Visit};
use outcrop_types::{Direction, Silent, VertexId, VertexRange, VertexSet};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Number of searches, from random vertices.
const SEARCHES: usize = 4;

/// Lists that count the requests for them, by in-degree class of the vertex.
struct Counted<'c> {
    lists: &'c dyn Adjacency,
    in_degrees: &'c [u32],
    requests: &'c [AtomicU64],
}

impl Counted<'_> {
    fn count(&self, vertex: VertexId) {
        self.requests[class(self.in_degrees[vertex as usize])].fetch_add(1, Relaxed);
    }
}

impl Adjacency for Counted<'_> {
    fn num_vertices(&self) -> u32 {
        self.lists.num_vertices()
    }

    fn num_arcs(&self) -> u64 {
        self.lists.num_arcs()
    }

    fn cost_of(&self, set: &VertexSet) -> IoCost {
        self.lists.cost_of(set)
    }

    fn cost_of_sweep(&self) -> IoCost {
        self.lists.cost_of_sweep()
    }

    fn select(&self, set: &VertexSet, visit: &dyn Visit) -> Result<()> {
        set.for_each(|vertex| self.count(vertex));
        self.lists.select(set, visit)
    }

    fn sweep(&self, range: VertexRange, visit: &dyn Visit) -> Result<()> {
        for first in (range.start..range.end).step_by(64) {
            let count = (range.end - first).min(u64::BITS);
            let mut wanted = [u64::MAX >> (u64::BITS - count)];
            visit.filter(first, &mut wanted);
            (0..count).filter(|bit| wanted[0] >> bit & 1 != 0).for_each(|bit| self.count(first + bit));
        }
        self.lists.sweep(range, visit)
    }

    fn statistics(&self) -> &AccessStatistics {
        self.lists.statistics()
    }
}

/// Returns the in-degree class: 0, 1, 2 to 3, 4 to 7 and so on.
const fn class(degree: u32) -> usize {
    (u32::BITS - degree.leading_zeros()) as usize
}

fn label(class: usize) -> String {
    match class {
        0 | 1 => class.to_string(),
        _ => format!("{} to {}", 1_u64 << (class - 1), (1_u64 << class) - 1),
    }
}

/// Creates figure 1.
pub(super) fn by_in_degree(basc: &Basc<'_>) -> Result<Section> {
    let opened = Opened::open(basc.store(), &basc.harness.options())?;
    let (vertices, directed) = (opened.vertices(), opened.store.manifest().graph.directed);
    let (in_degrees, out_degrees) = (opened.degrees(Direction::In)?, opened.degrees(Direction::Out)?);
    let drawn = shuffled(vertices, 64, 1).into_iter().filter(|vertex| out_degrees[*vertex as usize] > 0);
    let sources: Vec<VertexId> = drawn.take(SEARCHES).collect();
    let in_class = |requests: &[AtomicU64]| {
        in_degrees.iter().for_each(|degree| _ = requests[class(*degree)].fetch_add(1, Relaxed))
    };
    let members = counted(in_class);
    let [out, into] = [Direction::Out, Direction::In].map(|direction| opened.lists(direction, opened.budget.limit()));
    let (out, into) = (out?, into?);
    let search = |pulls: bool, run: &dyn Fn(&Engine<'_>) -> Result<()>| {
        let mut outcome = Ok(());
        let requests = counted(|requests| {
            let [out, into]: [Counted<'_>; 2] =
                [&out as &dyn Adjacency, &into].map(|lists| Counted { lists, in_degrees: &in_degrees, requests });
            let into = pulls.then_some(if directed { &into } else { &out } as &dyn Adjacency);
            outcome = run(&Engine::new(vertices, Some(&out), into, &opened.workers, &opened.budget, &Silent));
        });
        outcome.map(|()| requests)
    };
    let bfs = |engine: &Engine<'_>| {
        let growth = bfs::work(vertices, false, false).growth;
        sources.iter().try_for_each(|source| bfs::bfs(engine, &[*source], None, false, u32::MAX, growth).map(drop))
    };
    let parameters = BcParams { sources: Some(&sources), normalized: false, directed, batch: 1 };
    let runs =
        [search(false, &bfs)?, search(true, &bfs)?, search(true, &|engine| bc::bc(engine, &parameters).map(drop))?];
    let columns = ["bfs, only pushing", "bfs", "bc"];
    let mean = |requests: &[u64], class: usize| requests[class] as f64 / members[class].max(1) as f64;
    let highest =
        runs.each_ref().map(|requests| (0..requests.len()).map(|class| mean(requests, class)).fold(0.0, f64::max));
    let mut means = Table::new("Mean number of requests for a list, in parts of the highest", columns);
    let mut shares = Table::new("Share of vertices and of requests", ["vertices"].into_iter().chain(columns));
    for class in (0..members.len()).filter(|class| members[*class] > 0) {
        let cells =
            runs.iter().zip(highest).map(|(requests, highest)| format!("{:.2}", mean(requests, class) / highest));
        means.row(label(class), cells);
        let cells = std::iter::once(&members)
            .chain(&runs)
            .map(|counts| format!("{:.1}%", 100.0 * counts[class] as f64 / counts.iter().sum::<u64>().max(1) as f64));
        shares.row(label(class), cells);
    }
    let found = "the mean number of requests for a list is nearly the same for all in-degrees in bfs, diameter and bc";
    Ok(Section::new(format!("Figure 1, {SEARCHES} searches from random vertices"), found, vec![means, shares]))
}

/// Returns the numbers that `count` counts, by in-degree class.
fn counted(count: impl FnOnce(&[AtomicU64])) -> Vec<u64> {
    let counts: Vec<AtomicU64> = (0..=u32::BITS).map(|_| AtomicU64::new(0)).collect();
    count(&counts);
    counts.into_iter().map(AtomicU64::into_inner).collect()
}
