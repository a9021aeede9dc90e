//! Part of one worker in a select or sweep: packs resident pages, plans requests for the others, packs completed
//! pages.

use super::fold::pack_list;
use super::format::PageFormat;
use super::morsels::{Morsels, Scan};
use crate::access::{BitBlock, Packer, StoredNeighbors};
use crate::read::ReadPlan;
use outcrop_io::PageGuard;
use outcrop_types::{Result, VertexId, VertexRange, index_from, length_from};
use std::collections::VecDeque;
use std::ops::Range;

/// Maximum number of vertices per request.
const TASK_VERTICES: usize = 8192;

/// One request and the vertices of its lists.
#[derive(Default)]
pub(super) struct Task {
    units: Range<u64>,
    vertices: Vec<VertexId>,
}

/// Read plan of one worker in a select or sweep.
pub(super) struct PagePlan<'a, F: PageFormat> {
    scan: Scan<'a, F>,
    morsels: &'a Morsels<'a>,
    packer: Packer<'a>,
    /// Requested vertices of a morsel.
    block: BitBlock,
    spare: Vec<Vec<VertexId>>,
    pinned: Vec<(u64, PageGuard<'a>)>,
    /// Pages found in the page cache but not counted yet: the counter that all workers share is updated rarely.
    hits: u64,
    /// Pages of the completed request that contain requested lists.
    visited: Vec<bool>,
    /// State of the current list; the default between lists.
    part: F::Part,
}

impl<'a, F: PageFormat> PagePlan<'a, F> {
    pub(super) fn new(scan: Scan<'a, F>, morsels: &'a Morsels<'a>) -> Self {
        Self {
            scan,
            morsels,
            packer: Packer::new(scan.visit),
            block: BitBlock::default(),
            spare: Vec::new(),
            pinned: Vec::new(),
            hits: 0,
            visited: Vec::new(),
            part: F::Part::default(),
        }
    }

    /// Packs resident lists and plans requests for the other lists of `morsel`.
    fn plan_morsel(&mut self, morsel: VertexRange, planned: &mut VecDeque<Task>) -> Result<()> {
        let (morsels, lists) = (self.morsels, self.scan.lists);
        let (mut held, mut paged) = (0, 0);
        let mut block = std::mem::take(&mut self.block);
        let outcome = morsels.try_for_each(morsel, self.scan.visit, &mut block, &mut |vertex| {
            match self.plan_list(vertex, planned)? {
                Planned::Held => held += 1,
                Planned::Empty => {}
                Planned::Paged => paged += 1,
            }
            Ok(())
        });
        self.block = block;
        self.pinned.clear();
        lists.file.statistics.count_hits(std::mem::take(&mut self.hits));
        self.packer.count(&lists.file.statistics);
        if lists.file.statics.is_some() {
            lists.file.statistics.count_static(held, paged);
        }
        outcome
    }

    #[inline]
    fn plan_list(&mut self, vertex: VertexId, planned: &mut VecDeque<Task>) -> Result<Planned> {
        let Scan { lists, index, .. } = self.scan;
        let list = index.list(vertex);
        if lists.file.pack_static(vertex, &mut self.packer)? {
            return Ok(Planned::Held);
        }
        if list.is_empty() {
            self.packer.list(vertex, StoredNeighbors::EMPTY)?;
            return Ok(Planned::Empty);
        }
        let units = lists.format.units(&list);
        if units.end - units.start > lists.requests.longest() {
            self.morsels.postpone(vertex);
        } else if !self.pack_resident(vertex, &list, &units)? {
            self.plan_read(vertex, units, planned);
        }
        Ok(Planned::Paged)
    }

