//! Tables and their largest rows.

use crate::graph::{Ids, Model, Shape, StoreKind};
use crate::setup::{Setup, request, with};
use crate::shapes;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt32Type, UInt64Type};
use arrow_array::{Array, RecordBatch};
use outcrop::{BuildOrder, RunRequest, RunResult};
use outcrop_store::OriginalIds;

/// A result and the folder of its store, where its table finds the ids.
struct Ran {
    result: RunResult,
    _folder: tempfile::TempDir,
}

impl std::ops::Deref for Ran {
    type Target = RunResult;

    fn deref(&self) -> &RunResult {
        &self.result
    }
}

fn run(shape: &Shape, kind: StoreKind, request: &RunRequest<'_>) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    let store = kind.build(shape, folder.path());
    Ran { result: Setup::PLAIN.run(&store, request).unwrap(), _folder: folder }
}

fn from(name: &str, source: String) -> RunRequest<'static> {
    request!(name, "source" = source)
}

fn batches(result: &RunResult) -> Vec<RecordBatch> {
    let mut batches = Vec::new();
    let keep = |batch: &RecordBatch| {
        batches.push(batch.clone());
        Ok(())
    };
    result.table().for_each_batch(keep).unwrap();
    batches
}

#[test]
fn columns_have_names_and_types() {
    let types = |request: RunRequest<'_>, ids| {
        let kind = StoreKind { ids, ..StoreKind::PLAIN };
        let schema = run(&shapes::path(), kind, &request).table().schema();
        schema
            .fields()
            .iter()
            .map(|field| format!("{} {} {}", field.name(), field.data_type(), field.is_nullable()))
            .collect::<Vec<_>>()
    };
    let bfs = types(from("bfs", "0".to_owned()), Ids::Dense);
    assert_eq!(bfs, ["node UInt64 false", "distance UInt32 true"]);
    let bfs = types(from("bfs", Ids::Text.name(0)).with("columns", "all").unwrap(), Ids::Text);
    assert_eq!(bfs, ["node LargeUtf8 false", "distance UInt32 true", "predecessor LargeUtf8 true"]);
    let sssp = types(from("sssp", Ids::Sparse.name(0)), Ids::Sparse);
    assert_eq!(sssp, ["node UInt64 false", "distance Float64 true"]);
    let single = request!("pagerank", "precision" = "f32");
    assert_eq!(types(single, Ids::Dense), ["node UInt64 false", "pagerank Float32 true"]);
}

#[test]
fn rows_come_in_batches_in_ascending_order_of_integers() {
    let shape = shapes::tree(70_000);
    let kind = StoreKind { ids: Ids::Sparse, order: BuildOrder::Degree, ..StoreKind::PLAIN };
    let result = run(&shape, kind, &request!("wcc"));
    let batches = batches(&result);
    assert_eq!((result.table().rows(), batches.len()), (70_000, 3));
    let column = |number: usize| -> Vec<u64> {
        batches.iter().flat_map(|batch| batch.column(number).as_primitive::<UInt64Type>().values().to_vec()).collect()
    };
    let model = Model::new(&shape, kind);
    let (ids, components) = (column(0), column(1));
    assert!(ids.iter().map(u64::to_string).eq(model.ids));
    assert!(ids.is_sorted(), "as numbers, not as text");
    assert!(components.iter().all(|component| *component == ids[0]));
}

#[test]
fn batches_of_many_columns_have_fewer_rows() {
    let request = request!("apsp", "samples" = 130_u32);
    let result = run(&shapes::tree(5000), StoreKind::PLAIN, &request);
    let batches = batches(&result);
    let rows: Vec<_> = batches.iter().map(RecordBatch::num_rows).collect();
    assert_eq!((rows.len(), rows.iter().sum::<usize>(), batches[0].num_columns()), (3, 5000, 131));
    assert!(batches.iter().all(|batch| batch.get_array_memory_size() < 8 << 20));
}

#[test]
fn what_was_not_reached_is_null() {
    let shape = Shape { keys: 4, edges: vec![(1, 2, 1.0)] };
    let [batch] =
        &batches(&run(&shape, StoreKind::PLAIN, &from("bfs", "1".to_owned()).with("columns", "all").unwrap()))[..]
    else {
        panic!()
    };
    let [distance, predecessor] = [1, 2].map(|column| batch.column(column));
    let distance: Vec<_> = distance.as_primitive::<UInt32Type>().iter().collect();
    let predecessor: Vec<_> = predecessor.as_primitive::<UInt64Type>().iter().collect();
    assert_eq!(distance, [None, Some(0), Some(1), None]);
    assert_eq!(predecessor, [None, None, Some(1), None]);
}

