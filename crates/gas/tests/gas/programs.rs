//! Programs whose answers are exact, one for every way to aggregate, and ranks.

use outcrop_gas::{Aggregation, GasProgram, GasStep, GasVertex, OutEdge, Totals};
use outcrop_types::{SplitMix64, VertexId};
use std::marker::PhantomData;
use std::sync::Mutex;

/// Spread of values that are chosen among.
pub trait Choice: Sync {
    const AGGREGATION: Aggregation;
    /// Beside any other value, the other one is chosen.
    const NEUTRAL: u64;
    /// Value that a vertex begins with; true if it hands that on.
    fn start(vertex: VertexId) -> (u64, bool);
    /// Value that comes out of an edge into which `change` goes.
    fn along(change: u64, weight: f64) -> u64 {
        _ = weight;
        change
    }
    fn choose(one: u64, other: u64) -> u64;
    /// New part of a value.
    fn news(old: u64, new: u64) -> u64 {
        _ = old;
        new
    }
}

/// Edges carry values, of which one is chosen.
pub struct Choosing<C>(PhantomData<fn() -> C>);

impl<C> Choosing<C> {
    pub const NEW: Self = Self(PhantomData);
}

impl<C: Choice> GasProgram for Choosing<C> {
    type Value = u64;
    type Edge = u64;
    type Sum = u64;
    type Change = u64;

    const AGGREGATION: Aggregation = C::AGGREGATION;
    const TAKES_ARRIVALS: bool = true;

    fn begin(&self, vertex: GasVertex, totals: &mut Totals) -> (u64, Option<u64>) {
        let (value, begins) = C::start(vertex.id);
        totals[0] += f64::from(u8::from(begins));
        (value, begins.then_some(value))
    }

    fn gather(&self, sum: Option<u64>, edge: u64) -> u64 {
        sum.map_or(edge, |sum| C::choose(sum, edge))
    }

    fn apply(&self, _: GasVertex, old: &u64, sum: Option<u64>) -> u64 {
        sum.map_or(*old, |sum| C::choose(*old, sum))
    }

    fn change(&self, _: GasVertex, old: &u64, new: &mut u64, totals: &mut Totals) -> Option<u64> {
        totals[0] += f64::from(u8::from(old != new));
        (old != new).then(|| C::news(*old, *new))
    }

    fn scatter(&self, _: GasVertex, _: &u64, change: u64, edge: OutEdge<u64>) -> u64 {
        C::along(change, edge.weight)
    }

    fn initial_change(&self, _: GasVertex, value: &u64) -> Option<u64> {
        (*value != C::NEUTRAL).then_some(*value)
    }
}

fn is_source(vertex: VertexId) -> bool {
    vertex % 97 == 3
}

/// Lengths of shortest paths from several vertices.
pub struct Shortest;

impl Choice for Shortest {
    const AGGREGATION: Aggregation = Aggregation::Min;
    const NEUTRAL: u64 = u64::MAX;

    fn start(vertex: VertexId) -> (u64, bool) {
        (if is_source(vertex) { 0 } else { u64::MAX }, is_source(vertex))
    }

    fn along(change: u64, weight: f64) -> u64 {
        change + weight as u64
    }

    fn choose(one: u64, other: u64) -> u64 {
        one.min(other)
    }
}

/// The same; of several changes the last is the smallest.
pub struct Latest;

impl Choice for Latest {
    const AGGREGATION: Aggregation = Aggregation::Last;
    const NEUTRAL: u64 = u64::MAX;

    fn start(vertex: VertexId) -> (u64, bool) {
        Shortest::start(vertex)
    }

    fn along(change: u64, weight: f64) -> u64 {
        Shortest::along(change, weight)
    }

    fn choose(one: u64, other: u64) -> u64 {
        one.min(other)
    }
}

/// Widths of widest paths from several vertices.
pub struct Widest;

impl Choice for Widest {
    const AGGREGATION: Aggregation = Aggregation::Max;
    const NEUTRAL: u64 = 0;

    fn start(vertex: VertexId) -> (u64, bool) {
        (if is_source(vertex) { u64::MAX } else { 0 }, is_source(vertex))
    }

    fn along(change: u64, weight: f64) -> u64 {
        change.min(weight as u64)
    }

    fn choose(one: u64, other: u64) -> u64 {
        one.max(other)
    }
}

/// From which vertices a vertex can be reached, a bit each.
pub struct Reached;

