//! The table of algorithms: it drives the command line, the Python functions, the documentation and the test matrix.

use crate::{HeldBytes, bc, bfs, clustering, kcore, pagerank, ppr, radii, scc, sssp, triangles, wcc};
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
    /// Eccentricities from a sample of sources.
    Radii,
    /// Betweenness centrality.
    Betweenness,
    /// Personalised PageRank of one source.
    PersonalizedPageRank,
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
    /// How many vertices to start from, all at once.
    SourceCount,
    /// How many vertices to start from, one after the other.
    Samples,
    /// What a sample is drawn with.
    Seed,
    /// Whether values are divided by the number of pairs.
    Unnormalized,
    /// The relative change of a rank that is handed on.
    Delta,
    /// Which of several ways to go.
    Method,
    /// The width of buckets of delta-stepping.
    BucketWidth,
    /// The only core that is wanted.
    K,
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
            Self::SourceCount => "sources",
            Self::Samples => "samples",
            Self::Seed => "seed",
            Self::Unnormalized => "unnormalized",
            Self::Delta => "delta",
            Self::Method => "method",
            Self::BucketWidth => "bucket-width",
            Self::K => "k",
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
        paper: "Meyer, Sanders: Δ-stepping, Journal of Algorithms 2003; Shun, Blelloch: Ligra, PPoPP 2013 (Bellman-Ford)",
        needs: BOTH_WAYS,
        parameters: &[Parameter::Source, Parameter::Precision, Parameter::Method, Parameter::BucketWidth],
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
            Parameter::Delta,
        ],
        columns: &[ColumnInfo { name: "pagerank", meaning: "probability; all sum to 1" }],
    },
    Specification {
        algorithm: Algorithm::Radii,
        name: "radii",
        python_name: "radii",
        summary: "Eccentricities, estimated from up to 64 sources at once",
        paper: "Shun, Blelloch: Ligra, PPoPP 2013; Magnien, Latapy, Habib, JEA 2009",
        needs: Needs { out_lists: true, in_lists: true, frontiers: true, ranks: false },
        parameters: &[Parameter::SourceCount, Parameter::Seed],
        columns: &[ColumnInfo {
            name: "eccentricity",
            meaning: "the greatest distance in edges from a sampled source; null where none reaches",
        }],
    },
    Specification {
        algorithm: Algorithm::Betweenness,
        name: "bc",
        python_name: "betweenness_centrality",
        summary: "Betweenness centrality from all vertices, a sample, or given sources",
        paper: "Brandes: A Faster Algorithm for Betweenness Centrality, Journal of Mathematical Sociology 2001",
        needs: Needs { out_lists: true, in_lists: true, frontiers: true, ranks: false },
        parameters: &[Parameter::Source, Parameter::Samples, Parameter::Seed, Parameter::Unnormalized],
        columns: &[ColumnInfo {
            name: "betweenness_centrality",
            meaning: "the part of shortest paths between others that lead through the vertex; null for a sample's only source",
        }],
    },
    Specification {
        algorithm: Algorithm::PersonalizedPageRank,
        name: "ppr",
        python_name: "personalized_pagerank",
        summary: "Personalised PageRank of one source, by forward push to a stated bound",
        paper: "Andersen, Chung, Lang: Local Graph Partitioning using PageRank Vectors, FOCS 2006",
        needs: Needs { out_lists: true, in_lists: false, frontiers: true, ranks: false },
        parameters: &[Parameter::Source, Parameter::Alpha, Parameter::Tolerance, Parameter::Precision],
        columns: &[ColumnInfo { name: "pagerank", meaning: "probability, from below; 0 where nothing came" }],
    },
    Specification {
        algorithm: Algorithm::KCore,
        name: "kcore",
        python_name: "core_number",
        summary: "Core number of every vertex, the graph taken as undirected and simple",
        paper: "Dhulipala, Blelloch, Shun: Julienne, SPAA 2017 (peeling: Matula, Beck, JACM 1983)",
        needs: NEIGHBOURHOODS,
        parameters: &[Parameter::K],
        columns: &[ColumnInfo {
            name: "core_number",
            meaning: "the largest k whose k-core holds the vertex; with --k, null outside",
        }],
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
    /// Whether iterations read the lists of a frontier, in no order that the disk would like, rather than sweep over all: then lists that
    /// are held from the start pay (BASC, section 3).
    pub const fn follows_frontiers(self) -> bool {
        match self {
            Self::Bfs | Self::Sssp | Self::Radii | Self::Betweenness | Self::PersonalizedPageRank => true,
            Self::Wcc | Self::PageRank | Self::KCore | Self::Triangles | Self::Clustering | Self::Scc => false,
        }
    }

    /// Whether most lists are read, most of them more than once: then lists that fit the memory are loaded before the run begins.
    pub const fn reads_most_lists(self) -> bool {
        match self {
            Self::PersonalizedPageRank => false,
            Self::Bfs
            | Self::Sssp
            | Self::Wcc
            | Self::PageRank
            | Self::Radii
            | Self::Betweenness
            | Self::KCore
            | Self::Triangles
            | Self::Clustering
            | Self::Scc => true,
        }
    }

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
            (Self::Radii, _) => radii::memory(vertices),
            (Self::Betweenness, _) => bc::memory(vertices),
            (Self::PersonalizedPageRank, Precision::Double) => ppr::memory::<AtomicU64>(vertices),
            (Self::PersonalizedPageRank, Precision::Single) => ppr::memory::<AtomicU32>(vertices),
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
