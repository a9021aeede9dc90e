//! Vectors that a user gives, in files of all kinds.

use crate::answer::Answer;
use crate::graph::{Ids, Lists, Model, Shape, StoreKind};
use crate::reference::flows::spmv::signed;
use crate::setup::{Setup, request, with};
use crate::shapes;
use outcrop::{BuildOrder, Error, Graph, InputVector, MemorySize, OpenOptions, RunRequest};
use std::path::{Path, PathBuf};

fn product(vector: InputVector) -> RunRequest<'static> {
    request!("spmv", "vector" = vector)
}

/// NumPy's file of doubles.
fn npy(path: &Path, values: &[f64]) -> PathBuf {
    let text = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({},), }}", values.len());
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(u16::try_from(text.len()).unwrap().to_le_bytes());
    bytes.extend(text.bytes());
    values.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
    std::fs::write(path, bytes).unwrap();
    path.to_owned()
}

fn table(path: &Path, model: &Model, values: &[f64], ascending: bool) -> PathBuf {
    let mut rows: Vec<_> = model.ids.iter().zip(values).map(|(id, value)| format!("{id},{value}\n")).collect();
    if !ascending {
        rows.reverse();
    }
    std::fs::write(path, format!("node,value\n{}", rows.concat())).unwrap();
    path.to_owned()
}

/// In any file, of any ids and order, and with the least memory, the values are those that the rows say.
#[test]
fn all_files_give_what_values_in_memory_give() {
    let shape = shapes::mixed(9000, 20_000);
    for (ids, order) in
        [(Ids::Dense, BuildOrder::Original), (Ids::Sparse, BuildOrder::Degree), (Ids::Text, BuildOrder::Degree)]
    {
        let kind = StoreKind { ids, order, weighted: true, ..StoreKind::PLAIN };
        let folder = tempfile::tempdir().unwrap();
        let (store, model) = (kind.build(&shape, folder.path()), Model::new(&shape, kind));
        let values = signed(model.vertices());
        let products = |vector| {
            let result = Setup::LEAST.run(&store, &product(vector)).unwrap();
            Answer::read(&result, &model, folder.path()).doubles("value")
        };
        let expected = products(InputVector::Values(values.clone().into()));
        let path = |name: &str| folder.path().join(name);
        let mut files = vec![npy(&path("x.npy"), &values), table(&path("x.csv"), &model, &values, true)];
        files.push(table(&path("y.csv"), &model, &values, false));
        for file in files {
            assert_eq!(products(InputVector::File(file.clone())), expected, "{}", file.display());
        }
    }
}

#[test]
fn a_result_multiplies_again() {
    let folder = tempfile::tempdir().unwrap();
    let shape = Shape { keys: 3, edges: vec![(0, 1, 2.0), (1, 2, 3.0), (0, 2, 0.5)] };
    let kind = StoreKind { weighted: true, ids: Ids::Text, lists: Lists::Csr, ..StoreKind::PLAIN };
    let (store, model) = (kind.build(&shape, folder.path()), Model::new(&shape, kind));
    for name in ["once.npy", "once.csv", "once.parquet"] {
        let once = Setup::PLAIN.run(&store, &request!("spmv")).unwrap();
        let file = folder.path().join(name);
        once.table().write(&file, false).unwrap();
        let twice = Setup::PLAIN.run(&store, &product(InputVector::File(file))).unwrap();
        let values = Answer::read(&twice, &model, folder.path()).doubles("value");
        let by_key: Vec<_> = (0..3).map(|key| values[model.rank(key)].unwrap()).collect();
        assert_eq!(by_key, [0.0, 0.0, 6.0], "{name}");
    }
}

#[test]
fn what_is_wrong_with_a_vector_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let store = StoreKind::PLAIN.build(&Shape { keys: 12, edges: vec![(0, 1, 1.0)] }, folder.path());
    let path = |name: &str| folder.path().join(name);
    let csv = |name: &str, text: &str| {
        std::fs::write(path(name), text).unwrap();
        InputVector::File(path(name))
    };
    let values = |values: Vec<f64>| InputVector::Values(values.into());
    let cases = [
        (InputVector::File(npy(&path("x.npy"), &[1.0; 10])), "x.npy: found 10 values, expected 12, one per vertex"),
        (values(vec![1.0; 13]), "the vector: found 13 values, expected 12, one per vertex"),
        (
            values([vec![0.0; 11], vec![f64::NAN]].concat()),
            "the vector: value 11 (counted from 0) is not a finite number",
        ),
        (csv("a.csv", "node,value\n3,1\n12,1\n"), "a.csv:3:1: the graph has no vertex 12"),
        (csv("b.csv", "3,1\n4,1\n3,2\n"), "b.csv:3:1: duplicate vertex 3"),
        (csv("c.csv", "3,-1\n4,x\n"), "c.csv:2:3: expected a finite number, found `x`"),
        (
            InputVector::Entries([("3".to_owned(), 1.0), ("x".to_owned(), 1.0)].into()),
            "the vector: the graph has no vertex \"x\"; its IDs are integers",
        ),
    ];
    for (vector, expected) in cases {
        let error = Setup::PLAIN.run(&store, &product(vector)).err().unwrap();
        assert_eq!(error.exit_code(), 3);
        assert!(error.to_string().ends_with(expected), "{error}");
    }
    let single = with(&product(csv("d.csv", "3,1e39\n")), "precision", "f32");
    let error = Setup::PLAIN.run(&store, &single).err().unwrap().to_string();
    assert!(error.ends_with("d.csv:1:1: the value of 3 exceeds the range of single precision"), "{error}");
}

#[test]
fn other_files_are_refused_and_missing_ones_told() {
    let folder = tempfile::tempdir().unwrap();
    let store = StoreKind::PLAIN.build(&shapes::path(), folder.path());
    let graph =
        Graph::open(&store, OpenOptions { memory: MemorySize::Bytes(1 << 28), ..OpenOptions::default() }).unwrap();
    let of = |name: &str| graph.run(&product(InputVector::File(folder.path().join(name)))).err().unwrap();
    assert!(matches!(of("x.txt"), Error::Usage(_)));
    assert!(matches!(of("x.npy"), Error::NotFound { .. }));
    assert!(matches!(of("x.csv"), Error::NotFound { .. }));
    assert!(matches!(of("x.parquet"), Error::NotFound { .. }));
}

#[test]
fn sums_beyond_the_precision_are_null() {
    let folder = tempfile::tempdir().unwrap();
    let shape = Shape { keys: 3, edges: vec![(0, 2, 1.0), (1, 2, 1.0), (0, 1, 1.0)] };
    let (store, model) = (StoreKind::PLAIN.build(&shape, folder.path()), Model::new(&shape, StoreKind::PLAIN));
    let single = with(&product(InputVector::Values([3e38, 3e38, 0.0].into())), "precision", "f32");
    let result = Setup::PLAIN.run(&store, &single).unwrap();
    let shown = Answer::read(&result, &model, folder.path()).singles("value");
    assert_eq!(shown, [Some(0.0), Some(f64::from(3e38_f32)), None]);
}
