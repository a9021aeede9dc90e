//! Nothing depends on threads.

use crate::graphs::Arcs;
use crate::programs::{Choosing, Others, Ranks, Shortest};
use crate::setting::{Came, Room, Way, kinds_of, run};
use outcrop_engine::gas::GasProgram;
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
