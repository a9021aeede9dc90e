//! Embedding by fast random projections.
//!
//! Definition: with the adjacency matrix A of the graph taken as undirected, the diagonal matrix D of its degrees d, m
//! edges and a sparse random matrix R, the product number q is (D^-1 A)^q L R with L = diag((d / 2m)^beta). The
//! embedding is the sum of the products from the second on, or the first product if it is the only one. Elements of R
//! are the square root of 3 with probability 1/6, its negative with probability 1/6, and otherwise 0 (Achlioptas, JCSS
//! 66, 2003); they depend on the seed, the original ID and the dimension. Duplicate edges count with their
//! multiplicity, and an edge of a directed graph in both directions.
//!
//! Paper: Chen, Sultan, Tian, Chen and Skiena, "Fast and Accurate Network Embeddings via Very Sparse Random
//! Projection", CIKM 2019: equation 6 with the coefficients 0, 1, 1, and so on.
//!
//! Returns: `embedding_<i>` f32 for each dimension i, in temporary files; 0 for vertices without edges.
//!
//! Memory: 4 bytes per vertex and 12 for each of the dimensions that are computed together (1, 2, 4, 8 or 16); both
//! indexes; the degrees; in stores of another order the ranks (4 bytes); checksums of the files, half a byte per vertex
//! for 64 dimensions.
//!
//! Passes over the edges: for each group of dimensions, one per iteration along the lists of each direction.
//!
//! Deviations: sums over lists are in f64 in the pieces of the layout, so the result does not depend on threads or on
//! the dimensions computed together. Other orders and layouts agree up to rounding.

use crate::outcome::{Column, Outcome, Values};
use crate::session::Session;
use crate::{AtomicFloat, IdOrder};
use outcrop_engine::{Engine, Gather};
use outcrop_io::ValueFile;
use outcrop_store::access::Neighbors;
use outcrop_types::{Direction, MemoryPlan, Purpose, Result, RunEnd, SplitMix64, VertexId, VertexRange, VertexValues};
use std::ops::Range;
use std::sync::atomic::AtomicU32;

/// Maximum number of dimensions that are computed together.
pub(super) const LANES: u32 = 16;

/// Number of vertices per unit of work of a thread.
const BLOCK: u32 = 1 << 13;

/// Parameters of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Projection {
    pub(super) dimensions: u32,
    pub(super) iterations: u32,
    pub(super) beta: f64,
    pub(super) seed: u64,
}

/// Returns the bytes of a file with a value per vertex.
fn column_bytes(vertices: u32) -> u64 {
    4 * u64::from(vertices)
}

/// Returns the memory of checksums for `dimensions` files.
fn checksum_bytes(vertices: u32, dimensions: u32) -> u64 {
    u64::from(dimensions) * ValueFile::<f32>::checksum_bytes(column_bytes(vertices)) + ValueFile::<f32>::FILL_BYTES
}

/// Returns the memory for `vertices` vertices without the indexes, for `lanes` of the `dimensions` at a time.
pub(super) fn memory(vertices: u32, dimensions: u32, lanes: u32) -> MemoryPlan {
    let lanes = lanes_within(lanes.min(dimensions));
    MemoryPlan::new()
        .with(Purpose::Degrees, VertexValues::<u32>::bytes(u64::from(vertices)))
        .with(Purpose::VertexValues, 3 * u64::from(lanes) * column_bytes(vertices))
        .with(Purpose::Results, checksum_bytes(vertices, dimensions))
}

/// Returns the space for temporary files, in bytes: those of all dimensions, and one more to sort one by original ID.
pub(super) fn temporary_bytes(vertices: u32, dimensions: u32) -> u64 {
    (u64::from(dimensions) + 1) * column_bytes(vertices).max(1)
}

/// Returns the number of dimensions that are computed together: a power of two, at most `most`.
const fn lanes_within(most: u32) -> u32 {
    if most >= LANES {
        LANES
    } else if most <= 1 {
        1
    } else {
        1 << most.ilog2()
    }
}

/// Computes the embedding; for an undirected graph, `directions` contains one direction.
///
/// # Errors
///
/// Returns an error if a read fails or the data is damaged, if the budget is too small, if the disk is full, or if the
/// run is interrupted.
pub(super) fn embedding(
    engine: &Engine<'_>,
    run: &Session<'_>,
    directions: &[Direction],
    projection: Projection,
) -> Result<Outcome> {
    let degrees = run.entries()?;
    let scale = Scale::new(&degrees, projection.beta);
    let lanes = lanes_within(run.batch.min(projection.dimensions));
    let _checksums =
        engine.budget().reserve(checksum_bytes(engine.vertices(), projection.dimensions), Purpose::Results)?;
    let most = projection.dimensions.div_ceil(lanes).saturating_mul(projection.iterations);
    engine.set_end(RunEnd::Iterations { most, tolerance: None });
    let empty = |_| ValueFile::zeroed(run.spill()?, engine.vertices().into());
    let files = (0..projection.dimensions).map(empty).collect::<Result<Vec<_>>>()?;
    // The dimensions are complete below this number.
    let (mut done, mut iterations) = (0, 0);
    while done < projection.dimensions {
        engine.checkpoint("dimensions", |state| {
            state.bounded(&mut done, projection.dimensions.into())?;
            state.number(&mut iterations)?;
            files.iter().try_for_each(|file| state.file(file))
        })?;
        let numbers = done..projection.dimensions.min(done.saturating_add(lanes));
        done = numbers.end;
        let work = Work { engine, ranks: run.ranks, directions, degrees: &degrees, scale: &scale, projection, numbers };
        iterations = match lanes {
            16 => work.run::<16>(&files),
            8 => work.run::<8>(&files),
            4 => work.run::<4>(&files),
            2 => work.run::<2>(&files),
            _ => work.run::<1>(&files),
        }?;
    }
    let named = (0..)
        .zip(files)
        .map(|(number, file): (u32, _)| Column::new(format!("embedding_{number}"), Values::Float32File(file)));
    Ok(Outcome::new(named.collect(), iterations))
}

