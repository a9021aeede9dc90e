//! Nothing depends on threads.

use crate::graphs::Arcs;
use crate::interpreter::interpret;
use crate::programs::{Choosing, Others, Ranks, Shortest};
use crate::setting::{Came, KINDS, Room, Way, kinds_of, run};
use outcrop_gas::GasProgram;
use outcrop_types::{GasFigures, GasStepFigures};

/// Figures but for the time they took.
pub fn timeless(figures: &GasFigures) -> GasFigures {
    let steps = figures.steps.iter().map(|step| GasStepFigures { seconds: 0.0, ..*step }).collect();
    GasFigures { steps, ..figures.clone() }
}

fn same_with_all_threads<P: GasProgram>(program: &P, graph: &Arcs) {
    for kind in kinds_of::<P>() {
        // Between the two, which blocks memory holds depends on who comes first.
        for (delay, room) in [(0, Room::Least), (600, Room::Least), (600, Room::Ample)] {
            let way = Way { intervals: 7, room, ..Way::new(kind, 0.5, delay) };
            let with_threads = |threads| run(program, graph, Way { threads, ..way }, 1000);
            let one = with_threads(1);
            for threads in [2, 3] {
                let more = with_threads(threads);
                let bytes = |came: &Came<P::Value>| bytemuck::cast_slice::<P::Value, u8>(&came.values).to_vec();
                assert!(bytes(&one) == bytes(&more), "{way:?} {threads}");
                assert_eq!(one.iterations, more.iterations, "{way:?} {threads}");
                assert!(timeless(&one.figures) == timeless(&more.figures), "{way:?} {threads}");
            }
        }
    }
}

#[test]
fn answers_and_figures_are_the_same_bit_for_bit() {
    same_with_all_threads(&Choosing::<Shortest>::NEW, &Arcs::drawn(700, 2500, 61));
    same_with_all_threads(&Ranks { threshold: 1e-3 }, &Arcs::drawn(600, 2500, 62));
    same_with_all_threads(&Others, &Arcs::forest(400, 60, 63));
}

#[test]
fn iterations_that_threads_share_are_those_of_a_loop_over_all_edges() {
    // Fewer edges are left to one thread.
    let graph = Arcs::drawn(3000, 12_000, 64).with_repeats();
    assert!(graph.arcs.len() > 1 << 14);
    let (shortest, ranks) = (Choosing::<Shortest>::NEW, Ranks { threshold: 1e-3 });
    let expected = (interpret(&shortest, &graph, 1000), interpret(&ranks, &graph, 1000));
    for kind in KINDS {
        let way = Way { threads: 3, intervals: 7, weighted: true, ..Way::new(kind, 0.9, 0) };
        let came = run(&shortest, &graph, way, 1000);
        assert!(came.values == expected.0.values && came.iterations == expected.0.iterations, "{kind:?}");
        let came = run(&ranks, &graph, way, 1000);
        let near = |(one, other): (&[f64; 2], &[f64; 2])| (one[0] - other[0]).abs() <= 1e-12 * other[0];
        assert!(came.values.iter().zip(&expected.1.values).all(near), "{kind:?}");
        assert_eq!(came.iterations, expected.1.iterations, "{kind:?}");
    }
}

#[test]
fn edges_in_both_directions_are_found_by_threads_that_share_an_iteration() {
    let graph = Arcs::symmetric(2000, 8000, 65);
    let expected = interpret(&Others, &graph, 6);
    for kind in kinds_of::<Others>() {
        let way = Way { threads: 3, intervals: 5, ..Way::new(kind, 1.0, 0) };
        assert!(run(&Others, &graph, way, 6).values == expected.values, "{kind:?}");
    }
}
