//! Community detection by label propagation.
//!
//! Definition: that of LDBC Graphalytics (Iosup et al., PVLDB 2016; specification 1.0, section 2.3.4). Every vertex
//! starts with its own ID as label. In each iteration, all vertices simultaneously take the most common label among
//! their neighbors; ties go to the smallest. In directed graphs, in- and out-neighbors count, a neighbor in both
//! directions twice, and duplicate edges with their multiplicity. Loops are ignored. A vertex without neighbors keeps
//! its label. With weights, a vertex takes the label with the largest sum of edge weights to the neighbors that have
//! it. Weights must not be negative; sums are in double precision, smallest weight first, and ties go to the smallest
//! label.
//!
//! Paper: Raghavan, Albert and Kumara, Physical Review E 76, 2007, made deterministic; a program of MultiLogVC (Matam,
//! Hashemi, Annavaram, 2021, section VII).
//!
//! Returns: `label`, an original ID, never null.
//!
//! Memory: 4 bytes per vertex in memory or on disk, and in stores of another order the ranks (4 bytes) in memory.
//! Messages: a label (4 bytes; with weights 12), one per edge and direction in every iteration, which cannot be
//! combined.
//!
//! Passes over the edges: one per iteration, and one more if labels become stable.
//!
//! Deviations: the paper stores the label of each neighbor with its edge, so that only changed labels are sent; here an
//! iteration needs no edge state, and sends all labels. The run ends early if no label has changed, since no later one
//! would.

use crate::IdOrder;
use crate::models::Place;
use crate::models::interval::nodes;
use crate::models::messages::{MessageWork, requirements, send_to_others};
use crate::outcome::{Column, Outcome};
use crate::weights::{Refuse, Refused};
use outcrop_engine::Directions;
use outcrop_engine::neighborhood::most_common;
use outcrop_messages::{Edges, MessageEngine, MessageProgram, MessageRequirements, Next, Superstep, Vertex};
use outcrop_types::{Result, RunEnd, VertexSet};
use std::ops::ControlFlow;

/// Default number of iterations.
pub const ITERATIONS: u32 = 10;

/// Returns the needs of the program; `by_weights` if edge weights count.
pub const fn work(place: Place, by_weights: bool) -> MessageWork {
    let requirements = match by_weights {
        false => requirements::<Commonest>(place, Directions::Both),
        true => {
            MessageRequirements { weighted: place.weighted, ..requirements::<Heaviest<'_>>(place, Directions::Both) }
        }
    };
    MessageWork::new(requirements, 4)
}

/// Propagates labels for at most `iterations` iterations, with edge weights if `by_weight` is given.
///
/// # Errors
///
/// Returns the error that `by_weight` creates from a negative edge, or an error if a read fails or the data is damaged,
/// if the budget is too small, if the disk is full, or if the run is interrupted.
pub fn cdlp(
    engine: &MessageEngine<'_>,
    ranks: IdOrder<'_>,
    iterations: u32,
    by_weight: Option<Refuse<'_>>,
) -> Result<Outcome> {
    let Some(refuse) = by_weight else { return propagate(engine, ranks, iterations, &Commonest { iterations }) };
    let refused = Refused::new();
    let outcome = propagate(engine, ranks, iterations, &Heaviest { iterations, refused: &refused })?;
    refused.check(refuse)?;
    Ok(outcome)
}

fn propagate(
    engine: &MessageEngine<'_>,
    ranks: IdOrder<'_>,
    iterations: u32,
    program: &impl MessageProgram<Value = u32>,
) -> Result<Outcome> {
    let mut labels = engine.values(|vertex| ranks.of(vertex))?;
    let all = VertexSet::all(engine.vertices());
    engine.set_end(RunEnd::Iterations { most: iterations.saturating_add(1), tolerance: None });
    let supersteps = match iterations {
        0 => 0,
        _ => engine.run(program, &mut labels, &all, u32::MAX)?.supersteps,
    };
    Ok(Outcome::new(vec![Column::new("label", nodes(labels))], supersteps.saturating_sub(1)))
}

/// Total number of changed labels.
const CHANGED: usize = 0;

/// Receives the labels of neighbors; `choose` selects one.
fn receive<P: MessageProgram<Value = u32>>(
    vertex: &mut Vertex<'_, P>,
    iterations: u32,
    choose: impl Fn(&mut [P::Message]) -> Option<u32>,
) -> Next {
    let number = vertex.superstep().number;
    if let Some(label) = choose(vertex.messages()).filter(|label| *label != *vertex.value()) {
        *vertex.value_mut() = label;
        vertex.contribute(CHANGED, 1.0);
    }
    if number == iterations { Next::Done } else { Next::Compute }
}

/// Returns true if another iteration follows.
fn continues(ended: &Superstep, iterations: u32) -> bool {
    ended.number == 0 || (ended.number < iterations && ended.totals[CHANGED] > 0.0)
}

fn changed(ended: &Superstep) -> Option<f64> {
    (ended.number > 0).then_some(ended.totals[CHANGED])
}

/// Program that takes the most common label; labels start as ranks.
#[derive(Clone, Copy, Debug)]
pub struct Commonest {
    /// Maximum number of iterations, at least one.
    pub iterations: u32,
}

impl MessageProgram for Commonest {
    type Value = u32;
    type Message = u32;
    type Record = ();

    fn receive(&self, vertex: &mut Vertex<'_, Self>) -> Next {
        receive(vertex, self.iterations, most_common)
    }

    fn compute(&self, vertex: &mut Vertex<'_, Self>, edges: &Edges<'_>) {
        let label = *vertex.value();
        send_to_others(vertex, edges, label);
    }

    fn continues(&self, ended: &Superstep) -> bool {
        continues(ended, self.iterations)
    }

    fn change(&self, ended: &Superstep) -> Option<f64> {
        changed(ended)
    }
}

/// Program that takes the label with the largest sum of weights; labels start as ranks.
#[derive(Clone, Copy, Debug)]
pub struct Heaviest<'r> {
    /// Maximum number of iterations, at least one.
    pub iterations: u32,
    /// Receives negative edges.
    pub refused: &'r Refused,
}

