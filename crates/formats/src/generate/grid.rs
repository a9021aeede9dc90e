//! Grid graph: long paths, small degrees, and closed formulas for all results.

use super::generator::EdgeGenerator;
use super::weight::{EdgeWeights, WeightDistribution};
use outcrop_types::{Error, Result};

/// Undirected grid in which each vertex has up to four neighbors. The vertex in row `r` and column `c` is
/// `r * columns + c`.
///
/// Every edge is listed once, from the smaller end to the larger, in ascending order of the smaller and then the larger
/// end.
#[derive(Clone, Debug)]
pub struct Grid {
    columns: u64,
    vertices: u64,
    edges: u64,
    weights: EdgeWeights,
}

impl Grid {
    /// Creates a grid of `rows` by `columns` vertices; `seed` affects only the weights.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Usage`] if there are no rows or columns, if the number of vertices exceeds 63 bits, or if the
    /// weights are invalid.
    pub fn new(rows: u64, columns: u64, seed: u64, weights: Option<WeightDistribution>) -> Result<Self> {
        if rows == 0 || columns == 0 {
            return Err(Error::Usage(format!("a grid needs at least one row and one column, not {rows} by {columns}")));
        }
        let fits = |vertices: &u64| *vertices <= u64::MAX / 2;
        let vertices = rows.checked_mul(columns).filter(fits);
        let vertices = vertices.ok_or_else(|| Error::Usage(format!("a grid of {rows} by {columns} is too large")))?;
        let edges = rows * (columns - 1) + (rows - 1) * columns;
        Ok(Self { columns, vertices, edges, weights: EdgeWeights::new(weights, seed)? })
    }
}

impl EdgeGenerator for Grid {
    fn num_vertices(&self) -> u64 {
        self.vertices
    }

    fn num_edges(&self) -> u64 {
        self.edges
    }

    // There are two edges per vertex, right and down, in ascending order; the last vertex of a row has no right edge,
    // and the last row has no down edges.
    #[inline]
    fn edge(&self, number: u64) -> [u64; 2] {
        let row_edges = 2 * (self.columns - 1) + 1;
        let (row, place) = (number / row_edges, number % row_edges);
        let first = row * self.columns;
        if first + self.columns == self.vertices {
            return [first + place, first + place + 1];
        }
        let from = first + place / 2;
        let right = place % 2 == 0 && place + 1 < row_edges;
        [from, if right { from + 1 } else { from + self.columns }]
    }

    fn weights(&self) -> &EdgeWeights {
        &self.weights
    }
}
