//! Nothing depends on threads.

use crate::graphs::Arcs;
use crate::programs::{Choosing, Others, Ranks, Shortest};
use crate::setting::{Came, KINDS, Setting, Way};
use outcrop_engine::gas::GasProgram;
use outcrop_types::{GasFigures, GasStepFigures, MemoryBudget};

/// Figures but for the time they took.
pub fn timeless(figures: &GasFigures) -> GasFigures {
    let steps = figures.steps.iter().map(|step| GasStepFigures { seconds: 0.0, ..*step }).collect();
    GasFigures { steps, ..figures.clone() }
}

/// Runs with little memory beside what each number of threads takes.
fn with_threads<P: GasProgram>(program: &P, graph: &Arcs, way: Way, threads: usize) -> Came<P::Value> {
    let mut setting = Setting::new(graph, Way { threads, ..way });
    let room = setting.least::<P>() + (6 << 10);
    setting.budget = MemoryBudget::new(room);
    setting.run(program, 1000).unwrap()
}

fn same_with_all_threads<P: GasProgram>(program: &P, graph: &Arcs) {
    for kind in KINDS {
        for delay in [0, 600] {
            let way = Way { intervals: 7, ..Way::new(kind, 0.5, delay) };
            let one = with_threads(program, graph, way, 1);
            for threads in [2, 3] {
                let more = with_threads(program, graph, way, threads);
                let bytes = |came: &Came<P::Value>| bytemuck::cast_slice::<P::Value, u8>(&came.values).to_vec();
                assert!(bytes(&one) == bytes(&more), "{way:?} {threads}");
                assert_eq!(one.iterations, more.iterations, "{way:?} {threads}");
                assert_eq!(timeless(&one.figures), timeless(&more.figures), "{way:?} {threads}");
            }
        }
    }
}

#[test]
fn answers_and_figures_are_the_same_bit_for_bit() {
    same_with_all_threads(&Choosing::<Shortest>::NEW, &Arcs::drawn(3000, 15_000, 61));
    same_with_all_threads(&Ranks { threshold: 1e-4 }, &Arcs::drawn(3000, 15_000, 62));
    same_with_all_threads(&Others, &Arcs::forest(3000, 100, 63));
}
