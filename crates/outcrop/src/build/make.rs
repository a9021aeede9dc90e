//! Builds a store from edge files.

use super::facts::once;
use super::log::BuildLog;
use super::request::{BuildRequest, GraphOptions, IdMode};
use crate::checkpoints::open_saving;
use crate::graph::threads_or_cores;
use crate::memory_size::MemorySize;
use crate::order::{BuildOrder, Made, MostStore, StepStore, Steps, seeded};
use outcrop_formats::edges::{OpenedEdges, open_edges};
use outcrop_formats::require_on_disk;
use outcrop_formats::vertices::open_vertices;
use outcrop_io::IoChoice;
use outcrop_placement::order::{Sample, by_degree, choose, random};
use outcrop_report::BuildRecord;
use outcrop_store::access::Workers;
use outcrop_store::writing::{
    BuildCheckpoints, BuildInput, BuildOptions, EdgeSource, PermutationFrom, SampledLists, VertexOrder,
};
use outcrop_store::{Order, OrderParameters};
use outcrop_types::{
    Cancellation, Error, MAX_VERTICES, MemoryBudget, MemoryPlan, Observer, Result, Silent, WeightType, number_from,
};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// Builds a store.
///
/// # Errors
///
/// Returns an error with its location if the input is invalid, if the budget or disk is too small, if the target
/// exists, if reading or writing fails, or if the build is interrupted. In all cases no files remain, and a store that
/// was to be overwritten is unchanged.
pub fn build(request: &BuildRequest, cancellation: &Cancellation, observer: &dyn Observer) -> Result<BuildRecord> {
    let log = BuildLog::begin(request.resources.memory, observer);
    let refusal = match build_once(request, &log, cancellation) {
        Err(error) if refused_first(&error, &log) && !request.reads_once() => error,
        Err(error) => return Err(error),
        Ok(made) => return Ok(log.end(&request.store, made)),
    };
    // Use a single parser, to leave memory to the rest of the build. The threads of the first attempt release their
    // memory when they end.
    let (serial, log) = (request.serial(), BuildLog::begin(request.resources.memory, observer));
    let made = match request.resources.threads {
        Some(1) => Err(refusal),
        _ => build_once(&serial, &log, cancellation),
    };
    match made {
        Err(error) if refused_first(&error, &log) => {
            Err(error.at_least(|| enough_memory(request, &serial, cancellation)))
        }
        Err(error) => Err(error),
        Ok(made) => Ok(log.end(&request.store, made)),
    }
}

/// Returns true if a build was refused for lack of memory before its first phase.
fn refused_first(error: &Error, log: &BuildLog<'_>) -> bool {
    matches!(error, Error::BudgetTooSmall { .. }) && !log.recorder.has_phases()
}

/// Returns sufficient memory for a build, from its opened input: the amount with which `serial` is refused if the
/// budget only suffices for opening, and the memory for ordering the maximum number of vertices of the input.
fn enough_memory(request: &BuildRequest, serial: &BuildRequest, cancellation: &Cancellation) -> Result<MemoryPlan> {
    let (ample, text) = (MemoryBudget::new(u64::MAX >> 1), request.text_options()?);
    let opened = open_edges(&request.edges, &text, &ample, 1)?;
    drop(opened.further_vertices(request.input.vertices.as_ref(), &text, &ample)?);
    let short = serial.within(MemorySize::Bytes(ample.peak()));
    let weights = opened.source.weighted().then(|| request.graph.weights.requested().unwrap_or(WeightType::F64));
    let (edges, vertices) = (most_edges(&opened), most_vertices(request, &opened));
    drop(opened);
    let reading =
        refused_with(build_once(&short, &BuildLog::begin(short.resources.memory, &Silent), cancellation).map(drop))?;
    let workers = Workers::start(threads_or_cores(request.resources.threads), cancellation.clone())?;
    let store = MostStore { layout: &request.form.layout, weights, vertices, arcs: 2 * edges, workers: &workers };
    Ok(store.building(&reading, request.form.order))
}

/// Returns an upper bound of the number of edges of an input: estimates extrapolate from the start of texts.
fn most_edges(opened: &OpenedEdges) -> u64 {
    // Default: an input that can be read only once is not opened again.
    let estimate = opened.source.edges_estimate().unwrap_or(0);
    estimate.saturating_add(estimate / 4)
}

/// Returns an upper bound of the number of vertices of a build; IDs that are the vertices may be larger.
fn most_vertices(request: &BuildRequest, opened: &OpenedEdges) -> u32 {
    let listed = opened.vertices.iter().map(|ids| ids.end().saturating_add(1)).max();
    let alone = request.input.vertices.iter().map(|input| PathBuf::from(input.to_string()));
    let files = alone.chain(opened.vertex_files.iter().cloned());
    let lines = files.filter_map(|path| Some(path.metadata().ok()?.len() / 2)).sum::<u64>();
    let vertices = most_edges(opened).saturating_mul(2).saturating_add(lines);
    let vertices = vertices.max(request.input.num_vertices.or(listed).unwrap_or(0)).min(MAX_VERTICES);
    number_from(vertices)
}

