//! The same programs by engines, with values in memory and on disk, little memory, and all ways to keep and deliver
//! messages.

use super::colors::expected_colors;
use super::labels::propagate;
use super::ranks::by_changes;
use super::{executor::How, walks::walk};
use crate::graphs::{Graph, graphs, with_ranks};
use crate::lists::drawn_edges;
use crate::references::{assert_close, columns_of, components, iterate, search};
use crate::settings::Setting;
use crate::trials::{bits, reals};
use outcrop_algorithms::coloring::order::Order;
use outcrop_algorithms::models::{MessageWork, Place};
use outcrop_algorithms::pagerank::{PageRankParams, Stop, messages, messages_delta};
use outcrop_algorithms::params::Args;
use outcrop_algorithms::walks::{self, Choice, WalkStarts};
use outcrop_algorithms::weights::RefusedEdge;
use outcrop_algorithms::{IdOrder, Model, ModelWork, Outcome, Shape, bfs, cdlp, coloring, find_algorithm, mis, wcc};
use outcrop_engine::DegreeSource;
use outcrop_io::SpillFolder;
use outcrop_messages::{Delivery, MessageEngine, MessageOptions, MessageSetup};
use outcrop_types::{Direction, Error, VertexRange};

/// Way in which an engine works.
#[derive(Clone, Copy, Debug)]
struct Way {
    threads: usize,
    on_disk: bool,
    memory: u64,
    options: MessageOptions,
}

/// Ways with this delivery.
fn ways(delivery: Delivery) -> Vec<Way> {
    let options = MessageOptions { delivery, ..MessageOptions::default() };
    let plain = MessageOptions { fuse: false, edge_log: false, ..options };
    let ample = Way { threads: 2, on_disk: false, memory: 32 << 20, options };
    vec![
        ample,
        Way { threads: 1, memory: 0, options: plain, ..ample },
        Way { threads: 4, on_disk: true, memory: 0, ..ample },
    ]
}

/// The graphs of the other tests, and some of several intervals and blocks of vertices.
fn all_graphs() -> Vec<Graph> {
    let edges =
        || drawn_edges(20_000, 40_000).into_iter().map(|(a, b, w)| (a, b, f64::from((w as u32 % 5) as f32 * 0.3)));
    let mut all = graphs();
    all.extend([true, false].map(|directed| Graph::new(20_000, edges().collect(), directed)));
    all
}

