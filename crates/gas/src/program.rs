//! Programs for the gas engine.

use super::aggregation::Aggregation;
use outcrop_engine::State;
use outcrop_engine::{Number, Plain};
use outcrop_store::access::ArcBlock;
use outcrop_types::{Result, VertexId, VertexRange};

/// Number of totals that a program can sum over all vertices in an iteration.
pub const TOTALS: usize = 4;

/// Vertex being computed.
#[derive(Clone, Copy, Debug)]
pub struct GasVertex {
    /// Vertex ID.
    pub id: VertexId,
    /// Out-degree; 0 if the requirements do not include degrees.
    pub out_degree: u32,
    /// Number of the iteration, from 0. Shadow iterations have the number of the previous iteration.
    pub iteration: u32,
}

/// Edge to write a value to.
#[derive(Clone, Copy, Debug)]
pub struct OutEdge<E> {
    /// Target vertex.
    pub target: VertexId,
    /// Weight; 1 in an unweighted graph.
    pub weight: f64,
    /// Current value; all bits are 0 at first, and always if edges do not retain values, that is, without
    /// [`GasProgram::KEEPS_EDGES`] and with an aggregation.
    pub previous: E,
    /// Content of the reverse edge; `None` if there is none or [`GasProgram::KEEPS_EDGES`] is not set.
    pub reverse: Option<Reverse<E>>,
}

/// Content of the reverse edge.
#[derive(Clone, Copy, Debug)]
pub struct Reverse<E> {
    /// Value of the edge.
    pub value: E,
    /// `true` if the value has not been gathered yet.
    pub waiting: bool,
}

/// Edges of a block to write values to at once.
#[derive(Clone, Copy, Debug)]
pub struct EdgeBatch<'b, E> {
    /// All edges of the block.
    pub arcs: &'b ArcBlock,
    /// Positions in the block of the edges to write to, ascending.
    pub positions: &'b [u32],
    /// Current value of each edge of the block, like [`OutEdge::previous`].
    pub previous: &'b [E],
    /// Content of the reverse edge per position; empty if [`GasProgram::KEEPS_EDGES`] is not set.
    pub reverse: &'b [Option<Reverse<E>>],
}

/// Totals of a program over all vertices of an iteration.
pub type Totals = [f64; TOTALS];

/// Completed iteration.
#[derive(Clone, Copy, Debug)]
pub struct GasStep {
    /// Number of the iteration, from 0.
    pub iteration: u32,
    /// Number of vertices whose value changed.
    pub changed: u64,
    /// Number of earlier changes that were delayed and did not reach this iteration. If it is 0, the changes of the
    /// iteration are all pending changes.
    pub delayed: u64,
    /// Totals of the vertices' contributions.
    pub totals: Totals,
}

/// Gather-apply-scatter program on edge values (Vora, Xu, Gupta, USENIX ATC 2016, section 4.1; PowerGraph, OSDI 2012).
///
/// In iteration 0 every vertex [begins](GasProgram::begin), and those with a change scatter it along their out-edges.
/// Every later iteration gathers the edges that received a value in the previous one at their targets. Targets with
/// updates apply them, and scatter if their values change. All vertices of an iteration see the values of the previous
/// iteration; the result does not depend on threads.
///
/// With [`GasProgram::extract`], edges carry *changes*: the sum starts with the previously gathered sum, and an edge
/// without an update counts as zero. Without it, edges carry values of which one is chosen, such as the smallest, and
/// the value of a vertex must record the earlier choice. In both cases a vertex needs only the edges with updates,
/// which dynamic shards contain. A program that needs all edges declares [`Aggregation::None`]: it sees all in-edges,
/// and runs on static shards only. `crates/outcrop/examples/widest_paths.rs` is a complete algorithm.
///
/// ```
/// use outcrop_gas::{Aggregation, GasProgram, GasVertex, OutEdge, Totals};
///
/// /// Steps from vertex 0; an edge carries the steps of its source plus one.
/// struct Steps;
///
/// impl GasProgram for Steps {
///     type Value = u32;
///     type Edge = u32;
///     type Sum = u32;
///     type Change = u32;
///
///     const AGGREGATION: Aggregation = Aggregation::Min;
///
///     fn begin(&self, vertex: GasVertex, _: &mut Totals) -> (u32, Option<u32>) {
///         if vertex.id == 0 { (0, Some(0)) } else { (u32::MAX, None) }
///     }
///
///     fn gather(&self, sum: Option<u32>, edge: u32) -> u32 {
///         sum.map_or(edge, |sum| sum.min(edge))
///     }
///
///     fn apply(&self, _: GasVertex, old: &u32, sum: Option<u32>) -> u32 {
///         sum.map_or(*old, |sum| sum.min(*old))
///     }
///
///     fn change(&self, _: GasVertex, old: &u32, new: &mut u32, _: &mut Totals) -> Option<u32> {
///         (*new < *old).then_some(*new)
///     }
///
///     fn scatter(&self, _: GasVertex, _: &u32, change: u32, _: OutEdge<u32>) -> u32 {
///         change + 1
///     }
/// }
///
/// assert_eq!(Steps.gather(Some(4), 3), 3);
/// ```
pub trait GasProgram: Sync {
    /// Value per vertex.
    type Value: Plain;
    /// Value per edge.
    type Edge: Plain;
    /// Sum that is gathered at a vertex.
    type Sum: Copy + Send + Sync;
    /// Change that a vertex propagates; stored in the delay buffer.
    type Change: Number;

