//! The examples of algorithms of one's own.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, its helpers included")]

#[allow(dead_code, reason = "its main is for the command line")]
#[path = "../examples/popularity.rs"]
mod popularity;

#[allow(dead_code, reason = "its main is for the command line")]
#[path = "../examples/hubs.rs"]
mod hubs;

#[allow(dead_code, reason = "its main is for the command line")]
#[path = "../examples/medians.rs"]
mod medians;

#[allow(dead_code, reason = "its main is for the command line")]
#[path = "../examples/widest_paths.rs"]
mod widest_paths;

use outcrop::engine::messages::requirements;
use outcrop::engine::{
    Aggregation, Column, Directions, Edges, GasProgram, GasRequirements, GasVertex, GasWork, MessageProgram,
    MessageRequirements, MessageWork, OutEdge, Outcome, Plan, Requirements, Shape, Totals, Values, Vertex, VertexSet,
};
use outcrop::{
    Algorithm, Args, BuildOrder, BuildRequest, Cancellation, Choice, EdgeInput, Error, Graph, IdMode, Kind, MemorySize,
    Model, OpenOptions, Param, ParamInfo, Preset, Result, RunRequest, RunResult, ShardKind, Silent, Spec, Starts,
    ValuePlace, build,
};
use std::path::Path;

const EDGES: &str = "a b\na c\nb c\nc d\nd c\ne a\nc c\n";

/// Four edges lead to c, one to each of a, b and d.
const EXPECTED: &str = "node,popularity\na,4\nb,4\nc,4\nd,4\ne,1\n";

fn open(folder: &Path, order: BuildOrder, memory: u64) -> Graph {
    open_edges(folder, EDGES, order, memory)
}

/// A graph of these lines, whose ids are dense where they are numbers.
fn open_edges(folder: &Path, lines: &str, order: BuildOrder, memory: u64) -> Graph {
    let edges = folder.join("edges.el");
    std::fs::write(&edges, lines).unwrap();
    let mut request = BuildRequest::new(vec![EdgeInput::from(edges)], folder.join(format!("{order:?}.outcrop")));
    if lines.starts_with(|first: char| first.is_ascii_digit()) {
        request.input.ids = IdMode::Dense;
    }
    (request.form.order, request.resources.memory) = (order, MemorySize::Bytes(64 << 20));
    build(&request, &Cancellation::new(), &Silent).unwrap();
    let options = OpenOptions { memory: MemorySize::Bytes(memory), threads: Some(2), ..OpenOptions::default() };
    Graph::open(&request.store, options).unwrap()
}

#[test]
fn it_gives_a_table_in_the_users_ids_whatever_the_order() {
    let folder = tempfile::tempdir().unwrap();
    for order in [BuildOrder::Original, BuildOrder::Degree] {
        let graph = open(folder.path(), order, 64 << 20);
        let path = folder.path().join("popularity.csv");
        graph.run(&RunRequest::of(&popularity::Popularity)).unwrap().table().write(&path, true).unwrap();
        assert_eq!(std::fs::read_to_string(path).unwrap(), EXPECTED);
    }
}

#[test]
fn it_is_refused_a_budget_that_does_not_hold_it() {
    let folder = tempfile::tempdir().unwrap();
    let graph = open(folder.path(), BuildOrder::Original, 1 << 20);
    let Some(Error::BudgetTooSmall { plan, .. }) = graph.run(&RunRequest::of(&popularity::Popularity)).err() else {
        panic!()
    };
    assert!(plan.total() > 1 << 20);
}

fn steps(graph: &Graph, edges: u32, values: ValuePlace) -> Result<RunResult> {
    graph.run(&RunRequest::of(&hubs::StepsToHubs).with("edges", edges)?.with("values", values.name())?)
}

/// A tail that leads to c, which has 5 ends of edges, and two vertices by themselves.
const TAILED: &str = "a c\nb c\nc d\nc d\ne a\nf e\ng f\nx y\n";

const STEPS: &str = "node,steps\na,1\nb,1\nc,0\nd,1\ne,2\nf,3\ng,4\nx,\ny,\n";

