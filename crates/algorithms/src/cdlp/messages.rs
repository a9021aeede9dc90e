//! Community detection by label propagation.
//!
//! Definition: that of LDBC Graphalytics (Iosup et al., PVLDB 2016; specification 1.0, section 2.3.4). Every vertex
//! starts with its own ID as label. In each iteration, all vertices simultaneously take the most common label among
//! their neighbors; ties go to the smallest. In directed graphs, in- and out-neighbors count, a neighbor in both
//! directions twice, and duplicate edges with their multiplicity. Loops are ignored. A vertex without neighbors keeps
//! its label. With weights, a vertex takes the label with the largest sum of edge weights to the neighbors that have
//! it. Weights are 0 or from 1e-280 to 1e270; sums are in double precision, smallest weight first, and ties go to the
//! smallest label.
//!
//! Paper: Raghavan, Albert and Kumara, Physical Review E 76, 2007, made deterministic; a program of MultiLogVC (Matam,
//! Hashemi, Annavaram, 2021, section VII).
//!
//! Returns: `label`, an original ID, never null.
//!
//! Memory: 4 bytes per vertex in memory or on disk, and in stores of another order the ranks (4 bytes) in memory;
//! without weights, 4 bytes per list entry, on disk if they take more than a tenth of the memory. Messages: a label (4
//! bytes; with weights 12), one per edge and direction in every iteration, or later two along the edges of vertices
//! whose label has changed. They cannot be combined.
//!
//! Passes over the edges: one per iteration, with weights one more if labels become stable; once only changes are sent,
//! the lists of vertices with changed labels.
//!
//! Deviations: the paper stores the label of each neighbor with its edge from the beginning, so that only changed
//! labels are sent. Here that begins once less than a quarter of the labels change, weighted by edges: before, storing
//! and replacing labels costs more than sending all. The stored labels are sorted, and the former label is sent, too,
//! instead of the sender, so that a vertex whose label stays the same needs no list. Without weights, the first
//! iteration needs no messages, since all labels differ. With weights, or more than 2^31 vertices, all labels are sent
//! in every iteration. The run ends early if no label has changed, since no later one would.

use crate::IdOrder;
use crate::models::Place;
use crate::models::interval::nodes;
use crate::models::messages::{MessageWork, requirements, send_to_others};
use crate::outcome::{Column, Outcome};
use crate::weights::{Refuse, Refused, is_summand};
use outcrop_engine::neighborhood::most_common;
use outcrop_engine::{Directions, State};
use outcrop_messages::{Edges, MessageEngine, MessageProgram, MessageRequirements, Next, Superstep, Vertex};
use outcrop_types::{Result, RunEnd, VertexId, VertexSet};
use std::cmp::Reverse;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Default number of iterations.
pub const ITERATIONS: u32 = 10;

