//! Possible targets of walks at a vertex: its list is scanned once for all of them.

use outcrop_store::access::Neighbors;
use outcrop_types::VertexId;

/// Number of entries whose weights are summed together.
const BLOCK: usize = 64;

/// Out-neighbors of a vertex, with sums of their weights.
pub(super) struct WalkTargets<'l> {
    list: Neighbors<'l>,
    /// Prefix sums of the weights per block of entries, and their total, if weighted; an eighth of a byte per entry.
    sums: Option<Vec<f64>>,
}

impl<'l> WalkTargets<'l> {
    /// Sums the weights, if there are any.
    pub(super) fn of(list: Neighbors<'l>) -> Self {
        let sums = list.weights().map(|weights| {
            let mut sum = 0.0;
            let before = weights.chunks(BLOCK).map(|block| {
                let before = sum;
                sum += block.iter().sum::<f64>();
                before
            });
            let mut sums: Vec<f64> = before.collect();
            sums.push(sum);
            sums
        });
        Self { list, sums }
    }

    /// Returns true if there is an edge to `vertex`.
    pub(super) fn leads_to(&self, vertex: VertexId) -> bool {
        self.list.ids().binary_search(&vertex).is_ok()
    }

    /// Samples a neighbor: uniformly by `position(most)`, from 0 to `most`; by weight by `part()`, from 0 to below 1.
    pub(super) fn draw(&self, position: impl FnOnce(u32) -> u32, part: impl FnOnce() -> f64) -> Option<VertexId> {
        let Some((weights, sums)) = self.list.weights().zip(self.sums.as_ref()) else {
            let most = u32::try_from(self.list.len()).ok()?.checked_sub(1)?;
            return self.list.ids().get(position(most) as usize).copied();
        };
        let wanted = part() * sums.last()?;
        let block = sums[..sums.len() - 1].partition_point(|before| *before <= wanted).checked_sub(1)?;
        let first = block * BLOCK;
        let mut rest = wanted - sums[block];
        let mut last = None;
        for (id, weight) in self.list.ids()[first..].iter().zip(&weights[first..]).filter(|(_, weight)| **weight > 0.0)
        {
            last = Some(*id);
            rest -= weight;
            if rest < 0.0 {
                break;
            }
        }
        last.or_else(|| self.last_followed(weights))
    }

    /// Returns the last vertex with a positive weight, for a position past the end by rounding.
    fn last_followed(&self, weights: &[f64]) -> Option<VertexId> {
        weights.iter().rposition(|weight| *weight > 0.0).map(|place| self.list.ids()[place])
    }
}