impl Choice for Reached {
    const AGGREGATION: Aggregation = Aggregation::Or;
    const NEUTRAL: u64 = 0;

    fn start(vertex: VertexId) -> (u64, bool) {
        let begins = vertex % 11 == 1;
        (if begins { 1 << (vertex / 11 % 64) } else { 0 }, begins)
    }

    fn choose(one: u64, other: u64) -> u64 {
        one | other
    }

    fn news(old: u64, new: u64) -> u64 {
        new & !old
    }
}

/// Bits common to all vertices from which a vertex can be reached.
pub struct Common;

impl Choice for Common {
    const AGGREGATION: Aggregation = Aggregation::And;
    const NEUTRAL: u64 = u64::MAX;

    fn start(vertex: VertexId) -> (u64, bool) {
        let random = SplitMix64::new(u64::from(vertex), 3);
        (random.at(0) | random.at(1) | random.at(2) | random.at(3), true)
    }

    fn choose(one: u64, other: u64) -> u64 {
        one & other
    }
}

/// Reachability of a vertex: there is only one change.
pub struct Once;

impl Choice for Once {
    const AGGREGATION: Aggregation = Aggregation::First;
    const NEUTRAL: u64 = 0;

    fn start(vertex: VertexId) -> (u64, bool) {
        (u64::from(vertex == 3), vertex == 3)
    }

    fn choose(one: u64, other: u64) -> u64 {
        one.max(other)
    }
}

/// Addition of changes.
pub trait Increase: Sync {
    const AGGREGATION: Aggregation;
    /// Value that a vertex adds of its own.
    fn start(vertex: VertexId) -> u64;
    fn join(one: u64, other: u64) -> u64;
    /// Change that makes `new` of `old`.
    fn difference(old: u64, new: u64) -> u64;
}

/// Edges carry changes, which all count; an end is certain without cycles only.
pub struct Increasing<I>(PhantomData<fn() -> I>);

impl<I> Increasing<I> {
    pub const NEW: Self = Self(PhantomData);
}

impl<I: Increase> GasProgram for Increasing<I> {
    type Value = u64;
    type Edge = u64;
    type Sum = u64;
    type Change = u64;

    const AGGREGATION: Aggregation = I::AGGREGATION;
    const TAKES_ARRIVALS: bool = true;

    fn begin(&self, vertex: GasVertex, _: &mut Totals) -> (u64, Option<u64>) {
        (I::start(vertex.id), Some(I::start(vertex.id)))
    }

    fn extract(&self, _: GasVertex, value: &u64) -> Option<u64> {
        Some(*value)
    }

    fn gather(&self, sum: Option<u64>, edge: u64) -> u64 {
        I::join(sum.unwrap(), edge)
    }

    fn apply(&self, _: GasVertex, _: &u64, sum: Option<u64>) -> u64 {
        sum.unwrap()
    }

    fn change(&self, _: GasVertex, old: &u64, new: &mut u64, _: &mut Totals) -> Option<u64> {
        (old != new).then(|| I::difference(*old, *new))
    }

    fn scatter(&self, _: GasVertex, _: &u64, change: u64, _: OutEdge<u64>) -> u64 {
        change
    }

    fn initial_change(&self, _: GasVertex, value: &u64) -> Option<u64> {
        Some(*value)
    }

    fn aggregate(&self, earlier: u64, later: u64) -> u64 {
        I::join(earlier, later)
    }
}

/// Number of paths that end at a vertex, modulo 2^64.
pub struct Paths;

impl Increase for Paths {
    const AGGREGATION: Aggregation = Aggregation::Sum;

    fn start(_: VertexId) -> u64 {
        1
    }

    fn join(one: u64, other: u64) -> u64 {
        one.wrapping_add(other)
    }

    fn difference(old: u64, new: u64) -> u64 {
        new.wrapping_sub(old)
    }
}

/// Products of odd numbers modulo 2^64, which can be divided.
pub struct Products;

impl Increase for Products {
    const AGGREGATION: Aggregation = Aggregation::Product;

    fn start(vertex: VertexId) -> u64 {
        u64::from(vertex) * 2 + 3
    }

    fn join(one: u64, other: u64) -> u64 {
        one.wrapping_mul(other)
    }

    fn difference(old: u64, new: u64) -> u64 {
        // Newton's method; each step doubles the bits that are right.
        let inverse = (0..6).fold(old, |x, _| x.wrapping_mul(2_u64.wrapping_sub(old.wrapping_mul(x))));
        new.wrapping_mul(inverse)
    }
}

