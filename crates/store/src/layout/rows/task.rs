//! One worker's share of a select or sweep: plans reads, keeps them in flight, packs the lists that have arrived.

use super::claims::{Claims, Pass};
use super::fold::pack_list;
use super::format::RowFormat;
use crate::access::{BitBlock, Packer, StoredNeighbours};
use outcrop_io::{PageGuard, ReadRequest, ReadSource};
use outcrop_types::{Result, VertexId, VertexRange, index_from, length_from};
use std::collections::VecDeque;
use std::ops::Range;

/// The most vertices that one request serves.
const TASK_VERTICES: usize = 8192;

/// The vertices whose lists one request brings.
#[derive(Default)]
struct Task {
    units: Range<u64>,
    vertices: Vec<VertexId>,
}

/// One worker's side of a select or sweep.
pub(super) struct Gatherer<'a, F: RowFormat> {
    pass: Pass<'a, F>,
    claims: &'a Claims<'a>,
    packer: Packer<'a>,
    /// The vertices of a claim that are wanted.
    block: BitBlock,
    planned: VecDeque<Task>,
    in_flight: Vec<Task>,
    vacant: Vec<usize>,
    spare: Vec<Vec<VertexId>>,
    pinned: Vec<(u64, PageGuard<'a>)>,
    /// Pages found in the page cache that are not counted yet: a counter that all workers share is not touched once a list.
    hits: u64,
    /// Pages with lists, of a request that has arrived.
    visited: Vec<bool>,
    /// Of a list that is being packed; as new between lists.
    part: F::Part,
}

impl<'a, F: RowFormat> Gatherer<'a, F> {
    pub(super) fn new(pass: Pass<'a, F>, claims: &'a Claims<'a>) -> Self {
        Self {
            pass,
            claims,
            packer: Packer::new(pass.visit),
            block: BitBlock::default(),
            planned: VecDeque::new(),
            in_flight: Vec::new(),
            vacant: Vec::new(),
            spare: Vec::new(),
            pinned: Vec::new(),
            hits: 0,
            visited: Vec::new(),
            part: F::Part::default(),
        }
    }

    pub(super) fn finish(self) -> Result<()> {
        self.packer.finish(&self.pass.rows.statistics)
    }

    /// Packs what is resident and plans requests for the rest of `claim`.
    fn plan(&mut self, claim: VertexRange) -> Result<()> {
        let (claims, rows) = (self.claims, self.pass.rows);
        let (mut held, mut paged) = (0, 0);
        let mut block = std::mem::take(&mut self.block);
        let outcome = claims.try_for_each(claim, self.pass.visit, &mut block, &mut |vertex| {
            match self.plan_list(vertex)? {
                Planned::Held => held += 1,
                Planned::Empty => {}
                Planned::Paged => paged += 1,
            }
            Ok(())
        });
        self.block = block;
        self.pinned.clear();
        rows.statistics.count_hits(std::mem::take(&mut self.hits));
        if rows.statics.is_some() {
            rows.statistics.count_static(held, paged);
        }
        outcome
    }

    #[inline]
    fn plan_list(&mut self, vertex: VertexId) -> Result<Planned> {
        let Pass { rows, index, .. } = self.pass;
        let list = index.list(vertex);
        if rows.pack_static(vertex, &mut self.packer)? {
            return Ok(Planned::Held);
        }
        if list.is_empty() {
            self.packer.list(vertex, StoredNeighbours::EMPTY)?;
            return Ok(Planned::Empty);
        }
        let units = rows.format.units(&list);
        if units.end - units.start > rows.requests.longest() {
            self.claims.postpone(vertex);
        } else if !self.pack_resident(vertex, &list, &units)? {
            self.plan_read(vertex, units);
        }
        Ok(Planned::Paged)
    }