#[test]
fn a_vertex_program_gives_a_table_wherever_its_values_are() {
    let folder = tempfile::tempdir().unwrap();
    for order in [BuildOrder::Original, BuildOrder::Random { seed: 5 }] {
        let graph = open_edges(folder.path(), TAILED, order, 64 << 20);
        for values in ValuePlace::ALL {
            let path = folder.path().join("steps.csv");
            steps(&graph, 4, values).unwrap().table().write(&path, true).unwrap();
            assert_eq!(std::fs::read_to_string(path).unwrap(), STEPS, "{order:?} {values:?}");
        }
    }
}

#[test]
fn a_vertex_program_goes_to_disk_where_memory_does_not_hold_its_values() {
    let (folder, count) = (tempfile::tempdir().unwrap(), 1_000_000_u32);
    // A path from a hub, and vertices by themselves: 4 MB of values.
    let lines: Vec<String> =
        (0..6).map(|to| format!("{} {to}", count - 1)).chain((6..9).map(|to| format!("{} {to}", to - 1))).collect();
    let graph = open_edges(folder.path(), &lines.join("\n"), BuildOrder::Original, 18 << 20);
    let refused = steps(&graph, 6, ValuePlace::Memory).err();
    assert!(matches!(refused, Some(Error::BudgetTooSmall { .. })));
    let result = steps(&graph, 6, ValuePlace::Auto).unwrap();
    let top = result.table().top(1).unwrap();
    assert_eq!((top.num_rows(), top.column(0).to_data().buffers()[0].typed_data::<u64>()), (1, &[8][..]));
}

#[test]
fn a_vertex_program_is_refused_a_budget_that_does_not_hold_it() {
    let folder = tempfile::tempdir().unwrap();
    let graph = open_edges(folder.path(), TAILED, BuildOrder::Original, 1 << 20);
    let refused = steps(&graph, 4, ValuePlace::Auto).err();
    assert!(matches!(refused, Some(Error::BudgetTooSmall { .. })));
}

/// c has edges to a, b and twice d, which have 2, 1 and 2; of two in the middle the smaller one counts.
const MEDIANS: &str = "node,median\na,2\nb,4\nc,2\nd,4\ne,2\nf,1\ng,2\nx,1\ny,1\n";

#[test]
fn a_message_program_gives_a_table_wherever_its_values_are() {
    let folder = tempfile::tempdir().unwrap();
    for order in [BuildOrder::Original, BuildOrder::Random { seed: 5 }] {
        let graph = open_edges(folder.path(), TAILED, order, 64 << 20);
        for values in ValuePlace::ALL {
            let request = RunRequest::of(&medians::NeighborMedians).with("values", values.name()).unwrap();
            let path = folder.path().join("medians.csv");
            graph.run(&request).unwrap().table().write(&path, true).unwrap();
            assert_eq!(std::fs::read_to_string(path).unwrap(), MEDIANS, "{order:?} {values:?}");
        }
    }
}

#[test]
fn a_message_program_is_refused_a_budget_that_does_not_hold_it() {
    let folder = tempfile::tempdir().unwrap();
    let graph = open_edges(folder.path(), TAILED, BuildOrder::Original, 1 << 20);
    let refused = graph.run(&RunRequest::of(&medians::NeighborMedians)).err();
    assert!(matches!(refused, Some(Error::BudgetTooSmall { .. })));
}

/// Takes vertices with one edge at the most out of an undirected graph, again and again: what is left is its 2-core.
struct Peeling;

impl MessageProgram for Peeling {
    /// 1 for vertices that are still there.
    type Value = u32;
    type Message = u32;
    type Record = ();

    fn compute(&self, vertex: &mut Vertex<'_, Self>, edges: &Edges<'_>) {
        if edges.len() < 2 && *vertex.value() == 1 {
            *vertex.value_mut() = 0;
            let own = vertex.id();
            edges.out.ids().iter().for_each(|neighbor| vertex.remove_edge(own, *neighbor));
            // They look at what is left of their edges.
            vertex.send_to_all(edges.out.ids(), 0);
        }
        vertex.deactivate();
    }
}

/// Core that is left of a graph after peeling, from all vertices or from some.
struct Core;

static SOURCE: Param<Vec<String>> = Param::new("source", Kind::Ids, Preset::None("all"), "A vertex that looks first");

