//! First neighbors that a sweep shows before it reads lists.

use crate::cases::collect::Reading;
use crate::cases::layouts::some;
use crate::reading::adjacency::{built, during, small_hubs};
use outcrop_store::access::{Adjacency, FoldLists, Neighbors};
use outcrop_store::layout::{LayoutKind, has_first_neighbors};
use outcrop_types::{Direction, VertexId, VertexRange};
use std::ops::ControlFlow;
use std::sync::Mutex;

/// Settles every list whose vertex is a multiple of `step` by its first neighbor.
struct Settled {
    step: u32,
    /// Vertices and first neighbors, of those that were shown and of lists.
    shown: Mutex<Vec<(VertexId, VertexId)>>,
    read: Mutex<Vec<(VertexId, VertexId)>>,
}

impl FoldLists for Settled {
    type Fold = Option<VertexId>;

    fn selective(&self) -> bool {
        false
    }

    fn peeks(&self) -> bool {
        true
    }

    fn peek(&self, vertex: VertexId, neighbor: VertexId) -> bool {
        let settles = vertex.is_multiple_of(self.step);
        if settles {
            self.shown.lock().unwrap().push((vertex, neighbor));
        }
        settles
    }

    fn begin(&self, _: VertexId) -> Option<VertexId> {
        None
    }

    fn neighbors(&self, _: VertexId, first: &mut Option<VertexId>, piece: Neighbors<'_>) -> ControlFlow<()> {
        first.get_or_insert(piece.ids()[0]);
        ControlFlow::Continue(())
    }

    fn end(&self, vertex: VertexId, first: Option<VertexId>) {
        self.read.lock().unwrap().extend(first.map(|first| (vertex, first)));
    }
}

#[test]
fn a_list_is_settled_by_its_first_neighbor_or_read() {
    for layout in some().into_iter().filter(|layout| layout.kind() == LayoutKind::Chunked) {
        let built = built(&small_hubs(true).laid_out(&layout));
        let lists = Reading { threads: 2, ..Reading::PLAIN }.open(&built.store, Direction::Out).unwrap();
        let kept = built.store.manifest().file("out.firsts").is_some();
        assert_eq!((kept, kept), (has_first_neighbors(&built.store), lists.can_peek_first_neighbors()), "{layout:?}");
        let chunks = built.store.manifest().file("out.chunks").unwrap().bytes;
        for step in [1, 2, 5] {
            let visit = Settled { step, shown: Mutex::default(), read: Mutex::default() };
            let all = VertexRange::new(0, lists.num_vertices());
            let read = during(&lists, |lists| lists.sweep(all, &visit));
            let (shown, mut found) = (visit.shown.into_inner().unwrap(), visit.read.into_inner().unwrap());
            assert_eq!(shown.is_empty(), !kept, "{layout:?}");
            assert!(!kept || step > 1 || read.bytes_read < chunks, "{read:?}");
            found.extend(shown);
            found.sort_unstable();
            let model = (0..).zip(built.model.lists(Direction::Out));
            let expected: Vec<_> = model.filter_map(|(vertex, list)| Some((vertex, list.first()?.0))).collect();
            assert_eq!(found, expected, "{layout:?} {step}");
        }
    }
}
