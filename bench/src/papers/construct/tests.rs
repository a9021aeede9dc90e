//! Tests of parallel sliding windows against loops over edges.

use super::construction::open_held;
use super::psw::{EdgeArrays, SlidingShards};
use outcrop::{BuildRequest, Cancellation, EdgeInput, IdMode, InputOptions, IoChoice, Silent, build};
use outcrop_engine::Degrees;
use outcrop_store::Store;
use outcrop_store::access::Workers;
use outcrop_types::{Direction, Error, MemoryBudget, Result, VertexId, VertexRange};
use std::fmt::Write;

const VERTICES: u32 = 500;

/// Shards of random edges, some of them repeated.
struct Setting {
    edges: Vec<(VertexId, VertexId)>,
    workers: Workers,
    shards: SlidingShards,
}

impl Setting {
    fn new(intervals: &[VertexRange], threads: usize) -> Self {
        let edges = drawn_edges(3000);
        let text = edges.iter().fold(String::new(), |mut text, (source, target)| {
            writeln!(text, "{source} {target}").unwrap();
            text
        });
        let folder = tempfile::tempdir().unwrap();
        let (file, path) = (folder.path().join("edges.txt"), folder.path().join("graph.outcrop"));
        std::fs::write(&file, text).unwrap();
        let request = BuildRequest::new(vec![EdgeInput::from(file)], &path);
        let request = BuildRequest {
            input: InputOptions { ids: IdMode::Dense, num_vertices: Some(VERTICES.into()), ..request.input },
            ..request
        };
        build(&request, &Cancellation::new(), &Silent).unwrap();
        let (store, budget) = (Store::open(&path).unwrap(), MemoryBudget::new(1 << 30));
        let workers = Workers::start(threads, Cancellation::new()).unwrap();
        let into = open_held(&store, Direction::In, IoChoice::Buffered, &budget, &workers).unwrap();
        let shards = SlidingShards::new(&into, &mut Lengths::of(&edges, Direction::In), intervals).unwrap();
        Self { edges, workers, shards }
    }

    fn degrees(&self, direction: Direction) -> Lengths {
        Lengths::of(&self.edges, direction)
    }

    /// Returns the list of a vertex, ascending.
    fn list(&self, vertex: VertexId, direction: Direction) -> Vec<VertexId> {
        let ends = self.edges.iter().map(|edge| ends(*edge, direction));
        let mut list: Vec<_> = ends.filter(|(owner, _)| *owner == vertex).map(|(_, neighbor)| neighbor).collect();
        list.sort_unstable();
        list
    }
}

/// Degrees in memory.
struct Lengths(Vec<u32>);

impl Lengths {
    fn of(edges: &[(VertexId, VertexId)], direction: Direction) -> Self {
        let mut degrees = vec![0; VERTICES as usize];
        edges.iter().for_each(|edge| degrees[ends(*edge, direction).0 as usize] += 1);
        Self(degrees)
    }
}

impl Degrees for Lengths {
    fn read(&mut self, range: VertexRange, into: &mut Vec<u32>) -> Result<()> {
        into.clear();
        into.extend(&self.0[range.start as usize..range.end as usize]);
        Ok(())
    }

    fn differ(&self) -> Error {
        Error::corrupt("degrees", "lists are otherwise")
    }
}

/// Returns the endpoint whose list contains an edge, and the other endpoint.
fn ends((source, target): (VertexId, VertexId), direction: Direction) -> (VertexId, VertexId) {
    if direction == Direction::Out { (source, target) } else { (target, source) }
}

fn drawn_edges(count: usize) -> Vec<(VertexId, VertexId)> {
    let mut state = 7_u64;
    let mut draw = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u32::try_from((state >> 33) % u64::from(VERTICES)).unwrap()
    };
    let mut edges: Vec<_> = (0..count).map(|_| (draw(), draw())).collect();
    edges.extend_from_within(..10);
    edges
}

fn ascending((offsets, neighbors): &EdgeArrays, place: usize) -> Vec<VertexId> {
    let mut list = neighbors[offsets[place] as usize..offsets[place + 1] as usize].to_vec();
    list.sort_unstable();
    list
}

#[test]
fn sliding_windows_construct_the_lists_of_an_interval() {
    let intervals = [(0, 1), (1, 130), (130, 130), (130, VERTICES)].map(|(start, end)| VertexRange::new(start, end));
    for threads in 1..=3 {
        let setting = Setting::new(&intervals, threads);
        let (mut of_in, mut of_out) = (setting.degrees(Direction::In), setting.degrees(Direction::Out));
        for (number, interval) in intervals.iter().enumerate() {
            let [into, out] = setting.shards.construct(number, [&mut of_in, &mut of_out], &setting.workers).unwrap();
            for (place, vertex) in interval.iter().enumerate() {
                assert_eq!(ascending(&into, place), setting.list(vertex, Direction::In));
                assert_eq!(ascending(&out, place), setting.list(vertex, Direction::Out));
            }
        }
    }
}

#[test]
fn other_degrees_than_those_of_the_edges_are_damage() {
    let intervals = [(0, 100), (100, 200), (200, VERTICES)].map(|(start, end)| VertexRange::new(start, end));
    let setting = Setting::new(&intervals, 2);
    let (mut of_in, mut of_out) = (setting.degrees(Direction::In), setting.degrees(Direction::Out));
    let mut construct = |number, degrees: &mut Lengths| {
        setting.shards.construct(number, [&mut of_in, degrees], &setting.workers).map(|_| ())
    };
    construct(1, &mut of_out).unwrap();
    for change in [|degree: u32| degree + 1, |degree: u32| degree.saturating_sub(1)] {
        let mut wrong = Lengths(of_out.0.iter().copied().map(change).collect());
        assert!(matches!(construct(1, &mut wrong), Err(Error::Corrupt { .. })));
    }
    assert!(matches!(construct(3, &mut of_out), Err(Error::Usage(_))));
}
