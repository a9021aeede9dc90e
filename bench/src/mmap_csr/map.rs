//! Memory-mapped folder.

use super::folder::{Array, GraphInfo, array_path};
use crate::arguments::Advice;
use bytemuck::Pod;
use memmap2::Mmap;
use outcrop_types::{Direction, Error, Result, VertexId, index_from, length_from};
use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Memory-mapped files of a folder.
pub(super) struct MappedFolder {
    info: GraphInfo,
    out: MappedLists,
    /// `None` for an undirected graph.
    reverse: Option<MappedLists>,
}

impl MappedFolder {
    pub(super) fn open(folder: &Path, advice: Advice) -> Result<Self> {
        let info = GraphInfo::read(folder)?;
        let open = |direction| MappedLists::open(folder, direction, info.weighted, advice);
        let reverse = if info.undirected { None } else { Some(open(Direction::In)?) };
        Ok(Self { info, out: open(Direction::Out)?, reverse })
    }

    pub(super) const fn info(&self) -> &GraphInfo {
        &self.info
    }

    /// Returns the arrays, after checking their lengths.
    pub(super) fn graph(&self) -> Result<Graph<'_>> {
        let out = self.out.lists(&self.info)?;
        let reverse = self.reverse.as_ref().map_or(Ok(out), |lists| lists.lists(&self.info))?;
        Ok(Graph { out, reverse })
    }
}

/// Files of one direction.
struct MappedLists {
    offsets: MappedFile,
    targets: MappedFile,
    weights: Option<MappedFile>,
}

impl MappedLists {
    fn open(folder: &Path, direction: Direction, weighted: bool, advice: Advice) -> Result<Self> {
        let open = |array| MappedFile::open(array_path(folder, direction, array), advice);
        let (offsets, targets) = (open(Array::Offsets)?, open(Array::Targets)?);
        let has_weights = weighted && !targets.map.is_empty();
        let weights = if has_weights { Some(open(Array::Weights)?) } else { None };
        Ok(Self { offsets, targets, weights })
    }

    fn lists(&self, info: &GraphInfo) -> Result<Lists<'_>> {
        let arcs = index_from(info.arcs);
        let offsets: &[u64] = self.offsets.numbers(info.vertices as usize + 1)?;
        if offsets.last() != Some(&info.arcs) {
            return Err(Error::corrupt(&self.offsets.path, "its last offset is not the number of arcs"));
        }
        let weights = self.weights.as_ref().map_or(Ok(&[][..]), |file| file.numbers(arcs))?;
        Ok(Lists { offsets, neighbors: self.targets.numbers(arcs)?, weights })
    }
}

struct MappedFile {
    path: PathBuf,
    map: Mmap,
}

impl MappedFile {
    fn open(path: PathBuf, advice: Advice) -> Result<Self> {
        let file = File::open(&path).map_err(|source| Error::io("open", &path, source))?;
        // SAFETY: the map is only read. A concurrent change or truncation of the file spoils the measurement, or ends
        // this process by SIGBUS; nothing else depends on the content, since every access to the arrays is checked.
        let map = unsafe { Mmap::map(&file) }.map_err(|source| Error::io("map", &path, source))?;
        let advice = match advice {
            Advice::Normal => memmap2::Advice::Normal,
            Advice::Random => memmap2::Advice::Random,
        };
        map.advise(advice).map_err(|source| Error::io("advise on", &path, source))?;
        Ok(Self { path, map })
    }

    /// Returns the content as `count` numbers.
    fn numbers<T: Pod>(&self, count: usize) -> Result<&[T]> {
        let numbers = bytemuck::try_cast_slice(&self.map).ok().filter(|numbers: &&[T]| numbers.len() == count);
        numbers.ok_or_else(|| {
            let message = format!("{} bytes where there should be {count} numbers", length_from(self.map.len()));
            Error::corrupt(&self.path, message)
        })
    }
}

/// Lists of one direction.
#[derive(Clone, Copy)]
pub(super) struct Lists<'m> {
    pub(super) offsets: &'m [u64],
    neighbors: &'m [VertexId],
    weights: &'m [f32],
}

impl<'m> Lists<'m> {
    #[inline]
    fn range(&self, vertex: VertexId) -> Range<usize> {
        index_from(self.offsets[vertex as usize])..index_from(self.offsets[vertex as usize + 1])
    }

    /// Returns the neighbors in one direction, ascending.
    #[inline]
    pub(super) fn neighbors(&self, vertex: VertexId) -> &'m [VertexId] {
        &self.neighbors[self.range(vertex)]
    }

    /// Returns the weights of the edges to them; empty for an unweighted graph.
    #[inline]
    pub(super) fn weights(&self, vertex: VertexId) -> &'m [f32] {
        // Default: an unweighted graph has no weights.
        self.weights.get(self.range(vertex)).unwrap_or_default()
    }

    #[inline]
    pub(super) fn degree(&self, vertex: VertexId) -> u64 {
        self.offsets[vertex as usize + 1] - self.offsets[vertex as usize]
    }
}

/// Lists of both directions.
#[derive(Clone, Copy)]
pub(super) struct Graph<'m> {
    pub(super) out: Lists<'m>,
    pub(super) reverse: Lists<'m>,
}

impl Graph<'_> {
    pub(super) const fn vertices(&self) -> u32 {
        (self.out.offsets.len() - 1) as u32
    }

    pub(super) const fn arcs(&self) -> usize {
        self.out.neighbors.len()
    }
}
