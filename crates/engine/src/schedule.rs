//! Push or pull, select or sweep: decided once an iteration.

use crate::edge_map::{Dense, EdgeMapOptions};
use outcrop_io::Bandwidths;
use outcrop_types::{AccessMode, EdgeDirection};

/// Whether the lists of what is active are selected, or all are swept over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Schedule {
    /// Whichever costs less, in each iteration.
    #[default]
    Auto,
    /// Always select.
    Select,
    /// Always sweep.
    Sweep,
}

/// What decides between selecting and sweeping.
#[derive(Clone, Debug, PartialEq)]
pub struct Scheduler {
    /// What is asked for.
    pub schedule: Schedule,
    /// How fast the disk is.
    pub bandwidths: Bandwidths,
}

impl Default for Scheduler {
    fn default() -> Self {
        Self { schedule: Schedule::Auto, bandwidths: Bandwidths::assumed() }
    }
}

/// What the decision is made from.
#[derive(Clone, Copy, Debug)]
pub struct Situation {
    /// Vertices of the frontier.
    pub active_vertices: u64,
    /// List entries of the frontier.
    pub active_arcs: u64,
    /// Vertices of the graph.
    pub vertices: u64,
    /// List entries of the graph.
    pub arcs: u64,
    /// Whether in-lists are open.
    pub can_pull: bool,
    /// What the algorithm asks for.
    pub options: EdgeMapOptions,
    /// What the user asks for.
    pub schedule: Schedule,
}

/// How an iteration goes through the edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Along which lists.
    pub direction: EdgeDirection,
    /// Which of them are read.
    pub access: AccessMode,
}

/// Ligra's rule: pull once the frontier and its edges are more than a twentieth of all edges, or what the options say.
pub fn decide(situation: &Situation) -> Plan {
    let limit = situation.arcs.checked_div(u64::from(situation.options.large));
    let large = match situation.schedule {
        Schedule::Auto => limit.is_some_and(|limit| situation.active_vertices + situation.active_arcs > limit),
        Schedule::Select => false,
        Schedule::Sweep => true,
    };
    if large && situation.can_pull && situation.options.dense == Dense::Pull {
        return Plan { direction: EdgeDirection::Pull, access: AccessMode::Sweep };
    }
    let sweeps = large && (situation.options.dense == Dense::PushSweep || situation.schedule == Schedule::Sweep);
    let all = situation.active_vertices == situation.vertices;
    let access = if all || sweeps { AccessMode::Sweep } else { AccessMode::Select };
    Plan { direction: EdgeDirection::Push, access }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edge_map::EdgeMapOutput;

    #[test]
    fn small_frontiers_push_and_large_ones_pull() {
        let options = EdgeMapOptions::from(EdgeMapOutput::Frontier);
        let situation = Situation {
            active_vertices: 1,
            active_arcs: 10,
            vertices: 1000,
            arcs: 10_000,
            can_pull: true,
            options,
            schedule: Schedule::Auto,
        };
        let small = Plan { direction: EdgeDirection::Push, access: AccessMode::Select };
        assert_eq!(decide(&situation), small);
        let large = Situation { active_vertices: 400, active_arcs: 6000, ..situation };
        assert_eq!(decide(&large).direction, EdgeDirection::Pull);
        assert_eq!(decide(&Situation { can_pull: false, ..large }), small);
        let all = Situation { active_vertices: 1000, can_pull: false, ..large };
        assert_eq!(decide(&all).access, AccessMode::Sweep);
        let with = |options| decide(&Situation { options, ..large });
        assert_eq!(with(EdgeMapOptions { large: 1, ..options }), small);
        assert_eq!(with(EdgeMapOptions { large: 0, ..options }), small);
        let forward = Plan { access: AccessMode::Sweep, ..small };
        assert_eq!(with(EdgeMapOptions { dense: Dense::PushSweep, ..options }), forward);
    }
}