/// Returns the needs of the program; `by_weights` if edge weights count.
pub const fn work(place: Place, by_weights: bool) -> MessageWork {
    let requirements = match by_weights {
        false => {
            MessageRequirements { messages_per_entry: 2, ..requirements::<Commonest<'_>>(place, Directions::Both) }
        }
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
/// Returns the error that `by_weight` creates from an edge whose weight cannot be added up, or an error if a read fails
/// or the data is damaged, if the budget is too small, if the disk is full, or if the run is interrupted.
pub fn cdlp(
    engine: &MessageEngine<'_>,
    ranks: IdOrder<'_>,
    iterations: u32,
    by_weight: Option<Refuse<'_>>,
) -> Result<Outcome> {
    let mut labels = engine.values(|vertex| ranks.of(vertex))?;
    let all = VertexSet::all(engine.vertices());
    // With weights, the first superstep only sends labels.
    let before = u32::from(by_weight.is_some());
    engine.set_end(RunEnd::Iterations { most: iterations.saturating_add(before), tolerance: None });
    let supersteps = match by_weight {
        _ if iterations == 0 => 0,
        None => engine.run(&Commonest::new(ranks, iterations), &mut labels, &all, u32::MAX)?.supersteps,
        Some(refuse) => {
            let refused = Refused::new();
            let ran = engine.run(&Heaviest { iterations, refused: &refused }, &mut labels, &all, u32::MAX)?;
            refused.check(refuse)?;
            ran.supersteps
        }
    };
    Ok(Outcome::new(vec![Column::new("label", nodes(labels))], supersteps.saturating_sub(before)))
}

/// Total number of changed labels.
const CHANGED: usize = 0;
/// Total number of messages to vertices whose label has changed: as many edges lead to them.
const TO_CHANGED: usize = 1;
/// Total number of messages.
const RECEIVED: usize = 2;

/// Inverse of the share of edges to vertices with changed labels below which only changes are sent. On disk, sending
/// and receiving a label takes 16 bytes and a change 32, and replacing labels up to 8 bytes per entry.
const FEW: f64 = 4.0;

/// Bit of messages with new labels; without it, the label is to be replaced.
const NEW: u32 = 1 << 31;
/// Stored after the labels of the neighbors, for loops; no vertex has this label.
const NONE: u32 = u32::MAX;

/// Adopts `label`; returns true if it is another one.
fn adopt<P: MessageProgram<Value = u32>>(vertex: &mut Vertex<'_, P>, label: Option<u32>) -> bool {
    let Some(label) = label.filter(|label| *label != *vertex.value()) else { return false };
    *vertex.value_mut() = label;
    vertex.contribute(CHANGED, 1.0);
    true
}

/// Program that takes the most common label; labels start as ranks. Sends all labels, then only changed ones.
#[derive(Debug)]
pub struct Commonest<'r> {
    ranks: IdOrder<'r>,
    /// Maximum number of iterations, at least one.
    iterations: u32,
    /// Superstep in which labels are stored; from then on, only changes are sent.
    stored: AtomicU32,
}

impl<'r> Commonest<'r> {
    /// Creates the program for at most `iterations` iterations.
    pub const fn new(ranks: IdOrder<'r>, iterations: u32) -> Self {
        Self { ranks, iterations, stored: AtomicU32::new(u32::MAX) }
    }

    /// Returns true if only changes have been sent in the end.
    pub fn has_sent_changes(&self) -> bool {
        self.stored.load(Relaxed) != u32::MAX
    }

    /// Returns the most common of the first labels of the neighbors of `own`, which all differ.
    fn first(&self, own: VertexId, edges: &Edges<'_>) -> Option<u32> {
        let (mut lists, mut best) = ([edges.out.ids(), edges.into.ids()], None);
        while let Some(id) = lists.iter().filter_map(|ids| ids.first()).min().copied() {
            let mut count = 0;
            for ids in &mut lists {
                let same = ids.iter().take_while(|other| **other == id).count();
                *ids = &ids[same..];
                count += same;
            }
            if id != own {
                best = best.max(Some((count, Reverse(self.ranks.of(id)))));
            }
        }
        best.map(|(_, Reverse(label))| label)
    }
}

impl MessageProgram for Commonest<'_> {
    type Value = u32;
    type Message = u32;
    type Record = ();

    const EDGE_WORDS: usize = 1;

    fn needs_edge_words(&self, superstep: &Superstep) -> bool {
        superstep.number >= self.stored.load(Relaxed)
    }

    fn receive(&self, vertex: &mut Vertex<'_, Self>) -> Next {
        let number = vertex.superstep().number;
        if number == 0 {
            return Next::Compute;
        }
        let (old, stored, is_last) = (*vertex.value(), self.stored.load(Relaxed), number + 1 == self.iterations);
        let (messages, labels) = vertex.edge_words();
        let received = messages.len() as f64;
        if number == stored {
            labels.fill(NONE);
            messages.iter_mut().for_each(|message| *message |= NEW);
        }
        let label = if number < stored { most_common(messages) } else { replace(labels, messages) };
        let changed = adopt(vertex, label);
        if number < stored {
            vertex.contribute(RECEIVED, received);
            vertex.contribute(TO_CHANGED, if changed { received } else { 0.0 });
            return if is_last { Next::Done } else { Next::Compute };
        }
        vertex.deactivate();
        match vertex.messages().first_mut() {
            Some(first) if changed && !is_last => {
                // The former label is sent after the list is loaded.
                *first = old;
                Next::Compute
            }
            _ => Next::Done,
        }
    }

    fn compute(&self, vertex: &mut Vertex<'_, Self>, edges: &Edges<'_>) {
        let number = vertex.superstep().number;
        if number == 0 {
            let first = self.first(vertex.id(), edges);
            adopt(vertex, first);
        }
        if number + 1 == self.iterations {
            return;
        }
        let label = *vertex.value();
        if number < self.stored.load(Relaxed) {
            return send_to_others(vertex, edges, label);
        }
        if let Some(old) = vertex.messages().first().copied() {
            send_to_others(vertex, edges, old);
            send_to_others(vertex, edges, NEW | label);
        }
    }

    fn visit(&self, state: &mut State<'_>) -> Result<()> {
        state.shared(std::slice::from_ref(&self.stored))
    }

    fn continues(&self, ended: &Superstep) -> bool {
        let ([changed, to_changed, received, ..], next) = (ended.totals, ended.number + 1);
        // Storing labels is repaid by two supersteps with few messages.
        let repaid = ended.vertices <= NEW && next.saturating_add(2) < self.iterations;
        if repaid && !self.has_sent_changes() && FEW * to_changed < received {
            self.stored.store(next, Relaxed);
        }
        changed > 0.0 && next < self.iterations
    }

    fn change(&self, ended: &Superstep) -> Option<f64> {
        Some(ended.totals[CHANGED])
    }
}

/// Replaces the stored `labels` without [`NEW`] in `messages` by those with it; returns the most common label. Stored
/// labels are ascending.
fn replace(labels: &mut [u32], messages: &mut [u32]) -> Option<u32> {
    messages.sort_unstable();
    let (old, new) = messages.split_at(messages.partition_point(|message| *message < NEW));
    let (mut kept, mut old) = (0, old.iter().peekable());
    for place in 0..labels.len() {
        let label = labels[place];
        if label != NONE && old.next_if(|old| **old == label).is_none() {
            labels[kept] = label;
            kept += 1;
        }
    }
    let others = (kept + new.len()).min(labels.len());
    // Merges the kept and the new labels from behind.
    let mut new = new.iter().map(|message| message & !NEW).rev().peekable();
    for place in (0..others).rev() {
        let larger = new.next_if(|new| kept == 0 || *new >= labels[kept - 1]);
        kept -= usize::from(larger.is_none());
        labels[place] = larger.unwrap_or_else(|| labels[kept]);
    }
    labels[others..].fill(NONE);
    most_common(&mut labels[..others])
}

/// Program that takes the label with the largest sum of weights; labels start as ranks.
#[derive(Clone, Copy, Debug)]
pub struct Heaviest<'r> {
    /// Maximum number of iterations, at least one.
    pub iterations: u32,
    /// Receives edges whose weights cannot be added up.
    pub refused: &'r Refused,
}

