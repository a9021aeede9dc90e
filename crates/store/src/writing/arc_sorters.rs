//! Conversion of edges between vertices to sorted arcs.

use super::context::{BuildContext, Writing};
use super::list_files::{ListFiles, Lists};
use super::preflight;
use super::record::ArcRecord;
use crate::arc_hash::ArcHash;
use crate::manifest::Dedup;
use crate::sort::{DurableRecords, ExternalSorter};
use outcrop_types::{
    Direction, Error, Location, Phase, ProgressUnit, Result, VertexId, WeightRounding, WeightType, WeightTypes,
    short_number,
};
use serde::{Deserialize, Serialize};

/// Sorters of the arcs of both directions, or of one direction for an undirected graph, in which each edge is listed at
/// both ends.
pub(super) struct ArcSorters<A: ArcRecord> {
    out: ExternalSorter<A>,
    reverse: Option<ExternalSorter<A>>,
    /// Hash of all arcs; `None` for a directed graph, whose two directions verify each other.
    hash: Option<ArcHash>,
    /// Sum over undirected edges except loops: the hash of the edge as listed minus the hash of its reverse.
    balance: ArcHash,
    /// True if there was such an edge.
    proper: bool,
    weights: TakenWeights,
}

/// Weights of the arcs passed to the sorters.
#[derive(Clone, Default, Serialize, Deserialize)]
struct TakenWeights {
    asked: Option<WeightType>,
    /// Types of the weights, if no type was requested.
    types: WeightTypes,
    rounding: WeightRounding,
}

/// Durable arcs of sorters, which survive the process.
#[derive(Serialize, Deserialize)]
pub(super) struct DurableArcs {
    out: DurableRecords,
    reverse: Option<DurableRecords>,
    hash: Option<ArcHash>,
    #[serde(default)]
    balance: ArcHash,
    #[serde(default)]
    proper: bool,
    weights: TakenWeights,
}

impl TakenWeights {
    /// Returns the weight as stored. The weight of an undirected edge may be converted twice, and is counted once.
    #[inline]
    fn take(&mut self, source: VertexId, target: VertexId, weight: f64, noted: bool) -> Result<f64> {
        let Some(kind) = self.asked else {
            self.types.take(weight);
            return Ok(weight);
        };
        let kept = kind.kept(weight).ok_or_else(|| unrepresentable_weight(weight, kind))?;
        if noted {
            self.rounding.note(weight, kept, || format!("the edge from vertex number {source} to {target}"));
        }
        Ok(kept)
    }

    fn decide(&self, dedup: Dedup) -> WeightType {
        self.asked.unwrap_or_else(|| match dedup {
            Dedup::Sum => self.types.narrowest_of_sums(),
            Dedup::Keep | Dedup::First | Dedup::Min | Dedup::Max => self.types.narrowest(),
        })
    }
}

#[cold]
fn unrepresentable_weight(weight: f64, kind: WeightType) -> Error {
    let message = format!(
        "an edge has the weight {}, which does not fit {}; omit --weight-type, or use a wider type",
        short_number(weight),
        kind.name()
    );
    Error::bad_input(Location::file("the input"), message)
}

impl<A: ArcRecord> ArcSorters<A> {
    /// Creates sorters that share `bytes` of memory, for about `edges` edges if that is known.
    pub(super) fn new(context: &BuildContext<'_>, bytes: u64, edges: Option<u64>) -> Result<Self> {
        let directed = !context.options.undirected;
        let share = if directed { bytes / 2 } else { bytes };
        let threads = context.threads_of_direction() / 2;
        let expected = edges.unwrap_or(0).saturating_mul(if directed { 1 } else { 2 });
        let (budget, cancellation) = (context.work.budget, context.work.cancellation());
        let sorter = || {
            let sorter = ExternalSorter::new(&context.spill, share, false, budget, cancellation)?;
            Ok(sorter.with_threads(threads, expected))
        };
        Ok(Self {
            out: sorter()?,
            reverse: directed.then(sorter).transpose()?.map(ExternalSorter::with_short_first_run),
            hash: (!directed).then(ArcHash::default),
            balance: ArcHash::default(),
            proper: false,
            weights: TakenWeights { asked: context.options.weights.requested(), ..TakenWeights::default() },
        })
    }

