//! Weights of generated edges.

use super::counter::{Stream, below};
use outcrop_types::{Error, Result, SplitMix64};
use std::str::FromStr;

/// Largest integer up to which single precision represents all integers.
const LARGEST_WEIGHT: u32 = 1 << 24;

/// Distribution of the weights of generated edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightDistribution {
    /// Real numbers greater than 0 and at most 1.
    Uniform01,
    /// Integers from `low` to `high`, inclusive; `high` is at most 2^24.
    Integers {
        /// Minimum weight.
        low: u32,
        /// Maximum weight.
        high: u32,
    },
}

impl WeightDistribution {
    /// # Errors
    ///
    /// Returns [`Error::Usage`] if the range is empty or contains numbers that a weight cannot represent.
    pub(crate) fn check(self) -> Result<()> {
        match self {
            Self::Integers { low, high } if low > high => {
                Err(Error::Usage(format!("the range of weights {low}..{high} is empty")))
            }
            Self::Integers { high, .. } if high > LARGEST_WEIGHT => Err(Error::Usage(format!(
                "the weight {high} is not exact in single precision; the limit is {LARGEST_WEIGHT}"
            ))),
            _ => Ok(()),
        }
    }

    #[inline]
    fn draw(self, random: u64) -> f64 {
        match self {
            Self::Uniform01 => ((random >> 40) + 1) as f64 / LARGEST_WEIGHT as f64,
            Self::Integers { low, high } => (u64::from(low) + below(random, u64::from(high - low) + 1)) as f64,
        }
    }
}

impl FromStr for WeightDistribution {
    type Err = Error;

    /// Parses `uniform`, or a range of integers such as `1..255`.
    fn from_str(text: &str) -> Result<Self> {
        if text == "uniform" {
            return Ok(Self::Uniform01);
        }
        let range = text.split_once("..").and_then(|(low, high)| Some((low.parse().ok()?, high.parse().ok()?)));
        let (low, high) =
            range.ok_or_else(|| Error::Usage(format!("expected `uniform` or a range such as 1..255, not `{text}`")))?;
        let weights = Self::Integers { low, high };
        weights.check().map(|()| weights)
    }
}

/// Weights of a graph's edges, by edge number.
#[derive(Clone, Copy, Debug)]
pub struct EdgeWeights {
    distribution: Option<WeightDistribution>,
    numbers: SplitMix64,
}

impl EdgeWeights {
    pub(super) fn new(distribution: Option<WeightDistribution>, seed: u64) -> Result<Self> {
        distribution.map_or(Ok(()), WeightDistribution::check)?;
        Ok(Self { distribution, numbers: Stream::Weights.of(seed) })
    }

    pub(super) const fn any(&self) -> bool {
        self.distribution.is_some()
    }

    /// Appends the weights of the given edges.
    pub(super) fn fill(&self, edges: std::ops::Range<u64>, weights: &mut Vec<f64>) {
        if let Some(distribution) = self.distribution {
            weights.extend(edges.map(|edge| distribution.draw(self.numbers.at(edge))));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_stay_in_range_and_reach_its_ends() {
        let ends = |distribution: WeightDistribution| (distribution.draw(0), distribution.draw(u64::MAX));
        assert_eq!(ends(WeightDistribution::Uniform01), (1.0 / 16_777_216.0, 1.0));
        assert_eq!(ends(WeightDistribution::Integers { low: 1, high: 255 }), (1.0, 255.0));
        assert_eq!(ends(WeightDistribution::Integers { low: 7, high: 7 }), (7.0, 7.0));
    }

    #[test]
    fn texts_are_read_or_refused() {
        assert_eq!("uniform".parse::<WeightDistribution>().unwrap(), WeightDistribution::Uniform01);
        assert_eq!("1..255".parse::<WeightDistribution>().unwrap(), WeightDistribution::Integers { low: 1, high: 255 });
        for text in ["", "1", "..", "2..1", "-1..3", "1...3", "0..16777217", "1..99999999999"] {
            assert!(matches!(text.parse::<WeightDistribution>(), Err(Error::Usage(_))), "{text}");
        }
    }
}
