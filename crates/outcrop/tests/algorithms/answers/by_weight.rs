//! Algorithms whose weights count on request: on weights of which sums are often equal and rarely, and those that are
//! refused.

use crate::graph::{Ids, Model, Shape, StoreKind};
use crate::matrix::{assert_trial, in_every_model, rows};
use crate::reference::trials;
use crate::runs::threads::table;
use crate::setup::{Setup, given, request};
use crate::shapes;
use outcrop::{BuildOrder, Error, RunRequest};

const NAMES: [&str; 2] = ["bc", "lcc"];

fn is_weighted(request: &RunRequest<'_>) -> bool {
    given(request, "weighted").is_some()
}

#[test]
fn all_layouts_and_memories_give_what_the_references_give() {
    for (number, shape) in [shapes::ties(500, 2500), shapes::distinct(500, 2500)].into_iter().enumerate() {
        for (kind, setup) in rows().filter(|(kind, _)| kind.weighted).skip(number).step_by(2) {
            println!("{kind:?} {setup:?}");
            let folder = tempfile::tempdir().unwrap();
            let (store, model) = (kind.build(&shape, folder.path()), Model::new(&shape, kind));
            let trials: Vec<_> = NAMES.into_iter().flat_map(|name| trials(name, &model)).collect();
            let by_weight = trials.iter().filter(|trial| is_weighted(&trial.request));
            assert_eq!(by_weight.clone().count(), if kind.undirected { 3 } else { 2 });
            for trial in by_weight {
                for request in in_every_model(&trial.request) {
                    assert_trial((trial, &request), &model, setup, &store);
                }
            }
        }
    }
}

#[test]
fn answers_are_the_same_bits_with_any_number_of_threads() {
    for (number, shape) in [shapes::ties(2000, 9000), shapes::distinct(2000, 9000)].into_iter().enumerate() {
        let kind = StoreKind { undirected: number == 1, weighted: true, ..StoreKind::PLAIN };
        let folder = tempfile::tempdir().unwrap();
        let store = kind.build(&shape, folder.path());
        let mut requests = vec![request!("bc", "weighted" = true, "samples" = 9_u32)];
        requests.extend(kind.undirected.then(|| request!("lcc", "weighted" = true)));
        for request in requests {
            let alone = table(&store, &request, 1);
            [2, 5].into_iter().for_each(|threads| assert_eq!(table(&store, &request, threads), alone));
        }
    }
}

/// Error that refuses a run on these edges; `kind` says of which.
fn refusal(edges: &[(u32, u32, f64)], kind: StoreKind, request: &RunRequest<'_>) -> Error {
    let folder = tempfile::tempdir().unwrap();
    let store = kind.build(&Shape { keys: 12, edges: edges.to_vec() }, folder.path());
    Setup::PLAIN.open_with(&store, 64 << 20).run(request).err().unwrap()
}

#[test]
fn edges_with_weights_that_cannot_count_are_named() {
    let kind = StoreKind { weighted: true, ids: Ids::Text, order: BuildOrder::Degree, ..StoreKind::PLAIN };
    let undirected = StoreKind { undirected: true, ..kind };
    let (bc, lcc) = (request!("bc", "weighted" = true), request!("lcc", "weighted" = true));
    let name = |key| Ids::Text.name(key);
    let edge = |edge: (u32, u32)| format!("the edge from {} to {} has the weight", name(edge.0), name(edge.1));
    let [zero, negative] = [0.0, -2.5].map(|weight| [(1, 1, weight), (0, 1, 2.0), (1, 2, weight), (2, 3, 1.0)]);
    // A loop may have any weight where paths are counted.
    for edges in [zero, negative] {
        let error = refusal(&edges, kind, &bc).to_string();
        assert!(error.contains(&edge((1, 2))) && error.contains("`bc --weighted` needs positive weights"), "{error}");
    }
    let error = refusal(&negative[1..], undirected, &lcc).to_string();
    assert!(error.contains("has the weight -2.5; `lcc --weighted` needs weights of at least 0"), "{error}");
    let lost = [(0, 1, 1e20), (1, 2, 1e-3)];
    let error = refusal(&lost, kind, &bc).to_string();
    assert!(
        error.contains(&edge((1, 2)))
            && error.contains(
                "it is too small compared with the path length (rounding), so shortest paths cannot be counted"
            ),
        "{error}"
    );
}

#[test]
fn what_cannot_go_by_weight_is_refused() {
    let edges = [(0, 1, 1.0), (1, 2, 2.0), (2, 0, 3.0)];
    let (bc, lcc) = (request!("bc", "weighted" = true), request!("lcc", "weighted" = true));
    let weighted = StoreKind { weighted: true, ..StoreKind::PLAIN };
    let error = refusal(&edges, weighted, &lcc);
    assert!(matches!(&error, Error::Usage(message) if message.contains("undirected")), "{error}");
    for (request, kind) in [(&bc, StoreKind::PLAIN), (&lcc, StoreKind { undirected: true, ..StoreKind::PLAIN })] {
        let error = refusal(&edges, kind, request);
        assert!(matches!(&error, Error::Usage(message) if message.contains("the store has none")), "{error}");
    }
    let both = request!("bc", "weighted" = true, "batch" = 4_u32);
    assert!(both.validate().unwrap_err().to_string().contains("--batch cannot be combined with --weighted"));
}
