//! First neighbors that a sweep shows before it reads lists.

use crate::cases::collect::Reading;
use crate::cases::layouts::some;
use crate::cases::model::Model;
use crate::harm::crash::NAME;
use crate::reading::adjacency::{built, during, small_hubs};
use crate::writing::updates::{Edges, update_on};
use outcrop_io::Disk;
use outcrop_store::Store;
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

/// Checks that each list is settled by its first neighbor or read, and returns the bytes read by settling all.
fn assert_settled(store: &Store, model: &Model) -> u64 {
    let kept = store.manifest().file("out.firsts").is_some();
    let lists = Reading { threads: 2, ..Reading::PLAIN }.open(store, Direction::Out).unwrap();
    assert_eq!((kept, kept), (has_first_neighbors(store), lists.can_peek_first_neighbors()));
    let bytes_read = [5, 2, 1].map(|step| {
        let visit = Settled { step, shown: Mutex::default(), read: Mutex::default() };
        let all = VertexRange::new(0, lists.num_vertices());
        let read = during(&lists, |lists| lists.sweep(all, &visit));
        let (shown, mut found) = (visit.shown.into_inner().unwrap(), visit.read.into_inner().unwrap());
        assert_eq!(shown.is_empty(), !kept);
        found.extend(shown);
        found.sort_unstable();
        let expected = (0..).zip(model.lists(Direction::Out));
        let expected: Vec<_> = expected.filter_map(|(vertex, list)| Some((vertex, list.first()?.0))).collect();
        assert_eq!(found, expected, "{step}");
        read.bytes_read
    });
    bytes_read[2]
}

#[test]
fn a_list_is_settled_by_its_first_neighbor_or_read() {
    for layout in some().into_iter().filter(|layout| layout.kind() == LayoutKind::Chunked) {
        println!("{layout:?}");
        let built = built(&small_hubs(true).laid_out(&layout));
        let read = assert_settled(&built.store, &built.model);
        let manifest = built.store.manifest();
        assert!(manifest.file("out.firsts").is_none() || read < manifest.file("out.chunks").unwrap().bytes);
    }
}

/// Removes the first entry of some lists and inserts entries before, after and where there were none. Without removals,
/// no more is read than before.
#[test]
fn a_changed_list_is_settled_by_its_present_first_neighbor() {
    for layout in some().into_iter().filter(|layout| layout.kind() == LayoutKind::Chunked) {
        println!("{layout:?}");
        let case = small_hubs(true).laid_out(&layout);
        let model = Model::of(&case);
        let firsts = (0_u64..).zip(model.lists(Direction::Out));
        let firsts = firsts.filter_map(|(vertex, list)| Some((vertex, u64::from(list.first()?.0))));
        let last = u64::from(model.vertices()) - 1;
        let added = (0..=last).step_by(5).flat_map(|vertex| [(vertex, vertex / 7, 1.0), (vertex, last, 1.0)]);
        let (removed, added): (Vec<_>, Vec<_>) = (firsts.step_by(3).collect(), added.collect());
        for removed in [removed, Vec::new()] {
            let (folder, edges) = (tempfile::tempdir().unwrap(), Edges { removed, added: added.clone() });
            let target = folder.path().join(NAME);
            case.build(&target).unwrap();
            let before = assert_settled(&Store::open(&target).unwrap(), &model);
            update_on(&Disk, &target, &edges.between_vertices(&case)).unwrap();
            let (updated, expected) = (Store::open(&target).unwrap(), Model::of(&edges.on(&case)));
            let read = assert_settled(&updated, &expected);
            assert!(read <= before || !edges.removed.is_empty(), "{read} bytes instead of {before}");
        }
    }
}