/// Group of dimensions.
struct Work<'w> {
    engine: &'w Engine<'w>,
    ranks: IdOrder<'w>,
    directions: &'w [Direction],
    degrees: &'w [u32],
    scale: &'w Scale,
    projection: Projection,
    numbers: Range<u32>,
}

/// Values of the dimensions of a group per vertex.
type Rows<const L: usize> = VertexValues<[AtomicU32; L]>;

impl Work<'_> {
    /// Writes the files of the group; returns the number of iterations so far.
    fn run<const L: usize>(&self, files: &[ValueFile<f32>]) -> Result<u32> {
        let Self { engine, projection, degrees, scale, ranks, .. } = self;
        let random: Vec<_> =
            (0..L as u64).map(|lane| SplitMix64::new(projection.seed, u64::from(self.numbers.start) + lane)).collect();
        let start = |vertex: VertexId| {
            let (rank, scale) = (ranks.of(vertex), scale.of(degrees[vertex as usize]));
            std::array::from_fn(|lane| AtomicFloat::new(scale * element(random[lane], rank)))
        };
        let zeros = || engine.vertex_values(|_| std::array::from_fn(|_| AtomicFloat::new(0.0)));
        let (rows, next, sums): (Rows<L>, Rows<L>, Rows<L>) = (engine.vertex_values(start)?, zeros()?, zeros()?);
        let mut done = 0;
        for number in 0..projection.iterations {
            for direction in self.directions {
                engine.gather_along(*direction, &AddRows { from: &rows, to: &next })?;
            }
            let counts = number > 0 || projection.iterations == 1;
            engine.workers().map_blocks(engine.vertices(), BLOCK, |block: VertexRange| {
                for vertex in block.iter().map(|vertex| vertex as usize) {
                    let degree = f64::from(degrees[vertex].max(1));
                    for ((next, row), sum) in next[vertex].iter().zip(&rows[vertex]).zip(&sums[vertex]) {
                        let value = AtomicFloat::load(next) / degree;
                        AtomicFloat::store(next, 0.0);
                        AtomicFloat::store(row, value);
                        if counts {
                            AtomicFloat::store(sum, AtomicFloat::load(sum) + value);
                        }
                    }
                }
            });
            done = engine.end_iteration(None);
        }
        for (lane, number) in self.numbers.clone().enumerate() {
            let file = &files[number as usize];
            for (first, block) in (0..).step_by(BLOCK as usize).zip(sums.chunks(BLOCK as usize)) {
                let values: Vec<f32> = block.iter().map(|row| AtomicFloat::load(&row[lane]) as f32).collect();
                file.write(first, &values)?;
            }
        }
        Ok(done)
    }
}

/// Powers of degrees.
struct Scale {
    beta: f64,
    /// Number of list entries of the graph.
    entries: f64,
}

impl Scale {
    fn new(degrees: &[u32], beta: f64) -> Self {
        Self { beta, entries: degrees.iter().map(|degree| u64::from(*degree)).sum::<u64>() as f64 }
    }

    fn of(&self, degree: u32) -> f64 {
        if degree == 0 { 0.0 } else { (f64::from(degree) / self.entries).powf(self.beta) }
    }
}

/// Returns an element of the random matrix.
fn element(random: SplitMix64, rank: u32) -> f64 {
    match random.up_to(u64::from(rank), 5) {
        0 => 3f64.sqrt(),
        1 => -(3f64.sqrt()),
        _ => 0.0,
    }
}

/// Adds the rows of the neighbors of each vertex to its own.
struct AddRows<'r, const L: usize> {
    from: &'r [[AtomicU32; L]],
    to: &'r [[AtomicU32; L]],
}

impl<const L: usize> Gather for AddRows<'_, L> {
    type Sum = [f64; L];

    fn begin(&self, _: VertexId) -> Self::Sum {
        [0.0; L]
    }

    #[inline]
    fn gather(&self, sum: &mut Self::Sum, piece: Neighbors<'_>) {
        for neighbor in piece.ids() {
            let row = &self.from[*neighbor as usize];
            sum.iter_mut().zip(row).for_each(|(sum, value)| *sum += AtomicFloat::load(value));
        }
    }

    #[inline]
    fn apply(&self, vertex: VertexId, sum: Self::Sum) {
        let row: &[AtomicU32; L] = &self.to[vertex as usize];
        row.iter().zip(sum).for_each(|(value, sum)| AtomicFloat::store(value, AtomicFloat::load(value) + sum));
    }
}