/// Of each bit, whether it came an odd number of times.
pub struct Parities;

impl Increase for Parities {
    const AGGREGATION: Aggregation = Aggregation::Own;

    fn start(vertex: VertexId) -> u64 {
        SplitMix64::new(8, 8).at(u64::from(vertex))
    }

    fn join(one: u64, other: u64) -> u64 {
        one ^ other
    }

    fn difference(old: u64, new: u64) -> u64 {
        old ^ new
    }
}

/// The share of a rank that goes on.
const DAMPING: f64 = 0.85;

/// Ranks by changes, each vertex with 0.15 of its own; changes up to a threshold are kept back until they add up
/// (section 4.1).
pub struct Ranks {
    pub threshold: f64,
}

impl Ranks {
    /// Greatest distance of all ranks together from the fixed point.
    pub fn bound(&self, vertices: u32) -> f64 {
        f64::from(vertices) * self.threshold / (1.0 - DAMPING)
    }
}

impl GasProgram for Ranks {
    /// The rank, and what of its changes was not handed on.
    type Value = [f64; 2];
    type Edge = f64;
    type Sum = f64;
    type Change = f64;

    const AGGREGATION: Aggregation = Aggregation::Sum;

    fn begin(&self, _: GasVertex, _: &mut Totals) -> ([f64; 2], Option<f64>) {
        ([1.0 - DAMPING, 0.0], Some(1.0 - DAMPING))
    }

    fn extract(&self, _: GasVertex, value: &[f64; 2]) -> Option<f64> {
        Some((value[0] - (1.0 - DAMPING)) / DAMPING)
    }

    fn gather(&self, sum: Option<f64>, edge: f64) -> f64 {
        sum.unwrap() + edge
    }

    fn apply(&self, _: GasVertex, old: &[f64; 2], sum: Option<f64>) -> [f64; 2] {
        let rank = (1.0 - DAMPING) + DAMPING * sum.unwrap();
        [rank, old[1] + rank - old[0]]
    }

    fn change(&self, _: GasVertex, _: &[f64; 2], new: &mut [f64; 2], _: &mut Totals) -> Option<f64> {
        (new[1].abs() > self.threshold).then(|| std::mem::take(&mut new[1]))
    }

    fn scatter(&self, vertex: GasVertex, _: &[f64; 2], change: f64, _: OutEdge<f64>) -> f64 {
        change / f64::from(vertex.out_degree)
    }
}

/// Every vertex tells each neighbor what came from all others and itself: on a tree all learn the sum over the tree.
pub struct Others;

impl GasProgram for Others {
    type Value = u64;
    /// Sum that was told so far, and the last change of that.
    type Edge = [u64; 2];
    type Sum = u64;
    type Change = u64;

    const AGGREGATION: Aggregation = Aggregation::Sum;
    const KEEPS_EDGES: bool = true;

    fn begin(&self, vertex: GasVertex, _: &mut Totals) -> (u64, Option<u64>) {
        let own = Self::own(vertex.id);
        (own, Some(own))
    }

    fn extract(&self, _: GasVertex, value: &u64) -> Option<u64> {
        Some(*value)
    }

    fn gather(&self, sum: Option<u64>, edge: [u64; 2]) -> u64 {
        sum.unwrap().wrapping_add(edge[1])
    }

    fn apply(&self, _: GasVertex, _: &u64, sum: Option<u64>) -> u64 {
        sum.unwrap()
    }

    fn change(&self, _: GasVertex, old: &u64, new: &mut u64, _: &mut Totals) -> Option<u64> {
        (old != new).then(|| new.wrapping_sub(*old))
    }

    fn scatter(&self, _: GasVertex, value: &u64, _: u64, edge: OutEdge<[u64; 2]>) -> [u64; 2] {
        let reverse = edge.reverse.unwrap();
        let waiting = if reverse.waiting { reverse.value[1] } else { 0 };
        let gathered = reverse.value[0].wrapping_sub(waiting);
        let told = value.wrapping_sub(gathered);
        [told, told.wrapping_sub(edge.previous[0])]
    }
}

impl Others {
    pub fn own(vertex: VertexId) -> u64 {
        SplitMix64::new(5, 5).at(u64::from(vertex))
    }
}

/// The smallest color that no neighbor with a smaller number has: all in-edges count.
pub struct Colors;

