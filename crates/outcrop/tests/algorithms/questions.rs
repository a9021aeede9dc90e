//! Neighbors, degrees, edges, samples and subgraphs of every kind of store, against lists in memory.

use crate::graph::{Ids, Lists, Model, Shape, StoreKind};
use crate::pairs::pairwise;
use crate::setup::{Cache, Memory, Setup};
use crate::shapes;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use outcrop::{
    Answer, BuildOrder, Cancellation, EdgeInput, Error, Graph, IdBatch, IdKind, IoChoice, MergeRule, NeighborsRequest,
    OpenOptions, SampleRequest, Sides, Silent, SubgraphRequest, UpdateRequest, update,
};
use std::path::Path;

/// Memory of these tests: some of it is left for sorting.
const MEMORY: u64 = 64 << 20;

const SIDES: [Sides; 3] = [Sides::Out, Sides::In, Sides::Both];

/// All kinds of stores, so that any two choices meet.
fn kinds() -> Vec<StoreKind> {
    let lists = [
        Lists::Chunked,
        Lists::TinyChunks,
        Lists::Csr,
        Lists::Compact,
        Lists::CompactPacked,
        Lists::SmallPages,
        Lists::Sliding,
    ];
    let ids = [Ids::Dense, Ids::Sparse, Ids::Text, Ids::LongText];
    let orders = [BuildOrder::Original, BuildOrder::Degree, BuildOrder::Random { seed: 3 }];
    let rows = pairwise([2, 2, orders.len(), ids.len(), lists.len()]);
    let kind = |[undirected, weighted, order, kind, list]: [usize; 5]| StoreKind {
        undirected: undirected == 1,
        weighted: weighted == 1,
        order: orders[order],
        ids: ids[kind],
        lists: lists[list],
    };
    rows.into_iter().map(kind).collect()
}

/// The store of `shape`, of which a part is written as an update where `updated`, which also adds and removes another
/// edge.
fn store(kind: StoreKind, shape: &Shape, updated: bool, folder: &Path) -> std::path::PathBuf {
    if !updated {
        return kind.build(shape, folder);
    }
    let (begin, more) = shape.edges.split_at(shape.edges.len() - shape.edges.len() / 8);
    let mut edges = begin.to_vec();
    let gone = (0, shape.keys - 1, 4.0);
    edges.push(gone);
    let store = kind.build(&Shape { edges, ..*shape }, folder);
    let file = |name: &str, edges: &[(u32, u32, f64)]| {
        let line = |(source, target, weight): &(u32, u32, f64)| {
            format!("{} {} {weight}\n", kind.ids.name(*source), kind.ids.name(*target))
        };
        std::fs::write(folder.join(name), edges.iter().map(line).collect::<String>()).unwrap();
        vec![EdgeInput::from(folder.join(name))]
    };
    let request = UpdateRequest {
        remove: file("gone.el", &[gone]),
        add: file("more.el", more),
        merge: MergeRule::Never,
        ..UpdateRequest::new(&store)
    };
    update(&request, &Cancellation::new(), &Silent).unwrap();
    store
}

/// A shape, without the edge that [`store`] removes.
fn shape() -> Shape {
    let mut shape = shapes::mixed(97, 1500);
    shape.edges.retain(|(source, target, _)| (*source, *target) != (0, 96) && (*source, *target) != (96, 0));
    shape
}

/// Goes through stores of all kinds, with and without updates, and ways to read them.
fn on_all_stores(check: impl Fn(&Graph, &Model, &str)) {
    for (number, kind) in kinds().into_iter().enumerate() {
        for updated in [false, true] {
            let (folder, shape) = (tempfile::tempdir().unwrap(), shape());
            let path = store(kind, &shape, updated, folder.path());
            let setup = Setup {
                memory: Memory::Ample,
                cache: if number % 2 == 0 { Cache::Rest } else { Cache::Nothing },
                threads: 1 + number % 3,
                io: [IoChoice::Buffered, IoChoice::Auto][number % 2],
            };
            check(&setup.open_with(&path, MEMORY), &Model::new(&shape, kind), &format!("{kind:?}, {updated}"));
        }
    }
}

