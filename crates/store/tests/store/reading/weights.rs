//! Weights of every type: found while a store is built, asked for, kept and refused.

use crate::cases::collect::{Reading, work};
use crate::cases::graph::{Case, Ids};
use crate::cases::layouts::{TINY, chunks, pages_of, some};
use crate::cases::model::Model;
use crate::writing::built::{assert_built, assert_graph, assert_store};
use crate::writing::updates::{Edges, update_on};
use outcrop_io::{Disk, IoChoice};
use outcrop_store::layout::Layout;
use outcrop_store::writing::{BuildReport, ConvertOptions, convert};
use outcrop_store::{Dedup, Store};
use outcrop_types::{MemoryBudget, Result, WeightChoice, WeightType};
use std::path::Path;

/// Weights that are of a type, and of none that is narrower.
fn weights_of(kind: WeightType) -> [f64; 3] {
    match kind {
        WeightType::U8 => [0.0, 1.0, 255.0],
        WeightType::U16 => [256.0, 0.0, 65_535.0],
        WeightType::U32 => [16_777_217.0, 3.0, 4_294_967_295.0],
        WeightType::F32 => [0.5, -3.0, 1e30_f32.into()],
        WeightType::F64 => [0.1, 1e39, 1_700_000_000_123.0],
    }
}

/// A graph with lists of every length and repeated edges, whose weights are these in turn.
fn graph(weights: &[f64]) -> Case {
    let few = (0..300_u64).flat_map(|v| (0..v % 11).map(move |i| (v, (v * v + 7 * i) % 300)));
    let hub = (0..9000_u64).map(|i| (128, i % 299));
    let edges = few.chain(hub).zip(weights.iter().cycle()).map(|((source, target), weight)| (source, target, *weight));
    Case { weighted: true, weights: WeightChoice::Auto, ..Case::new(Ids::Dense, edges.collect()) }
}

fn built_type(case: &Case) -> Option<WeightType> {
    let folder = tempfile::tempdir().unwrap();
    case.build(&folder.path().join("g")).unwrap().manifest.weights()
}

fn converted(source: &Path, target: &Path, layout: Layout, weights: Option<WeightChoice>) -> Result<BuildReport> {
    let (budget, workers) = (MemoryBudget::new(64 << 20), Reading::PLAIN.workers());
    let target = target.to_owned();
    let options = ConvertOptions {
        target,
        overwrite: true,
        layout,
        weights,
        temp_folder: None,
        in_place: false,
        checkpoints: None,
    };
    convert(&Store::open(source)?, &options, None, work(IoChoice::Buffered, &budget, &workers))
}

#[test]
fn the_narrowest_type_is_found_and_read_in_every_layout() {
    for kind in WeightType::ALL {
        let case = graph(&weights_of(kind));
        assert_eq!(built_type(&case), Some(kind));
        for layout in some() {
            assert_built(&case.laid_out(&layout));
            assert_built(&Case { undirected: true, dedup: Dedup::Max, ..case.laid_out(&layout) });
        }
    }
}

#[test]
fn a_type_that_is_asked_for_is_kept() {
    for kind in WeightType::ALL {
        let case = Case { weights: WeightChoice::As(kind), ..graph(&weights_of(WeightType::U8)) };
        assert_eq!(built_type(&case), Some(kind));
        for layout in [pages_of(512), chunks(TINY, |_| {})] {
            assert_built(&case.laid_out(&layout));
        }
    }
}

#[test]
fn single_precision_rounds_and_whole_numbers_refuse() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("g");
    let rounded = Case { weights: WeightChoice::As(WeightType::F32), ..graph(&[0.1, 2.0]) };
    let report = rounded.build(&target).unwrap();
    assert!(report.rounding.count > 4000 && report.rounding == report.manifest.graph.weight_rounding.clone().unwrap());
    let single =
        Case { edges: rounded.edges.iter().map(|(u, v, w)| (*u, *v, f64::from(*w as f32))).collect(), ..rounded };
    assert_store(&Store::open(&target).unwrap(), &single, &Model::of(&single));
    for (kind, weight) in [
        (WeightType::F32, 1e39),
        (WeightType::U8, 256.0),
        (WeightType::U16, 0.5),
        (WeightType::U32, -1.0),
        (WeightType::U32, 4_294_967_296.0),
    ] {
        let case = Case { weights: WeightChoice::As(kind), ..graph(&[1.0, weight]) };
        let error = case.build(&folder.path().join("refused")).unwrap_err();
        assert_eq!(error.exit_code(), 3);
        let expected = format!(", which does not fit {}", kind.name());
        assert!(error.to_string().contains(&expected), "{error}");
        assert!(!folder.path().join("refused").exists());
    }
}