impl GasProgram for Colors {
    type Value = u32;
    /// The bit of the color, along edges to larger numbers.
    type Edge = u64;
    type Sum = u64;
    type Change = u32;

    const AGGREGATION: Aggregation = Aggregation::None;

    fn begin(&self, _: GasVertex, _: &mut Totals) -> (u32, Option<u32>) {
        (0, Some(0))
    }

    fn gather(&self, sum: Option<u64>, edge: u64) -> u64 {
        sum.unwrap_or(0) | edge
    }

    fn apply(&self, _: GasVertex, _: &u32, sum: Option<u64>) -> u32 {
        (!sum.unwrap_or(0)).trailing_zeros()
    }

    fn change(&self, _: GasVertex, old: &u32, new: &mut u32, _: &mut Totals) -> Option<u32> {
        (old != new).then_some(*new)
    }

    fn scatter(&self, vertex: GasVertex, _: &u32, change: u32, edge: OutEdge<u64>) -> u64 {
        if edge.target > vertex.id { 1 << change } else { 0 }
    }
}

/// Vertices that count down to 0 by themselves, telling in every iteration how far they are.
pub struct Countdown;

impl GasProgram for Countdown {
    /// Count that is left, and the sum of what was heard.
    type Value = [u64; 2];
    type Edge = u64;
    type Sum = u64;
    type Change = u64;

    const AGGREGATION: Aggregation = Aggregation::Sum;
    const CONTINUES: bool = true;

    fn begin(&self, vertex: GasVertex, _: &mut Totals) -> ([u64; 2], Option<u64>) {
        let left = u64::from(vertex.id % 23);
        ([left, 0], (left > 0).then_some(left))
    }

    fn extract(&self, _: GasVertex, value: &[u64; 2]) -> Option<u64> {
        Some(value[1])
    }

    fn gather(&self, sum: Option<u64>, edge: u64) -> u64 {
        sum.unwrap() + edge
    }

    fn apply(&self, _: GasVertex, old: &[u64; 2], sum: Option<u64>) -> [u64; 2] {
        [old[0].saturating_sub(1), sum.unwrap()]
    }

    fn change(&self, _: GasVertex, old: &[u64; 2], new: &mut [u64; 2], _: &mut Totals) -> Option<u64> {
        (old[0] > 0).then_some(new[0])
    }

    fn scatter(&self, _: GasVertex, _: &[u64; 2], change: u64, _: OutEdge<u64>) -> u64 {
        change
    }
}

/// Every vertex in every iteration, as many as are asked for; keeps what it is told of them.
pub struct Rounds {
    pub rounds: u32,
    pub told: Mutex<Vec<GasStep>>,
}

impl GasProgram for Rounds {
    type Value = u64;
    type Edge = u64;
    type Sum = u64;
    type Change = u64;

    const AGGREGATION: Aggregation = Aggregation::Last;

    fn begin(&self, vertex: GasVertex, totals: &mut Totals) -> (u64, Option<u64>) {
        totals[1] += 1.0;
        (u64::from(vertex.id), Some(u64::from(vertex.id)))
    }

    fn gather(&self, sum: Option<u64>, edge: u64) -> u64 {
        sum.unwrap_or(0).wrapping_add(edge)
    }

    fn apply(&self, vertex: GasVertex, old: &u64, sum: Option<u64>) -> u64 {
        let turn = old.wrapping_mul(31).wrapping_add(u64::from(vertex.id) + u64::from(vertex.iteration));
        sum.map_or(turn, |sum| turn.wrapping_add(sum.wrapping_mul(u64::from(vertex.out_degree) + 1)))
    }

    fn change(&self, vertex: GasVertex, _: &u64, new: &mut u64, totals: &mut Totals) -> Option<u64> {
        totals[0] += f64::from(vertex.id);
        totals[3] += f64::from(vertex.iteration);
        Some(*new)
    }

    fn scatter(&self, vertex: GasVertex, _: &u64, change: u64, edge: OutEdge<u64>) -> u64 {
        change.wrapping_mul(u64::from(edge.target)) ^ u64::from(vertex.id)
    }

    fn everywhere(&self) -> bool {
        true
    }

    fn continues(&self, ended: &GasStep) -> bool {
        self.told.lock().unwrap().push(*ended);
        ended.iteration < self.rounds
    }

    fn change_of(&self, ended: &GasStep) -> Option<f64> {
        Some(ended.totals[0])
    }
}
