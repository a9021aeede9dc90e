//! Words of list entries are what the program left there.

use crate::engines::{Bench, Made};
use outcrop_messages::{Edges, MessageProgram, Next, Vertex};
use std::collections::BTreeMap;

const VERTICES: u32 = 20_000;
const SUPERSTEPS: u32 = 4;

/// Counts the visits of a vertex in the first word of each entry, and mixes them with its position in the second.
struct Visits;

impl MessageProgram for Visits {
    type Value = u64;
    type Message = u32;
    type Record = ();

    const EDGE_WORDS: usize = 2;

    fn receive(&self, vertex: &mut Vertex<'_, Self>) -> Next {
        vertex.deactivate();
        let id = vertex.id();
        let (_, words) = vertex.edge_words();
        for ([visits, mixed], position) in words.as_chunks_mut::<2>().0.iter_mut().zip(0_u32..) {
            *visits += 1;
            *mixed = mixed.wrapping_mul(31).wrapping_add(*visits ^ id ^ position);
        }
        *vertex.value_mut() = vertex.edge_words().1.iter().copied().map(u64::from).sum();
        if vertex.id().is_multiple_of(3) { Next::Done } else { Next::Compute }
    }

    fn compute(&self, vertex: &mut Vertex<'_, Self>, edges: &Edges<'_>) {
        // Fewer and fewer vertices are visited.
        let superstep = vertex.superstep().number;
        let some = edges.out.ids().iter().filter(|id| id.is_multiple_of(1 << (2 * superstep)));
        some.for_each(|id| vertex.send(*id, 0));
    }
}

/// Values that [`Visits`] gives, by loops over the edges.
fn expected(bench: &Bench) -> Vec<u64> {
    let mut lists: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    bench.edges.iter().for_each(|(source, target, _)| lists.entry(*source).or_default().push(*target));
    lists.values_mut().for_each(|list| list.sort_unstable());
    let mut words: BTreeMap<u32, Vec<[u32; 2]>> =
        lists.iter().map(|(vertex, list)| (*vertex, vec![[0, 0]; list.len()])).collect();
    let (mut values, mut active) = (vec![0; VERTICES as usize], vec![true; VERTICES as usize]);
    for superstep in 0..SUPERSTEPS {
        let mut next = vec![false; VERTICES as usize];
        for (vertex, list) in lists.iter().filter(|(vertex, _)| active[**vertex as usize]) {
            let entries = words.get_mut(vertex).unwrap();
            for ([visits, mixed], position) in entries.iter_mut().zip(0_u32..) {
                *visits += 1;
                *mixed = mixed.wrapping_mul(31).wrapping_add(*visits ^ vertex ^ position);
            }
            values[*vertex as usize] = entries.iter().flatten().copied().map(u64::from).sum();
            if vertex.is_multiple_of(3) {
                continue;
            }
            for id in list {
                next[*id as usize] |= id.is_multiple_of(1 << (2 * superstep));
            }
        }
        active = next;
    }
    values
}

#[test]
fn words_are_what_the_program_left_in_memory_and_on_disk() {
    for (threads, on_disk, memory, spilled) in
        [(1, false, 0, true), (3, true, 4 << 20, true), (2, false, 64 << 20, false)]
    {
        let mut edges = Bench::drawn(VERTICES, 200_000, 1, 31).edges;
        // A list that is longer than a window.
        edges.extend((0..VERTICES).map(|target| (4, target, 1.0)));
        let bench = Bench::new(VERTICES, edges, threads);
        let mut made = Made::of::<Visits>(VERTICES, on_disk);
        made.memory = memory.max(made.requirements.least().total());
        let engine = bench.engine(&made);
        let mut values = engine.values(|_| 0_u64).unwrap();
        let all = outcrop_types::VertexSet::all(VERTICES);
        assert_eq!(engine.run(&Visits, &mut values, &all, SUPERSTEPS).unwrap().supersteps, SUPERSTEPS);
        assert!(crate::engines::plain(values) == expected(&bench), "{threads} threads, {memory} bytes");
        let figures = engine.message_figures();
        let written = engine.value_traffic().1 - figures.log_bytes_written;
        assert!(on_disk || (written > 0) == spilled, "{written}");
    }
}

#[test]
fn a_program_that_changes_the_graph_cannot_have_words() {
    let bench = Bench::drawn(100, 300, 1, 7);
    let mut made = Made::of::<Visits>(100, false);
    made.requirements.changes = true;
    let engine = bench.engine(&made);
    let mut values = engine.values(|_| 0_u64).unwrap();
    let all = outcrop_types::VertexSet::all(100);
    assert!(engine.run(&Visits, &mut values, &all, 1).is_err());
}