impl MessageProgram for Heaviest<'_> {
    type Value = u32;
    /// Label, and the bits of the weight of the edge that it came along, the lower half first.
    type Message = [u32; 3];
    type Record = ();

    fn receive(&self, vertex: &mut Vertex<'_, Self>) -> Next {
        receive(vertex, self.iterations, heaviest)
    }

    fn compute(&self, vertex: &mut Vertex<'_, Self>, edges: &Edges<'_>) {
        let (own, label) = (vertex.id(), *vertex.value());
        _ = edges.out.try_for_each(|neighbor, weight| {
            if weight < 0.0 {
                self.refused.note(own, neighbor, weight);
            }
            ControlFlow::Continue(())
        });
        for (neighbor, weight) in edges.both().filter(|(neighbor, _)| *neighbor != own) {
            vertex.send(neighbor, message(label, weight));
        }
    }

    fn continues(&self, ended: &Superstep) -> bool {
        self.refused.is_empty() && continues(ended, self.iterations)
    }

    fn change(&self, ended: &Superstep) -> Option<f64> {
        changed(ended)
    }
}

fn message(label: u32, weight: f64) -> [u32; 3] {
    let bits = weight.to_bits();
    [label, bits as u32, (bits >> 32) as u32]
}

/// Returns the label with the largest sum of weights, the smallest in a tie; `None` if there are none.
fn heaviest(labels: &mut [[u32; 3]]) -> Option<u32> {
    let weight = |message: &[u32; 3]| f64::from_bits(u64::from(message[2]) << 32 | u64::from(message[1]));
    labels.sort_unstable_by(|one, other| one[0].cmp(&other[0]).then(weight(one).total_cmp(&weight(other))));
    let mut best: Option<(f64, u32)> = None;
    for same in labels.chunk_by(|one, other| one[0] == other[0]) {
        let sum: f64 = same.iter().map(weight).sum();
        let label = same.first().map(|message| message[0]);
        if best.is_none_or(|(most, _)| sum > most) {
            best = label.map(|label| (sum, label));
        }
    }
    best.map(|(_, label)| label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_heaviest_label_wins_whatever_the_order() {
        let message = |(label, weight): (u32, f64)| message(label, weight);
        assert_eq!(heaviest(&mut []), None);
        assert_eq!(heaviest(&mut [(4, -1.0), (3, -2.0)].map(message)), Some(4));
        assert_eq!(heaviest(&mut [(4, 1.0), (3, 0.5), (3, 0.5)].map(message)), Some(3));
        // Tiny weights count if they are added up before the large one.
        let mut weights = vec![(1, 1.0)];
        weights.extend([(2, 1.0)].into_iter().chain([(2, f64::EPSILON / 4.0); 4]));
        let mut messages: Vec<_> = weights.into_iter().map(message).collect();
        let mut reversed: Vec<_> = messages.iter().rev().copied().collect();
        assert_eq!((heaviest(&mut messages), heaviest(&mut reversed)), (Some(2), Some(2)));
    }
}
