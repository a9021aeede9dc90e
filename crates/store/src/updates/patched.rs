//! Visitor adapter that merges pending changes into lists.

use super::changes::{EdgeChanges, VertexChanges};
use crate::access::{ChangeLists, Changing, Neighbors, TakePart, Visit};
use outcrop_types::{Result, VertexId};
use std::ops::ControlFlow;

/// Passes `visit`, wrapped so that it sees `changes` if there are any, to `read`.
///
/// # Errors
///
/// Returns the error of `read`.
pub fn with_changes(
    visit: &dyn Visit,
    changes: Option<&EdgeChanges>,
    read: impl FnOnce(&dyn Visit) -> Result<()>,
) -> Result<()> {
    match changes {
        None => read(visit),
        Some(changes) => read(&Changing::new(visit, changes)),
    }
}

/// Drops removed entries, and inserts added entries after existing equal ones.
impl<'c> ChangeLists for &'c EdgeChanges {
    /// Remaining changes of the list.
    type Rest = Option<VertexChanges<'c>>;

    #[inline]
    fn leaves(&self, vertex: VertexId) -> bool {
        !self.marked(vertex)
    }

    fn changed(&self, first: VertexId) -> u64 {
        self.marks_from(first)
    }

    fn first(&self, vertex: VertexId, stored: VertexId) -> Option<VertexId> {
        let Some(changes) = self.of(vertex) else { return Some(stored) };
        let stays = changes.removed.binary_search(&stored).is_err();
        stays.then(|| changes.added.first().map_or(stored, |added| stored.min(*added)))
    }

    #[inline]
    fn begin(&self, vertex: VertexId) -> Option<Self::Rest> {
        Some(self.of(vertex))
    }

    #[inline]
    fn piece(&self, rest: &mut Self::Rest, piece: Neighbors<'_>, take: TakePart<'_>) -> ControlFlow<()> {
        match rest {
            None => take(piece),
            Some(rest) => merge(rest, piece, take),
        }
    }

    #[inline]
    fn end(&self, rest: Self::Rest, take: TakePart<'_>) {
        if let Some(rest) = rest.filter(|rest| !rest.added.is_empty()) {
            // The list ends here whether or not `take` breaks.
            _ = take(Neighbors::new(rest.added, rest.weights));
        }
    }
}

/// Passes on the entries of `piece` with their changes, in parts, and removes the applied changes from `rest`.
#[inline(never)]
fn merge<'c>(rest: &mut VertexChanges<'c>, piece: Neighbors<'_>, take: TakePart<'_>) -> ControlFlow<()> {
    let mut take = |part: Neighbors<'_>| if part.is_empty() { ControlFlow::Continue(()) } else { take(part) };
    let mut piece = piece;
    while let Some(next) = next_of(rest).filter(|_| !piece.is_empty()) {
        let ids = piece.ids();
        let before = ids.partition_point(|id| *id < next);
        let same = ids[before..].iter().take_while(|id| **id == next).count();
        let removed = rest.removed.first() == Some(&next);
        let kept = if removed { before } else { before + same };
        let behind = ids.get(before + same).copied();
        take(piece.part(0..kept))?;
        piece = piece.part(before + same..ids.len());
        // The next piece may start with more copies of the last entry.
        let Some(behind) = behind else { return ControlFlow::Continue(()) };
        if removed {
            rest.removed = &rest.removed[1..];
        }
        let until = rest.removed.first().map_or(behind, |id| behind.min(*id));
        take(added_before(rest, until))?;
    }
    take(piece)
}

/// Returns the neighbor of the next change.
#[inline]
fn next_of(rest: &VertexChanges<'_>) -> Option<VertexId> {
    match (rest.removed.first(), rest.added.first()) {
        (Some(removed), Some(added)) => Some(*removed.min(added)),
        (removed, added) => removed.or(added).copied(),
    }
}

/// Takes the entries added before `until` from `rest`.
fn added_before<'c>(rest: &mut VertexChanges<'c>, until: VertexId) -> Neighbors<'c> {
    let all = Neighbors::new(rest.added, rest.weights);
    let count = rest.added.partition_point(|id| *id < until);
    let later = all.part(count..all.len());
    (rest.added, rest.weights) = (later.ids(), later.weights());
    all.part(0..count)
}

