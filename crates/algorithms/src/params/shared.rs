//! Parameters shared by several algorithms.

use super::choice::choices;
use super::kind::{Bounds, Kind};
use super::param::{Param, Preset};
use crate::spec::Precision;

/// Source vertices.
pub static SOURCE: Param<Vec<String>> =
    Param::new("source", Kind::Ids, Preset::None(""), "Source vertex (repeatable)").needed("");

/// Source vertex.
pub static ONE_SOURCE: Param<Vec<String>> =
    Param::new("source", Kind::Id, Preset::None(""), "Source vertex").needed("");

/// Probability of following an edge.
pub static ALPHA: Param<f64> =
    Param::new("alpha", Kind::Number(Bounds::BELOW_ONE), Preset::Number(0.85), "Probability of following an edge")
        .shown_as("P");

/// Change at which to stop.
pub static TOLERANCE: Param<f64> = Param::new(
    "tol",
    Kind::Number(Bounds::POSITIVE),
    Preset::Number(1e-6),
    "Tolerance for the sum of absolute changes",
)
.excludes(&["iterations"]);

/// Maximum number of iterations.
pub static MAX_ITERATIONS: Param<u32> =
    Param::new("max-iter", Kind::ANY_COUNT, Preset::Count(100), "Maximum number of iterations")
        .excludes(&["iterations"]);

/// Precision of values between iterations.
pub static PRECISION: Param<Precision> =
    Param::word("precision", "f64", "Precision of values; f32 halves the memory").shown_as("TYPE");

/// Random seed.
pub static SEED: Param<u64> = Param::new("seed", Kind::SEED, Preset::Count(1), "Random seed");

/// Requested columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Columns {
    /// Only distances.
    Distance,
    /// Distances and predecessors.
    All,
}

choices!(Columns: "distance" => Self::Distance, "all" => Self::All);

/// Columns of the result.
pub static COLUMNS: Param<Columns> =
    Param::word("columns", "distance", "Columns of the result: distance, or all (distance and predecessor)")
        .shown_as("COLUMNS");
