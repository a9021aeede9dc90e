//! Fuzz targets: any input, and any damage to a store, gives the right answer or an error.
//!
//! A target is a function of bytes that panics if that is not so. `cargo fuzz` searches for such bytes (`make fuzz`);
//! `tests/replay.rs` tries the seeds, mutations of them, and all inputs that fuzzing has found.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a target reports a fault by panicking")]

mod decoders;
mod edits;
mod inputs;
mod seal;
mod stores;

pub use seal::{Seal, UNIT};

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Fuzz target.
#[derive(Clone, Copy)]
pub struct Target {
    /// Name.
    pub name: &'static str,
    /// Panics if the input is not handled correctly.
    pub run: fn(&[u8]),
    /// Inputs to start from.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

/// Every target.
pub const TARGETS: [Target; 7] = [
    Target { name: "codecs", run: decoders::codecs, seeds: decoders::codec_seeds },
    Target { name: "manifests", run: decoders::manifests, seeds: decoders::manifest_seeds },
    Target { name: "edges", run: inputs::edges, seeds: inputs::edge_seeds },
    Target { name: "tables", run: inputs::tables, seeds: inputs::table_seeds },
    Target { name: "vertices", run: inputs::vertices, seeds: inputs::vertex_seeds },
    Target { name: "stores", run: stores::stores, seeds: stores::store_seeds },
    Target { name: "states", run: stores::states, seeds: stores::state_seeds },
];

/// Runs the target `name`.
///
/// # Panics
///
/// Panics if there is no such target, or if it finds a fault.
pub fn run(name: &str, data: &[u8]) {
    (target(name).run)(data);
}

/// Writes the seeds of the target `name` to the folder in `OUTCROP_FUZZ_CORPUS`, if there is one.
///
/// # Panics
///
/// Panics if there is no such target or folder.
pub fn start(name: &str) {
    let Some(corpus) = std::env::var_os("OUTCROP_FUZZ_CORPUS") else { return };
    for (place, seed) in (target(name).seeds)().iter().enumerate() {
        std::fs::write(Path::new(&corpus).join(format!("seed-{place}")), seed).unwrap();
    }
}

/// Returns the target `name`.
///
/// # Panics
///
/// Panics if there is no such target.
pub fn target(name: &str) -> Target {
    *TARGETS.iter().find(|target| target.name == name).unwrap()
}

thread_local! {
    static SCRATCH: RefCell<TempDir> = RefCell::new(new_folder());
}

/// Returns a new folder, in memory if possible.
fn new_folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    let parent = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    TempDir::with_prefix_in("outcrop-fuzz-", parent).unwrap()
}

/// Returns an empty folder of the thread.
fn scratch() -> PathBuf {
    SCRATCH.with_borrow(|folder| {
        for entry in std::fs::read_dir(folder.path()).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) }.unwrap();
        }
        folder.path().to_owned()
    })
}

/// Checks that an error is one that the user can act on, not a fault of outcrop.
fn expect_ordinary(error: &outcrop::Error) {
    assert_ne!(error.exit_code(), 70, "{error}");
}