#[test]
fn sums_of_repeated_edges_have_a_type_that_holds_them() {
    let sum = |weights: &[f64]| Case { dedup: Dedup::Sum, ..graph(weights) };
    assert_eq!(built_type(&sum(&[1.0])), Some(WeightType::U16));
    assert_eq!(built_type(&sum(&[200.0, 255.0])), Some(WeightType::U32));
    assert_eq!(built_type(&sum(&[0.5])), Some(WeightType::F64));
    for weights in [[1.0, 2.0], [200.0, 255.0], [0.1, 0.7], [4e9, 4e9]] {
        for layout in [Layout::default(), pages_of(4096)] {
            assert_built(&sum(&weights).laid_out(&layout));
        }
    }
    let narrow = Case { weights: WeightChoice::As(WeightType::U8), ..sum(&[200.0]) };
    let folder = tempfile::tempdir().unwrap();
    let error = narrow.build(&folder.path().join("g")).unwrap_err().to_string();
    assert!(error.contains("sum to 400, which does not fit u8"), "{error}");
}

#[test]
fn conversions_keep_the_type_or_change_it() {
    let folder = tempfile::tempdir().unwrap();
    let (source, target) = (folder.path().join("source"), folder.path().join("target"));
    for kind in WeightType::ALL {
        for undirected in [false, true] {
            let case = Case { undirected, ..graph(&weights_of(kind)) };
            case.build(&source)
                .or_else(|_| {
                    case.build_on(
                        &Disk,
                        &outcrop_store::writing::BuildOptions { overwrite: true, ..case.options(&source) },
                    )
                })
                .unwrap();
            let model = Model::of(&case);
            for (weights, expected) in [
                (None, kind),
                (Some(WeightChoice::As(WeightType::F64)), WeightType::F64),
                (Some(WeightChoice::Auto), kind),
            ] {
                for layout in some().into_iter().step_by(3) {
                    let report = converted(&source, &target, layout, weights).unwrap();
                    assert_eq!((report.manifest.weights(), report.rounding.count), (Some(expected), 0));
                    let store = Store::open(&target).unwrap();
                    assert_eq!(
                        store.manifest().graph.arc_hash,
                        Store::open(&source).unwrap().manifest().graph.arc_hash
                    );
                    assert_graph(&store, &model);
                }
            }
        }
    }
    // The last were of double precision, of which two in three do not fit single precision, and one is beyond it.
    let refused = converted(&source, &target, Layout::default(), Some(WeightChoice::As(WeightType::F32))).unwrap_err();
    assert!(refused.to_string().contains("1e39, which does not fit f32"), "{refused}");
    let case = graph(&[0.1, 2.0]);
    let again = outcrop_store::writing::BuildOptions { overwrite: true, ..case.options(&source) };
    case.build_on(&Disk, &again).unwrap();
    let report = converted(&source, &target, Layout::default(), Some(WeightChoice::As(WeightType::F32))).unwrap();
    assert_eq!(report.rounding.count, case.edges.len().div_ceil(2) as u64);
    assert_eq!(report.manifest.graph.weight_rounding.as_ref().map(|all| all.count), Some(report.rounding.count));
    let single = Case { edges: case.edges.iter().map(|(u, v, w)| (*u, *v, f64::from(*w as f32))).collect(), ..case };
    assert_graph(&Store::open(&target).unwrap(), &Model::of(&single));
}

#[test]
fn updates_add_what_the_type_holds_and_refuse_the_rest() {
    for kind in WeightType::ALL {
        for (layout, undirected) in [(pages_of(4096), false), (chunks(TINY, |_| {}), true)] {
            let case = Case { undirected, ..graph(&weights_of(kind)) }.laid_out(&layout);
            let folder = tempfile::tempdir().unwrap();
            let target = folder.path().join("g");
            case.build(&target).unwrap();
            let added =
                weights_of(kind).iter().zip(5..).map(|(weight, vertex)| (vertex, 7 * vertex, *weight)).collect();
            let edges = Edges { removed: vec![(case.edges[3].0, case.edges[3].1)], added };
            update_on(&Disk, &target, &edges.between_vertices(&case)).unwrap();
            let store = Store::open(&target).unwrap();
            assert_eq!(store.manifest().weights(), Some(kind));
            let updated = edges.on(&case);
            assert_store(&store, &updated, &Model::of(&updated));
            drop(store);
            if kind == WeightType::F64 {
                continue;
            }
            let wide = Edges { removed: Vec::new(), added: vec![(1, 2, 0.1)] };
            let error = update_on(&Disk, &target, &wide.between_vertices(&case)).unwrap_err();
            assert_eq!(error.exit_code(), 3);
            let said = error.to_string();
            assert!(
                said.contains("the weight 0.1") && said.contains(kind.name()) && said.contains("--weight-type"),
                "{said}"
            );
            assert_store(&Store::open(&target).unwrap(), &updated, &Model::of(&updated));
        }
    }
}
