//! Runs that do not converge, and parameters that name what is not there.

use crate::answer::Answer;
use crate::graph::{Ids, Model, Shape, StoreKind};
use crate::setup::{Setup, request};
use crate::shapes;
use outcrop::{BuildOrder, Error, Personalization, RunRequest, RunResult};
use std::path::{Path, PathBuf};

/// A store of `shape` in a folder that lives as long.
struct Fixture {
    folder: tempfile::TempDir,
    store: PathBuf,
    model: Model,
}

impl Fixture {
    fn new(shape: &Shape, kind: StoreKind) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = kind.build(shape, folder.path());
        Self { store, model: Model::new(shape, kind), folder }
    }

    fn run(&self, request: &RunRequest<'_>) -> RunResult {
        Setup::PLAIN.run(&self.store, request).unwrap()
    }

    fn error(&self, request: &RunRequest<'_>) -> Error {
        Setup::PLAIN.run(&self.store, request).err().unwrap()
    }

    fn ranks(&self, request: &RunRequest<'_>) -> Vec<Option<f64>> {
        Answer::read(&self.run(request), &self.model, self.folder.path()).doubles("pagerank")
    }
}

#[test]
fn walks_without_end_do_not_converge() {
    let fixture = Fixture::new(&shapes::mixed(100, 400), StoreKind::PLAIN);
    let result = fixture.run(&request!("katz", "alpha" = 5.0, "max-iter" = 100_000_u32));
    let Some(Error::NotConverged { iterations, .. }) = result.converged().err() else { panic!("it converged") };
    assert!(iterations < 1000, "{iterations}");
    let values = Answer::read(&result, &fixture.model, fixture.folder.path()).doubles("katz");
    assert!(values.iter().flatten().all(|value| *value > 0.0), "what overflowed is null");
}

#[test]
fn what_did_not_converge_still_has_its_values() {
    let fixture = Fixture::new(&shapes::mixed(100, 400), StoreKind::PLAIN);
    for iterations in [0_u32, 1, 4] {
        let request = request!("pagerank", "tol" = 1e-14, "max-iter" = iterations);
        let result = fixture.run(&request);
        let Some(Error::NotConverged { algorithm, iterations: done, change, tolerance }) = result.converged().err()
        else {
            panic!("it converged")
        };
        assert_eq!((algorithm, done, tolerance), ("pagerank", iterations, 1e-14));
        let record = result.record();
        assert_eq!((record.convergence.converged, record.convergence.change), (Some(false), Some(change)));
        assert_eq!(
            record.iterations_detail.last().and_then(|last| last.change),
            Some(change).filter(|c| c.is_finite())
        );
        let fixed = request!("pagerank", "iterations" = iterations);
        assert_eq!(fixture.ranks(&request), fixture.ranks(&fixed));
        assert!(fixture.run(&fixed).converged().is_ok());
    }
}

#[test]
fn an_empty_graph_converges() {
    let fixture = Fixture::new(&Shape { keys: 0, edges: Vec::new() }, StoreKind::PLAIN);
    assert!(fixture.run(&request!("pagerank")).converged().is_ok());
    assert!(fixture.run(&request!("pagerank", "max-iter" = 0_u32)).converged().is_ok());
}

fn personalized(weights: &[(&str, f64)]) -> RunRequest<'static> {
    let weights = weights.iter().map(|(id, weight)| ((*id).to_owned(), *weight)).collect();
    request!("pagerank", "personalization" = Personalization::Weights(weights))
}

