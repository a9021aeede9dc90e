//! Runs programs by engines, in many ways.

use crate::graphs::{Graph, arcs};
use crate::setting::{Room, Setting, Way, ways};
use outcrop_algorithms::models::{GasWork, Place};
use outcrop_gas::{ArrivingArc, GasEngine, GasRequirements, GasSetup, ShardKind};
use outcrop_types::{Error, MemoryBudget, Purpose, Result, VertexValues};

/// Needs of a program, by the place that it runs in.
type WorkOf<'w> = &'w dyn Fn(Place) -> GasWork;

/// Runs a program in all ways with these delays: all kinds of shards, shares, threads, with values in memory and on
/// disk.
pub fn run(graph: &Graph, delays: &[u64], work: WorkOf<'_>, mut check: impl FnMut(&GasEngine<'_>, Way)) {
    ways(delays, true).into_iter().for_each(|way| run_in((graph, &[]), way, work, &mut check));
}

/// The same where edges come while it runs.
pub fn run_with_arrivals(
    (graph, arrivals): (&Graph, &[ArrivingArc]),
    delays: &[u64],
    work: WorkOf<'_>,
    mut check: impl FnMut(&GasEngine<'_>, Way),
) {
    ways(delays, true).into_iter().for_each(|way| run_in((graph, arrivals), way, work, &mut check));
}

/// Runs a program without delays with 1, 2 and 4 threads and another number of intervals each, in as much memory as
/// they like.
pub fn run_with_threads(
    graph: &Graph,
    shards: ShardKind,
    work: WorkOf<'_>,
    mut check: impl FnMut(&GasEngine<'_>, Way),
) {
    for threads in [1, 2, 4] {
        let way = Way { threads, intervals: threads as u32 + 2, weighted: true, ..Way::new(shards, 0.3, 0) };
        run_in((graph, &[]), way, work, &mut check);
    }
}

fn run_in(
    (graph, arrivals): (&Graph, &[ArrivingArc]),
    way: Way,
    work: WorkOf<'_>,
    check: &mut impl FnMut(&GasEngine<'_>, Way),
) {
    let GasWork { requirements, result_bytes, .. } = work(Place { on_disk: way.on_disk, ..graph.place() });
    if requirements.keeps_edges && way.options.shards == ShardKind::EdgeList {
        return;
    }
    let mut setting = Setting::new(&arcs(graph, requirements.along), way);
    setting.arrivals = arrivals.to_vec();
    let per_vertex = if way.on_disk { 0 } else { requirements.value_bytes } + result_bytes;
    let beside = u64::from(graph.vertices) * per_vertex + 200 * arrivals.len() as u64 + (64 << 10);
    let least = least(&mut setting, &requirements);
    let room = match way.room {
        Room::Least => 0,
        Room::More(bytes) => bytes,
        Room::Ample => 64 << 20,
    };
    // What is given to programs is not of this budget.
    setting.budget = MemoryBudget::new(least + room + beside);
    let engine = engine(&setting, &requirements, beside).unwrap_or_else(|error| panic!("{way:?}: {error}"));
    check(&engine, way);
    drop(engine);
    assert_eq!((setting.budget.available(), setting.files()), (setting.budget.limit(), 0), "{way:?}");
}

fn engine<'g>(setting: &'g Setting, requirements: &GasRequirements, beside: u64) -> Result<GasEngine<'g>> {
    let degrees = setting.graph.out_degrees();
    let degrees = VertexValues::new(&setting.budget, Purpose::Degrees, degrees.len(), |vertex| degrees[vertex])?;
    GasEngine::new(GasSetup {
        shards: &setting.shards,
        degrees: Some(degrees),
        requirements: *requirements,
        options: setting.way.options,
        memory: setting.budget.available().saturating_sub(beside),
        spill: &setting.spill,
        workers: &setting.workers,
        budget: &setting.budget,
        observer: &setting.records,
        arrivals: &setting.arrivals,
    })
}

/// The least memory with which an engine can be made, in bytes.
fn least(setting: &mut Setting, requirements: &GasRequirements) -> u64 {
    let mut least = 4 * u64::from(requirements.vertices);
    loop {
        setting.budget = MemoryBudget::new(least);
        match engine(setting, requirements, 0).map(drop) {
            Ok(()) => return least,
            Err(Error::BudgetTooSmall { plan, .. }) if plan.total() > least => least = plan.total(),
            Err(error) => panic!("{error}"),
        }
    }
}