/// Returns the memory that refused work needs.
///
/// # Errors
///
/// Returns an error if the work was not refused for lack of memory.
pub(crate) fn refused_with(outcome: Result<()>) -> Result<MemoryPlan> {
    match outcome {
        Err(Error::BudgetTooSmall { plan, retry, .. }) => {
            Ok(retry.into_iter().fold(plan, |plan, need| plan.with(need.purpose, need.bytes)))
        }
        Err(error) => Err(error),
        Ok(()) => Err(Error::internal("work over the budget was not refused")),
    }
}

fn build_once(request: &BuildRequest, log: &BuildLog<'_>, cancellation: &Cancellation) -> Result<Made> {
    require_on_disk(&request.store)?;
    request.publishing.checkpoints.as_ref().map_or(Ok(()), |options| request.require_checkpoints(options))?;
    let threads = threads_or_cores(request.resources.threads);
    let text = request.text_options()?;
    let opened = open_edges(&request.edges, &text, &log.budget, threads)?;
    let stated = opened.vertices.iter().find(|ids| request.input.ids == IdMode::Dense && *ids.start() > 0);
    if let Some(ids) = stated {
        let (first, last) = (ids.start(), ids.end());
        return Err(Error::Usage(format!(
            "the input states vertex IDs {first} to {last}, but --ids dense adds a vertex 0; omit --ids dense"
        )));
    }
    let beside = opened.vertex_files.iter().map(|path| format!("vertices read from {}", path.display()));
    let notes: Vec<_> = beside.chain(opened.notes.iter().cloned()).collect();
    let (directed, direction) = direction(request.graph.directed, opened.directed.as_ref());
    let checkpoints = request.publishing.checkpoints.as_ref();
    let checkpoints = checkpoints
        .map(|options| {
            let facts = request.facts(&opened, directed, &log.budget)?;
            open_saving("build", &request.store, options, &facts, &log.recorder)
        })
        .transpose()?;
    let (checkpoints, finished) = checkpoints.unzip();
    let mut made = if let Some(finished) = finished.flatten() {
        finished
    } else {
        let vertices = opened.further_vertices(request.input.vertices.as_ref(), &text, &log.budget)?;
        let input = BuildInput { edges: opened.source, vertices };
        let request = &BuildRequest {
            graph: GraphOptions { directed: Some(directed), ..request.graph.clone() },
            ..request.clone()
        };
        build_within(input, request, log, checkpoints.as_ref(), cancellation)?
    };
    (made.report.input.direction, made.report.input.notes) = (direction, notes);
    checkpoints.map_or(Ok(()), |checkpoints| checkpoints.clear())?;
    Ok(made)
}

/// Returns true if edges are directed, and the reason.
fn direction(asked: Option<bool>, stated: Option<&(bool, String)>) -> (bool, String) {
    match (asked, stated) {
        (Some(asked), Some((stated, file))) if asked != *stated => {
            let (asked_for, states) = if asked { ("directed", "undirected") } else { ("undirected", "directed") };
            let what = if asked { "each edge in both directions" } else { "each arc as an edge" };
            (asked, format!("{asked_for} as requested, {what}; {file} states {states}"))
        }
        (Some(asked), _) => (asked, format!("{} as requested", if asked { "directed" } else { "undirected" })),
        (None, Some((stated, file))) => {
            (*stated, format!("{} as stated in {file}", if *stated { "directed" } else { "undirected" }))
        }
        (None, None) => (true, "directed by default (use --undirected for undirected edges)".to_owned()),
    }
}

/// Builds a store from edges that are not in files; ignores `request.edges`.
///
/// # Errors
///
/// Returns an error under the same conditions as [`build`].
pub fn build_from(
    edges: Box<dyn EdgeSource>,
    request: &BuildRequest,
    cancellation: &Cancellation,
    observer: &dyn Observer,
) -> Result<BuildRecord> {
    let built = build_with(|_| Ok(Some(edges)), request, cancellation, observer)?;
    built.ok_or_else(|| Error::internal("the given edges were not used"))
}