fn texts(names: &[String]) -> IdBatch {
    let mut ids = IdBatch::empty(IdKind::Text);
    let IdBatch::Texts { bytes, ends } = &mut ids else { panic!() };
    for name in names {
        bytes.extend_from_slice(name.as_bytes());
        ends.push(bytes.len());
    }
    ids
}

/// The ids of `ranks` as texts, or as numbers where they are some.
fn ids(model: &Model, ranks: &[usize], as_texts: bool) -> IdBatch {
    let names: Vec<String> = ranks.iter().map(|rank| model.ids[*rank].clone()).collect();
    let numbers = names.iter().map(|name| name.parse().ok()).collect::<Option<Vec<u64>>>();
    numbers.filter(|_| !as_texts).map_or_else(|| texts(&names), IdBatch::Integers)
}

fn cells(column: &ArrayRef) -> Vec<String> {
    match column.data_type() {
        DataType::UInt32 => column.as_primitive::<UInt32Type>().values().iter().map(u32::to_string).collect(),
        DataType::UInt64 => column.as_primitive::<UInt64Type>().values().iter().map(u64::to_string).collect(),
        DataType::Float64 => column.as_primitive::<Float64Type>().values().iter().map(f64::to_string).collect(),
        _ => column.as_string::<i64>().iter().map(|text| text.unwrap().to_owned()).collect(),
    }
}

/// All rows, and the names of the columns.
fn table(answer: Answer) -> (Vec<String>, Vec<Vec<String>>) {
    let names = answer.schema().fields().iter().map(|field| field.name().clone()).collect();
    let (count, mut rows) = (answer.rows(), Vec::new());
    answer
        .for_each_batch(|batch| {
            let columns: Vec<_> = batch.columns().iter().map(cells).collect();
            rows.extend((0..batch.num_rows()).map(|row| columns.iter().map(|column| column[row].clone()).collect()));
            Ok(())
        })
        .unwrap();
    assert_eq!(rows.len() as u64, count);
    (names, rows)
}

/// The list entries of a rank on these sides, by rank.
fn entries(model: &Model, rank: usize, sides: Sides) -> Vec<(usize, f64)> {
    let mut found = match sides {
        Sides::Out => model.out[rank].clone(),
        Sides::In => model.into[rank].clone(),
        Sides::Both if model.undirected => model.out[rank].clone(),
        Sides::Both => [&model.out[rank][..], &model.into[rank][..]].concat(),
    };
    found.sort_by(|one, other| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)));
    found
}

/// Rows with those of the same neighbor in ascending order of weight.
fn by_weight(mut rows: Vec<Vec<String>>) -> Vec<Vec<String>> {
    let weight = |row: &[String]| row.get(2).map_or(0.0, |weight| weight.parse::<f64>().unwrap());
    let mut start = 0;
    while start < rows.len() {
        let end = start + rows[start..].iter().take_while(|row| row[..2] == rows[start][..2]).count();
        rows[start..end].sort_by(|one, other| weight(one).total_cmp(&weight(other)));
        start = end;
    }
    rows
}

#[test]
fn neighbors_come_in_the_order_of_the_ids() {
    on_all_stores(|graph, model, name| {
        let ranks: Vec<usize> = (0..150).map(|place| place * 29 % 96).collect();
        for sides in SIDES {
            let weights = graph.info().weighted;
            let request = NeighborsRequest { sides, weights, ..NeighborsRequest::new(ids(model, &ranks, false)) };
            let (names, rows) = table(graph.neighbors(&request).unwrap());
            assert_eq!(names, ["node", "neighbor", "weight"][..2 + usize::from(weights)]);
            let mut expected = Vec::new();
            // A repeated id is answered as often, one time after the other.
            for rank in &ranks {
                for (neighbor, weight) in entries(model, *rank, sides) {
                    let row = [model.ids[*rank].clone(), model.ids[neighbor].clone(), weight.to_string()];
                    expected.push(row[..2 + usize::from(weights)].to_vec());
                }
            }
            assert_eq!(by_weight(rows), expected, "{name}, {sides:?}");
        }
        let none = graph.neighbors(&NeighborsRequest::new(ids(model, &[], true))).unwrap();
        assert_eq!(none.rows(), 0);
    });
}

