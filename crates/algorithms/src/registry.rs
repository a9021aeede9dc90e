//! The table of algorithms: it drives the command line, the Python functions, the documentation and the test matrix.

use crate::{HeldBytes, bfs, clustering, kcore, pagerank, scc, sssp, triangles, wcc};
use outcrop_types::MemoryPlan;
use std::sync::atomic::{AtomicU32, AtomicU64};

/// An algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// Breadth-first search.
    Bfs,
    /// Shortest paths by weight.
    Sssp,
    /// Weakly connected components.
    Wcc,
    /// PageRank.
    PageRank,
    /// Core numbers.
    KCore,
    /// Triangles through each vertex.
    Triangles,
    /// Local clustering coefficients.
    Clustering,
    /// Strongly connected components.
    Scc,
}

/// A parameter that an algorithm takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// Vertices to start from, by original id.
    Source,
    /// The probability of following an edge.
    Alpha,
    /// The change to stop at.
    Tolerance,
    /// The most iterations.
    MaxIterations,
    /// An exact number of iterations.
    Iterations,
    /// Vertices to jump to.
    Personalization,
    /// f64 or f32.
    Precision,
    /// The largest core that is wanted.
    K,
    /// How components are found.
    Method,
}

impl Parameter {
    /// The option of the command line, without dashes.
    pub const fn option(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Alpha => "alpha",
            Self::Tolerance => "tol",
            Self::MaxIterations => "max-iter",
            Self::Iterations => "iterations",
            Self::Personalization => "personalization",
            Self::Precision => "precision",
            Self::K => "k",
            Self::Method => "method",
        }
    }
}

/// How precise the values are that are kept between iterations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// 8 bytes a value.
    #[default]
    Double,
    /// 4 bytes a value.
    Single,
}

impl Precision {
    /// `f64` or `f32`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Double => "f64",
            Self::Single => "f32",
        }
    }
}

/// Which lists and tables an algorithm reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// Out-lists.
    pub out_lists: bool,
    /// In-lists.
    pub in_lists: bool,
    /// Sets of active vertices.
    pub frontiers: bool,
    /// The ranks of vertices, in stores of another order than the original.
    pub ranks: bool,
}

/// A column of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnInfo {
    /// Its name.
    pub name: &'static str,
    /// What a value means, with its unit and what is null.
    pub meaning: &'static str,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Specification {
    /// Which.
    pub algorithm: Algorithm,
    /// The name on the command line.
    pub name: &'static str,
    /// The name in Python.
    pub python_name: &'static str,
    /// One line for help pages.
    pub summary: &'static str,
    /// Where it comes from.
    pub paper: &'static str,
    /// What it reads.
    pub needs: Needs,
    /// What it takes.
    pub parameters: &'static [Parameter],
    /// What it gives back, besides `node`.
    pub columns: &'static [ColumnInfo],
}

const BOTH_WAYS: Needs = Needs { out_lists: true, in_lists: true, frontiers: true, ranks: true };

const NEIGHBOURHOODS: Needs = Needs { out_lists: true, in_lists: true, frontiers: false, ranks: false };

