//! Push or pull, select or sweep: decided once an iteration.

use outcrop_types::{AccessMode, EdgeDirection};

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
}

/// How an iteration goes through the edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Along which lists.
    pub direction: EdgeDirection,
    /// Which of them are read.
    pub access: AccessMode,
}

/// Ligra's rule: pull once the frontier and its edges are more than a twentieth of all edges.
pub fn decide(situation: &Situation) -> Plan {
    let heavy = situation.active_vertices + situation.active_arcs > situation.arcs / 20;
    if situation.can_pull && heavy {
        return Plan { direction: EdgeDirection::Pull, access: AccessMode::Sweep };
    }
    let access = if situation.active_vertices == situation.vertices { AccessMode::Sweep } else { AccessMode::Select };
    Plan { direction: EdgeDirection::Push, access }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_frontiers_push_and_large_ones_pull() {
        let situation = Situation { active_vertices: 1, active_arcs: 10, vertices: 1000, arcs: 10_000, can_pull: true };
        let small = Plan { direction: EdgeDirection::Push, access: AccessMode::Select };
        assert_eq!(decide(&situation), small);
        let large = Situation { active_vertices: 400, active_arcs: 6000, ..situation };
        assert_eq!(decide(&large).direction, EdgeDirection::Pull);
        assert_eq!(decide(&Situation { can_pull: false, ..large }), small);
        let all = Situation { active_vertices: 1000, can_pull: false, ..large };
        assert_eq!(decide(&all).access, AccessMode::Sweep);
    }
}