/// Same as [`build_from`] for edges that `open` opens within the budget of the build. If it returns `None`, builds
/// nothing and returns `None`.
///
/// # Errors
///
/// Returns an error under the same conditions as [`build`].
pub(crate) fn build_with(
    open: impl FnOnce(&MemoryBudget) -> Result<Option<Box<dyn EdgeSource>>>,
    request: &BuildRequest,
    cancellation: &Cancellation,
    observer: &dyn Observer,
) -> Result<Option<BuildRecord>> {
    if request.publishing.checkpoints.is_some() {
        return Err(once("edges in memory"));
    }
    let log = BuildLog::begin(request.resources.memory, observer);
    let Some(edges) = open(&log.budget)? else { return Ok(None) };
    let text = request.text_options()?;
    let vertices = request.input.vertices.as_ref();
    let vertices = vertices.map(|input| open_vertices(input, &text, Some(edges.id_kind()), &log.budget)).transpose()?;
    let mut made = build_within(BuildInput { edges, vertices }, request, &log, None, cancellation)?;
    made.report.input.direction = direction(request.graph.directed, None).1;
    Ok(Some(log.end(&request.store, made)))
}

/// Builds the store directly unless its order or placement needs lists; otherwise builds a store in original order and
/// converts it to the requested one.
fn build_within(
    input: BuildInput,
    request: &BuildRequest,
    log: &BuildLog<'_>,
    checkpoints: Option<&Arc<BuildCheckpoints>>,
    cancellation: &Cancellation,
) -> Result<Made> {
    let workers = Workers::start(threads_or_cores(request.resources.threads), cancellation.clone())?;
    let steps = Steps {
        target: &request.store,
        overwrite: request.publishing.overwrite,
        wait: request.publishing.wait,
        in_place: false,
        layout: &request.form.layout,
        given_order: None,
        temp_folder: request.resources.temp_folder.as_deref(),
        checkpoints,
        weights: None,
        work: log.work(IoChoice::Auto, &workers),
    };
    match request.publishing.verify {
        true => steps.verified(|steps| build_through(input, request, steps)),
        false => build_through(input, request, &steps),
    }
}

fn build_through(input: BuildInput, request: &BuildRequest, steps: &Steps<'_>) -> Result<Made> {
    if !request.form.order.needs_lists() && steps.ascending() == request.form.layout {
        let _turn = steps.turn()?;
        return build_at(steps.target, steps.overwrite, input, request, steps);
    }
    steps.require_target()?;
    let first = StepStore::temporary_sibling(steps.target)?;
    let Made { report, order_reason } = build_at(&first.path, false, input, request, steps)?;
    let made = steps.finish(first, report, Some(request.form.order).filter(|order| order.needs_lists()))?;
    Ok(Made { order_reason, ..made })
}

/// Builds a store whose lists are in vertex order, with the requested vertex order if that needs no lists.
fn build_at(
    target: &Path,
    overwrite: bool,
    input: BuildInput,
    request: &BuildRequest,
    steps: &Steps<'_>,
) -> Result<Made> {
    let seed = if let BuildOrder::Random { seed } = request.form.order { seed } else { BuildOrder::DEFAULT_SEED };
    let drawn = |ranks| random(ranks, seed);
    let chosen = OnceLock::new();
    let condition =
        |lists: &SampledLists| chosen.get_or_init(|| choose(&Sample::of_edges(lists))).order == Order::Degree;
    let order = |name, parameters, permutation| Some(VertexOrder { name, parameters, permutation, condition: None });
    let by_degree = order(Order::Degree, OrderParameters::default(), PermutationFrom::Degrees(&by_degree));
    let options = BuildOptions {
        target: target.to_owned(),
        overwrite,
        layout: steps.ascending(),
        undirected: request.graph.directed == Some(false),
        dense_ids: request.input.ids == IdMode::Dense,
        num_vertices: request.input.num_vertices,
        dedup: request.graph.dedup,
        self_loops: request.graph.self_loops,
        allow_empty: request.graph.allow_empty,
        order: match request.form.order {
            BuildOrder::Degree => by_degree,
            BuildOrder::Auto => by_degree.map(|order| VertexOrder { condition: Some(&condition), ..order }),
            BuildOrder::Random { .. } => order(Order::Random, seeded(seed), PermutationFrom::Count(&drawn)),
            _ => None,
        },
        weights: request.graph.weights,
        temp_folder: request.resources.temp_folder.clone(),
        checkpoints: steps.checkpoints.map(|checkpoints| &**checkpoints),
    };
    let report = outcrop_store::writing::build(input, &options, steps.work)?;
    drop(options);
    let order_reason = (request.form.order == BuildOrder::Auto).then(|| match chosen.into_inner() {
        Some(choice) => choice.reason,
        None if report.order_resumed => "chosen from a sample before the build was interrupted".to_owned(),
        None => {
            let reason = "--memory is too small for another order";
            steps.work.observer.note(&format!("the vertices keep their original order: {reason}"));
            reason.to_owned()
        }
    });
    Ok(Made { report, order_reason })
}
