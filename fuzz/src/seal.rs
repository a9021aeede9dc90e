//! Checksums that are right after an edit.

use std::path::Path;
use xxhash_rust::xxh3::{Xxh3, xxh3_64, xxh3_64_with_seed};

/// Bytes of a unit.
pub const UNIT: usize = 4096;
const UNIT_HEADER: usize = 8;

/// Checksums of a file.
#[derive(Clone, Copy, Debug)]
pub enum Seal {
    /// Checksums of units (`docs/format/unit.md`).
    Units {
        /// Seed of the first unit.
        first: u64,
        /// Seed of the others.
        others: u64,
        /// Seed of the last unit of a checkpoint or result, which has a checksum of the others.
        last: Option<u64>,
    },
    /// Checksum of a manifest, in its first line.
    Manifest,
}

impl Seal {
    /// Returns how the file `name` with these bytes gets its checksums; `None` if it has no known ones. Files of a store
    /// need its `manifest`.
    pub fn of(name: &Path, bytes: &[u8], manifest: Option<&[u8]>) -> Option<Self> {
        let by = |owner: &[u8], name: &str| xxh3_64(&[owner, name.as_bytes()].concat());
        let file = name.file_name()?.to_str()?;
        if file == "manifest.json" {
            return Some(Self::Manifest);
        }
        let start = bytes.len().checked_sub(UNIT)?;
        let seal = if let Some(kind) = ["checkpoint-", "result-"].into_iter().find(|kind| file.starts_with(kind)) {
            let units = by(&bytes[start + UNIT_HEADER + 32..][..16], kind);
            Self::Units { first: units, others: units, last: Some(by(&[0; 16], kind)) }
        } else {
            let manifest = std::str::from_utf8(manifest?).ok()?;
            let uuid = manifest.split_once("\"uuid\": \"")?.1.get(..32)?;
            let uuid = u128::from_str_radix(uuid, 16).ok()?.to_be_bytes();
            let generation = u64::from_le_bytes(bytes[UNIT_HEADER + 24..][..8].try_into().ok()?);
            let others =
                if file.starts_with("static.") { format!("{file}:{generation:016x}") } else { file.to_owned() };
            Self::Units { first: by(&uuid, file), others: by(&uuid, &others), last: None }
        };
        let mut same = bytes.to_vec();
        seal.renew(&mut same);
        (same == bytes).then_some(seal)
    }

    /// Gives a file right checksums. The manifest keeps that of the whole file, which only `check` compares.
    pub fn renew(&self, bytes: &mut Vec<u8>) {
        let Self::Units { first, others, last } = *self else { return renew_manifest(bytes) };
        let mut units: Vec<_> = bytes.chunks_exact_mut(UNIT).collect();
        let last = last.and_then(|seal| units.pop().map(|unit| (unit, seal)));
        let mut digest = Xxh3::new();
        for (number, unit) in units.iter_mut().enumerate() {
            renew_unit(unit, number, if number == 0 { first } else { others });
            digest.update(&unit[..UNIT_HEADER]);
        }
        if let Some((unit, seal)) = last {
            unit[UNIT_HEADER + 48..UNIT_HEADER + 56].copy_from_slice(&(units.len() as u64).to_le_bytes());
            unit[UNIT_HEADER + 56..UNIT_HEADER + 64].copy_from_slice(&digest.digest().to_le_bytes());
            renew_unit(unit, units.len(), seal);
        }
    }
}

fn renew_unit(unit: &mut [u8], number: usize, seal: u64) {
    let (header, payload) = unit.split_at_mut(UNIT_HEADER);
    let checksum = xxh3_64_with_seed(payload, seal ^ (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    header.copy_from_slice(&checksum.to_le_bytes());
}

fn renew_manifest(bytes: &mut Vec<u8>) {
    let Some(end) = bytes.iter().position(|byte| *byte == b'\n') else { return };
    let body = bytes.split_off(end + 1);
    *bytes = format!("{{ \"checksum\": \"{:016x}-{}\",\n", xxh3_64(&body), body.len()).into_bytes();
    bytes.extend(body);
}
