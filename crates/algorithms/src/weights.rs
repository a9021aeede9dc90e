//! Use of edge weights, and refused weights.

use crate::params::{Args, InPython, Kind, Param, Preset};
use crate::spec::{Spec, Weights};
use outcrop_types::{Error, Location, Result, VertexId};
use std::sync::{Mutex, PoisonError};

/// Flag that enables weights, for algorithms that ignore them by default.
pub static WEIGHTED: Param<bool> = Param::new("weighted", Kind::Flag, Preset::Flag(false), "Use edge weights")
    .in_python(InPython::Weight { counts: true });

/// Flag that disables weights, for algorithms that use them by default.
pub static UNWEIGHTED: Param<bool> = Param::new("unweighted", Kind::Flag, Preset::Flag(false), "Ignore edge weights")
    .in_python(InPython::Weight { counts: false });

impl Weights {
    /// Returns true if the weights of a weighted store are used in a run with `args`.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Internal`] if the algorithm does not declare the parameter [`WEIGHTED`] or [`UNWEIGHTED`] that
    /// decides.
    pub fn count(self, args: &Args) -> Result<bool> {
        match self {
            Self::Used => Ok(true),
            Self::ByDefault => Ok(!args.get(&UNWEIGHTED)?),
            Self::OnRequest => args.get(&WEIGHTED),
            Self::Ignored | Self::Meaningless => Ok(false),
        }
    }
}

/// Largest weight that is added up without a check of the sum, which stays within the range of f64.
pub(crate) const LARGEST_SUMMAND: f64 = 1e270;

/// Positive weights of which sums, and quotients of a weight and a sum, have full precision.
const SUMMANDS: std::ops::RangeInclusive<f64> = 1e-280..=LARGEST_SUMMAND;

/// Weights that [`is_summand`] accepts, for messages.
pub const SUMMAND_RANGE: &str = "weights of 0 or from 1e-280 to 1e270";

/// Returns true if an algorithm that adds up weights, or divides by such sums, may use `weight`.
#[inline]
pub fn is_summand(weight: f64) -> bool {
    weight == 0.0 || SUMMANDS.contains(&weight)
}

impl Spec {
    /// Returns what a run needs of weights that it adds up, for a message.
    pub fn needs_summands(&self) -> String {
        let (option, advice) = match self.weights {
            Weights::OnRequest => (" --weighted", ""),
            _ => ("", "; use --unweighted to ignore weights"),
        };
        format!("`{}{option}` needs {SUMMAND_RANGE}{advice}", self.name)
    }
}

/// Checks the sum of weights that `what` names.
///
/// # Errors
///
/// Returns [`Error::BadInput`] if the sum exceeds the range of f64.
pub(crate) fn require_range(sum: f64, what: &str) -> Result<()> {
    if sum.is_finite() {
        return Ok(());
    }
    let message = format!("{what} exceeds 1.8e308, the limit of f64; use a larger unit of weights");
    Err(Error::bad_input(Location::file("the weights"), message))
}

/// Edge with an invalid weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RefusedEdge {
    /// Source.
    pub source: VertexId,
    /// Target.
    pub target: VertexId,
    /// Weight.
    pub weight: f64,
}

/// Function that creates the error for an edge with an invalid weight.
pub type Refuse<'r> = &'r dyn Fn(RefusedEdge) -> Error;

/// Refused edge, recorded by any thread of a run: in a tie, the one with the smallest ends.
#[derive(Debug, Default)]
pub struct Refused(Mutex<Option<RefusedEdge>>);

impl Refused {
    /// Creates a record without an edge.
    pub const fn new() -> Self {
        Self(Mutex::new(None))
    }

    /// Records an edge.
    #[cold]
    pub fn note(&self, source: VertexId, target: VertexId, weight: f64) {
        let mut noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if noted.is_none_or(|known| (source, target) < (known.source, known.target)) {
            *noted = Some(RefusedEdge { source, target, weight });
        }
    }

    /// Returns the recorded edge.
    pub fn edge(&self) -> Option<RefusedEdge> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns true if no edge was recorded.
    pub fn is_empty(&self) -> bool {
        self.edge().is_none()
    }

    /// Returns the error that `refuse` creates from the recorded edge.
    ///
    /// # Errors
    ///
    /// Returns the error of `refuse`.
    pub fn check(&self, refuse: impl FnOnce(RefusedEdge) -> Error) -> Result<()> {
        self.edge().map_or(Ok(()), |edge| Err(refuse(edge)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_several_edges_the_one_with_the_smallest_ends_is_told() {
        let refused = Refused::new();
        assert!(refused.is_empty() && refused.check(|_| Error::internal("none")).is_ok());
        for (source, target) in [(3, 1), (2, 5), (2, 4), (7, 0)] {
            refused.note(source, target, -1.0);
        }
        assert_eq!(refused.edge(), Some(RefusedEdge { source: 2, target: 4, weight: -1.0 }));
        assert!(
            refused.check(|edge| Error::Usage(edge.target.to_string())).is_err_and(|error| error.to_string() == "4")
        );
    }
}