/// The ids and first values of the largest rows.
fn top(result: &RunResult, count: usize) -> Vec<(String, u32)> {
    let batch = result.table().top(count).unwrap();
    assert_eq!(*batch.schema(), result.table().schema());
    let ids = batch.column(0).as_string::<i64>().iter().map(|id| id.unwrap().to_owned());
    ids.zip(batch.column(1).as_primitive::<UInt32Type>().values().iter().copied()).collect()
}

#[test]
fn the_largest_rows_come_first_and_of_equal_ones_the_smaller_id() {
    let shape =
        Shape { keys: 9, edges: [(0, 1), (0, 2), (0, 3), (3, 4), (3, 5), (7, 0)].map(|(a, b)| (a, b, 1.0)).to_vec() };
    let kind = StoreKind { ids: Ids::Text, order: BuildOrder::Degree, ..StoreKind::PLAIN };
    let result = run(&shape, kind, &from("bfs", Ids::Text.name(0)));
    let rows = |keys: &[(u32, u32)]| keys.iter().map(|(key, level)| (Ids::Text.name(*key), *level)).collect::<Vec<_>>();
    // By bytes: Z2 < Z6 < b-3 < b-7 < b0 < b4 < b8 < ä1 < ä5.
    let all = rows(&[(4, 2), (5, 2), (2, 1), (3, 1), (1, 1), (0, 0)]);
    for count in [0, 1, 2, 3, 5, 6, 7, 1000] {
        assert_eq!(top(&result, count), all[..count.min(6)], "{count}");
    }
}

#[test]
fn the_largest_ranks_are_those_of_the_table() {
    let shape = shapes::mixed(500, 3000);
    let result = run(&shape, StoreKind { order: BuildOrder::Degree, ..StoreKind::PLAIN }, &request!("pagerank"));
    let rows = |batch: &RecordBatch| -> Vec<(f64, u64)> {
        let (ids, ranks) =
            (batch.column(0).as_primitive::<UInt64Type>(), batch.column(1).as_primitive::<Float64Type>());
        assert_eq!(ranks.null_count(), 0);
        ranks.values().iter().copied().zip(ids.values().iter().copied()).collect()
    };
    let mut all: Vec<_> = batches(&result).iter().flat_map(rows).collect();
    all.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    assert_eq!(rows(&result.table().top(25).unwrap()), all[..25]);
}

#[test]
fn the_largest_components_come_first_and_of_equal_ones_that_with_the_smaller_id() {
    let shape = Shape { keys: 4, edges: vec![(0, 1, 1.0)] };
    let result = run(&shape, StoreKind { ids: Ids::Sparse, ..StoreKind::PLAIN }, &request!("wcc"));
    let batch = result.table().top(2).unwrap();
    let components = batch.column(0).as_primitive::<UInt64Type>().values();
    let id = |key| Ids::Sparse.name(key).parse::<u64>().unwrap();
    assert_eq!(components.to_vec(), [id(1), id(2).min(id(3))], "0 is in the component of 1");
    assert_eq!(batch.column(1).as_primitive::<UInt32Type>().values().to_vec(), [2, 1]);
    let said = result.record().answer.summary;
    assert_eq!((&said["components"], &said["largest component"]), (&3.into(), &2.into()));
}

#[test]
fn the_kinds_of_ids_are_those_that_were_asked_for() {
    let kinds = [(Ids::Dense, OriginalIds::Dense), (Ids::Sparse, OriginalIds::Integer), (Ids::Text, OriginalIds::Text)];
    for (ids, expected) in kinds {
        let folder = tempfile::tempdir().unwrap();
        let store = StoreKind { ids, ..StoreKind::PLAIN }.build(&shapes::path(), folder.path());
        let manifest = outcrop_store::Store::open(&store).unwrap();
        assert_eq!(manifest.manifest().numbering.ids, expected);
    }
}

#[test]
fn tables_of_values_on_disk_are_those_of_values_in_memory() {
    let shape = shapes::mixed(70_000, 60_000);
    for (ids, order) in [(Ids::Dense, BuildOrder::Original), (Ids::Text, BuildOrder::Degree)] {
        let kind = StoreKind { ids, order, weighted: true, ..StoreKind::PLAIN };
        for request in [from("bfs", ids.name(7)), from("sssp", ids.name(7)), request!("wcc")] {
            let [held, on_disk] = ["memory", "disk"].map(|values| run(&shape, kind, &with(&request, "values", values)));
            assert!(on_disk.record().traffic.values_on_disk && !held.record().traffic.values_on_disk);
            assert!(batches(&held) == batches(&on_disk), "{request:?}");
            for count in [1, 100, 50_000] {
                assert!(held.table().top(count).unwrap() == on_disk.table().top(count).unwrap(), "{count}");
            }
            assert!(
                batches(&on_disk)
                    .iter()
                    .any(|batch| batch.column(1).null_count() > 0 || !request.args().is_given("source"))
            );
        }
    }
}