impl Algorithm for Core {
    fn spec(&self) -> &'static Spec {
        static SPEC: Spec = Spec { name: "core", models: &[Model::Messages], ..Spec::DEFAULT };
        &SPEC
    }

    fn params(&self) -> &'static [&'static ParamInfo] {
        static PARAMS: &[&ParamInfo] = &[&SOURCE.info];
        PARAMS
    }

    fn plan(&self, model: Model, shape: &Shape, _: &Args) -> Result<Option<Plan>> {
        let requirements = requirements::<Peeling>(shape.place(), Directions::Both);
        let requirements = MessageRequirements { changes: true, directed: shape.directed, ..requirements };
        let plan = || {
            Plan::messages(Requirements::BOTH_LISTS, MessageWork::new(requirements, 4), |engine, session| {
                let mut left = engine.values(|_| 1)?;
                let active = match session.sources {
                    [] => VertexSet::all(engine.vertices()),
                    some => VertexSet::from_members(some.to_vec(), engine.vertices()),
                };
                let ran = engine.run(&Peeling, &mut left, &active, u32::MAX)?;
                Ok(Outcome::new(vec![Column::new("left", Values::from(left))], ran.supersteps))
            })
        };
        Ok((model == Model::Messages).then(plan))
    }

    fn starts(&self, args: &Args) -> Result<Starts> {
        Ok(Starts::ids(args.get(&SOURCE)?))
    }
}

#[test]
fn a_message_program_changes_the_graph_that_it_sees_and_not_the_store() {
    let folder = tempfile::tempdir().unwrap();
    let edges = folder.path().join("edges.el");
    // A triangle with a tail, and a path.
    std::fs::write(&edges, "0 1\n1 2\n2 0\n2 3\n3 4\n5 6\n6 7\n").unwrap();
    let mut request = BuildRequest::new(vec![EdgeInput::from(edges)], folder.path().join("graph.outcrop"));
    (request.graph.directed, request.input.ids, request.resources.memory) =
        (Some(false), IdMode::Dense, MemorySize::Bytes(64 << 20));
    build(&request, &Cancellation::new(), &Silent).unwrap();
    let options = OpenOptions { memory: MemorySize::Bytes(64 << 20), threads: Some(2), ..OpenOptions::default() };
    let graph = Graph::open(&request.store, options).unwrap();
    for (values, active) in [("memory", vec![]), ("disk", vec!["4".to_owned(), "5".to_owned()])] {
        let request = RunRequest::of(&Core).with("values", values).unwrap().with("source", active).unwrap();
        let path = folder.path().join("left.csv");
        graph.run(&request).unwrap().table().write(&path, true).unwrap();
        let left: Vec<String> =
            std::fs::read_to_string(&path).unwrap().lines().skip(1).map(|row| row[2..].to_owned()).collect();
        assert_eq!(left.concat(), "11100000", "{values}");
    }
    graph.check().unwrap();
    assert_eq!(graph.num_edges(), 7);
}

/// Streets with their widths: two ways from a to d, of which the longer one is wider, and one that leads nowhere.
const STREETS: &str = "a b 2\nb d 9\na c 5\nc e 4\ne d 6\nd f 1\nx a 8\n";

const WIDTHS: &str = "node,width\na,\nb,2.0\nc,5.0\nd,4.0\ne,4.0\nf,1.0\nx,0.0\n";

fn streets(folder: &Path, order: BuildOrder) -> Graph {
    let edges = folder.join("streets.el");
    std::fs::write(&edges, STREETS).unwrap();
    let mut request =
        BuildRequest::new(vec![EdgeInput::from(edges)], folder.join(format!("streets-{order:?}.outcrop")));
    (request.form.order, request.resources.memory, request.input.text.weighted) =
        (order, MemorySize::Bytes(64 << 20), true);
    build(&request, &Cancellation::new(), &Silent).unwrap();
    let options = OpenOptions { memory: MemorySize::Bytes(64 << 20), threads: Some(2), ..OpenOptions::default() };
    Graph::open(&request.store, options).unwrap()
}

