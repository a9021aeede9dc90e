//! Passes over the vertices, without edges.

use super::disk::BLOCK;
use super::engine::IntervalEngine;
use super::value::IntervalValue;
use super::values::{IntervalValues, Place};
use super::windows::{read, stretches};
use bytemuck::bytes_of;
use outcrop_io::ValueFile;
use outcrop_types::{Direction, Error, Result, VertexId, VertexRange};
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

impl IntervalEngine<'_> {
    /// Changes the values of each vertex in two vectors, by `change(vertex, first, second, out_degree)`; the sums of the two numbers
    /// that it returns, taken in fixed blocks of vertices, so that they depend neither on threads nor on where values live. The
    /// out-degree is 0 where the engine's demand has no degrees.
    ///
    /// # Errors
    /// Vectors are of another length than the engine's, or one is in memory and one on disk; a failed or damaged read, a full disk,
    /// interruption.
    pub fn pass<T: IntervalValue, U: IntervalValue>(
        &self,
        first: &mut IntervalValues<T>,
        second: &mut IntervalValues<U>,
        change: impl Fn(VertexId, &mut T, &mut U, u32) -> [f64; 2] + Sync,
    ) -> Result<[f64; 2]> {
        match (self.fitting(first)?.place(), self.fitting(second)?.place()) {
            (Place::Memory(one), Place::Memory(two)) => {
                self.hold_degrees()?;
                let degrees = self.degrees.lock().unwrap_or_else(PoisonError::into_inner);
                let degrees = degrees.as_deref().unwrap_or_default();
                let degree = |place: usize| degrees.get(place).copied().unwrap_or(0);
                Ok(self.pass_in_memory::<T, U, u32>((one, two), degree, &change))
            }
            (Place::Disk(one), Place::Disk(two)) => {
                let degrees = |stretch, degrees: &mut Vec<u32>| self.read_degrees(stretch, degrees);
                self.counting(first, || self.counting(second, || self.pass_on_disk((one, two), degrees, &change)))
            }
            _ => Err(Self::in_several_places()),
        }
    }

    /// As [`IntervalEngine::pass`], by `change(vertex, first, second, third)` with the value in a `third` vector, which stays as it is. The
    /// engine's demand must have it.
    ///
    /// # Errors
    /// As for [`IntervalEngine::pass`].
    pub fn pass_beside<T: IntervalValue, U: IntervalValue>(
        &self,
        first: &mut IntervalValues<T>,
        second: &mut IntervalValues<U>,
        third: &IntervalValues<f64>,
        change: impl Fn(VertexId, &mut T, &mut U, f64) -> [f64; 2] + Sync,
    ) -> Result<[f64; 2]> {
        if !self.setup.demand.third {
            return Err(Error::Usage("the engine was made for passes over two vectors".to_owned()));
        }
        match (self.fitting(first)?.place(), self.fitting(second)?.place(), self.fitting(third)?.place()) {
            (Place::Memory(one), Place::Memory(two), Place::Memory(three)) => {
                Ok(self.pass_in_memory::<T, U, f64>((one, two), |place| f64::load(&three[place]), &change))
            }
            (Place::Disk(one), Place::Disk(two), Place::Disk(three)) => {
                let beside = |stretch, values: &mut Vec<f64>| read(three, stretch, values);
                let pass = || self.counting(second, || self.pass_on_disk((one, two), beside, &change));
                self.counting(third, || self.counting(first, pass))
            }
            _ => Err(Self::in_several_places()),
        }
    }

    fn in_several_places() -> Error {
        Error::Usage("a pass needs all vectors in memory or all on disk".to_owned())
    }

    fn pass_in_memory<T: IntervalValue, U: IntervalValue, B>(
        &self,
        (one, two): (&[T::Cell], &[U::Cell]),
        beside: impl Fn(usize) -> B + Sync,
        change: &(impl Fn(VertexId, &mut T, &mut U, B) -> [f64; 2] + Sync),
    ) -> [f64; 2] {
        let of_block = |block: VertexRange| {
            block.iter().fold([0.0; 2], |sums, vertex| {
                let place = vertex as usize;
                let (mut first, mut second) = (T::load(&one[place]), U::load(&two[place]));
                let terms = change(vertex, &mut first, &mut second, beside(place));
                first.store(&one[place]);
                second.store(&two[place]);
                add(sums, terms)
            })
        };
        self.workers().map_blocks(self.vertices(), BLOCK, of_block).into_iter().fold([0.0; 2], add)
    }

    fn pass_on_disk<T: IntervalValue, U: IntervalValue, B: Copy + Sync>(
        &self,
        (one, two): (&ValueFile<T>, &ValueFile<U>),
        read_beside: impl Fn(VertexRange, &mut Vec<B>) -> Result<()>,
        change: &(impl Fn(VertexId, &mut T, &mut U, B) -> [f64; 2] + Sync),
    ) -> Result<[f64; 2]> {
        let (mut first, mut second, mut beside) = (Vec::new(), Vec::new(), Vec::new());
        let windows = self.setup.demand.windows() * self.window_bytes;
        let length = self.stretch_length(windows, size_of::<T>() + size_of::<U>() + size_of::<B>());
        let mut sums = [0.0; 2];
        for stretch in stretches(self.everything(), length) {
            self.workers().cancellation().check()?;
            read(one, stretch, &mut first)?;
            read(two, stretch, &mut second)?;
            read_beside(stretch, &mut beside)?;
            let [of_first, of_second] = [AtomicBool::new(false), AtomicBool::new(false)];
            let of_run = |begin: usize, first: &mut [T], second: &mut [U]| {
                let first_vertex = stretch.start + u32::try_from(begin).unwrap_or(u32::MAX);
                let vertices = (first_vertex..).zip(beside.get(begin..).unwrap_or_default());
                let (sums, changed) = change_run(first, second, vertices, change);
                of_first.fetch_or(changed[0], Relaxed);
                of_second.fetch_or(changed[1], Relaxed);
                sums
            };
            sums = self.workers().map_runs(BLOCK as usize, &mut first, &mut second, of_run).into_iter().fold(sums, add);
            // A vector that is only looked at is not written.
            if of_first.into_inner() {
                one.write(u64::from(stretch.start), &first)?;
            }
            if of_second.into_inner() {
                two.write(u64::from(stretch.start), &second)?;
            }
        }
        Ok(sums)
    }

    /// Loads the out-degrees, once, where the demand has them.
    fn hold_degrees(&self) -> Result<()> {
        let mut held = self.degrees.lock().unwrap_or_else(PoisonError::into_inner);
        if held.is_none() && self.setup.demand.degrees {
            let mut degrees = Vec::new();
            self.read_degrees(self.everything(), &mut degrees)?;
            *held = Some(degrees);
        }
        Ok(())
    }

    /// The out-degrees of a stretch of vertices; zeros where the demand has none.
    fn read_degrees(&self, stretch: VertexRange, degrees: &mut Vec<u32>) -> Result<()> {
        if !self.setup.demand.degrees {
            degrees.clear();
            degrees.resize(stretch.len(), 0);
            return Ok(());
        }
        self.note_values((stretch.len() as u64 * 4, 0));
        self.setup.degrees.with_reader(Direction::Out, self.undirected(), |reader| reader.read(stretch, degrees))
    }
}

/// Changes the values of some vertices; the sums, and which of the two vectors is not as it was.
fn change_run<'b, T: IntervalValue, U: IntervalValue, B: Copy + 'b>(
    first: &mut [T],
    second: &mut [U],
    vertices: impl Iterator<Item = (VertexId, &'b B)>,
    change: &impl Fn(VertexId, &mut T, &mut U, B) -> [f64; 2],
) -> ([f64; 2], [bool; 2]) {
    let (mut sums, mut changed) = ([0.0; 2], [false; 2]);
    for ((first, second), (vertex, beside)) in first.iter_mut().zip(second).zip(vertices) {
        let before = (*first, *second);
        sums = add(sums, change(vertex, first, second, *beside));
        changed[0] |= bytes_of(first) != bytes_of(&before.0);
        changed[1] |= bytes_of(second) != bytes_of(&before.1);
    }
    (sums, changed)
}

fn add(sums: [f64; 2], terms: [f64; 2]) -> [f64; 2] {
    [sums[0] + terms[0], sums[1] + terms[1]]
}
