//! Sorts keys with a destination in the upper half.

use outcrop_types::VertexId;

/// Bits per sort pass: its counters fit in the L1 cache.
const BITS: u32 = 11;
/// Minimum number of keys for radix sort; fewer are sorted by comparison.
const FEW: usize = 1 << 12;

/// Sorts by destination, which is below `vertices`; keys with the same destination keep their order, which must be
/// ascending. `scratch` is as long as `keys`.
pub(super) fn sort<'k>(mut keys: &'k mut [u64], mut scratch: &'k mut [u64], vertices: VertexId) {
    if keys.len() < FEW {
        return keys.sort_unstable();
    }
    let passes = (VertexId::BITS - vertices.leading_zeros()).div_ceil(BITS);
    for pass in 0..passes {
        scatter(keys, scratch, VertexId::BITS + pass * BITS);
        std::mem::swap(&mut keys, &mut scratch);
    }
    if !passes.is_multiple_of(2) {
        scratch.copy_from_slice(keys);
    }
}

/// Moves all keys to the positions given by the bits from `shift` on.
fn scatter(keys: &[u64], places: &mut [u64], shift: u32) {
    let digit = |key: u64| (key >> shift) as usize & ((1 << BITS) - 1);
    let mut next = [0_usize; 1 << BITS];
    keys.iter().for_each(|key| next[digit(*key)] += 1);
    let mut sum = 0;
    for next in &mut next {
        sum += std::mem::replace(next, sum);
    }
    for key in keys {
        let next = &mut next[digit(*key)];
        places[*next] = *key;
        *next += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outcrop_types::SplitMix64;

    #[test]
    fn keys_are_sorted_by_destination_whatever_that_is() {
        let random = SplitMix64::new(3, 3);
        for vertices in [1, 2000, 1 << 11, 1 << 22, u32::MAX] {
            for length in [0, 1, 5000, 20_000_u32] {
                let to = |number: u32| random.at(u64::from(number)) % u64::from(vertices);
                let mut keys: Vec<u64> = (0..length).map(|number| to(number) << 32 | u64::from(number)).collect();
                let mut expected = keys.clone();
                expected.sort_unstable();
                let mut scratch = vec![0; keys.len()];
                sort(&mut keys, &mut scratch, vertices);
                assert!(keys == expected, "{vertices} {length}");
            }
        }
    }
}
