//! Lengths of lists, from which intervals are chosen and places of lists are computed before any list is read.

use outcrop_store::layout::DegreeReader;
use outcrop_types::{Cancellation, Direction, Error, Result, VertexRange};
use std::sync::{Mutex, PoisonError};

/// Degrees that are read at once.
const STRETCH: u32 = 1 << 14;

/// The lengths of the lists of one direction, a stretch of vertices at a time.
pub trait Degrees: Send {
    /// Replaces `into` by the degrees of the vertices of `range`.
    ///
    /// # Errors
    /// They are damaged or cannot be read.
    fn read(&mut self, range: VertexRange, into: &mut Vec<u32>) -> Result<()>;

    /// The error where lists have other lengths.
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

/// The longest of the lists of `vertices` vertices.
///
/// # Errors
/// Degrees that are damaged or cannot be read; interruption.
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

/// The degrees of a graph; of an undirected one, either direction is enough.
#[derive(Default)]
pub struct DegreeSource<'g> {
    out: Option<Mutex<Box<dyn Degrees + 'g>>>,
    into: Option<Mutex<Box<dyn Degrees + 'g>>>,
}

impl<'g> DegreeSource<'g> {
    /// The same, and the degrees of `direction`.
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