/// All algorithms.
pub const ALGORITHMS: &[Specification] = &[
    Specification {
        algorithm: Algorithm::Bfs,
        name: "bfs",
        python_name: "bfs",
        summary: "Breadth-first search: distance in edges and predecessor of every vertex",
        paper: "Beamer, Asanović, Patterson: Direction-Optimizing Breadth-First Search, SC 2012",
        needs: BOTH_WAYS,
        parameters: &[Parameter::Source],
        columns: &[
            ColumnInfo { name: "distance", meaning: "edges on a shortest path; null where unreached" },
            ColumnInfo {
                name: "predecessor",
                meaning: "the vertex before on a shortest path, smallest original id; null for sources and where unreached",
            },
        ],
    },
    Specification {
        algorithm: Algorithm::Sssp,
        name: "sssp",
        python_name: "sssp",
        summary: "Shortest paths by weight: distance and predecessor of every vertex",
        paper: "Shun, Blelloch: Ligra, PPoPP 2013 (frontier Bellman-Ford)",
        needs: BOTH_WAYS,
        parameters: &[Parameter::Source, Parameter::Precision],
        columns: &[
            ColumnInfo { name: "distance", meaning: "sum of weights on a shortest path; null where unreached" },
            ColumnInfo {
                name: "predecessor",
                meaning: "the vertex before on a shortest path, smallest original id; null for sources and where unreached",
            },
        ],
    },
    Specification {
        algorithm: Algorithm::Wcc,
        name: "wcc",
        python_name: "weakly_connected_components",
        summary: "Weakly connected components",
        paper: "Jayanti, Tarjan: A Randomized Concurrent Algorithm for Disjoint Set Union, PODC 2016",
        needs: Needs { out_lists: true, in_lists: false, frontiers: false, ranks: true },
        parameters: &[Parameter::Method],
        columns: &[ColumnInfo { name: "component", meaning: "the smallest original id of the component" }],
    },
    Specification {
        algorithm: Algorithm::PageRank,
        name: "pagerank",
        python_name: "pagerank",
        summary: "PageRank by power iteration",
        paper: "Page, Brin, Motwani, Winograd: The PageRank Citation Ranking, 1999",
        needs: Needs { out_lists: false, in_lists: true, frontiers: false, ranks: false },
        parameters: &[
            Parameter::Alpha,
            Parameter::Tolerance,
            Parameter::MaxIterations,
            Parameter::Iterations,
            Parameter::Personalization,
            Parameter::Precision,
        ],
        columns: &[ColumnInfo { name: "pagerank", meaning: "probability; all sum to 1" }],
    },
    Specification {
        algorithm: Algorithm::KCore,
        name: "kcore",
        python_name: "core_number",
        summary: "Core number of every vertex, the graph taken as undirected and simple",
        paper: "Dhulipala, Blelloch, Shun: Julienne, SPAA 2017 (peeling: Matula, Beck, JACM 1983)",
        needs: NEIGHBOURHOODS,
        parameters: &[Parameter::K],
        columns: &[ColumnInfo { name: "core_number", meaning: "the largest k whose k-core holds the vertex" }],
    },
    Specification {
        algorithm: Algorithm::Triangles,
        name: "triangles",
        python_name: "triangles",
        summary: "Triangles through every vertex, the graph taken as undirected and simple",
        paper: "Hu, Tao, Chung: Massive Graph Triangulation, SIGMOD 2013",
        needs: NEIGHBOURHOODS,
        parameters: &[],
        columns: &[ColumnInfo { name: "triangles", meaning: "pairs of neighbours that are neighbours of each other" }],
    },
    Specification {
        algorithm: Algorithm::Clustering,
        name: "lcc",
        python_name: "clustering",
        summary: "Local clustering coefficient of every vertex, as LDBC Graphalytics defines it",
        paper: "Iosup et al.: LDBC Graphalytics, PVLDB 2016 (triangles: Hu, Tao, Chung, SIGMOD 2013)",
        needs: NEIGHBOURHOODS,
        parameters: &[],
        columns: &[ColumnInfo {
            name: "clustering",
            meaning: "edges among neighbours over those that could be, 0 to 1",
        }],
    },
    Specification {
        algorithm: Algorithm::Scc,
        name: "scc",
        python_name: "strongly_connected_components",
        summary: "Strongly connected components",
        paper: "Slota, Rajamanickam, Madduri: BFS and Coloring-based Parallel Algorithms for SCCs, IPDPS 2014 (Multistep)",
        needs: Needs { ranks: true, ..NEIGHBOURHOODS },
        parameters: &[],
        columns: &[ColumnInfo { name: "component", meaning: "the smallest original id of the component" }],
    },
];

impl Algorithm {
    /// Its row of the table.
    pub fn specification(self) -> &'static Specification {
        let row = ALGORITHMS.iter().find(|row| row.algorithm == self);
        row.unwrap_or(&ALGORITHMS[0])
    }

    /// The algorithm that the command line or Python calls `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        ALGORITHMS.iter().find(|row| row.name == name || row.python_name == name).map(|row| row.algorithm)
    }

    /// Memory of lists that it holds, of a graph with `arcs` entries in the lists that it reads, with `slots` workers.
    pub const fn held_bytes(self, vertices: u32, arcs: u64, slots: usize) -> HeldBytes {
        match self {
            Self::KCore => kcore::held_bytes(),
            Self::Triangles => triangles::held_bytes(vertices, arcs, slots),
            Self::Scc => scc::held_bytes(vertices, arcs, slots),
            Self::Clustering => clustering::held_bytes(vertices, arcs, slots),
            _ => HeldBytes { least: 0, most: 0 },
        }
    }

    /// Memory of the algorithm itself, without lists, frontiers and ranks.
    pub fn memory(self, vertices: u32, precision: Precision, personalized: bool) -> MemoryPlan {
        match (self, precision) {
            (Self::Bfs, _) => bfs::memory(vertices),
            (Self::Wcc, _) => wcc::memory(vertices),
            (Self::Sssp, Precision::Double) => sssp::memory::<AtomicU64>(vertices),
            (Self::Sssp, Precision::Single) => sssp::memory::<AtomicU32>(vertices),
            (Self::KCore, _) => kcore::memory(vertices),
            (Self::Triangles, _) => triangles::memory(vertices),
            (Self::Scc, _) => scc::memory(vertices),
            (Self::Clustering, _) => clustering::memory(vertices),
            (Self::PageRank, Precision::Double) => pagerank::memory::<AtomicU64>(vertices, personalized),
            (Self::PageRank, Precision::Single) => pagerank::memory::<AtomicU32>(vertices, personalized),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_found_by_its_names_and_leads_back_to_itself() {
        for row in ALGORITHMS {
            assert_eq!(Algorithm::from_name(row.name), Some(row.algorithm));
            assert_eq!(Algorithm::from_name(row.python_name), Some(row.algorithm));
            assert_eq!(row.algorithm.specification().name, row.name);
        }
        assert_eq!(Algorithm::from_name("nonsense"), None);
    }
}