    /// Packs the list of `vertex` if all its units are in the page cache; returns false otherwise.
    fn pack_resident(&mut self, vertex: VertexId, list: &Range<u64>, units: &Range<u64>) -> Result<bool> {
        let lists = self.scan.lists;
        let Some(cache) = &lists.cache else { return Ok(false) };
        // The previous list may end in the first unit of this one; further units are pinned in order.
        self.pinned.retain(|(unit, _)| *unit == units.start);
        let pinned = length_from(self.pinned.len());
        for unit in units.start + pinned..units.end {
            let Some(guard) = cache.get(unit) else { return Ok(false) };
            self.pinned.push((unit, guard));
        }
        self.hits += length_from(self.pinned.len()) - pinned;
        let pinned = &self.pinned;
        let unit_at = |unit| pinned.get(index_from(unit - units.start)).map_or(&[][..], |(_, guard)| guard);
        pack_list(lists, vertex, list, &mut self.part, &mut self.packer, unit_at)?;
        Ok(true)
    }

    fn plan_read(&mut self, vertex: VertexId, units: Range<u64>, planned: &mut VecDeque<Task>) {
        let (merge, requests) = (self.scan.lists.file.merge, self.scan.lists.requests);
        let units = requests.covering(&units);
        match planned.back_mut() {
            Some(task)
                if units.start >= task.units.start
                    && merge.joins(&requests.bytes(&task.units), &requests.bytes(&units))
                    && task.vertices.len() < TASK_VERTICES =>
            {
                task.units.end = task.units.end.max(units.end);
                task.vertices.push(vertex);
            }
            _ => {
                // Default: no spare buffer yet.
                let mut vertices = self.spare.pop().unwrap_or_default();
                vertices.push(vertex);
                planned.push_back(Task { units, vertices });
            }
        }
    }

    /// Marks and counts the pages of a request that contain its lists; other pages are gaps between them.
    fn note_visited(&mut self, task: &Task) {
        let Scan { lists, index, .. } = self.scan;
        self.visited.clear();
        self.visited.resize(index_from(task.units.end - task.units.start), false);
        for vertex in &task.vertices {
            let units = lists.format.units(&index.list(*vertex));
            let pages = index_from(units.start - task.units.start)..index_from(units.end - task.units.start);
            self.visited[pages].fill(true);
        }
        let count = self.visited.iter().filter(|visited| **visited).count();
        lists.file.statistics.count_misses(length_from(count));
    }
}

/// Source of a list.
enum Planned {
    /// The static cache.
    Held,
    /// None: the list is empty.
    Empty,
    /// Pages, cached or not.
    Paged,
}

impl<F: PageFormat> ReadPlan for PagePlan<'_, F> {
    type Request = Task;

    fn plan(&mut self, planned: &mut VecDeque<Task>) -> Result<bool> {
        let Some(morsel) = self.morsels.queue.take_vertices()? else { return Ok(false) };
        self.plan_morsel(morsel, planned)?;
        Ok(true)
    }

    fn bytes(&self, task: &Task) -> Range<u64> {
        self.scan.lists.requests.bytes(&task.units)
    }

    fn unpack(&mut self, task: Task, bytes: &[u8]) -> Result<()> {
        self.note_visited(&task);
        let Scan { lists, index, admission, .. } = self.scan;
        let visited = |page: u64| self.visited.get(index_from(page - task.units.start)).copied().unwrap_or(false);
        lists.admit(task.units.start, bytes, admission, visited)?;
        let page_bytes = lists.format.page_bytes();
        for vertex in &task.vertices {
            let unit_at = |unit| unit_within(bytes, page_bytes, unit - task.units.start);
            pack_list(lists, *vertex, &index.list(*vertex), &mut self.part, &mut self.packer, unit_at)?;
        }
        let mut vertices = task.vertices;
        vertices.clear();
        self.spare.push(vertices);
        Ok(())
    }

    fn finish(self) -> Result<()> {
        self.packer.finish(&self.scan.lists.file.statistics)
    }
}

fn unit_within(bytes: &[u8], unit_bytes: usize, number: u64) -> &[u8] {
    let start = index_from(number) * unit_bytes;
    &bytes[start..start + unit_bytes]
}