#[test]
fn degrees_are_the_lengths_of_lists() {
    on_all_stores(|graph, model, name| {
        for sides in SIDES {
            let row = |rank: usize| vec![model.ids[rank].clone(), entries(model, rank, sides).len().to_string()];
            let (names, rows) = table(graph.degrees(None, sides).unwrap());
            assert_eq!(names, ["node", "degree"]);
            assert_eq!(rows, (0..model.vertices()).map(row).collect::<Vec<_>>(), "{name}, {sides:?}");
            let ranks = [5, 90, 5, 0, 61];
            let (_, rows) = table(graph.degrees(Some(&ids(model, &ranks, true)), sides).unwrap());
            assert_eq!(rows, ranks.map(row), "{name}, {sides:?}");
        }
    });
}

#[test]
fn edges_and_nodes_ascend() {
    on_all_stores(|graph, model, name| {
        let (_, nodes) = table(graph.nodes().unwrap());
        assert!(nodes.iter().flatten().eq(&model.ids), "{name}");
        let (names, rows) = table(graph.edges(false).unwrap());
        assert_eq!(names, ["source", "target"]);
        let mut expected = Vec::new();
        for rank in 0..model.vertices() {
            let kept = |neighbor: &usize| !model.undirected || rank <= *neighbor;
            let neighbors = entries(model, rank, Sides::Out).into_iter().map(|(neighbor, _)| neighbor).filter(kept);
            expected.extend(neighbors.map(|neighbor| vec![model.ids[rank].clone(), model.ids[neighbor].clone()]));
        }
        assert_eq!(rows, expected, "{name}");
        assert_eq!(graph.edges(true).is_ok(), graph.info().weighted);
    });
}

#[test]
fn pairs_have_edges_where_lists_have_them() {
    on_all_stores(|graph, model, name| {
        let sources: Vec<usize> = (0..400).map(|place| place * 7 % 97).collect();
        let targets: Vec<usize> = (0..400).map(|place| place * 11 % 96).collect();
        let there = |(source, target): (&usize, &usize)| model.out[*source].iter().any(|(other, _)| other == target);
        let expected: Vec<bool> = sources.iter().zip(&targets).map(there).collect();
        assert!(expected.contains(&true) && expected.contains(&false));
        let found = graph.has_edges(&ids(model, &sources, false), &ids(model, &targets, true)).unwrap();
        assert_eq!(found, expected, "{name}");
        assert!(matches!(graph.has_edges(&ids(model, &[1], true), &ids(model, &[], true)), Err(Error::Usage(_))));
    });
}

#[test]
fn unknown_ids_are_named_and_not_contained() {
    on_all_stores(|graph, model, name| {
        let asked = texts(&[model.ids[3].clone(), "12x".to_owned(), "-".to_owned(), model.ids[0].clone()]);
        assert_eq!(graph.contains(&asked).unwrap(), [true, false, false, true], "{name}");
        let refused = graph.neighbors(&NeighborsRequest::new(asked)).map(|answer| answer.rows());
        let Err(Error::Usage(message)) = refused else { panic!("{name}") };
        assert!(message.contains("\"12x\""), "{message}");
        let numbers = IdBatch::Integers(vec![1 << 40, 5]);
        let dense = model.ids[5] == "5";
        assert_eq!(graph.contains(&numbers).unwrap(), [false, dense], "{name}");
    });
}

#[test]
fn more_neighbors_than_memory_holds_are_sorted_on_disk() {
    let (folder, shape) = (tempfile::tempdir().unwrap(), shapes::mixed(97, 1500));
    let kind = StoreKind { order: BuildOrder::Degree, weighted: true, ..StoreKind::PLAIN };
    let path = kind.build(&shape, folder.path());
    let model = Model::new(&shape, kind);
    let ranks: Vec<usize> = (0..40_000).map(|place| place % 97).collect();
    let rows = |memory: u64| {
        let graph = Setup::PLAIN.open_with(&path, memory);
        let mut request = NeighborsRequest::new(ids(&model, &ranks, false));
        request.weights = true;
        graph.neighbors(&request)
    };
    let Err(Error::BudgetTooSmall { plan, .. }) = rows(1 << 20).map(|answer| answer.rows()) else { panic!() };
    let (_, little) = table(rows(plan.total() + (2 << 20)).unwrap());
    let (_, ample) = table(rows(1 << 30).unwrap());
    assert!(little.len() > 500_000 && little == ample);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "temporary files are gone");
}

