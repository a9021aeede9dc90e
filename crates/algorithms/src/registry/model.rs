//! What an algorithm takes in which model.

use super::{Algorithm, Model, Needs, Parameter};

impl Algorithm {
    /// What it reads in the model [`Model::Interval`], whose engine plans its own frontiers.
    pub fn interval_needs(self) -> Needs {
        let needs = Needs { frontiers: false, ..self.specification().needs };
        match self {
            // Labels go both ways.
            Self::Wcc => Needs { in_lists: true, ..needs },
            _ => needs,
        }
    }

    /// Whether it takes `parameter` when it runs in `model`; only of parameters in its row of the table.
    pub const fn takes_in(self, model: Model, parameter: Parameter) -> bool {
        match (model, parameter) {
            (Model::EdgeMap, _) => true,
            (Model::Interval, Parameter::Delta | Parameter::Method | Parameter::BucketWidth) => false,
            (Model::Interval, _) => true,
        }
    }
}
