//! Programs that users of the gas engine write.

use super::aggregation::Aggregation;
use outcrop_engine::State;
use outcrop_engine::{Number, Plain};
use outcrop_types::{Result, VertexId};

/// Count of numbers that a program may sum up over all vertices in an iteration.
pub const TOTALS: usize = 4;

/// A vertex that is computed.
#[derive(Clone, Copy, Debug)]
pub struct GasVertex {
    /// Its number.
    pub id: VertexId,
    /// Edges that leave it; 0 where the requirements does not ask for that.
    pub out_degree: u32,
    /// The number of the iteration, from 0 on. Shadow iterations have the number of the iteration before.
    pub iteration: u32,
}

/// An edge that something is put on.
#[derive(Clone, Copy, Debug)]
pub struct OutEdge<E> {
    /// Vertex that it goes to.
    pub target: VertexId,
    /// Its weight, 1 where there are none.
    pub weight: f64,
    /// Value that it holds; all bits are 0 at first, and always where [`GasProgram::KEEPS_EDGES`] is not set.
    pub previous: E,
    /// Content of the edge in the other direction; `None` without one, or where [`GasProgram::KEEPS_EDGES`] is not set.
    pub reverse: Option<Reverse<E>>,
}

/// Content of the edge in the other direction.
#[derive(Clone, Copy, Debug)]
pub struct Reverse<E> {
    /// Its value.
    pub value: E,
    /// True if that is to be gathered yet.
    pub waiting: bool,
}

/// Sums of a program over all vertices of an iteration.
pub type Totals = [f64; TOTALS];

/// An iteration that has ended.
#[derive(Clone, Copy, Debug)]
pub struct GasStep {
    /// Its number, from 0 on.
    pub iteration: u32,
    /// The vertices whose value changed.
    pub changed: u64,
    /// Changes of earlier iterations that were delayed, and so did not come to this one: where there are none, the
    /// changes of an iteration are all that is under way.
    pub delayed: u64,
    /// The sums of what vertices contributed.
    pub totals: Totals,
}

/// Gather, apply, scatter, on values of edges (Vora, Xu, Gupta, USENIX ATC 2016, section 4.1; PowerGraph, OSDI 2012).
///
/// In iteration 0 every vertex [begins](GasProgram::begin), and those with a change scatter it along their out-edges.
/// In every later iteration the edges that were given a value in the one before are gathered at their targets; targets
/// to which something came apply it, and scatter where that changes them. All vertices of an iteration see the values
/// of the iteration before; an answer does not depend on threads.
///
/// With [`GasProgram::extract`], edges carry *changes*: the sum begins with what was gathered before, and an edge that
/// brings nothing counts as zero. Without it, edges carry values of which one is chosen, such as the smallest; the
/// value of a vertex then has to say what came before. In both cases a vertex needs only the edges that bring something
/// new, which is what dynamic shards hold. A program for which that is not enough says [`Aggregation::None`]; it is
/// shown all in-edges, and runs on static shards alone. `crates/outcrop/examples/widest_paths.rs` is a whole algorithm.
///
/// ```
/// use outcrop_gas::{Aggregation, GasProgram, GasVertex, OutEdge, Totals};
///
/// /// Steps from vertex 0; edges hold those of their sources, and one more.
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
    /// Value that is kept of every vertex.
    type Value: Plain;
    /// Value that is kept on every edge.
    type Edge: Plain;
    /// Sum that is gathered at a vertex.
    type Sum: Copy + Send + Sync;
    /// Change that a vertex hands on; what the delay buffer holds.
    type Change: Number;

    /// Aggregation of several changes of a vertex, that could not be scattered one by one, into one (table 1).
    const AGGREGATION: Aggregation;

    /// True if edges hold values for longer than from one scatter to the next gather, and [`GasProgram::scatter`] looks
    /// at them.
    const KEEPS_EDGES: bool = false;

    /// True if a vertex that has changed is applied in the next iteration too, though nothing comes to it.
    const CONTINUES: bool = false;

    /// True if edges may come while the program runs, as [`GasProgram::initial_change`] and
    /// [`GasProgram::on_degree_change`] say.
    const TAKES_ARRIVALS: bool = false;

    /// Value that a vertex begins with, and what it hands on of that.
    fn begin(&self, vertex: GasVertex, totals: &mut Totals) -> (Self::Value, Option<Self::Change>);

    /// Sum that was gathered at a vertex when it got its value: the inverse of [`GasProgram::apply`]. `None` where
    /// edges carry values and not changes.
    fn extract(&self, vertex: GasVertex, value: &Self::Value) -> Option<Self::Sum> {
        _ = (vertex, value);
        None
    }

    /// Adds what an in-edge holds to the sum so far.
    fn gather(&self, sum: Option<Self::Sum>, edge: Self::Edge) -> Self::Sum;

    /// The new value of a vertex. The sum is `None` where nothing came and there is no [`GasProgram::extract`].
    fn apply(&self, vertex: GasVertex, old: &Self::Value, sum: Option<Self::Sum>) -> Self::Value;

    /// Change that a vertex hands on whose value was `old` and is `new` now; `None` where that is nothing, or too
    /// little. What is kept back has to be noted in the value.
    fn change(
        &self,
        vertex: GasVertex,
        old: &Self::Value,
        new: &mut Self::Value,
        totals: &mut Totals,
    ) -> Option<Self::Change>;

    /// Value that `change` puts on an out-edge of a vertex that has `value` now.
    fn scatter(
        &self,
        vertex: GasVertex,
        value: &Self::Value,
        change: Self::Change,
        edge: OutEdge<Self::Edge>,
    ) -> Self::Edge;

    /// Change that an edge that has just come brings of a vertex that has `value`: all that it has handed on so far, as
    /// one change. `None` where that is nothing.
    fn initial_change(&self, vertex: GasVertex, value: &Self::Value) -> Option<Self::Change> {
        _ = (vertex, value);
        None
    }

    /// Change that a vertex with edges that have just come hands on along those that it had `before`, in place of
    /// `change`: another one where what an edge holds depends on the out-degree.
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

    /// True if every vertex is applied in the iteration that begins, also those to which nothing comes.
    fn everywhere(&self) -> bool {
        false
    }

    /// True if another iteration is to follow. There is none anyway where no edge has anything new.
    fn continues(&self, ended: &GasStep) -> bool {
        _ = ended;
        true
    }

    /// Shows what the program itself keeps from one iteration to the next, where checkpoints are kept, before
    /// [`GasProgram::continues`] is told of the iteration that has ended.
    ///
    /// # Errors
    /// As for [`State::number`].
    fn visit(&self, state: &mut State<'_>) -> Result<()> {
        _ = state;
        Ok(())
    }

    /// Number that an observer is told of an iteration, such as the sum of all changes.
    fn change_of(&self, ended: &GasStep) -> Option<f64> {
        _ = ended;
        None
    }
}