#[test]
fn a_handle_reads_lists_once() {
    let (folder, shape) = (tempfile::tempdir().unwrap(), shape());
    let path = StoreKind { order: BuildOrder::Degree, ..StoreKind::PLAIN }.build(&shape, folder.path());
    let model = Model::new(&shape, StoreKind::PLAIN);
    let handle = outcrop::Handle::open(&path, OpenOptions::default()).unwrap();
    let request = NeighborsRequest::new(ids(&model, &[1, 2, 3], false));
    for _ in 0..3 {
        let asked = handle.call(&Cancellation::new(), std::sync::Arc::new(Silent), |graph| graph.neighbors(&request));
        assert!(asked.unwrap().rows() > 0 && handle.reclaimable_bytes() > 0);
        let there = handle.call(&Cancellation::new(), std::sync::Arc::new(Silent), |graph| {
            graph.degrees(Some(&request.nodes), Sides::Out)?;
            graph.contains(&request.nodes)
        });
        assert!(
            there.unwrap() == [true; 3] && handle.reclaimable_bytes() > 0,
            "lists stay open beside other questions"
        );
    }
}

/// Vertices within `radius` steps of `ranks`, by steps over entries of `sides`.
fn around(model: &Model, ranks: &[usize], radius: u32, sides: Sides) -> Vec<bool> {
    let mut there = vec![false; model.vertices()];
    ranks.iter().for_each(|rank| there[*rank] = true);
    for _ in 0..radius {
        let members: Vec<usize> = (0..there.len()).filter(|rank| there[*rank]).collect();
        for rank in members {
            entries(model, rank, sides).into_iter().for_each(|(neighbor, _)| there[neighbor] = true);
        }
    }
    there
}

#[test]
fn subgraphs_have_the_edges_among_their_vertices() {
    on_all_stores(|graph, model, name| {
        for (radius, sides) in [(0, Sides::Out), (1, Sides::Out), (1, Sides::In), (1, Sides::Both), (2, Sides::Out)] {
            let ranks: Vec<usize> = if radius == 0 { (0..97).step_by(2).collect() } else { vec![96, 41] };
            let weights = graph.info().weighted;
            let request = SubgraphRequest { radius, sides, weights, nodes: ids(model, &ranks, false) };
            let (names, rows) = table(graph.subgraph(&request).unwrap());
            assert_eq!(names, ["source", "target", "weight"][..2 + usize::from(weights)]);
            let there = around(model, &ranks, radius, sides);
            let mut expected = Vec::new();
            for rank in (0..there.len()).filter(|rank| there[*rank]) {
                for (neighbor, weight) in entries(model, rank, Sides::Out) {
                    if there[neighbor] && (!model.undirected || rank <= neighbor) {
                        let row = [model.ids[rank].clone(), model.ids[neighbor].clone(), weight.to_string()];
                        expected.push(row[..names.len()].to_vec());
                    }
                }
            }
            assert_eq!(by_weight(rows), expected, "{name}, {radius}, {sides:?}");
        }
    });
}

/// The ranks of a sample: layer, source and neighbor.
fn drawn(graph: &Graph, model: &Model, request: &SampleRequest) -> Vec<(u32, usize, usize)> {
    let (names, rows) = table(graph.sample_neighbors(request).unwrap());
    assert_eq!(names, ["layer", "source", "neighbor"]);
    let rank = |id: &String| model.ids.iter().position(|known| known == id).unwrap();
    rows.iter().map(|row| (row[0].parse().unwrap(), rank(&row[1]), rank(&row[2]))).collect()
}