    /// Makes the arcs durable.
    pub(super) fn keep(&mut self) -> Result<DurableArcs> {
        let out = self.out.keep()?;
        let reverse = self.reverse.as_mut().map(ExternalSorter::keep).transpose()?;
        let (balance, proper, weights) = (self.balance, self.proper, self.weights.clone());
        Ok(DurableArcs { out, reverse, hash: self.hash, balance, proper, weights })
    }

    /// Restores durable arcs, before any others are added.
    pub(super) fn resume(&mut self, kept: &DurableArcs) -> Result<()> {
        self.out.resume(&kept.out)?;
        for (reverse, kept) in self.reverse.iter_mut().zip(&kept.reverse) {
            reverse.resume(kept)?;
        }
        (self.hash, self.weights) = (kept.hash, kept.weights.clone());
        (self.balance, self.proper) = (kept.balance, kept.proper);
        Ok(())
    }

    /// Adds an edge.
    #[inline]
    pub(super) fn push(&mut self, source: VertexId, target: VertexId, weight: f64) -> Result<()> {
        let weight = if A::WEIGHTED { self.weights.take(source, target, weight, true)? } else { weight };
        let listed = self.push_out(source, target, weight)?;
        match &mut self.reverse {
            Some(reverse) => reverse.push(A::new(target, source, weight)),
            None if source != target => {
                let reverse = self.push_out(target, source, weight)?;
                self.balance += listed;
                self.balance -= reverse;
                self.proper = true;
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Adds `edges`.
    pub(super) fn push_all(&mut self, edges: &[A]) -> Result<()> {
        match &mut self.reverse {
            Some(reverse) if !A::WEIGHTED => {
                self.out.extend(edges.iter().copied())?;
                reverse.extend(edges.iter().map(|edge| {
                    let (source, target, weight) = edge.parts();
                    A::new(target, source, weight)
                }))
            }
            _ => edges
                .iter()
                .map(|edge| edge.parts())
                .try_for_each(|(source, target, weight)| self.push(source, target, weight)),
        }
    }

    /// Adds a list entry of an undirected graph, whose reverse is in the list of its other end.
    #[inline]
    pub(super) fn push_entry(&mut self, vertex: VertexId, neighbor: VertexId, weight: f64) -> Result<()> {
        let noted = vertex <= neighbor;
        let weight = if A::WEIGHTED { self.weights.take(vertex, neighbor, weight, noted)? } else { weight };
        self.push_out(vertex, neighbor, weight).map(|_| ())
    }

    /// Adds an entry of an out-list; returns its hash if the graph is undirected.
    #[inline]
    fn push_out(&mut self, vertex: VertexId, neighbor: VertexId, weight: f64) -> Result<ArcHash> {
        let entry = A::new(vertex, neighbor, weight);
        let mut hash = ArcHash::default();
        if let Some(sum) = &mut self.hash {
            hash = entry.hash(Direction::Out);
            *sum += hash;
        }
        self.out.push(entry)?;
        Ok(hash)
    }

    /// Writes the lists of both directions concurrently.
    pub(super) fn write(self, writing: &Writing<'_>, vertices: u32) -> Result<Lists> {
        let Self { out, reverse, hash, balance, proper, weights } = self;
        let context = writing.context;
        let kind = A::WEIGHTED.then(|| weights.decide(context.options.dedup));
        let directions = if reverse.is_some() { 2 } else { 1 };
        preflight::require(context.work.storage, writing.staging.folder(), directions * 4 * u64::from(vertices))?;
        let total = Some(out.len() + reverse.as_ref().map_or(0, ExternalSorter::len));
        context.work.observer.phase(&Phase { name: "writing lists", unit: ProgressUnit::Edges, total });
        let lists = ListFiles::new(writing, vertices, kind).write(out, reverse, hash)?;
        let both_directions = proper && balance == ArcHash::default();
        Ok(Lists { weights: kind, rounding: weights.rounding, both_directions, ..lists })
    }
}