#[test]
fn a_personalization_must_name_vertices_and_have_a_sum() {
    let fixture = Fixture::new(&shapes::path(), StoreKind::PLAIN);
    let Error::Usage(message) = fixture.error(&personalized(&[("0", 1.0), ("300", 1.0)])) else { panic!() };
    assert!(message.starts_with("the graph has no vertex") && message.contains("300"), "{message}");
    let Error::Usage(message) = fixture.error(&personalized(&[("1", 1.0), ("0", 1.0), ("01", 0.0)])) else { panic!() };
    assert_eq!(message, "duplicate vertex 01");
    let sums: [&[(&str, f64)]; 6] = [
        &[],
        &[("0", 0.0), ("1", 0.0)],
        &[("0", 2.0), ("1", -1.0)],
        &[("0", f64::NAN)],
        &[("0", f64::INFINITY)],
        &[("0", f64::MAX), ("1", f64::MAX)],
    ];
    for weights in sums {
        assert!(matches!(fixture.error(&personalized(weights)), Error::BadInput { .. }), "{weights:?}");
    }
}

fn from_file(folder: &Path, text: &str) -> RunRequest<'static> {
    let path = folder.join("weights.csv");
    std::fs::write(&path, text).unwrap();
    request!("pagerank", "personalization" = Personalization::File(path))
}

#[test]
fn a_personalization_from_a_file_is_the_same() {
    for ids in [Ids::Dense, Ids::Sparse, Ids::Text] {
        let fixture = Fixture::new(&shapes::path(), StoreKind { ids, ..StoreKind::PLAIN });
        let (one, other) = (ids.name(3), ids.name(250));
        let file = from_file(fixture.folder.path(), &format!("node,weight\n{one},1.5\n{other},0.25\n"));
        let listed = personalized(&[(&one, 1.5), (&other, 0.25)]);
        assert_eq!(fixture.ranks(&file), fixture.ranks(&listed));
        let unknown = from_file(fixture.folder.path(), "node,weight\n987654321,1.5\n");
        assert!(fixture.error(&unknown).to_string().contains("weights.csv:2:1: the graph has no vertex"));
        let twice = from_file(fixture.folder.path(), &format!("{one},1\n{other},2\n{one},3\n"));
        assert!(fixture.error(&twice).to_string().contains("weights.csv:3:1: duplicate vertex"));
        let negative = from_file(fixture.folder.path(), &format!("node,weight\n{one},-1.5\n"));
        assert!(matches!(fixture.error(&negative), Error::BadInput { .. }));
    }
}

fn from(name: &str, source: &str) -> RunRequest<'static> {
    request!(name, "source" = source)
}

#[test]
fn a_source_must_be_a_vertex() {
    for ids in [Ids::Dense, Ids::Sparse, Ids::Text] {
        let fixture = Fixture::new(&shapes::path(), StoreKind { ids, ..StoreKind::PLAIN });
        for name in ["bfs", "sssp"] {
            let Error::Usage(message) = fixture.error(&from(name, "300")) else { panic!() };
            assert!(message.starts_with("the graph has no vertex") && message.contains("300"), "{message}");
        }
    }
    let empty = Fixture::new(&Shape { keys: 0, edges: Vec::new() }, StoreKind::PLAIN);
    assert!(matches!(empty.error(&from("bfs", "0")), Error::Usage(_)));
}

#[test]
fn a_negative_weight_is_named_where_it_is_reached() {
    let edges = vec![(0, 1, 1.0), (1, 2, -0.5), (3, 2, -4.0), (4, 3, 1.0), (1, 2, -7.0)];
    let orders = [BuildOrder::Original, BuildOrder::Degree, BuildOrder::Norder];
    for (ids, order) in [Ids::Dense, Ids::Sparse, Ids::Text].into_iter().zip(orders) {
        let kind = StoreKind { weighted: true, order, ids, ..StoreKind::PLAIN };
        let fixture = Fixture::new(&Shape { keys: 5, edges: edges.clone() }, kind);
        let Error::BadInput { message, .. } = fixture.error(&from("sssp", &ids.name(0))) else { panic!() };
        let expected = format!("from {} to {} has the weight", ids.name(1), ids.name(2));
        assert!(message.contains(&expected), "{message}");
        assert!(fixture.run(&from("sssp", &ids.name(2))).converged().is_ok(), "it meets no negative weight");
        assert!(fixture.run(&from("bfs", &ids.name(0))).converged().is_ok(), "weights are not looked at");
    }
}