#[test]
fn samples_are_drawn_from_lists_layer_by_layer() {
    on_all_stores(|graph, model, name| {
        for (sides, replace) in [(Sides::Out, false), (Sides::In, true), (Sides::Out, true), (Sides::In, false)] {
            let request = SampleRequest {
                seed: 4,
                sides,
                replace,
                ..SampleRequest::new(ids(model, &[7, 3, 7], false), vec![4, 3])
            };
            let rows = drawn(graph, model, &request);
            assert!(rows.is_sorted(), "{name}");
            let (mut seen, mut frontier) = (vec![3, 7], vec![3, 7]);
            for (layer, fanout) in (0..).zip([4, 3]) {
                let mut next = Vec::new();
                for rank in &frontier {
                    let neighbors: Vec<usize> = entries(model, *rank, sides).into_iter().map(|(to, _)| to).collect();
                    let here = rows.iter().filter(|(at, source, _)| *at == layer && source == rank);
                    let got: Vec<usize> = here.map(|(_, _, to)| *to).collect();
                    let count = if replace && !neighbors.is_empty() { fanout } else { neighbors.len().min(fanout) };
                    assert_eq!(got.len(), count, "{name}");
                    let times = |list: &[usize], to: usize| list.iter().filter(|other| **other == to).count();
                    let allowed = |to: usize| if replace { fanout } else { times(&neighbors, to) };
                    assert!(got.iter().all(|to| neighbors.contains(to) && times(&got, *to) <= allowed(*to)));
                    next.extend(got);
                }
                next.sort_unstable();
                next.dedup();
                next.retain(|rank| !seen.contains(rank));
                seen.extend(&next);
                frontier = next;
            }
            assert!(rows.iter().all(|(layer, source, _)| *layer == 1 || [3, 7].contains(source)));
        }
        assert_eq!(
            graph
                .sample_neighbors(&SampleRequest {
                    weighted: true,
                    ..SampleRequest::new(ids(model, &[7], true), vec![2])
                })
                .is_ok(),
            graph.info().weighted
        );
    });
}

#[test]
fn samples_depend_on_the_seed_and_the_order_alone() {
    let shape = shape();
    for order in [BuildOrder::Original, BuildOrder::Degree] {
        let mut first = None;
        for (lists, threads, updated) in
            [(Lists::Chunked, 1, false), (Lists::Compact, 3, true), (Lists::Csr, 2, false), (Lists::Sliding, 2, true)]
        {
            let kind = StoreKind { order, lists, weighted: true, ..StoreKind::PLAIN };
            // The order of what an update adds to is another one.
            if updated && order == BuildOrder::Degree {
                continue;
            }
            let folder = tempfile::tempdir().unwrap();
            let path = store(kind, &shape, updated, folder.path());
            let (graph, model) = (Setup { threads, ..Setup::PLAIN }.open_with(&path, MEMORY), Model::new(&shape, kind));
            let request = |seeds: &[usize], seed, weighted| SampleRequest {
                seed,
                weighted,
                ..SampleRequest::new(ids(&model, seeds, false), vec![5])
            };
            let of = |seeds: &[usize], seed, weighted| drawn(&graph, &model, &request(seeds, seed, weighted));
            let both = (of(&[1, 50, 80], 1, false), of(&[1, 50, 80], 1, true));
            assert_ne!(both.0, of(&[1, 50, 80], 2, false));
            let alone: Vec<_> = both.0.iter().copied().filter(|(_, source, _)| *source == 50).collect();
            assert_eq!(of(&[50], 1, false), alone, "what else is asked for does not matter");
            assert_eq!(*first.get_or_insert(both.clone()), both, "{order:?}, {lists:?}");
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let graph = Setup::PLAIN.open_with(&StoreKind::PLAIN.build(&shape, folder.path()), MEMORY);
    let refused = |fanouts| graph.sample_neighbors(&SampleRequest::new(IdBatch::Integers(vec![1]), fanouts)).is_err();
    assert!(refused(vec![1; 65]) && refused(vec![1 << 17]) && !refused(vec![1, 0, 5]) && !refused(vec![]));
}