    /// Aggregation of several delayed changes of a vertex into one (table 1).
    const AGGREGATION: Aggregation;

    /// `true` if edges retain their values beyond the next gather and [`GasProgram::scatter`] reads them.
    const KEEPS_EDGES: bool = false;

    /// `true` if a changed vertex is applied in the next iteration too, even without updates.
    const CONTINUES: bool = false;

    /// `true` if the program supports edges that arrive during the run, by [`GasProgram::initial_change`] and
    /// [`GasProgram::on_degree_change`].
    const TAKES_ARRIVALS: bool = false;

    /// Maximum number of vertices per call of [`GasProgram::apply_batch`] and of edges per call of
    /// [`GasProgram::scatter_batch`], for programs whose functions take arrays; 0 if they are never called.
    const BATCH: usize = 0;

    /// Returns the initial value of a vertex, and the change to propagate.
    fn begin(&self, vertex: GasVertex, totals: &mut Totals) -> (Self::Value, Option<Self::Change>);

    /// Returns the sum from which a vertex got its value: the inverse of [`GasProgram::apply`]. `None` if edges carry
    /// values rather than changes.
    fn extract(&self, vertex: GasVertex, value: &Self::Value) -> Option<Self::Sum> {
        _ = (vertex, value);
        None
    }

    /// Adds the value of an in-edge to the sum so far.
    fn gather(&self, sum: Option<Self::Sum>, edge: Self::Edge) -> Self::Sum;

    /// Returns the new value of a vertex. The sum is `None` without updates if there is no [`GasProgram::extract`].
    fn apply(&self, vertex: GasVertex, old: &Self::Value, sum: Option<Self::Sum>) -> Self::Value;

    /// Returns the change to propagate after a vertex changed from `old` to `new`, or `None` if it is zero or too
    /// small. The value must record an unpropagated change.
    fn change(
        &self,
        vertex: GasVertex,
        old: &Self::Value,
        new: &mut Self::Value,
        totals: &mut Totals,
    ) -> Option<Self::Change>;

    /// Returns the value that `change` puts on an out-edge of a vertex with this value.
    fn scatter(
        &self,
        vertex: GasVertex,
        value: &Self::Value,
        change: Self::Change,
        edge: OutEdge<Self::Edge>,
    ) -> Self::Edge;

    /// Transforms the sums of vertices at once, before [`GasProgram::apply`] is called for each of them. `positions`
    /// are those of the vertices in `range`, and in its `values` and `sums`.
    ///
    /// # Errors
    /// Returns an error of the program, which ends the run.
    fn apply_batch(
        &self,
        range: VertexRange,
        positions: &[u32],
        values: &[Self::Value],
        sums: &mut [Option<Self::Sum>],
    ) -> Result<()> {
        _ = (range, positions, values, sums);
        Ok(())
    }

    /// Transforms the values of edges at once, one per position in `edges`, after [`GasProgram::scatter`] was called
    /// for each of them.
    ///
    /// # Errors
    /// Returns an error of the program, which ends the run.
    fn scatter_batch(&self, edges: EdgeBatch<'_, Self::Edge>, values: &mut [Self::Edge]) -> Result<()> {
        _ = (edges, values);
        Ok(())
    }

    /// Returns the change that a newly arrived edge carries from a vertex with `value`: everything propagated so far,
    /// as one change. `None` if nothing was propagated.
    fn initial_change(&self, vertex: GasVertex, value: &Self::Value) -> Option<Self::Change> {
        _ = (vertex, value);
        None
    }

    /// Returns the change to propagate along the edges that a vertex had `before` new edges arrived, instead of
    /// `change`. It differs if edge values depend on the out-degree.
    fn on_degree_change(
        &self,
        vertex: GasVertex,
        before: u32,
        value: &Self::Value,
        change: Option<Self::Change>,
        totals: &mut Totals,
    ) -> Option<Self::Change> {
        _ = (vertex, before, value, totals);
        change
    }

    /// Combines two changes into one; `earlier` came first.
    fn aggregate(&self, earlier: Self::Change, later: Self::Change) -> Self::Change {
        Self::AGGREGATION.of(earlier, later)
    }

    /// Returns true if every vertex is applied in the next iteration, even without updates.
    fn everywhere(&self) -> bool {
        false
    }

    /// Returns true if another iteration follows. The run ends in any case if no edge has an update. A program whose
    /// totals must include all pending changes continues while [`GasStep::delayed`] is not 0.
    fn continues(&self, ended: &GasStep) -> bool {
        _ = ended;
        true
    }

    /// Serializes the program's own state between iterations, for checkpoints, before [`GasProgram::continues`] is
    /// called for the completed iteration.
    ///
    /// # Errors
    /// Returns the errors of [`State::number`].
    fn visit(&self, state: &mut State<'_>) -> Result<()> {
        _ = state;
        Ok(())
    }

    /// Returns the number to report to the observer for an iteration, such as the sum of all changes.
    fn change_of(&self, ended: &GasStep) -> Option<f64> {
        _ = ended;
        None
    }
}
