//! Readers are compiled once, and not once a visitor: the functions of the command are counted.

use crate::driver::Folder;
use object::{Object, ObjectSymbol, SymbolKind};
use std::collections::BTreeMap;

/// The most copies of a function that reads lists: one a layout that shares it, or one a codec with and without
/// weights.
const MOST_COPIES: usize = 4;
/// The most bytes of more copies than these: a few lines that are inlined are compiled wherever they are called.
const INLINED_BYTES: u64 = 16 << 10;
/// Modules that read lists.
const READERS: [&str; 5] = [
    "outcrop_store::read::",
    "::layout::chunked::read::",
    "::layout::paged_lists::",
    "::layout::sliding::",
    "::access::packer::Packer",
];

#[test]
fn readers_are_compiled_once() {
    let command = std::fs::read(env!("CARGO_BIN_EXE_outcrop")).unwrap();
    let command = object::File::parse(&*command).unwrap();
    let functions = command.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.size() > 0);
    let mut copies: BTreeMap<String, (usize, u64)> = BTreeMap::new();
    let mut count = 0;
    for function in functions {
        count += 1;
        // Without the hash that tells copies apart.
        let name = format!("{:#}", rustc_demangle::demangle(function.name().unwrap()));
        let reads = READERS.iter().any(|reader| name.contains(reader));
        if reads && !name.contains("drop_in_place") && !name.contains("{{closure}}") && !name.starts_with("core::") {
            let (copies, bytes) = copies.entry(name).or_default();
            (*copies, *bytes) = (*copies + 1, *bytes + function.size());
        }
    }
    assert!(copies.len() > 50, "the readers were not found among {count} functions");
    let many: Vec<_> =
        copies.iter().filter(|(_, (copies, bytes))| *copies > MOST_COPIES && *bytes > INLINED_BYTES).collect();
    assert!(many.is_empty(), "{many:#?}");
}

/// A reader that hands over single lists would not pass.
#[test]
fn lists_come_in_batches() {
    let folder = Folder::new();
    folder.ok("generate kronecker --scale 12 --edge-factor 8 --seed 1 -o edges.bin");
    for layout in ["chunked", "compact", "csr", "sliding"] {
        folder.ok(&format!("build edges.bin {layout}.outcrop --layout {layout}"));
        let ran = folder.ok(&format!("run pagerank {layout}.outcrop --iterations 4 --json"));
        let [batches, lists, entries] = ["batches", "lists_visited", "entries_visited"].map(|name| ran.figure(name));
        assert!(lists >= 4 * ran.figure("vertices"), "{layout}: {lists} lists");
        assert_eq!(entries, 4 * ran.figure("edges"), "{layout}");
        assert!(lists >= 8 * batches && entries >= 128 * batches, "{layout}: {lists} lists in {batches} batches");
    }
}