/// Runs a program in all of `ways`.
fn run(
    graph: &Graph,
    ways: Vec<Way>,
    work: impl Fn(Place) -> MessageWork,
    mut check: impl FnMut(&MessageEngine<'_>, Way),
) {
    for way in ways {
        let setting = match graph.directed {
            true => Setting::new(graph.vertices, graph.edges.clone(), way.threads),
            false => Setting::undirected(graph.vertices, &graph.edges, way.threads),
        };
        let folder = tempfile::tempdir().unwrap();
        let spill = SpillFolder::new(folder.path()).unwrap();
        let out = &setting.graph.out;
        let requirements = work(Place { on_disk: way.on_disk, ..graph.place() }).requirements;
        let degrees = DegreeSource::default().with(Direction::Out, setting.degrees(Direction::Out));
        let engine = MessageEngine::new(MessageSetup {
            lists: outcrop_store::access::OpenLists::new(
                Some(out),
                Some(if graph.directed { &setting.graph.into } else { out }),
            ),
            degrees: degrees.with(Direction::In, setting.degrees(Direction::In)),
            requirements,
            options: way.options,
            log: None,
            memory: way.memory.max(requirements.least().total()),
            spill: &spill,
            workers: &setting.graph.workers,
            budget: &setting.graph.budget,
            observer: &setting.graph.records,
        });
        check(&engine.unwrap(), way);
    }
}

const SYNCHRONOUS: Delivery = Delivery::Synchronous;

/// The first column as whole numbers.
fn numbers(outcome: &Outcome) -> Vec<u32> {
    bits(outcome)[0].iter().map(|bits| u32::try_from(*bits).unwrap()).collect()
}

#[test]
fn searches_by_engines_find_what_a_queue_does() {
    for graph in all_graphs() {
        let sources: Vec<u32> = [40, 0, 2, 40].into_iter().filter(|source| *source < graph.vertices).collect();
        with_ranks(graph.vertices, |ranks| {
            let expected = search(&graph, &sources);
            let columns = columns_of(&expected, ranks);
            for delivery in [SYNCHRONOUS, Delivery::Asynchronous] {
                run(
                    &graph,
                    ways(delivery),
                    |place| bfs::messages::work(place, delivery, true),
                    |engine, way| {
                        let found = bfs::messages::bfs(engine, &sources, Some(ranks), delivery).unwrap();
                        assert!(bits(&found) == columns, "{way:?}");
                    },
                );
            }
        });
    }
}

#[test]
fn components_by_engines_are_those_of_merging() {
    for graph in all_graphs() {
        with_ranks(graph.vertices, |ranks| {
            let expected = components(&graph, ranks);
            for delivery in [SYNCHRONOUS, Delivery::Asynchronous] {
                run(&graph, ways(delivery), wcc::messages::work, |engine, way| {
                    assert!(numbers(&wcc::messages::wcc(engine, ranks).unwrap()) == expected, "{way:?}");
                });
            }
        });
    }
}

#[test]
fn an_engine_runs_one_program_after_the_other() {
    let graph = &all_graphs()[0];
    let expected = components(graph, IdOrder(None));
    run(graph, ways(SYNCHRONOUS), wcc::messages::work, |engine, way| {
        let mut before = (0, 0);
        for _ in 0..2 {
            assert!(numbers(&wcc::messages::wcc(engine, IdOrder(None)).unwrap()) == expected, "{way:?}");
            let traffic = engine.value_traffic();
            assert!(!way.on_disk || traffic.0 > before.0 && traffic.1 > before.1, "{way:?}");
            before = traffic;
        }
    });
}

#[test]
fn ranks_by_engines_are_those_of_power_iteration() {
    for graph in all_graphs() {
        let jumps = [(0, 2.0), (0, 1.0)];
        let some = Some(&jumps[..]).filter(|_| graph.vertices > 0);
        let stops = [Stop::After(3), Stop::After(0), Stop::Below { tolerance: 1e-5, at_most: 40 }];
        let trials = stops.into_iter().zip([None, None, some]).take(if graph.vertices > 10_000 { 1 } else { 3 });
        for (stop, personalization) in trials {
            let parameters = PageRankParams { alpha: 0.85, stop, personalization };
            let (expected, iterations, change) = iterate(&graph, &parameters);
            run(&graph, ways(SYNCHRONOUS), messages::work::<f64>, |engine, way| {
                let found = messages::pagerank::<f64>(engine, &parameters, None).unwrap();
                assert_close(&reals(&found), &expected, 1e-12);
                assert!(graph.vertices == 0 || found.iterations == iterations);
                assert_eq!(found.convergence.is_some(), matches!(stop, Stop::Below { .. }));
                if let Some(convergence) = found.convergence {
                    assert!((convergence.change - change).abs() < 1e-12, "{way:?}");
                }
            });
        }
        let parameters = PageRankParams { alpha: 0.85, stop: Stop::After(9), personalization: None };
        let (expected, ..) = iterate(&graph, &parameters);
        run(&graph, ways(SYNCHRONOUS), messages::work::<f32>, |engine, _| {
            assert_close(&reals(&messages::pagerank::<f32>(engine, &parameters, None).unwrap()), &expected, 1.2e-6);
        });
    }
}

#[test]
fn ranks_do_not_depend_on_threads() {
    let graph = Graph::new(20_000, drawn_edges(20_000, 40_000), true);
    let parameters = PageRankParams { alpha: 0.85, stop: Stop::After(6), personalization: None };
    let with = |threads| Way { threads, ..ways(SYNCHRONOUS)[2] };
    let (mut of_ranks, mut of_changes) = (Vec::new(), Vec::new());
    run(&graph, [1, 2, 4].map(with).to_vec(), messages::work::<f64>, |engine, _| {
        of_ranks.push(bits(&messages::pagerank::<f64>(engine, &parameters, None).unwrap()));
    });
    run(&graph, [1, 2, 4].map(with).to_vec(), messages_delta::work::<f64>, |engine, _| {
        of_changes.push(bits(&messages_delta::pagerank_delta::<f64>(engine, &parameters, 1e-2, None).unwrap()));
    });
    assert!(of_ranks.len() == 3 && of_ranks[0] == of_ranks[1] && of_ranks[1] == of_ranks[2]);
    assert!(of_changes.len() == 3 && of_changes[0] == of_changes[1] && of_changes[1] == of_changes[2]);
}

#[test]
fn changes_by_engines_are_those_of_the_executor() {
    for graph in all_graphs() {
        let parameters = PageRankParams { alpha: 0.85, stop: Stop::After(500), personalization: None };
        let delta = 1e-3;
        let (expected, supersteps) = by_changes(&graph, &parameters, delta, How::default());
        run(&graph, ways(SYNCHRONOUS), messages_delta::work::<f64>, |engine, way| {
            let found = messages_delta::pagerank_delta::<f64>(engine, &parameters, delta, None).unwrap();
            let error: f64 = reals(&found).iter().zip(&expected).map(|(one, other)| (one - other).abs()).sum();
            assert!(error <= 1e-12 && found.iterations == supersteps.saturating_sub(1), "{way:?}: {error:e}");
        });
    }
}

fn never(edge: RefusedEdge) -> Error {
    panic!("{edge:?}")
}

#[test]
fn labels_by_engines_are_those_of_the_definition() {
    for graph in all_graphs() {
        with_ranks(graph.vertices, |ranks| {
            for (by_weights, iterations) in [(false, 0), (false, 12), (true, 3)] {
                let expected = propagate(&graph, ranks, iterations, by_weights);
                run(
                    &graph,
                    ways(SYNCHRONOUS),
                    |place| cdlp::messages::work(place, by_weights),
                    |engine, way| {
                        let refuse = by_weights.then_some(&never as &dyn Fn(RefusedEdge) -> Error);
                        let found = cdlp::messages::cdlp(engine, ranks, iterations, refuse).unwrap();
                        assert!(numbers(&found) == expected && found.iterations <= iterations, "{way:?}");
                    },
                );
            }
        });
    }
}

#[test]
fn colors_by_engines_are_those_of_one_vertex_after_the_other() {
    for graph in all_graphs() {
        with_ranks(graph.vertices, |ranks| {
            let order = Order::new(ranks, 7);
            let expected = expected_colors(&graph, &order);
            run(&graph, ways(SYNCHRONOUS), coloring::messages::work, |engine, way| {
                assert!(numbers(&coloring::messages::coloring(engine, order).unwrap()) == expected, "{way:?}");
            });
        });
    }
}

#[test]
fn sets_by_engines_are_independent_maximal_and_always_the_same() {
    for graph in all_graphs() {
        let mut same = None;
        run(&graph, ways(SYNCHRONOUS), mis::messages::work, |engine, way| {
            let found = numbers(&mis::messages::mis(engine, IdOrder(None), 7).unwrap());
            for vertex in 0..graph.vertices {
                let members = graph.others(vertex).filter(|(other, _)| found[*other as usize] == 1).count();
                assert_eq!(u32::from(members == 0), found[vertex as usize], "{way:?}");
            }
            assert!(*same.get_or_insert_with(|| found.clone()) == found, "{way:?}");
        });
    }
}

#[test]
fn walks_by_engines_are_those_of_the_executor() {
    let plain = Choice { seed: 1, restart: 0.0, p: 1.0, q: 1.0 };
    let choices = [(7, plain), (5, Choice { restart: 0.2, p: 0.5, q: 2.0, ..plain })];
    for (graph, (length, choice)) in all_graphs().iter().flat_map(|graph| choices.map(|choice| (graph, choice))) {
        let given: Vec<u32> = [3, 0, 3, 1].into_iter().filter(|start| *start < graph.vertices).collect();
        for starts in [WalkStarts::Every(7), WalkStarts::at(&given)] {
            let expected = walk(graph, &starts, IdOrder(None), length, choice, How::default());
            for delivery in [SYNCHRONOUS, Delivery::Asynchronous] {
                run(
                    graph,
                    ways(delivery),
                    |place| walks::work(place, &starts, &choice),
                    |engine, way| {
                        let (outcome, records) =
                            walks::walks(engine, &starts, IdOrder(None), length, &choice, |_| unreachable!()).unwrap();
                        assert!(outcome.columns.is_empty());
                        let mut found = vec![Vec::new(); expected.len()];
                        let each = |walks: VertexRange, begins: &[u32], records: &mut [walks::Record]| {
                            for (walk, of) in walks.iter().zip(begins.windows(2)) {
                                let steps = &mut records[of[0] as usize..of[1] as usize];
                                steps.sort_unstable();
                                assert!(steps.iter().zip(0..).all(|([step, _], place)| *step == place));
                                found[walk as usize] = steps.iter().map(|[_, rank]| *rank).collect();
                            }
                            Ok(())
                        };
                        records.unwrap().for_each_block(1 << 20, each).unwrap();
                        assert!(found == expected, "{way:?}");
                    },
                );
            }
        }
    }
}

#[test]
fn messages_that_arrive_earlier_need_no_more_supersteps() {
    let choice = Choice { seed: 1, restart: 0.2, p: 0.5, q: 2.0 };
    let starts = WalkStarts::Every(7);
    let mut fewer = 0;
    for graph in all_graphs().iter().filter(|graph| graph.vertices > 0) {
        let of = |delivery| {
            let mut supersteps = Vec::new();
            let some = || ways(delivery)[..1].to_vec();
            run(
                graph,
                some(),
                |place| bfs::messages::work(place, delivery, false),
                |engine, _| {
                    supersteps.push(bfs::messages::bfs(engine, &[0], None, delivery).unwrap().iterations);
                },
            );
            run(graph, some(), wcc::messages::work, |engine, _| {
                supersteps.push(wcc::messages::wcc(engine, IdOrder(None)).unwrap().iterations);
            });
            run(
                graph,
                some(),
                |place| walks::work(place, &starts, &choice),
                |engine, _| {
                    let walked = walks::walks(engine, &starts, IdOrder(None), 6, &choice, |_| unreachable!()).unwrap();
                    supersteps.push(walked.0.iterations);
                },
            );
            supersteps
        };
        let [later, sooner] = [SYNCHRONOUS, Delivery::Asynchronous].map(of);
        assert!(sooner.iter().zip(&later).all(|(sooner, later)| sooner <= later), "{sooner:?}, {later:?}");
        fewer += sooner.iter().zip(&later).filter(|(sooner, later)| sooner < later).count();
    }
    assert!(fewer > 0);
}

#[test]
fn those_whose_answers_depend_on_delivery_are_known() {
    let refuses = |name: &str, given: &[(&str, f64)]| {
        let algorithm = find_algorithm(name).unwrap();
        let mut args = Args::new(algorithm.spec().name, algorithm.params());
        given.iter().for_each(|(name, number)| args.set(name, *number).unwrap());
        let plan = algorithm.plan(Model::Messages, &Shape::SMALLEST, &args).unwrap().unwrap();
        matches!(plan.work, ModelWork::Messages(MessageWork { synchronous: Some(_), .. }, _))
    };
    assert!(["cdlp", "coloring", "mis", "pagerank"].into_iter().all(|name| refuses(name, &[])));
    assert!(!["bfs", "wcc", "walks"].into_iter().any(|name| refuses(name, &[])));
    assert!(refuses("pagerank", &[("delta", 0.1)]));
}
