//! Priority queue of vertices by score, with scores that change by one.

use outcrop_types::{VertexId, index_from};

/// Value in `places` of a vertex that is not in the heap because its score is 0.
const ABSENT: u32 = u32::MAX;
/// Value in `places` of a removed vertex.
const TAKEN: u32 = u32::MAX - 1;

/// Max-heap of the vertices with a score, ties by lowest number. A decreased score is processed only when its vertex
/// reaches the top (the lazy queue of section 4.3 of the paper). Takes 16 bytes per vertex.
pub(super) struct Queue {
    scores: Vec<u32>,
    /// Keys of the heap: the score, or an earlier one.
    bounds: Vec<u32>,
    places: Vec<u32>,
    heap: Vec<VertexId>,
}

impl Queue {
    /// Returns the memory for `vertices` vertices, in bytes.
    pub(super) const fn bytes(vertices: u64) -> u64 {
        16 * vertices
    }

    /// Creates a queue with all scores 0.
    pub(super) fn new(vertices: usize) -> Self {
        Self {
            scores: vec![0; vertices],
            bounds: vec![0; vertices],
            places: vec![ABSENT; vertices],
            heap: Vec::with_capacity(vertices),
        }
    }

    /// Returns true if `vertex` was removed.
    pub(super) fn is_taken(&self, vertex: VertexId) -> bool {
        self.places[at(vertex)] == TAKEN
    }

    #[inline]
    pub(super) fn raise(&mut self, vertex: VertexId) {
        let place = self.places[at(vertex)];
        if place == TAKEN {
            return;
        }
        self.scores[at(vertex)] += 1;
        let score = self.scores[at(vertex)];
        if place == ABSENT {
            self.bounds[at(vertex)] = score;
            self.heap.push(vertex);
            self.sift_up(self.heap.len() - 1);
        } else if score > self.bounds[at(vertex)] {
            self.bounds[at(vertex)] = score;
            self.sift_up(at(place));
        }
    }

    /// Undoes one [`Queue::raise`].
    #[inline]
    pub(super) fn lower(&mut self, vertex: VertexId) {
        if self.places[at(vertex)] != TAKEN {
            self.scores[at(vertex)] -= 1;
        }
    }

    /// Removes and returns the vertex with the highest score; `None` if all scores are 0.
    pub(super) fn pop(&mut self) -> Option<VertexId> {
        while let Some(top) = self.heap.first().copied() {
            let score = self.scores[at(top)];
            if score == self.bounds[at(top)] && score > 0 {
                self.remove_top();
                self.places[at(top)] = TAKEN;
                return Some(top);
            }
            if score == 0 {
                self.remove_top();
                self.places[at(top)] = ABSENT;
            } else {
                self.bounds[at(top)] = score;
                self.sift_down(0);
            }
        }
        None
    }

    /// Marks a vertex with score 0 outside the heap as removed: the first one, or any after [`Queue::pop`] returned
    /// `None`.
    pub(super) fn take(&mut self, vertex: VertexId) {
        self.places[at(vertex)] = TAKEN;
    }

    fn remove_top(&mut self) {
        if let Some(last) = self.heap.pop().filter(|_| !self.heap.is_empty()) {
            self.heap[0] = last;
            self.places[at(last)] = 0;
            self.sift_down(0);
        }
    }

    fn before(&self, one: VertexId, other: VertexId) -> bool {
        let (of_one, of_other) = (self.bounds[at(one)], self.bounds[at(other)]);
        of_one > of_other || (of_one == of_other && one < other)
    }

    fn sift_up(&mut self, mut place: usize) {
        let vertex = self.heap[place];
        while place > 0 && self.before(vertex, self.heap[(place - 1) / 2]) {
            self.put(place, self.heap[(place - 1) / 2]);
            place = (place - 1) / 2;
        }
        self.put(place, vertex);
    }

    fn sift_down(&mut self, mut place: usize) {
        let vertex = self.heap[place];
        loop {
            let mut child = 2 * place + 1;
            if child + 1 < self.heap.len() && self.before(self.heap[child + 1], self.heap[child]) {
                child += 1;
            }
            if child >= self.heap.len() || !self.before(self.heap[child], vertex) {
                break;
            }
            self.put(place, self.heap[child]);
            place = child;
        }
        self.put(place, vertex);
    }

    fn put(&mut self, place: usize, vertex: VertexId) {
        self.heap[place] = vertex;
        self.places[at(vertex)] = place as u32;
    }
}

fn at(number: u32) -> usize {
    index_from(u64::from(number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_gives_what_looking_at_all_scores_gives(changes in proptest::collection::vec((0_u32..12, 0..4), 0..200)) {
            let mut queue = Queue::new(12);
            let mut model = [Some(0_u32); 12];
            for (vertex, change) in changes {
                let score = &mut model[vertex as usize];
                match change {
                    0 | 1 => {
                        queue.raise(vertex);
                        *score = score.map(|score| score + 1);
                    }
                    2 if score.is_some_and(|score| score > 0) => {
                        queue.lower(vertex);
                        *score = score.map(|score| score - 1);
                    }
                    _ => {
                        let all = (0..).zip(&model).filter_map(|(vertex, score)| Some(((*score)?, vertex)));
                        let best = all.filter(|(score, _)| *score > 0).max_by_key(|(score, vertex)| (*score, 12 - vertex));
                        prop_assert_eq!(queue.pop(), best.map(|(_, vertex)| vertex));
                        if let Some((_, vertex)) = best {
                            model[vertex as usize] = None;
                        }
                    }
                }
                prop_assert!((0..12).all(|vertex| queue.is_taken(vertex) == model[vertex as usize].is_none()));
            }
        }
    }
}
