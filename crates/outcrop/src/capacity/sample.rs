//! Small graphs that stand for a large one: what they need tells what it needs.

use super::size::{GraphSize, Profile};
use crate::build::{BuildRequest, IdMode, build};
use crate::graph::{Graph, OpenOptions};
use crate::memory_size::MemorySize;
use crate::order::BuildOrder;
use outcrop_formats::edges::EdgeInput;
use outcrop_formats::generate::{EdgeGenerator, Grid, Kronecker, Web, WeightDistribution};
use outcrop_store::{Dedup, SelfLoops};
use outcrop_types::{Cancellation, Direction, Error, Result, Silent};
use std::path::PathBuf;

/// Memory of a sample, and of the runs on it that are planned.
const MEMORY: MemorySize = MemorySize::Bytes(1 << 40);
const BUILD_MEMORY: MemorySize = MemorySize::Bytes(128 << 20);
/// Edges a vertex of a sample, at the most.
const MOST_FACTOR: u64 = 32;

/// Folder of samples, which goes with this.
pub(super) struct SampleFolder(PathBuf);

impl SampleFolder {
    /// A folder where the system has temporary files.
    ///
    /// # Errors
    /// It cannot be made.
    pub(super) fn new() -> Result<Self> {
        let path = std::env::temp_dir().join(format!("outcrop-estimate-{}", std::process::id()));
        std::fs::create_dir_all(&path).map_err(|source| Error::io("make", &path, source))?;
        Ok(Self(path))
    }
}

impl Drop for SampleFolder {
    fn drop(&mut self) {
        // Nothing better can be done with a failure.
        _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Three graphs of the profile and the ratio of `size`: a small one, one that is four times as large, and one with half the edges of that.
///
/// # Errors
/// What building returns.
pub(super) fn samples(size: &GraphSize, threads: usize, folder: &SampleFolder) -> Result<[Graph; 3]> {
    let factor = (size.edges / size.vertices.max(1)).clamp(2, MOST_FACTOR);
    let make = |name: &str, scale: u32, factor: u64| {
        let weights = size.weighted.then_some(WeightDistribution::Integers { low: 1, high: 255 });
        let (side, vertices) = (1_u64 << (scale / 2), 1_u64 << scale);
        match size.profile {
            Profile::Road => made(size, threads, folder, name, &Grid::new(side, side * factor / 2, 1, weights)?),
            Profile::Web => made(size, threads, folder, name, &Web::new(vertices, factor * vertices, 1, weights)?),
            Profile::Social | Profile::Kronecker => made(
                size,
                threads,
                folder,
                name,
                &Kronecker::new(scale, u32::try_from(factor).unwrap_or(1), 1, weights)?,
            ),
        }
    };
    Ok([make("small", 14, factor)?, make("large", 17, factor)?, make("sparse", 17, factor / 2)?])
}

fn made(
    size: &GraphSize,
    threads: usize,
    folder: &SampleFolder,
    name: &str,
    generator: &dyn EdgeGenerator,
) -> Result<Graph> {
    let [edges, store] = ["bin", "outcrop"].map(|ending| folder.0.join(format!("{name}.{ending}")));
    let cancellation = Cancellation::new();
    crate::generate(generator, &edges, true, &cancellation, &Silent)?;
    let order = match size.profile {
        Profile::Road | Profile::Web => BuildOrder::Original,
        Profile::Social | Profile::Kronecker => BuildOrder::Degree,
    };
    let request = BuildRequest {
        directed: Some(size.directed),
        ids: IdMode::Dense,
        dedup: Dedup::First,
        self_loops: SelfLoops::Drop,
        order,
        memory: BUILD_MEMORY,
        threads: Some(threads),
        overwrite: true,
        ..BuildRequest::new(vec![EdgeInput::Path(edges)], &store)
    };
    let request = BuildRequest {
        text: outcrop_formats::edges::EdgeListOptions { weighted: size.weighted, ..request.text },
        ..request
    };
    build(&request, &cancellation, &Silent)?;
    Graph::open(&store, OpenOptions { memory: MEMORY, threads: Some(threads), ..OpenOptions::default() })
}

/// Vertices and entries of out-lists.
pub(super) fn extent(graph: &Graph) -> [f64; 2] {
    [f64::from(graph.num_vertices()), crate::lists::arcs(graph, Direction::Out) as f64]
}

/// A number of the large graph, from those of the samples: so much for the vertices and so much for the entries, beside what is always there.
pub(super) fn extended(extents: [[f64; 2]; 3], numbers: [u64; 3], [vertices, entries]: [f64; 2]) -> u64 {
    let [small, large, sparse] = extents;
    let [first, second, third] = numbers.map(|number| number as f64);
    // Two lines of differences: of the sizes, and of the entries alone.
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
