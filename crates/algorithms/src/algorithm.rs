//! The trait of algorithms.

use crate::params::shared::SOURCE;
use crate::params::{Args, ParamInfo};
use crate::plan::Plan;
use crate::shape::Shape;
use crate::spec::{Model, Precision, Spec};
use outcrop_types::Result;
use std::collections::BTreeSet;

/// An algorithm: what is known of it, what it takes, and how it is planned and run. Those that come with outcrop are in
/// [`crate::ALGORITHMS`]; users' own are run in the same way.
pub trait Algorithm: Sync {
    /// Facts known of it.
    fn spec(&self) -> &'static Spec;

    /// Parameters that it takes.
    fn params(&self) -> &'static [&'static ParamInfo] {
        &[]
    }

    /// Makes sure that `args`, each of which is as its parameter says, make sense together.
    ///
    /// # Errors
    /// [`outcrop_types::Error::Usage`] naming the parameter.
    fn validate(&self, args: &Args) -> Result<()> {
        _ = args;
        Ok(())
    }

    /// Plan of a run on a graph of this shape in `model`, with its program; none where it cannot be run so. A program
    /// fails with what its engine returns: failed or damaged reads, a budget that is too small, a full disk,
    /// interruption; or with its own errors.
    ///
    /// # Errors
    /// [`outcrop_types::Error::Usage`] where there is none for directed graphs; [`outcrop_types::Error::Internal`].
    fn plan(&self, model: Model, shape: &Shape, args: &Args) -> Result<Option<Plan>>;

    /// The vertices to start from: those of the parameter [`SOURCE`].
    ///
    /// # Errors
    /// [`outcrop_types::Error::Internal`].
    fn starts(&self, args: &Args) -> Result<Starts> {
        let takes = self.params().iter().any(|info| std::ptr::eq(*info, &raw const SOURCE.info));
        Ok(if takes { Starts::ids(args.get(&SOURCE)?) } else { Starts::NONE })
    }

    /// Meaning of the parameter `vector`, of those that take one.
    ///
    /// # Errors
    /// [`outcrop_types::Error::Internal`].
    fn vector(&self, args: &Args) -> Result<Option<VectorUse>> {
        _ = args;
        Ok(None)
    }

    /// Number of rounds that [`Spec::cost`] is multiplied by: iterations or sources, as far as the parameters determine
    /// it.
    ///
    /// # Errors
    /// [`outcrop_types::Error::Internal`].
    fn rounds(&self, args: &Args) -> Result<u32> {
        _ = args;
        Ok(1)
    }
}

/// The vertices to start from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Starts {
    /// Origin of the vertices.
    pub of: StartsOf,
    /// True if one that is given twice counts once.
    pub once: bool,
    /// True if the result is named by their ids.
    pub named: bool,
}

/// Origin of the vertices to start from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StartsOf {
    /// No start vertices.
    Nothing,
    /// Original ids.
    Ids(Vec<String>),
    /// Random vertices.
    Sample {
        /// Maximum number of vertices.
        count: u32,
        /// Random seed.
        seed: u64,
    },
}

impl Starts {
    /// No start vertices.
    pub const NONE: Self = Self { of: StartsOf::Nothing, once: false, named: false };

    /// Returns the start vertices with these original IDs.
    pub const fn ids(ids: Vec<String>) -> Self {
        Self { of: StartsOf::Ids(ids), once: false, named: false }
    }

    /// Returns at most `count` random start vertices.
    pub const fn sample(count: u32, seed: u64) -> Self {
        Self { of: StartsOf::Sample { count, seed }, once: false, named: false }
    }

    /// Counts repeated start vertices once.
    #[must_use]
    pub fn once(self) -> Self {
        Self { once: true, ..self }
    }

    /// Names the result by the original IDs of the start vertices.
    #[must_use]
    pub fn named(self) -> Self {
        Self { named: true, ..self }
    }

    /// Returns the number of distinct start vertices in a graph of `vertices` vertices.
    pub fn count(&self, vertices: u32) -> u32 {
        match &self.of {
            StartsOf::Nothing => 0,
            StartsOf::Ids(ids) => ids.iter().collect::<BTreeSet<_>>().len().min(vertices as usize) as u32,
            StartsOf::Sample { count, .. } => (*count).min(vertices),
        }
    }
}

/// Use of the values of a vector.
#[derive(Clone, Copy, Debug)]
pub struct VectorUse {
    /// Their precision during the run.
    pub precision: Precision,
    /// The value of a vertex that is not named.
    pub unnamed: f64,
    /// True if they may be infinite.
    pub infinite: bool,
    /// Values that are allowed.
    pub allows: fn(f64) -> bool,
    /// Text said of others, after the value.
    pub refusal: &'static str,
}

impl VectorUse {
    /// Finite numbers in double precision, 0 where none is named.
    pub const ANY: Self = Self {
        precision: Precision::Double,
        unnamed: 0.0,
        infinite: false,
        allows: |_| true,
        refusal: "is not allowed",
    };
}