#[cfg(test)]
mod tests {
    use super::super::EdgeChange;
    use super::*;
    use crate::access::{AccessStatistics, FoldLists, Packer};
    use outcrop_types::MemoryBudget;
    use proptest::prelude::*;
    use std::collections::BTreeMap;
    use std::sync::Mutex;

    type Entry = (VertexId, f64);

    /// Visitor that records up to a number of entries.
    struct Keep {
        most: usize,
        lists: Mutex<BTreeMap<VertexId, Vec<Entry>>>,
    }

    impl FoldLists for Keep {
        type Fold = Vec<Entry>;

        fn begin(&self, _: VertexId) -> Vec<Entry> {
            Vec::new()
        }

        fn neighbors(&self, _: VertexId, list: &mut Vec<Entry>, piece: Neighbors<'_>) -> ControlFlow<()> {
            assert!(!piece.is_empty() && list.len() < self.most, "a visitor that has had enough is not asked again");
            piece.try_for_each(|id, weight| {
                list.push((id, weight));
                if list.len() < self.most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            })
        }

        fn end(&self, vertex: VertexId, list: Vec<Entry>) {
            assert_eq!(self.lists.lock().unwrap().insert(vertex, list), None);
        }
    }

    /// Returns the entries of a list that arrives in pieces of `piece` entries.
    fn shown(vertex: VertexId, list: &[Entry], piece: usize, most: usize, changes: &EdgeChanges) -> Vec<Entry> {
        let visit = Keep { most, lists: Mutex::default() };
        let (ids, weights): (Vec<VertexId>, Vec<f64>) = list.iter().copied().unzip();
        let change = |visit: &dyn Visit| {
            let mut packer = Packer::new(visit);
            packer.begin(vertex);
            for (ids, weights) in ids.chunks(piece).zip(weights.chunks(piece)) {
                if packer.piece(Neighbors::new(ids, Some(weights)).into()).is_break() {
                    break;
                }
            }
            packer.end()?;
            packer.finish(&AccessStatistics::default())
        };
        with_changes(&visit, Some(changes), change).unwrap();
        visit.lists.into_inner().unwrap().remove(&vertex).unwrap()
    }

    fn expected(list: &[Entry], changes: &[EdgeChange]) -> Vec<Entry> {
        let mut list = list.to_vec();
        for EdgeChange { neighbor, change, .. } in changes.iter().filter(|change| change.vertex == 1) {
            match change {
                super::super::Change::Removed { .. } => list.retain(|(id, _)| id != neighbor),
                super::super::Change::Added { weight } => list.push((*neighbor, *weight)),
            }
        }
        list.sort_by_key(|(id, _)| *id);
        list
    }

    fn any_changes() -> impl Strategy<Value = Vec<EdgeChange>> {
        let one = (0..3_u32, 0..30_u32, any::<bool>(), 0..9_u8).prop_map(|(vertex, neighbor, add, weight)| match add {
            true => EdgeChange::added(vertex, neighbor, f64::from(weight)),
            false => EdgeChange::removed(vertex, neighbor, 1),
        });
        proptest::collection::vec(one, 0..40)
    }

    proptest! {
        #[test]
        fn any_pieces_with_any_changes_are_what_a_plain_list_would_be(
            mut list in proptest::collection::vec((0..30_u32, 0..9_u8), 0..60),
            changes in any_changes(), piece in 1..20_usize, most in 1..90_usize,
        ) {
            list.sort_by_key(|(id, _)| *id);
            let list: Vec<Entry> = list.into_iter().map(|(id, weight)| (id, f64::from(weight))).collect();
            let held = EdgeChanges::new(30, true, changes.clone(), &MemoryBudget::new(1 << 20)).unwrap();
            let mut expected = expected(&list, &changes);
            expected.truncate(most);
            prop_assert_eq!(shown(1, &list, piece, most, &held), expected);
        }
    }

    #[test]
    fn lists_without_changes_come_as_they_are() {
        let changes =
            EdgeChanges::new(30, true, vec![EdgeChange::added(2, 5, 1.0)], &MemoryBudget::new(1 << 20)).unwrap();
        let list = [(3, 1.0), (5, 2.0), (5, 3.0)];
        assert_eq!(shown(1, &list, 2, 9, &changes), list);
        assert_eq!(shown(2, &[], 2, 9, &changes), [(5, 1.0)]);
    }
}