fn rows(result: &RunResult, folder: &Path) -> String {
    let path = folder.join("rows.csv");
    result.table().write(&path, true).unwrap();
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn a_gas_program_gives_a_table_wherever_its_values_are_and_whatever_shards_there_are() {
    let folder = tempfile::tempdir().unwrap();
    for order in [BuildOrder::Original, BuildOrder::Random { seed: 5 }] {
        let graph = streets(folder.path(), order);
        for values in ValuePlace::ALL {
            for shards in ShardKind::WORDS {
                let options = [("source", "a"), ("shards", shards), ("updated-share", "100%"), ("delay-buffer", "8")];
                let request = RunRequest::of(&widest_paths::Widths).with("values", values.name()).unwrap();
                let request =
                    options.into_iter().fold(request, |request, (name, text)| request.with(name, text).unwrap());
                let result = graph.run(&request).unwrap();
                assert_eq!(rows(&result, folder.path()), WIDTHS, "{order:?} {values:?} {shards}");
            }
        }
    }
}

#[test]
fn a_gas_program_is_refused_a_budget_that_does_not_hold_it_and_ids_that_are_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let widest = |source: &str, memory| {
        let graph = open(folder.path(), BuildOrder::Original, memory);
        let refused = graph.run(&RunRequest::of(&widest_paths::Widths).with("source", source).unwrap()).err();
        drop(graph);
        std::fs::remove_dir_all(folder.path().join("Original.outcrop")).unwrap();
        refused
    };
    assert!(matches!(widest("a", 5 << 20), Some(Error::BudgetTooSmall { .. })));
    assert!(widest("nobody", 64 << 20).unwrap().to_string().contains("no vertex \"nobody\""));
}

/// The number of colors that neighbors have: no function makes one change of several.
struct Colors;

impl GasProgram for Colors {
    type Value = u32;
    type Edge = u32;
    type Sum = u32;
    type Change = u32;

    const AGGREGATION: Aggregation = Aggregation::None;

    fn begin(&self, vertex: GasVertex, _: &mut Totals) -> (u32, Option<u32>) {
        (0, Some(vertex.id % 32))
    }

    fn gather(&self, sum: Option<u32>, edge: u32) -> u32 {
        sum.unwrap_or(0) | 1 << edge
    }

    fn apply(&self, _: GasVertex, _: &u32, sum: Option<u32>) -> u32 {
        sum.unwrap_or(0)
    }

    fn change(&self, _: GasVertex, _: &u32, _: &mut u32, _: &mut Totals) -> Option<u32> {
        None
    }

    fn scatter(&self, _: GasVertex, _: &u32, color: u32, _: OutEdge<u32>) -> u32 {
        color
    }
}

impl Algorithm for Colors {
    fn spec(&self) -> &'static Spec {
        static SPEC: Spec = Spec { name: "colours", models: &[Model::Gas], ..Spec::DEFAULT };
        &SPEC
    }

    fn plan(&self, model: Model, shape: &Shape, _: &Args) -> Result<Option<Plan>> {
        let requirements = GasRequirements::of::<Self>(shape.vertices, shape.on_disk, Directions::Out);
        let plan = || {
            Plan::gas(GasWork::new(requirements, 4), |engine, _| {
                let ran = engine.run(&Self, 1)?;
                let colors = engine.project(&ran.values, u32::count_ones)?;
                Ok(Outcome::new(vec![Column::new("colours", Values::from(colors))], 1))
            })
        };
        Ok((model == Model::Gas).then(plan))
    }
}

#[test]
fn a_gas_program_without_an_aggregation_runs_on_static_shards_alone() {
    let folder = tempfile::tempdir().unwrap();
    let graph = open(folder.path(), BuildOrder::Original, 64 << 20);
    let colors = |shards: &str| graph.run(&RunRequest::of(&Colors).with("shards", shards)?);
    let (static_words, dynamic): (Vec<&str>, Vec<&str>) =
        ShardKind::WORDS.iter().partition(|shards| matches!(**shards, "auto" | "static"));
    for shards in static_words {
        let table = rows(&colors(shards).unwrap(), folder.path());
        assert_eq!(table, "node,colours\na,1\nb,1\nc,4\nd,1\ne,0\n", "{shards}");
    }
    for shards in dynamic {
        let refused = colors(shards).err().unwrap();
        assert!(
            matches!(refused, Error::Usage(_)) && refused.to_string().contains("--shards static"),
            "{shards}: {refused}"
        );
    }
}
