//! Small sample graphs from which the needs of a large graph are extrapolated.

use super::size::{GraphSize, Profile};
use crate::build::{BuildRequest, BuildResources, GraphOptions, IdMode, InputOptions, StoreForm, build};
use crate::graph::{Graph, OpenOptions};
use crate::memory_size::MemorySize;
use crate::order::BuildOrder;
use outcrop_formats::edges::EdgeListOptions;
use outcrop_formats::generate::{EdgeGenerator, Grid, Kronecker, Web, WeightDistribution};
use outcrop_io::TemporaryFolder;
use outcrop_store::{Dedup, SelfLoops};
use outcrop_types::{Cancellation, Direction, Result, Silent, number_from};
use std::path::Path;

/// Memory of a sample, and of the planned runs on it.
const MEMORY: MemorySize = MemorySize::Bytes(1 << 40);
const BUILD_MEMORY: MemorySize = MemorySize::Bytes(128 << 20);
/// Maximum number of edges per vertex of a sample.
const MOST_FACTOR: u64 = 32;

/// Three graphs of the profile and the edge ratio of a size: a small one, one eight times as large, and one with half
/// the edges of the latter.
pub(super) struct Samples {
    graphs: [Graph; 3],
    /// Numbers of vertices and out-list entries of each sample and of the large graph.
    extents: [[f64; 2]; 3],
    wanted: [f64; 2],
    _folder: TemporaryFolder,
}

impl Samples {
    /// Creates samples of `size` in a temporary folder, which is removed on drop.
    ///
    /// # Errors
    ///
    /// Returns an error if the folder cannot be created or a build fails.
    pub(super) fn new(size: &GraphSize, threads: usize) -> Result<Self> {
        let folder = TemporaryFolder::create_in(&std::env::temp_dir())?;
        let factor = (size.edges / size.vertices.max(1)).clamp(2, MOST_FACTOR);
        let make = |name: &str, scale, factor| {
            let place = folder.path().join(name);
            built(size, threads, &place, &*generator(size, scale, factor)?)
        };
        let graphs = [make("small", 14, factor)?, make("large", 17, factor)?, make("sparse", 17, factor / 2)?];
        let extents = graphs
            .each_ref()
            .map(|graph| [f64::from(graph.num_vertices()), crate::lists::arcs(graph, Direction::Out) as f64]);
        let entries = if size.directed { size.edges } else { 2 * size.edges };
        Ok(Self { graphs, extents, wanted: [size.vertices as f64, entries as f64], _folder: folder })
    }

    /// Returns the small sample, the large one, and the one with fewer edges.
    pub(super) const fn graphs(&self) -> &[Graph; 3] {
        &self.graphs
    }

    /// Extrapolates a number of the planned graph from the numbers of the samples.
    pub(super) fn extended(&self, numbers: [u64; 3]) -> u64 {
        extended(self.extents, numbers, self.wanted)
    }

    /// Returns the number of doublings from the vertices of the large sample to those of the planned graph.
    pub(super) fn doublings(&self) -> f64 {
        (self.wanted[0] / self.extents[1][0]).log2().max(0.0)
    }
}

fn generator(size: &GraphSize, scale: u32, factor: u64) -> Result<Box<dyn EdgeGenerator>> {
    let weights = size.weighted.then_some(WeightDistribution::Integers { low: 1, high: 255 });
    let (side, vertices) = (1_u64 << (scale / 2), 1_u64 << scale);
    Ok(match size.profile {
        Profile::Road => Box::new(Grid::new(side, side * factor / 2, 1, weights)?),
        Profile::Web => Box::new(Web::new(vertices, factor * vertices, 1, weights)?),
        Profile::Social | Profile::Kronecker => Box::new(Kronecker::new(scale, number_from(factor), 1, weights)?),
    })
}

/// Builds the store of a generated graph, at `place` plus an extension.
fn built(size: &GraphSize, threads: usize, place: &Path, generator: &dyn EdgeGenerator) -> Result<Graph> {
    let [edges, store] = ["bin", "outcrop"].map(|ending| place.with_extension(ending));
    let cancellation = Cancellation::new();
    crate::generate(generator, &edges, false, &cancellation, &Silent)?;
    let order = match size.profile {
        Profile::Road | Profile::Web => BuildOrder::Original,
        Profile::Social | Profile::Kronecker => BuildOrder::Degree,
    };
    let request = BuildRequest {
        input: InputOptions {
            text: EdgeListOptions { weighted: size.weighted, ..EdgeListOptions::default() },
            ids: IdMode::Dense,
            ..InputOptions::default()
        },
        graph: GraphOptions {
            directed: Some(size.directed),
            dedup: Dedup::First,
            self_loops: SelfLoops::Drop,
            ..GraphOptions::default()
        },
        form: StoreForm { order, ..StoreForm::default() },
        resources: BuildResources { memory: BUILD_MEMORY, threads: Some(threads), ..BuildResources::default() },
        ..BuildRequest::new(vec![edges.into()], &store)
    };
    build(&request, &cancellation, &Silent)?;
    Graph::open(&store, OpenOptions { memory: MEMORY, threads: Some(threads), ..OpenOptions::default() })
}

/// Extrapolates a number of the large graph from those of the samples: a constant, plus a cost per vertex and a cost
/// per entry.
fn extended(extents: [[f64; 2]; 3], numbers: [u64; 3], [vertices, entries]: [f64; 2]) -> u64 {
    let [small, large, sparse] = extents;
    let [first, second, third] = numbers.map(|number| number as f64);
    // Two rows of differences: of the size, and of the entries only.
    let (across, along) = (large[0] - small[0], large[1] - small[1]);
    let (aside, fewer) = (large[0] - sparse[0], large[1] - sparse[1]);
    let determinant = across * fewer - along * aside;
    let (grown, shrunk) = (second - first, second - third);
    let (mut vertex, mut entry) = if determinant.abs() > 1e-9 * across.abs() * along.abs() {
        ((grown * fewer - along * shrunk) / determinant, (across * shrunk - grown * aside) / determinant)
    } else {
        (grown / across, 0.0)
    };
    if vertex < 0.0 {
        (vertex, entry) = (0.0, grown / along);
    } else if entry < 0.0 {
        (vertex, entry) = (grown / across, 0.0);
    }
    let more = vertex * (vertices - large[0]) + entry * (entries - large[1]);
    (second + more).max(0.0) as u64
}

#[cfg(test)]
mod tests {
    use super::extended;

    #[test]
    fn what_grows_with_vertices_and_entries_is_told_apart() {
        let number = |[vertices, entries]: [f64; 2]| (1000.0 + 8.0 * vertices + 3.0 * entries) as u64;
        let extents = [[100.0, 900.0], [400.0, 3600.0], [380.0, 1900.0]];
        let wanted = [1e9, 3e10];
        assert_eq!(extended(extents, extents.map(number), wanted), number(wanted));
        let fixed = extended(extents, [7; 3], wanted);
        assert_eq!(fixed, 7);
    }
}
