//! Stores each of whose files is in order, with right checksums, and whose parts are not of one graph: `check` says so.

use crate::cases::collect::Reading;
use crate::cases::graph::{Case, Ids};
use crate::cases::layouts::{TINY, chunks, compact, pages_of, sliding};
use crate::harm::damage::check_all;
use crate::harm::hostile::Forger;
use outcrop_store::{ArcHash, Codec, FileEntry, Store};
use outcrop_types::Direction;
use xxhash_rust::xxh3::Xxh3;

/// A path whose lists of targets have one entry each.
fn path() -> Case {
    Case::new(Ids::Sparse, (0..9).map(|vertex| (vertex, vertex + 1, 1.0)).collect())
}

/// Complaint of `check`; there must be one.
fn complaint(forger: &Forger) -> String {
    let error = check_all(&forger.store(), &Reading::PLAIN.workers()).unwrap_err();
    assert_eq!(error.exit_code(), 7, "{error}");
    error.to_string()
}

/// Lets the first entry of all lists of a direction be another vertex.
fn change_first_entry(forger: &mut Forger, direction: Direction) {
    forger.forge(&format!("{}.edges", direction.name()), |_, bytes, parts| {
        let place = parts[0].start + 8;
        let entry = u32::from_le_bytes(bytes[place..place + 4].try_into().unwrap());
        let other = if entry == 5 { 6_u32 } else { 5 };
        bytes[place..place + 4].copy_from_slice(&other.to_le_bytes());
    });
}

#[test]
fn lists_of_other_arcs_than_the_other_direction_are_noticed_also_without_a_hash() {
    for hash in [true, false] {
        let mut forger = Forger::new(&path());
        forger.manifest.graph.arc_hash = forger.manifest.graph.arc_hash.filter(|_| hash);
        forger.publish(&forger.manifest);
        check_all(&forger.store(), &Reading::PLAIN.workers()).unwrap();
        change_first_entry(&mut forger, Direction::Out);
        assert!(complaint(&forger).contains("its out-lists and in-lists contain different edges"));
    }
}

#[test]
fn an_undirected_store_with_an_edge_at_one_end_only_is_noticed_also_without_a_hash() {
    let mut forger = Forger::new(&Case { undirected: true, ..path() });
    forger.manifest.graph.arc_hash = None;
    change_first_entry(&mut forger, Direction::Out);
    assert!(complaint(&forger).contains("only one of its ends"));
}

#[test]
fn lists_that_agree_with_each_other_and_not_with_the_hash_are_noticed() {
    let hash = ArcHash::from_sum(0x1234);
    for layout in [pages_of(4096), compact(Codec::Packed), chunks(TINY, |_| {}), sliding(3)] {
        for updated in [false, true] {
            let case = Case::random(Ids::Dense, 300, 2000).laid_out(&layout);
            let mut forger = if updated { Forger::updated(&case) } else { Forger::new(&case) };
            check_all(&forger.store(), &Reading::PLAIN.workers()).unwrap();
            forger.manifest.graph.arc_hash = Some(hash);
            forger.publish(&forger.manifest);
            assert!(complaint(&forger).contains("wrong hash"));
        }
    }
}

#[test]
fn numbers_of_edges_that_lists_do_not_have_are_refused_at_once() {
    for (undirected, edges) in [(false, u64::MAX), (false, 8), (true, u64::MAX), (true, 8), (true, 19)] {
        let mut forger = Forger::new(&Case { undirected, ..path() });
        forger.manifest.graph.edges = edges;
        forger.publish(&forger.manifest);
        assert_eq!(Store::open(&forger.store()).err().map(|error| error.exit_code()), Some(7), "{edges}");
    }
    // Few enough for lists with loops, of which there are none.
    let mut forger = Forger::new(&Case { undirected: true, ..path() });
    forger.manifest.graph.edges = 10;
    forger.publish(&forger.manifest);
    assert!(complaint(&forger).contains("it has 9 edges, but its manifest says 10"));
}

#[test]
fn files_that_the_manifest_does_not_imply_or_that_are_longer_are_noticed() {
    let name = "in.edges".to_owned();
    let mut forger = Forger::new(&Case { undirected: true, ..path() });
    std::fs::write(forger.store().join(&name), "").unwrap();
    forger.manifest.files.push(FileEntry { name, bytes: 0, checksum: format!("{:016x}", Xxh3::new().digest()) });
    forger.publish(&forger.manifest);
    assert!(complaint(&forger).contains("in.edges, which does not belong"));

    for name in ["ids.integers", "out.degrees", "order.ranks", "order.vertices"] {
        let mut forger = Forger::new(&Case { by_degree: true, ..path() });
        let path = forger.store().join(name);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes.resize(bytes.len() + 4096, 0);
        std::fs::write(&path, bytes).unwrap();
        forger.manifest.files.iter_mut().find(|file| file.name == name).unwrap().bytes += 4096;
        forger.forge(name, |_, _, _| {});
        let said = complaint(&forger);
        assert!(said.contains(name), "{said}");
    }
}
