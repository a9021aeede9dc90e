//! Names of algorithms and their options in other systems.

/// Parts of names in other systems, and the algorithms here that answer the same question, each with a description.
pub(crate) type Row = (&'static [&'static str], &'static [(&'static str, &'static str)]);

/// The first row with a part of the name applies.
pub(crate) const ALGORITHM_NAMES: &[Row] = &[
    (&["labelprop", "lpa"], &[("cdlp", "communities by label propagation")]),
    (&["louvain"], &[("louvain", "communities of high modularity"), ("leiden", "better connected ones")]),
    (
        &["leiden", "infomap", "modularitycommunit", "modularityoptim", "communit"],
        &[("leiden", "communities of high modularity"), ("cdlp", "communities by label propagation")],
    ),
    (
        &["modularity", "conductance", "partitionquality"],
        &[("modularity", "modularity and conductance of given communities")],
    ),
    (&["densest"], &[("densest", "the densest subgraph")]),
    (&["bipartite", "twocolor", "oddcycle"], &[("bipartite", "two sides of a bipartite graph")]),
    (&["bridge", "articulation", "biconnect", "cutvert"], &[("bridges", "bridges and articulation points")]),
    (&["strong", "tarjan", "kosaraju"], &[("scc", "strongly connected components")]),
    (
        &["component", "connected", "unionfind", "entityresolution"],
        &[("wcc", "components ignoring directions"), ("scc", "strongly connected components")],
    ),
    (&["closeness"], &[("closeness", "closeness centrality"), ("harmonic", "harmonic centrality")]),
    (&["harmonic"], &[("harmonic", "harmonic centrality")]),
    (&["allpairs"], &[("apsp", "distances from several source vertices")]),
    (&["yen", "kshortest", "shortestsimple"], &[("k-shortest-paths", "several paths between two vertices")]),
    (
        &["shortestpath", "dijkstra", "bellman", "astar", "deltastepping", "pathlength"],
        &[("sssp", "distances by weight"), ("bfs", "distances in edges"), ("path", "a path between two vertices")],
    ),
    (&["spanning", "kruskal", "prim", "boruvka", "mst"], &[("spanning-forest", "minimum spanning forest")]),
    (
        &["topolog", "acyclic", "isdag", "longestpath", "kahn", "generations"],
        &[("topological-sort", "topological order and longest distances from sources")],
    ),
    (&["betweenness", "brandes"], &[("bc", "betweenness centrality")]),
    (&["personali", "topicrank", "rooted"], &[("ppr", "PageRank of one source vertex")]),
    (&["pagerank", "articlerank"], &[("pagerank", "ranks by random walks")]),
    (&["eigenvector"], &[("eigenvector", "eigenvector centrality")]),
    (&["katz"], &[("katz", "Katz centrality")]),
    (&["hits", "hubs", "authorit"], &[("hits", "hubs and authorities")]),
    (&["assortativ", "neighbordegree", "mixing"], &[("assortativity", "correlation of the degrees of neighbors")]),
    (&["degreecentrality", "strength"], &[("degrees", "degrees, and sums of weights")]),
    (&["walk"], &[("walks", "random walks, also of node2vec")]),
    (&["node2vec", "deepwalk", "embed"], &[("fastrp", "a vector per vertex"), ("walks", "random walks of node2vec")]),
    (&["kcore", "coreness", "kshell", "degeneracy", "truss"], &[("kcore", "core numbers")]),
    (&["triangle", "transitivity"], &[("triangles", "triangles per vertex"), ("lcc", "clustering coefficients")]),
    (&["cluster"], &[("lcc", "clustering coefficients"), ("leiden", "communities of high modularity")]),
    (
        &["similar", "jaccard", "adamic", "resourceallocation", "cosine", "overlap", "commonneighbo", "linkprediction"],
        &[
            ("similarity", "vertices that share neighbors with a source vertex"),
            ("most-similar", "the most similar vertices of each vertex"),
        ],
    ),
    (&["colo", "chromatic"], &[("coloring", "greedy coloring")]),
    (&["independentset"], &[("mis", "a maximal independent set")]),
    (&["breadth", "depthfirst", "dfs", "khop", "traversal", "reachab"], &[("bfs", "breadth-first search")]),
    (&["eccentric"], &[("eccentricity", "exact"), ("radii", "estimates")]),
    (&["matvec", "matmul", "matrixvector"], &[("spmv", "product of the adjacency matrix and a vector")]),
    (&["belief"], &[("bp", "belief propagation")]),
    (&["diffusion"], &[("heat", "heat equation")]),
];

/// Names of options in other systems, and here.
pub(crate) const OPTION_NAMES: &[(&[&str], &str)] = &[
    (&["damping", "dampingfactor"], "alpha"),
    (&["tolerance", "epsilon", "eps", "threshold"], "tol"),
    (&["maxiterations", "maxiters", "niter", "numiterations"], "max-iter"),
    (&["root", "start", "from", "sourcenode", "sourcevertex", "sourceid"], "source"),
    (&["randomseed", "randomstate"], "seed"),
    (&["walklength", "steps", "numsteps"], "length"),
];

/// Returns the names of the algorithms that answer the question of `name` in another system, each with a description;
/// empty if unknown.
pub(crate) fn algorithms_here(name: &str) -> &'static [(&'static str, &'static str)] {
    let plain = plain(name);
    let row = ALGORITHM_NAMES.iter().find(|(parts, _)| parts.iter().any(|part| plain.contains(part)));
    row.map_or(&[], |(_, found)| *found)
}

/// Returns the option that other systems call `name`; `None` if unknown.
pub fn option_here(name: &str) -> Option<&'static str> {
    let plain = plain(name);
    OPTION_NAMES.iter().find(|(names, _)| names.contains(&plain.as_str())).map(|(_, option)| *option)
}

/// Returns the letters and digits of a name, in lowercase.
fn plain(name: &str) -> String {
    name.chars().filter(|sign| sign.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