impl MessageProgram for Heaviest<'_> {
    type Value = u32;
    /// Label, and the bits of the weight of the edge that it came along, the lower half first.
    type Message = [u32; 3];
    type Record = ();

    fn receive(&self, vertex: &mut Vertex<'_, Self>) -> Next {
        let label = heaviest(vertex.messages());
        adopt(vertex, label);
        if vertex.superstep().number == self.iterations { Next::Done } else { Next::Compute }
    }

    fn compute(&self, vertex: &mut Vertex<'_, Self>, edges: &Edges<'_>) {
        let (own, label) = (vertex.id(), *vertex.value());
        _ = edges.out.try_for_each(|neighbor, weight| {
            if !is_summand(weight) {
                self.refused.note(own, neighbor, weight);
            }
            ControlFlow::Continue(())
        });
        for (neighbor, weight) in edges.both().filter(|(neighbor, _)| *neighbor != own) {
            vertex.send(neighbor, message(label, weight));
        }
    }

    fn continues(&self, ended: &Superstep) -> bool {
        let continues = ended.number == 0 || (ended.number < self.iterations && ended.totals[CHANGED] > 0.0);
        self.refused.is_empty() && continues
    }

    fn change(&self, ended: &Superstep) -> Option<f64> {
        (ended.number > 0).then_some(ended.totals[CHANGED])
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
