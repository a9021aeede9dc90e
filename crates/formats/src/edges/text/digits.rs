//! Parser of decimal numbers, eight digits at a time.

const ZEROS: u64 = 0x3030_3030_3030_3030;
const POWERS: [u64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// Returns the value of up to eight digits at `at`, and their number.
#[inline]
fn eight(text: &[u8], at: usize) -> (u64, usize) {
    let word = match text.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        Some(bytes) => u64::from_le_bytes(*bytes),
        None => near_the_end(text, at),
    };
    let values = word ^ ZEROS;
    let others = (values.wrapping_add(0x7676_7676_7676_7676) | values) & 0x8080_8080_8080_8080;
    let bits = others.trailing_zeros() & !7;
    let digits = values.unbounded_shl(64 - bits);
    let pairs = (digits.wrapping_mul(10).wrapping_add(digits >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(100).wrapping_add(pairs >> 16)) & 0x0000_ffff_0000_ffff;
    let value = (fours.wrapping_mul(10_000).wrapping_add(fours >> 32)) & 0xffff_ffff;
    (value, bits as usize / 8)
}

#[cold]
fn near_the_end(text: &[u8], at: usize) -> u64 {
    // Default: past the end there is no digit.
    let rest = text.get(at..).unwrap_or_default();
    rest.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
}

/// Returns the number at `at` and its end; `None` if there is no digit or more than 19 digits, which may not fit.
#[inline]
pub(crate) fn number(text: &[u8], at: usize) -> Option<(u64, usize)> {
    let (high, count) = eight(text, at);
    if count < 8 {
        return (count > 0).then_some((high, at + count));
    }
    longer_number(text, at + 8, high)
}

#[inline]
fn longer_number(text: &[u8], at: usize, high: u64) -> Option<(u64, usize)> {
    let (middle, count) = eight(text, at);
    let value = high * POWERS[count] + middle;
    if count < 8 {
        return Some((value, at + count));
    }
    let (low, count) = eight(text, at + 8);
    (count <= 3).then(|| (value * POWERS[count] + low, at + 8 + count))
}

/// Returns the weight at `at` and its end if it is a plain decimal whose digits and power of ten are both exact as
/// floats, so that one correctly rounded division yields its value.
#[inline]
pub(crate) fn short_decimal(text: &[u8], at: usize) -> Option<(f64, usize)> {
    const EXACT: u64 = 1 << 53;
    let negative = text.get(at) == Some(&b'-');
    let (whole, mut end) = number(text, at + usize::from(negative))?;
    let (mut digits, mut scale) = (whole, 1);
    if text.get(end) == Some(&b'.') {
        let (part, stop) = number(text, end + 1)?;
        scale = *POWERS.get(stop - end - 1)?;
        digits = whole.checked_mul(scale)?.checked_add(part)?;
        end = stop;
    }
    if digits >= EXACT {
        return None;
    }
    let size = digits as f64 / scale as f64;
    Some((if negative { -size } else { size }, end))
}

/// Parses an integer that consists of decimal digits only.
pub(crate) fn whole_number(text: &[u8]) -> Option<u64> {
    let digit = |byte: &u8| char::from(*byte).to_digit(10).map(u64::from);
    let extend = |value: u64, byte: &u8| value.checked_mul(10)?.checked_add(digit(byte)?);
    if text.is_empty() { None } else { text.iter().try_fold(0, extend) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_are_what_the_standard_library_reads(value: u64, shift in 0u32..64, tail in "[ ,\t\nx/:\u{80}]{0,9}") {
            let value = value >> shift;
            let text = format!("{value}{tail}");
            let length = value.to_string().len();
            let expected = (length <= 19).then_some((value, length));
            prop_assert_eq!(number(text.as_bytes(), 0), expected);
        }

        #[test]
        fn decimals_are_what_the_standard_library_reads(text in "-?[0-9]{1,12}(\\.[0-9]{1,8})?") {
            if let Some((weight, end)) = short_decimal(text.as_bytes(), 0) {
                prop_assert_eq!(end, text.len());
                prop_assert_eq!(weight.to_bits(), text.parse::<f64>().unwrap().to_bits());
            }
        }
    }
}