    /// Packs the list of `vertex` where all its units are in the page cache.
    fn pack_resident(&mut self, vertex: VertexId, list: &Range<u64>, units: &Range<u64>) -> Result<bool> {
        let rows = self.pass.rows;
        let Some(cache) = &rows.cache else { return Ok(false) };
        // The list before may end in the unit in which this one begins; what follows is pinned in order.
        self.pinned.retain(|(unit, _)| *unit == units.start);
        let pinned = length_from(self.pinned.len());
        for unit in units.start + pinned..units.end {
            let Some(guard) = cache.get(unit) else { return Ok(false) };
            self.pinned.push((unit, guard));
        }
        self.hits += length_from(self.pinned.len()) - pinned;
        let pinned = &self.pinned;
        let unit_at = |unit| pinned.get(index_from(unit - units.start)).map_or(&[][..], |(_, guard)| guard);
        pack_list(rows, vertex, list, &mut self.part, &mut self.packer, unit_at)?;
        Ok(true)
    }

    fn plan_read(&mut self, vertex: VertexId, units: Range<u64>) {
        let (merge, requests) = (self.pass.rows.merge, self.pass.rows.requests);
        let units = requests.covering(&units);
        match self.planned.back_mut() {
            Some(task)
                if units.start >= task.units.start
                    && merge.joins(&requests.bytes(&task.units), &requests.bytes(&units))
                    && task.vertices.len() < TASK_VERTICES =>
            {
                task.units.end = task.units.end.max(units.end);
                task.vertices.push(vertex);
            }
            _ => {
                let mut vertices = self.spare.pop().unwrap_or_default();
                vertices.push(vertex);
                self.planned.push_back(Task { units, vertices });
            }
        }
    }

    /// Finds out and counts which pages of a request lists are in; others lie between them.
    fn note_visited(&mut self, task: &Task) {
        let Pass { rows, index, .. } = self.pass;
        self.visited.clear();
        self.visited.resize(index_from(task.units.end - task.units.start), false);
        for vertex in &task.vertices {
            let units = rows.format.units(&index.list(*vertex));
            let pages = index_from(units.start - task.units.start)..index_from(units.end - task.units.start);
            self.visited.get_mut(pages).unwrap_or_default().fill(true);
        }
        let count = self.visited.iter().filter(|visited| **visited).count();
        rows.statistics.count_misses(length_from(count));
    }

    fn launch(&mut self, task: Task) -> ReadRequest {
        let units = task.units.clone();
        let slot = self.vacant.pop().unwrap_or(self.in_flight.len());
        match self.in_flight.get_mut(slot) {
            Some(vacant) => *vacant = task,
            None => self.in_flight.push(task),
        }
        self.pass.rows.requests.request(&units, length_from(slot))
    }
}

/// Source of a list.
enum Planned {
    /// The static cache.
    Held,
    /// Nowhere: it is empty.
    Empty,
    /// Pages, cached or not.
    Paged,
}

impl<F: RowFormat> ReadSource for Gatherer<'_, F> {
    fn next(&mut self) -> Result<Option<ReadRequest>> {
        while self.planned.is_empty() {
            self.pass.rows.workers.cancellation().check()?;
            let Some(claim) = self.claims.claim() else { return Ok(None) };
            self.plan(claim)?;
        }
        Ok(self.planned.pop_front().map(|task| self.launch(task)))
    }

    fn ready(&mut self, token: u64, bytes: &[u8]) -> Result<()> {
        let slot = index_from(token);
        let Some(task) = self.in_flight.get_mut(slot).map(std::mem::take) else { return Ok(()) };
        self.vacant.push(slot);
        self.note_visited(&task);
        let Pass { rows, index, admission, .. } = self.pass;
        let visited = |page: u64| self.visited.get(index_from(page - task.units.start)).copied().unwrap_or(false);
        rows.admit(task.units.start, bytes, admission, visited)?;
        let page_bytes = rows.format.page_bytes();
        for vertex in &task.vertices {
            let unit_at = |unit| unit_within(bytes, page_bytes, unit - task.units.start);
            pack_list(rows, *vertex, &index.list(*vertex), &mut self.part, &mut self.packer, unit_at)?;
        }
        let mut vertices = task.vertices;
        vertices.clear();
        self.spare.push(vertices);
        Ok(())
    }
}

fn unit_within(bytes: &[u8], unit_bytes: usize, number: u64) -> &[u8] {
    let start = index_from(number) * unit_bytes;
    bytes.get(start..start + unit_bytes).unwrap_or_default()
}
