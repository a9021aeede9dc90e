//! Checksummed units, of which every component file consists (`docs/format/unit.md`). Units of edge files are called
//! pages, and may have another size.

use outcrop_types::{Error, Result, length_from};
use std::path::Path;
use xxhash_rust::xxh3::{Xxh3, xxh3_64_with_seed};

/// Bytes of a unit, except in edge files: the header with its checksum, then the payload.
pub const UNIT_BYTES: usize = 4096;
/// Bytes of a unit's checksum.
pub(crate) const UNIT_HEADER_BYTES: usize = 8;
/// Bytes of a unit's payload.
pub const PAYLOAD_BYTES: usize = UNIT_BYTES - UNIT_HEADER_BYTES;

/// Identity of a store: 16 random bytes that every checksum of the store depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreId([u8; 16]);

impl StoreId {
    /// Creates an identity from the system's random numbers.
    ///
    /// # Errors
    ///
    /// Returns an error if the system has no random numbers.
    pub(crate) fn random() -> Result<Self> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes)
            .map_err(|source| Error::io("read random numbers from", "the system", source.into()))?;
        Ok(Self(bytes))
    }

    /// Creates the identity with these bytes.
    pub(crate) const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// Returns the bytes.
    pub(crate) const fn to_bytes(self) -> [u8; 16] {
        self.0
    }

    /// Returns 32 hexadecimal digits.
    pub(crate) fn to_hex(self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Parses 32 hexadecimal digits; returns `None` for other texts.
    pub fn from_hex(text: &str) -> Option<Self> {
        let number = u128::from_str_radix(text, 16).ok().filter(|_| text.len() == 32)?;
        Some(Self(number.to_be_bytes()))
    }
}

/// Seed of the checksums of one component. It depends on the store, the component and the unit, so that bit rot,
/// swapped files and misdirected reads are all detected.
#[derive(Clone, Copy, Debug)]
pub struct UnitSeal {
    component: u64,
}

impl UnitSeal {
    /// Creates the seal of the component file `name` of `store`.
    pub fn new(store: StoreId, name: &str) -> Self {
        let mut state = Xxh3::new();
        state.update(&store.0);
        state.update(name.as_bytes());
        Self { component: state.digest() }
    }

    /// Returns the checksum of `payload` as unit `number`.
    #[inline]
    pub fn checksum(self, number: u64, payload: &[u8]) -> u64 {
        xxh3_64_with_seed(payload, self.component ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// Verifies the checksum of `unit` and returns its payload.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Corrupt`] with the number of the unit.
    #[inline]
    pub(crate) fn open<'u>(self, number: u64, unit: &'u [u8], path: &Path) -> Result<&'u [u8]> {
        match unit.split_first_chunk::<UNIT_HEADER_BYTES>() {
            Some((header, payload)) if u64::from_le_bytes(*header) == self.checksum(number, payload) => Ok(payload),
            _ => Err(bad_unit(number, unit.len(), path)),
        }
    }
}

#[cold]
fn bad_unit(number: u64, unit_bytes: usize, path: &Path) -> Error {
    let offset = number.saturating_mul(length_from(unit_bytes));
    Error::corrupt(path, format!("unit {number} (at byte {offset}) fails its checksum"))
}

/// Returns the number of units for `payload` bytes.
pub(crate) const fn units_for(payload: u64) -> u64 {
    payload.div_ceil(length_from(PAYLOAD_BYTES))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_survives_its_text_form() {
        let id = StoreId::random().unwrap();
        assert_eq!(StoreId::from_hex(&id.to_hex()), Some(id));
        assert_eq!(StoreId::from_hex("12"), None);
        assert_eq!(StoreId::from_hex(&"g".repeat(32)), None);
    }

    #[test]
    fn a_unit_opens_only_where_it_belongs() {
        let (one, other) = (StoreId::random().unwrap(), StoreId::random().unwrap());
        let seal = UnitSeal::new(one, "out.edges");
        let payload = [7; PAYLOAD_BYTES];
        let mut unit = seal.checksum(3, &payload).to_le_bytes().to_vec();
        unit.extend(payload);
        let path = Path::new("out.edges");
        assert!(seal.open(3, &unit, path).is_ok());
        assert!(seal.open(4, &unit, path).is_err());
        assert!(UnitSeal::new(one, "in.edges").open(3, &unit, path).is_err());
        assert!(UnitSeal::new(other, "out.edges").open(3, &unit, path).is_err());
        for bit in [0, 63, 64, 4096 * 8 - 1] {
            unit[bit / 8] ^= 1 << (bit % 8);
            assert!(seal.open(3, &unit, path).is_err());
            unit[bit / 8] ^= 1 << (bit % 8);
        }
        assert!(seal.open(3, &unit[..5], path).is_err());
    }
}
