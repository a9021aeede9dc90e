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

    /// What it reads in the model [`Model::Messages`], which are sent along edges.
    pub fn message_needs(self) -> Needs {
        let needs = Needs { frontiers: false, ..self.specification().needs };
        match self {
            Self::Bfs | Self::PageRank => Needs { out_lists: true, in_lists: false, ..needs },
            // Labels go both ways.
            Self::Wcc => Needs { in_lists: true, ..needs },
            _ => needs,
        }
    }

    /// What it reads in the model [`Model::Gas`] while its shards are written.
    pub fn gas_needs(self) -> Needs {
        let needs = Needs { out_lists: true, in_lists: false, frontiers: false, ..self.specification().needs };
        match self {
            // Values go both ways.
            Self::Wcc | Self::Beliefs | Self::Heat => Needs { in_lists: true, ..needs },
            _ => needs,
        }
    }

    /// Why messages may only be delivered in the superstep after the one in which they are sent, where the answer depends on it;
    /// `changes_only` of ranks whose changes alone are handed on.
    pub const fn needs_synchronous_delivery(self, changes_only: bool) -> Option<&'static str> {
        match self {
            Self::PageRank if !changes_only => Some("an iteration adds up what all vertices had in the one before"),
            Self::LabelPropagation => {
                Some("a vertex takes its label from those that its neighbours had in the superstep before")
            }
            Self::Coloring => Some("a vertex expects the answers of all neighbours in the same superstep"),
            Self::IndependentSet => Some("neighbours compare the numbers that they drew in the same round"),
            _ => None,
        }
    }

    /// Why it cannot go on from the changes of some neighbours, where it cannot: no aggregation function makes one change of several (Vora,
    /// Xu, Gupta, USENIX ATC 2016, table 1).
    pub const fn needs_all_neighbours(self) -> Option<&'static str> {
        match self {
            Self::Coloring => Some("a colour depends on the colours of all neighbours together"),
            Self::LabelPropagation => Some("a label depends on the labels of all neighbours together"),
            _ => None,
        }
    }

    /// Whether it takes `parameter` when it runs in `model`; only of parameters in its row of the table.
    pub const fn takes_in(self, model: Model, parameter: Parameter) -> bool {
        match (model, parameter) {
            (Model::EdgeMap, _) => true,
            (Model::Interval, Parameter::Delta | Parameter::Method | Parameter::BucketWidth) => false,
            (Model::Messages | Model::Gas, Parameter::Method | Parameter::BucketWidth) => false,
            (Model::Interval | Model::Messages | Model::Gas, _) => true,
        }
    }
}
