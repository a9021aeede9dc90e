//! Preorder numbers of a rooted forest.

use crate::UNREACHED;
use outcrop_engine::Engine;
use outcrop_types::{Purpose, Result, VertexId, VertexValues};

/// Rooted forest whose vertices have the numbers in which a depth-first search finds them.
pub(crate) struct Preorder {
    /// Parent of each vertex; [`UNREACHED`] for roots.
    pub(crate) parent: VertexValues<u32>,
    pub(crate) number: VertexValues<u32>,
    /// Number of vertices of the tree below each vertex, with it.
    size: VertexValues<u32>,
    /// All vertices, each after its children.
    upward: VertexValues<u32>,
}

impl Preorder {
    /// Returns the memory for `vertices` vertices, in bytes.
    pub(crate) fn bytes(vertices: u32) -> u64 {
        5 * VertexValues::<u32>::bytes(u64::from(vertices))
    }

    /// Numbers the vertices.
    ///
    /// # Errors
    ///
    /// Returns an error if the budget is too small.
    pub(crate) fn new(engine: &Engine<'_>, parent: VertexValues<u32>) -> Result<Self> {
        let values = |value: u32| VertexValues::new(engine.budget(), Purpose::VertexValues, parent.len(), |_| value);
        // Number of children that are not in `upward` yet; later, the first number for the next child.
        let mut left = values(0)?;
        let (mut upward, mut size, mut number) = (values(0)?, values(1)?, values(0)?);
        parent.iter().filter(|parent| **parent != UNREACHED).for_each(|parent| left[*parent as usize] += 1);
        let mut end = 0;
        for leaf in (0..engine.vertices()).filter(|vertex| left[*vertex as usize] == 0) {
            upward[end] = leaf;
            end += 1;
        }
        for place in 0..parent.len() {
            let vertex = upward[place];
            let above = parent[vertex as usize];
            if above != UNREACHED {
                size[above as usize] += size[vertex as usize];
                left[above as usize] -= 1;
                if left[above as usize] == 0 {
                    upward[end] = above;
                    end += 1;
                }
            }
        }
        let mut next = 0;
        for vertex in upward.iter().rev().map(|vertex| *vertex as usize) {
            let start = match parent[vertex] {
                UNREACHED => &mut next,
                above => &mut left[above as usize],
            };
            number[vertex] = *start;
            *start += size[vertex];
            left[vertex] = number[vertex] + 1;
        }
        Ok(Self { parent, number, size, upward })
    }

    /// Calls `at` with each vertex and its parent, after those of its children.
    pub(crate) fn upward(&self, mut at: impl FnMut(VertexId, VertexId)) {
        for vertex in self.upward.iter() {
            let parent = self.parent[*vertex as usize];
            if parent != UNREACHED {
                at(*vertex, parent);
            }
        }
    }

    /// Calls `at` with each vertex and its parent, before those of its children.
    pub(crate) fn downward(&self, mut at: impl FnMut(VertexId, VertexId)) {
        for vertex in self.upward.iter().rev() {
            let parent = self.parent[*vertex as usize];
            if parent != UNREACHED {
                at(*vertex, parent);
            }
        }
    }

    /// Returns true if the vertex with this preorder `number` is in the tree below `vertex`.
    #[inline]
    pub(crate) fn is_below(&self, number: u32, vertex: VertexId) -> bool {
        number.wrapping_sub(self.number[vertex as usize]) < self.size[vertex as usize]
    }
}
