//! Graphs, ways to run programs on them, and what comes out.

use crate::lists::{Edge, drawn_edges};
use crate::settings::{Made, Setting};
use outcrop_algorithms::models::{IntervalWork, Place};
use outcrop_algorithms::{Outcome, Values};
use outcrop_engine::Engine;
use outcrop_engine::interval::IntervalEngine;
use outcrop_engine::schedule::Schedule;
use outcrop_types::VertexValues;

/// A graph with both ends of each edge in its lists, or not.
pub struct Trial {
    pub setting: Setting,
    pub vertices: u32,
    undirected: bool,
}

/// A few graphs: sparse with vertices that nothing reaches, dense with weights of 0, a path, a cycle without length,
/// hardly anything.
pub fn trials() -> Vec<Trial> {
    let drawn = |vertices, count| -> Vec<Edge> {
        drawn_edges(vertices, count)
            .into_iter()
            .map(|(a, b, w)| (a, b, f64::from((w as u32 % 5) as f32 * 0.3)))
            .collect()
    };
    let path = |weight: f64| -> Vec<Edge> { (1..200).map(|vertex| (vertex - 1, vertex, weight)).collect() };
    let cycle =
        (0..30).map(|vertex| (vertex, (vertex + 1) % 30, 0.0)).chain([(40, 3, 1.0), (40, 17, 1.0), (9, 41, 1e9)]);
    let lost = [(41, 42, 1e-30), (42, 43, 1e-30), (50, 40, 0.0), (40, 50, 0.0)];
    let graphs: Vec<(u32, Vec<Edge>)> = vec![
        (20_000, drawn(20_000, 40_000)),
        (300, drawn(300, 6000)),
        (200, path(0.1)),
        (60, cycle.chain(lost).collect()),
        (1, vec![(0, 0, 1.0)]),
        (0, vec![]),
    ];
    let both = |(vertices, edges): (u32, Vec<Edge>)| {
        let undirected = Setting::undirected(vertices, &edges, 3);
        [(Setting::new(vertices, edges, 2), false), (undirected, true)].map(|(setting, undirected)| Trial {
            setting,
            vertices,
            undirected,
        })
    };
    graphs.into_iter().flat_map(both).collect()
}

impl Trial {
    /// Runs a program in every way that there is, and an edge map; `check` compares.
    pub fn run(
        &self,
        work: impl Fn(Place) -> IntervalWork,
        program: impl Fn(&IntervalEngine<'_>) -> Outcome,
        map: impl Fn(&Engine<'_>) -> Outcome,
        check: impl Fn(&Outcome, &Outcome),
    ) {
        let expected = map(&self.edge_map_engine());
        for on_disk in [false, true] {
            let IntervalWork { requirements, value_bytes } =
                work(Place { vertices: self.vertices, weighted: true, on_disk });
            assert!(value_bytes >= requirements.value_bytes);
            // Where nothing is active there is nothing to schedule.
            let schedules = [Schedule::Auto, Schedule::Select, Schedule::Sweep];
            for schedule in schedules.into_iter().take(if requirements.active { 3 } else { 1 }) {
                let made =
                    Made { undirected: self.undirected, schedule, requirements, ..Made::new(self.vertices, on_disk) };
                let engine = self.setting.engine(&made);
                assert!(engine.intervals().len() > 1 || !on_disk || self.vertices < 1000);
                check(&program(&engine), &expected);
            }
        }
        assert_eq!(self.setting.graph.budget.available(), self.setting.graph.budget.limit() - held(&expected));
    }

    /// An engine of edge maps on the lists.
    pub fn edge_map_engine(&self) -> Engine<'_> {
        let graph = &self.setting.graph;
        graph.engine(Some(&graph.out), Some(if self.undirected { &graph.out } else { &graph.into }))
    }

    /// Out-degrees as an edge map takes them.
    pub fn out_degrees(&self) -> VertexValues<u32> {
        let lengths = self.setting.degrees(outcrop_types::Direction::Out).0;
        let budget = &self.setting.graph.budget;
        VertexValues::new(budget, outcrop_types::Purpose::Degrees, lengths.len(), |vertex| lengths[vertex]).unwrap()
    }
}

fn held(outcome: &Outcome) -> u64 {
    let of = |values: &Values| match values {
        Values::Float64(_) => 8 * values.len() as u64,
        Values::ShortCount(_) => 2 * values.len() as u64,
        _ => 4 * values.len() as u64,
    };
    outcome.columns.iter().map(|column| of(&column.values)).sum()
}

/// The columns as whole numbers or the bits of real ones.
pub fn bits(outcome: &Outcome) -> Vec<Vec<u64>> {
    outcome.columns.iter().map(|column| column_bits(&column.values)).collect()
}

fn column_bits(values: &Values) -> Vec<u64> {
    match values {
        Values::Count(values) | Values::Node(values) => values.iter().copied().map(u64::from).collect(),
        Values::Float64(values) => values.iter().map(|value| value.to_bits()).collect(),
        Values::Float32(values) => values.iter().map(|value| u64::from(value.to_bits())).collect(),
        Values::CountFile(file) | Values::NodeFile(file) => {
            let mut values = vec![0; file.length() as usize];
            file.read(0, &mut values).unwrap();
            values.into_iter().map(u64::from).collect()
        }
        Values::Float64File(file) => {
            let mut values = vec![0.0; file.length() as usize];
            file.read(0, &mut values).unwrap();
            values.into_iter().map(f64::to_bits).collect()
        }
        Values::Float32File(file) => {
            let mut values = vec![0.0; file.length() as usize];
            file.read(0, &mut values).unwrap();
            values.into_iter().map(|value: f32| u64::from(value.to_bits())).collect()
        }
        Values::ShortCount(values) => {
            let wide = |value: &u16| if *value == u16::MAX { u64::from(u32::MAX) } else { u64::from(*value) };
            values.iter().map(wide).collect()
        }
        Values::ByteCount(_) | Values::LargeCount(_) => panic!("no program has such values"),
    }
}

/// The first column as real numbers.
pub fn reals(outcome: &Outcome) -> Vec<f64> {
    let values = &outcome.columns[0].values;
    let single = matches!(values, Values::Float32(_) | Values::Float32File(_));
    let real = |bits: u64| if single { f64::from(f32::from_bits(bits as u32)) } else { f64::from_bits(bits) };
    column_bits(values).into_iter().map(real).collect()
}

/// Makes sure that values are within `relative` of the expected ones, which are positive.
pub fn assert_close(found: &[f64], expected: &[f64], relative: f64) {
    assert_eq!(found.len(), expected.len());
    for (vertex, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!((found - expected).abs() <= relative * expected, "vertex {vertex}: {found:e}, expected {expected:e}");
    }
}
