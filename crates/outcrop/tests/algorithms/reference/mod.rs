//! Results that the algorithms should give, computed naively and by other methods, on lists in memory.

mod communities;
pub mod flows;
mod searches;
mod structure;
mod trees;

use crate::answer::Answer;
use crate::graph::Model;
use communities::{cdlp, leiden, modularity};
use flows::{bp, fastrp, heat, pagerank, ppr, spectral, spmv, walks};
use outcrop::RunRequest;
use searches::{apsp, bc, bfs, closeness, diameter, path, radii, sssp};
use std::cell::LazyCell;
use std::collections::BTreeSet;
use structure::{assortativity, coloring, degrees, densest, kcore, mis, scc, similarity, triangles, wcc};
use trees::{bipartite, bridges, spanning_forest, topological_sort};

/// A request, and what says whether its answer is right.
pub struct Trial {
    pub request: RunRequest<'static>,
    pub check: Box<dyn Fn(&Answer)>,
}

impl Trial {
    fn new(request: RunRequest<'static>, check: impl Fn(&Answer) + 'static) -> Self {
        Self { request, check: Box::new(check) }
    }

    /// Computes what is expected when the first answer is checked, as most trials are left out of a row of the matrix.
    fn lazy<T: 'static>(
        model: &Model,
        request: RunRequest<'static>,
        expected: impl FnOnce(&Model) -> T + 'static,
        check: impl Fn(&Answer, &T) + 'static,
    ) -> Self {
        let model = model.clone();
        let expected = LazyCell::new(move || expected(&model));
        Self::new(request, move |answer| check(answer, &expected))
    }
}

/// The trials of the algorithm called `name` on a graph.
///
/// An algorithm without a reference is a failure: whoever adds one to the list of all adds one here.
pub fn trials(name: &str, model: &Model) -> Vec<Trial> {
    match name {
        "apsp" => apsp::trials(model),
        "assortativity" => assortativity::trials(model),
        "bc" => bc::trials(model),
        "bfs" => bfs::trials(model),
        "bipartite" => bipartite::trials(model),
        "bp" => bp::trials(model),
        "bridges" => bridges::trials(model),
        "cdlp" => cdlp::trials(model),
        "closeness" => closeness::closeness_trials(model),
        "harmonic" => closeness::harmonic_trials(model),
        "coloring" => coloring::trials(model),
        "degrees" => degrees::trials(model),
        "densest" => densest::trials(model),
        "diameter" => diameter::trials(model),
        "radius" => diameter::radius_trials(model),
        "eccentricity" => diameter::eccentricity_trials(model),
        "eigenvector" => spectral::eigenvector_trials(model),
        "katz" => spectral::katz_trials(model),
        "hits" => spectral::hits_trials(model),
        "fastrp" => fastrp::trials(model),
        "heat" => heat::trials(model),
        "k-shortest-paths" => path::several_trials(model),
        "kcore" => kcore::trials(model),
        "leiden" => leiden::leiden_trials(model),
        "louvain" => leiden::louvain_trials(model),
        "mis" => mis::trials(model),
        "modularity" => modularity::trials(model),
        "pagerank" => pagerank::trials(model),
        "path" => path::trials(model),
        "ppr" => ppr::trials(model),
        "radii" => radii::trials(model),
        "sssp" => sssp::trials(model),
        "triangles" => triangles::trials(model),
        "lcc" => triangles::clustering_trials(model),
        "spmv" => spmv::trials(model),
        "scc" => scc::trials(model),
        "similarity" => similarity::trials(model),
        "most-similar" => similarity::most_similar_trials(model),
        "spanning-forest" => spanning_forest::trials(model),
        "topological-sort" => topological_sort::trials(model),
        "walks" => walks::trials(model),
        "wcc" => wcc::trials(model),
        other => panic!("{other} has no reference: write one by another method and name it here"),
    }
}

/// Sets of vertices to start from: a single one, and several with a repeat. None in an empty graph.
fn sources(model: &Model) -> Vec<Vec<usize>> {
    let Some(last) = model.vertices().checked_sub(1) else { return Vec::new() };
    let first = model.rank(0);
    vec![vec![first], vec![last / 2, first, last, first]]
}

/// The neighbors of each vertex, directions, loops and repeats ignored.
fn simple(model: &Model) -> Vec<BTreeSet<usize>> {
    let both = model.out.iter().zip(&model.into).enumerate();
    both.map(|(vertex, (out, into))| {
        out.iter().chain(into).map(|(other, _)| *other).filter(|other| *other != vertex).collect()
    })
    .collect()
}

fn names(model: &Model, ranks: &[usize]) -> Vec<String> {
    ranks.iter().map(|rank| model.ids[*rank].clone()).collect()
}
