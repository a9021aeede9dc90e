//! Scans of the values of all vertices, without edges.

use super::engine::IntervalEngine;
use super::windows::BLOCK;
use crate::values::{Number, VertexArray, read};
use bytemuck::bytes_of;
use outcrop_io::ValueFile;
use outcrop_types::{Direction, Error, Result, VertexId, VertexRange};
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

impl IntervalEngine<'_> {
    /// Changes the values of each vertex in two arrays by `change(vertex, first, second, out_degree)`. Returns the sums
    /// of the two numbers that it returns, taken in fixed blocks of vertices, so that they depend neither on threads
    /// nor on the location of values. The out-degree is 0 if the engine's requirements have no degrees.
    ///
    /// # Errors
    /// Returns an error if an array differs from the engine's in length or location, if a read fails or is damaged, if
    /// the disk is full, or on interruption.
    pub fn vertex_map<T: Number, U: Number>(
        &self,
        first: &mut VertexArray<T>,
        second: &mut VertexArray<U>,
        change: impl Fn(VertexId, &mut T, &mut U, u32) -> [f64; 2] + Sync,
    ) -> Result<[f64; 2]> {
        self.check(first)?;
        self.check(second)?;
        match (first, second) {
            (VertexArray::Memory(one), VertexArray::Memory(two)) => {
                self.load_degrees()?;
                let degrees = self.resident_degrees.lock().unwrap_or_else(PoisonError::into_inner);
                let degree = |vertex| degrees.as_ref().map_or(0, |degrees| degrees[vertex as usize]);
                Ok(self.map_window(0, one, two, degree, &change).total())
            }
            (VertexArray::Disk(one), VertexArray::Disk(two)) => {
                let degrees = |stretch, degrees: &mut Vec<u32>| self.read_degrees(stretch, degrees);
                self.counting(one, || self.counting(two, || self.map_on_disk(one, two, degrees, &change)))
            }
            _ => Err(in_several_places()),
        }
    }

    /// Maps over two arrays by `change(vertex, first, second, third)`, as [`IntervalEngine::vertex_map`] does, with the
    /// read-only value in a `third` array. The engine's requirements must include that array.
    ///
    /// # Errors
    /// Returns the errors of [`IntervalEngine::vertex_map`].
    pub fn vertex_map_with<T: Number, U: Number>(
        &self,
        first: &mut VertexArray<T>,
        second: &mut VertexArray<U>,
        third: &VertexArray<f64>,
        change: impl Fn(VertexId, &mut T, &mut U, f64) -> [f64; 2] + Sync,
    ) -> Result<[f64; 2]> {
        if !self.requirements.third {
            return Err(Error::internal("the engine was created for scans of two arrays"));
        }
        self.check(first)?;
        self.check(second)?;
        self.check(third)?;
        match (first, second, third) {
            (VertexArray::Memory(one), VertexArray::Memory(two), VertexArray::Memory(three)) => {
                Ok(self.map_window(0, one, two, |vertex| three[vertex as usize], &change).total())
            }
            (VertexArray::Disk(one), VertexArray::Disk(two), VertexArray::Disk(three)) => {
                let third = |stretch, values: &mut Vec<f64>| read(three, stretch, values);
                let map = || self.counting(two, || self.map_on_disk(one, two, third, &change));
                self.counting(three, || self.counting(one, map))
            }
            _ => Err(in_several_places()),
        }
    }

    /// Changes the values of consecutive vertices from `first` on, in parallel.
    fn map_window<T: Number, U: Number, B>(
        &self,
        first: VertexId,
        one: &mut [T],
        two: &mut [U],
        third: impl Fn(VertexId) -> B + Sync,
        change: &(impl Fn(VertexId, &mut T, &mut U, B) -> [f64; 2] + Sync),
    ) -> Mapped {
        let [of_one, of_two] = [AtomicBool::new(false), AtomicBool::new(false)];
        let of_run = |begin: usize, one: &mut [T], two: &mut [U]| {
            let (mut sums, mut changed) = ([0.0; 2], [false; 2]);
            for ((vertex, one), two) in (first + begin as VertexId..).zip(one).zip(two) {
                let before = (*one, *two);
                sums = add(sums, change(vertex, one, two, third(vertex)));
                changed[0] |= bytes_of(one) != bytes_of(&before.0);
                changed[1] |= bytes_of(two) != bytes_of(&before.1);
            }
            of_one.fetch_or(changed[0], Relaxed);
            of_two.fetch_or(changed[1], Relaxed);
            sums
        };
        let runs = self.workers().map_runs(BLOCK as usize, one, two, of_run);
        Mapped { sums: runs, changed: [of_one.into_inner(), of_two.into_inner()] }
    }

    fn map_on_disk<T: Number, U: Number, B: Copy + Sync>(
        &self,
        one: &ValueFile<T>,
        two: &ValueFile<U>,
        read_third: impl Fn(VertexRange, &mut Vec<B>) -> Result<()>,
        change: &(impl Fn(VertexId, &mut T, &mut U, B) -> [f64; 2] + Sync),
    ) -> Result<[f64; 2]> {
        let (mut first, mut second, mut third) = (Vec::new(), Vec::new(), Vec::new());
        let windows = self.requirements.windows() * self.window_bytes;
        let length = self.stretch_length(windows, size_of::<T>() + size_of::<U>() + size_of::<B>());
        let mut sums = [0.0; 2];
        for window in self.everything().split(length) {
            self.workers().cancellation().check()?;
            read(one, window, &mut first)?;
            read(two, window, &mut second)?;
            read_third(window, &mut third)?;
            let third = |vertex: VertexId| third[(vertex - window.start) as usize];
            let mapped = self.map_window(window.start, &mut first, &mut second, third, change);
            sums = mapped.sums.into_iter().fold(sums, add);
            // An unchanged array is not written.
            if mapped.changed[0] {
                one.write(u64::from(window.start), &first)?;
            }
            if mapped.changed[1] {
                two.write(u64::from(window.start), &second)?;
            }
        }
        Ok(sums)
    }

    /// Loads the out-degrees once, if the requirements include them.
    fn load_degrees(&self) -> Result<()> {
        let mut held = self.resident_degrees.lock().unwrap_or_else(PoisonError::into_inner);
        if held.is_none() && self.requirements.degrees {
            let mut degrees = Vec::new();
            self.read_degrees(self.everything(), &mut degrees)?;
            *held = Some(degrees);
        }
        Ok(())
    }

    /// Reads the out-degrees of a stretch of vertices; zeros if the requirements have none.
    fn read_degrees(&self, stretch: VertexRange, degrees: &mut Vec<u32>) -> Result<()> {
        if !self.requirements.degrees {
            degrees.resize(stretch.len(), 0);
            return Ok(());
        }
        self.note_values(stretch.len() as u64 * 4, 0);
        self.degrees.with_reader(Direction::Out, self.undirected(), |reader| reader.read(stretch, degrees))
    }
}

/// Outcome of a window.
struct Mapped {
    /// Sums of each block.
    sums: Vec<[f64; 2]>,
    /// True per changed array.
    changed: [bool; 2],
}

impl Mapped {
    fn total(self) -> [f64; 2] {
        self.sums.into_iter().fold([0.0; 2], add)
    }
}

fn in_several_places() -> Error {
    Error::internal("a scan uses arrays in memory and on disk")
}

fn add(sums: [f64; 2], terms: [f64; 2]) -> [f64; 2] {
    [sums[0] + terms[0], sums[1] + terms[1]]
}
