//! Edits of files, as an input says.

use crate::seal::{Seal, UNIT};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const MOST_EDITS: usize = 8;
/// Numbers that are often lengths, counts or places.
const NUMBERS: [u64; 10] = [0, 1, 0x7f, 0xff, 0xffff, 1 << 31, u32::MAX as u64, 1 << 40, 1 << 63, u64::MAX];

/// Files of a folder, by relative path.
pub(crate) type Files = BTreeMap<PathBuf, Vec<u8>>;

/// Returns the files of a folder and of the folders in it.
pub(crate) fn files_of(folder: &Path) -> Files {
    let mut files = Files::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.insert(path.strip_prefix(folder).unwrap().to_owned(), std::fs::read(&path).unwrap());
            }
        }
    }
    files
}

/// Writes files to a folder.
pub(crate) fn write(files: &Files, folder: &Path) {
    for (name, bytes) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
}

/// Bytes that decide.
pub(crate) struct Choices<'d>(pub(crate) &'d [u8]);

impl Choices<'_> {
    pub(crate) fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().map_or((0, self.0), |(first, rest)| (*first, rest));
        self.0 = rest;
        first
    }

    fn below(&mut self, bound: usize) -> usize {
        let number = (0..3).fold(0, |number, _| number << 8 | usize::from(self.byte()));
        number % bound.max(1)
    }
}

/// Edits files as the input says, `wanted` ones only; returns true if an edited file got right checksums, which makes the
/// files those of another graph.
pub(crate) fn edit(files: &mut Files, wanted: impl Fn(&Path) -> bool, choices: &mut Choices<'_>) -> bool {
    let names: Vec<PathBuf> =
        files.iter().filter(|(name, bytes)| wanted(name) && !bytes.is_empty()).map(|file| file.0.clone()).collect();
    let reseal = choices.byte() & 1 == 1;
    let mut resealed = false;
    for _ in 0..MOST_EDITS {
        if choices.0.is_empty() {
            break;
        }
        let name = &names[usize::from(choices.byte()) % names.len()];
        let before = files[name].clone();
        let mut bytes = before.clone();
        change(&mut bytes, choices);
        if bytes == before {
            continue;
        }
        let seal = reseal.then(|| Seal::of(name, &before, manifest_of(name, files))).flatten();
        if let Some(seal) = seal {
            seal.renew(&mut bytes);
            resealed = true;
        }
        files.insert(name.clone(), bytes);
    }
    resealed
}

/// Changes something.
fn change(bytes: &mut Vec<u8>, choices: &mut Choices<'_>) {
    let (kind, place) = (choices.byte() % 8, choices.below(bytes.len()));
    if bytes.is_empty() {
        return bytes.push(choices.byte());
    }
    match kind {
        0 => bytes[place] ^= 1 << (choices.byte() % 8),
        1 => bytes[place] = choices.byte(),
        2 | 3 => {
            let width = [1, 2, 4, 8][usize::from(choices.byte() % 4)];
            let number = NUMBERS[usize::from(choices.byte()) % NUMBERS.len()].to_le_bytes();
            let place = place / width * width;
            let end = bytes.len().min(place + width);
            bytes[place..end].copy_from_slice(&number[..end - place]);
        }
        4 => bytes.truncate(place),
        5 => bytes.resize(bytes.len() + 1 + choices.below(2 * UNIT), 0),
        // Units stay as they are, in another place.
        6 => {
            let (one, two) = (place / UNIT * UNIT, choices.below(bytes.len()) / UNIT * UNIT);
            let count = UNIT.min(bytes.len() - one.max(two));
            let unit = bytes[two..two + count].to_vec();
            bytes[one..one + count].copy_from_slice(&unit);
        }
        _ => {
            let count = (1 + usize::from(choices.byte() % 16)).min(bytes.len() - place);
            bytes[place..place + count].iter_mut().for_each(|byte| *byte = choices.byte());
        }
    }
}

/// Returns the manifest of the store that the file `name` belongs to.
fn manifest_of<'f>(name: &Path, files: &'f Files) -> Option<&'f [u8]> {
    files.get(&name.with_file_name("manifest.json")).map(Vec::as_slice)
}
