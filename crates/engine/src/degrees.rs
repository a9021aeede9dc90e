//! Degrees: lengths of lists, which determine intervals and positions of lists before any list is read.

use outcrop_store::layout::DegreeReader;
use outcrop_types::{Cancellation, Direction, Error, Result, VertexRange};
use std::sync::{Mutex, PoisonError};

/// Number of degrees read at once.
const STRETCH: u32 = 1 << 14;

/// Reader of the lengths of the lists of one direction, by vertex ranges.
pub trait Degrees: Send {
    /// Replaces the content of `into` with the degrees of the vertices of `range`.
    ///
    /// # Errors
    ///
    /// Returns an error if the degrees are damaged or cannot be read.
    fn read(&mut self, range: VertexRange, into: &mut Vec<u32>) -> Result<()>;

    /// Returns the error for lists whose lengths differ from the degrees.
    fn differ(&self) -> Error;
}

impl Degrees for DegreeReader {
    fn read(&mut self, range: VertexRange, into: &mut Vec<u32>) -> Result<()> {
        Self::read(self, range, into)
    }

    fn differ(&self) -> Error {
        Self::differ(self)
    }
}

/// Returns the length of the longest list of `vertices` vertices.
///
/// # Errors
///
/// Returns an error if degrees are damaged or cannot be read, or if the run is interrupted.
pub fn longest_list(degrees: &mut dyn Degrees, vertices: u32, cancellation: &Cancellation) -> Result<u32> {
    let (mut lengths, mut longest) = (Vec::new(), 0);
    for start in (0..vertices).step_by(STRETCH as usize) {
        cancellation.check()?;
        let stretch = VertexRange::new(start, start.saturating_add(STRETCH).min(vertices));
        degrees.read(stretch, &mut lengths)?;
        longest = lengths.iter().copied().fold(longest, u32::max);
    }
    Ok(longest)
}

/// Degrees of a graph; for an undirected one, either direction suffices.
#[derive(Default)]
pub struct DegreeSource<'g> {
    out: Option<Mutex<Box<dyn Degrees + 'g>>>,
    into: Option<Mutex<Box<dyn Degrees + 'g>>>,
}

impl<'g> DegreeSource<'g> {
    /// Adds the degrees of `direction`.
    #[must_use]
    pub fn with(mut self, direction: Direction, degrees: impl Degrees + 'g) -> Self {
        *match direction {
            Direction::Out => &mut self.out,
            Direction::In => &mut self.into,
        } = Some(Mutex::new(Box::new(degrees)));
        self
    }

    /// Number of readers.
    pub fn count(&self) -> u64 {
        u64::from(self.out.is_some()) + u64::from(self.into.is_some())
    }

    /// Works with the degrees of `direction`; with those of the other one where it is all there is and `undirected`.
    pub fn with_reader<T>(
        &self,
        direction: Direction,
        undirected: bool,
        work: impl FnOnce(&mut dyn Degrees) -> Result<T>,
    ) -> Result<T> {
        let (first, second) = match direction {
            Direction::Out => (&self.out, &self.into),
            Direction::In => (&self.into, &self.out),
        };
        let reader = first.as_ref().or_else(|| second.as_ref().filter(|_| undirected));
        let reader =
            reader.ok_or_else(|| Error::internal(format!("the {}-degrees are not loaded", direction.name())))?;
        work(&mut **reader.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
