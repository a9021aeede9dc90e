//! Values of selected rows, from memory or disk.

use super::node_ids::NodeIds;
use arrow_array::{ArrayRef, Float32Array, Float64Array, UInt32Array, UInt64Array};
use bytemuck::Pod;
use outcrop_algorithms::{UNREACHED, ValueFile, Values};
use outcrop_types::{Result, VertexId};
use std::sync::Arc;

/// Maximum gap, in rows, between values in a file that one read covers.
const READ_GAP: u32 = 1 << 10;
/// Maximum span of rows per read.
const READ_SPAN: u32 = 1 << 15;

/// Rows of a table: parallel lists of ranks and vertices.
pub(super) struct Rows {
    pub(super) ranks: Vec<u32>,
    pub(super) vertices: Vec<VertexId>,
}

impl Rows {
    /// Returns the values of the rows, from one value per vertex.
    fn held<T: Copy>(&self, values: &[T]) -> Vec<T> {
        self.vertices.iter().map(|vertex| values[*vertex as usize]).collect()
    }

    /// Returns the values of the rows, from a file with one value per rank; reads ranges, not single values.
    fn stored<T: Pod>(&self, file: &ValueFile<T>) -> Result<Vec<T>> {
        let mut places: Vec<usize> = (0..self.ranks.len()).collect();
        places.sort_unstable_by_key(|place| self.ranks[*place]);
        let (mut values, mut stretch) = (vec![T::zeroed(); places.len()], Vec::new());
        let mut rest = &places[..];
        while let Some(first) = rest.first().map(|place| self.ranks[*place]) {
            let rank = |place: usize| self.ranks[place];
            let near = |pair: &[usize]| rank(pair[1]) - rank(pair[0]) <= READ_GAP && rank(pair[1]) - first < READ_SPAN;
            let (now, later) = rest.split_at(1 + rest.windows(2).take_while(|pair| near(pair)).count());
            let last = now.last().map_or(first, |place| rank(*place));
            stretch.resize((last - first) as usize + 1, T::zeroed());
            file.read(u64::from(first), &mut stretch)?;
            now.iter().for_each(|place| values[*place] = stretch[(rank(*place) - first) as usize]);
            rest = later;
        }
        Ok(values)
    }

    /// Keeps only the first half of the rows.
    pub(super) fn first_half(&mut self) {
        let half = (self.ranks.len() / 2).max(1);
        self.ranks.truncate(half);
        self.vertices.truncate(half);
    }

    /// Returns the values as an array; `None` if there are several rows whose texts exceed the memory.
    pub(super) fn array(&self, values: &Values, ids: &mut NodeIds<'_>) -> Result<Option<ArrayRef>> {
        Ok(Some(match values {
            Values::Count(values) => counts(self.held(values), UNREACHED),
            Values::CountFile(file) => counts(self.stored(file)?, UNREACHED),
            Values::ShortCount(values) => counts(self.held(values), u16::MAX),
            Values::ByteCount(values) => counts(self.held(values), u8::MAX),
            Values::LargeCount(values) => Arc::new(UInt64Array::from(self.held(values))),
            Values::Node(values) => return ids.of_ranks(&self.held(values)),
            Values::NodeFile(file) => return ids.of_ranks(&self.stored(file)?),
            Values::Float64(values) => doubles(&self.held(values)),
            Values::Float64File(file) => doubles(&self.stored(file)?),
            Values::Float32(values) => singles(&self.held(values)),
            Values::Float32File(file) => singles(&self.stored(file)?),
        }))
    }

    /// Returns the values as comparable numbers; `None` for null.
    pub(super) fn numbers(&self, values: &Values) -> Result<Vec<Option<f64>>> {
        let single = |value: &f32| Some(f64::from(*value)).filter(|value| value.is_finite());
        let double = |value: &f64| Some(*value).filter(|value| value.is_finite());
        Ok(match values {
            Values::Count(values) | Values::Node(values) => known(self.held(values), UNREACHED).collect(),
            Values::CountFile(file) | Values::NodeFile(file) => known(self.stored(file)?, UNREACHED).collect(),
            Values::ShortCount(values) => known(self.held(values), u16::MAX).collect(),
            Values::ByteCount(values) => known(self.held(values), u8::MAX).collect(),
            Values::LargeCount(values) => self.held(values).iter().map(|value| Some(*value as f64)).collect(),
            Values::Float64(values) => self.held(values).iter().map(double).collect(),
            Values::Float64File(file) => self.stored(file)?.iter().map(double).collect(),
            Values::Float32(values) => self.held(values).iter().map(single).collect(),
            Values::Float32File(file) => self.stored(file)?.iter().map(single).collect(),
        })
    }
}

fn counts<T: Copy + PartialEq + Into<u32>>(values: Vec<T>, null: T) -> ArrayRef {
    Arc::new(known::<T, u32>(values, null).collect::<UInt32Array>())
}

/// Returns the values, `None` for those that are `null`.
fn known<T: Copy + PartialEq + Into<N>, N>(values: Vec<T>, null: T) -> impl Iterator<Item = Option<N>> {
    values.into_iter().map(move |value| (value != null).then(|| value.into()))
}

fn doubles(values: &[f64]) -> ArrayRef {
    Arc::new(values.iter().map(|value| Some(*value).filter(|value| value.is_finite())).collect::<Float64Array>())
}

fn singles(values: &[f32]) -> ArrayRef {
    Arc::new(values.iter().map(|value| Some(*value).filter(|value| value.is_finite())).collect::<Float32Array>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use outcrop_io::SpillFolder;

    #[test]
    fn rows_in_any_order_are_read_from_a_file_in_few_stretches() {
        let dir = tempfile::tempdir().unwrap();
        let file = ValueFile::filled(&SpillFolder::new(dir.path()).unwrap(), 200_000, 0_u32).unwrap();
        let values: Vec<u32> = (0..200_000).map(|rank| rank * 3).collect();
        file.write(0, &values).unwrap();
        let (before, _) = file.traffic();
        let ranks = vec![199_999, 5, 4, 150_000, 5, 1000, 100_000];
        let rows = Rows { vertices: ranks.clone(), ranks };
        assert_eq!(rows.stored(&file).unwrap(), [599_997, 15, 12, 450_000, 15, 3000, 300_000]);
        // One read for 4 to 1000, and three single values.
        assert_eq!(file.traffic().0 - before, 4 * (997 + 3));
        let all: Vec<u32> = (0..100_000).collect();
        assert_eq!(Rows { vertices: all.clone(), ranks: all }.stored(&file).unwrap(), values[..100_000]);
        assert!(Rows { vertices: vec![], ranks: vec![] }.stored(&file).unwrap().is_empty());
        assert!(Rows { vertices: vec![0], ranks: vec![200_000] }.stored(&file).is_err());
    }
}
