//! Trait of algorithms.

use crate::params::shared::SOURCE;
use crate::params::{Args, ParamInfo};
use crate::plan::Plan;
use crate::shape::Shape;
use crate::spec::{Model, Precision, Spec};
use outcrop_types::Result;
use std::collections::BTreeSet;

/// Algorithm: its description, its parameters, and how it is planned and run. Built-in algorithms are in
/// [`crate::ALGORITHMS`]; user-defined ones run in the same way.
pub trait Algorithm: Sync {
    /// Returns the description of the algorithm.
    fn spec(&self) -> &'static Spec;

    /// Returns the parameters of the algorithm.
    fn params(&self) -> &'static [&'static ParamInfo] {
        &[]
    }

    /// Checks combinations of `args`, each of which is valid on its own.
    ///
    /// # Errors
    ///
    /// Returns [`outcrop_types::Error::Usage`] with the parameter.
    fn validate(&self, args: &Args) -> Result<()> {
        _ = args;
        Ok(())
    }

    /// Returns the plan, including the program, of a run with `model` on a graph of this shape; `None` if the algorithm
    /// does not support the model. A program returns the errors of its engine (failed or damaged reads, a budget that
    /// is too small, a full disk, interruption) or its own errors.
    ///
    /// # Errors
    ///
    /// Returns [`outcrop_types::Error::Usage`] if directed graphs are not supported, or
    /// [`outcrop_types::Error::Internal`].
    fn plan(&self, model: Model, shape: &Shape, args: &Args) -> Result<Option<Plan>>;

    /// Returns the start vertices: by default, those of the parameter [`SOURCE`].
    ///
    /// # Errors
    ///
    /// Returns [`outcrop_types::Error::Internal`].
    fn starts(&self, args: &Args) -> Result<Starts> {
        let takes = self.params().iter().any(|info| std::ptr::eq(*info, &raw const SOURCE.info));
        Ok(if takes { Starts::ids(args.get(&SOURCE)?) } else { Starts::NONE })
    }

    /// Returns the meaning of the parameter `vector`, if the algorithm has it.
    ///
    /// # Errors
    ///
    /// Returns [`outcrop_types::Error::Internal`].
    fn vector(&self, args: &Args) -> Result<Option<VectorUse>> {
        _ = args;
        Ok(None)
    }

    /// Returns the factor of [`Spec::cost`]: the number of iterations or sources, as far as the parameters determine
    /// it.
    ///
    /// # Errors
    ///
    /// Returns [`outcrop_types::Error::Internal`].
    fn rounds(&self, args: &Args) -> Result<u32> {
        _ = args;
        Ok(1)
    }
}

/// Start vertices of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Starts {
    /// Origin of the vertices.
    pub of: StartsOf,
    /// True if duplicates count once.
    pub once: bool,
    /// True if the result is named by their original IDs.
    pub named: bool,
}

/// Origin of the start vertices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StartsOf {
    /// No start vertices.
    Nothing,
    /// Original IDs.
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

    /// Counts duplicate start vertices once.
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
    /// Value of vertices that are not listed.
    pub unnamed: f64,
    /// True if values may be infinite.
    pub infinite: bool,
    /// Predicate for permitted values.
    pub allows: fn(f64) -> bool,
    /// Text in the error for other values, after the value.
    pub refusal: &'static str,
}

impl VectorUse {
    /// Finite double-precision numbers; 0 for vertices that are not listed.
    pub const ANY: Self = Self {
        precision: Precision::Double,
        unnamed: 0.0,
        infinite: false,
        allows: |_| true,
        refusal: "is not allowed",
    };
}
