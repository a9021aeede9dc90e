//! Four levels of the Kronecker recursion with one table lookup (Walker's alias method, in exact integers).

/// Probabilities in percent that an edge is in the quadrant (source bit, target bit) = 00, 01, 10, 11: A, B, C, D of
/// Graph500.
const CHANCE: [u32; 4] = [57, 19, 19, 5];

/// Number of levels per lookup.
pub(super) const LEVELS: u32 = 4;

/// Number of outcomes of four levels: four bits of the source and four of the target.
const OUTCOMES: usize = 256;

/// Probability mass per column: the probabilities of all outcomes add up to `100^4`, divided evenly among 256 columns.
const COLUMN: u32 = 100u32.pow(LEVELS) / OUTCOMES as u32;

/// Number of bits of the random number that select one of the two outcomes of a column.
const COIN_BITS: u32 = 24;

/// Alias table of `threshold << 8 | other` per column: the column's own outcome if the coin is below the threshold,
/// otherwise `other`.
#[derive(Clone, Debug)]
pub(super) struct QuadrantTable([u32; OUTCOMES]);

impl QuadrantTable {
    /// Returns the table for the probabilities of Graph500.
    pub(super) fn new() -> Self {
        let mut left: Vec<u32> = (0..OUTCOMES as u32).map(chance).collect();
        let mut columns = [0; OUTCOMES];
        let (mut small, mut large): (Vec<usize>, Vec<usize>) =
            (0..OUTCOMES).partition(|outcome| left[*outcome] < COLUMN);
        while let (Some(own), Some(other)) = (small.pop(), large.last().copied()) {
            columns[own] = column(left[own], other);
            left[other] -= COLUMN - left[own];
            if left[other] < COLUMN {
                large.pop();
                small.push(other);
            }
        }
        large.into_iter().for_each(|own| columns[own] = own as u32);
        Self(columns)
    }

    /// Maps 32 random bits to four bits of the source (high half) and four of the target (low half).
    #[inline]
    pub(super) fn look(&self, random: u32) -> u32 {
        let own = random & 0xff;
        let column = self.0[own as usize];
        if random >> 8 < column >> 8 { own } else { column & 0xff }
    }
}

fn column(share: u32, other: usize) -> u32 {
    let threshold = (u64::from(share) << COIN_BITS) / u64::from(COLUMN);
    ((threshold as u32) << 8) | other as u32
}

/// Returns the probability of an outcome, times `100^4`.
fn chance(outcome: u32) -> u32 {
    (0..LEVELS)
        .map(|level| {
            let source = outcome >> (LEVELS + level) & 1;
            let target = outcome >> level & 1;
            CHANCE[(2 * source + target) as usize]
        })
        .product()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_outcome_has_its_chance_in_all_columns_together() {
        let table = QuadrantTable::new();
        let whole = f64::from(1u32 << COIN_BITS);
        let mut share = [0.0; OUTCOMES];
        for (own, column) in table.0.iter().enumerate() {
            let threshold = f64::from(column >> 8);
            share[own] += threshold / whole;
            share[(column & 0xff) as usize] += 1.0 - threshold / whole;
        }
        for (outcome, share) in (0..).zip(share) {
            let expected = f64::from(chance(outcome)) / f64::from(COLUMN);
            assert!((share - expected).abs() < 1e-5, "{outcome}: {share} {expected}");
        }
    }

    #[test]
    fn the_chances_are_those_of_graph500() {
        assert_eq!((0..OUTCOMES as u32).map(chance).sum::<u32>(), 100_000_000);
        assert_eq!(
            (chance(0), chance(0x01), chance(0x10), chance(0xff)),
            (57u32.pow(4), 57u32.pow(3) * 19, 57u32.pow(3) * 19, 625)
        );
    }
}
