//! Checks of the parts of a store against each other and the manifest.

use super::lists::Checked;
use crate::component::{Component, PAYLOAD_BYTES, units_for};
use crate::journal::SegmentEntry;
use crate::layout::{chunked, compact, csr, degrees_name, sliding};
use crate::manifest::{MANIFEST_NAME, Manifest, Order, OriginalIds};
use crate::original_ids::{INTEGERS_NAME, RANK_OF_VERTEX_NAME, TEXT_ENDS_NAME, TEXTS_NAME, VERTEX_OF_RANK_NAME};
use crate::store::Store;
use outcrop_io::IoChoice;
use outcrop_types::{Direction, Error, Result, length_from};

/// Checks that the lists of all directions and layouts have the same edges, in the number given by the manifest, and
/// that the lists of an undirected store are symmetric.
pub(super) fn check_arcs(store: &Store, found: &[Checked]) -> Result<()> {
    let damaged = |message: String| Err(Error::corrupt(store.folder(), message));
    let Some(first) = found.first() else { return damaged("it has no lists".to_owned()) };
    if found.iter().any(|other| other.arcs != first.arcs || other.hash != first.hash) {
        return damaged("its out-lists and in-lists contain different edges".to_owned());
    }
    let manifest = store.manifest();
    if !manifest.graph.directed && first.turned != first.hash {
        return damaged("it is undirected, but an edge is in the list of only one of its ends".to_owned());
    }
    let edges = if manifest.graph.directed { first.arcs } else { (first.arcs + first.loops) / 2 };
    if edges != manifest.graph.edges {
        return damaged(format!("it has {edges} edges, but its manifest says {}", manifest.graph.edges));
    }
    match manifest.changes.updates {
        None => check_hash(store, found),
        Some(_) => Ok(()),
    }
}

/// Checks that the lists have the arcs that they were built from.
pub(super) fn check_hash(store: &Store, found: &[Checked]) -> Result<()> {
    match store.manifest().graph.arc_hash {
        Some(hash) if found.iter().any(|lists| lists.hash != hash) => {
            Err(Error::corrupt(store.folder(), "its lists do not contain the original arcs (wrong hash)"))
        }
        _ => Ok(()),
    }
}

/// Checks that the files are those implied by the manifest, and that files with one number per vertex have the length
/// given by the number of vertices.
pub(super) fn check_lengths(store: &Store, io: IoChoice) -> Result<()> {
    let (manifest, vertices) = (store.manifest(), u64::from(store.manifest().listed_vertices()));
    let implied = implied(manifest);
    if let Some(stranger) = manifest.files.iter().find(|file| !implied.contains(&file.name)) {
        let message = format!("it lists {}, which does not belong to this store", stranger.name);
        return Err(Error::corrupt(store.folder().join(MANIFEST_NAME), message));
    }
    let twice =
        (1..).zip(&manifest.files).find(|(next, file)| manifest.files.iter().skip(*next).any(|o| o.name == file.name));
    if let Some((_, file)) = twice {
        return Err(Error::corrupt(store.folder().join(MANIFEST_NAME), format!("it lists {} twice", file.name)));
    }
    let numbers = [
        (degrees_name(Direction::Out), 4),
        (degrees_name(Direction::In), 4),
        (VERTEX_OF_RANK_NAME.to_owned(), 4),
        (RANK_OF_VERTEX_NAME.to_owned(), 4),
        (INTEGERS_NAME.to_owned(), 8),
        (TEXT_ENDS_NAME.to_owned(), 8),
    ];
    for (name, bytes) in numbers.iter().filter(|(name, _)| manifest.file(name).is_some()) {
        expect_payload(&store.component(name, io)?, vertices * bytes)?;
    }
    if manifest.numbering.ids == OriginalIds::Text && vertices > 0 {
        let mut end = [0; 8];
        store.component(TEXT_ENDS_NAME, io)?.reader()?.read_at((vertices - 1) * 8, &mut end)?;
        expect_payload(&store.component(TEXTS_NAME, io)?, u64::from_le_bytes(end))?;
    }
    Ok(())
}

/// Checks that a file has the number of units for `payload` bytes.
fn expect_payload(component: &Component, payload: u64) -> Result<()> {
    if component.units() == units_for(payload) {
        return Ok(());
    }
    let room = component.units().saturating_mul(length_from(PAYLOAD_BYTES));
    let message = format!("it has {room} bytes, but its content needs {payload}");
    Err(Error::corrupt(component.path(), message))
}

/// Returns the names of all files of a store with this manifest.
fn implied(manifest: &Manifest) -> Vec<String> {
    let mut names = Vec::new();
    for entry in &manifest.lists.csr {
        names.extend([csr::edges_name(entry.direction), degrees_name(entry.direction)]);
    }
    for entry in &manifest.lists.compact {
        let files = [compact::shards_name, compact::index_name, compact::directory_name];
        names.extend(files.map(|name| name(entry.direction)));
    }
    for entry in &manifest.lists.chunked {
        names.extend(chunked::file_names(entry.direction));
        names.push(degrees_name(entry.direction));
    }
    if manifest.lists.sliding.is_some() {
        names.extend([sliding::BLOCKS_NAME, sliding::TABLE_NAME].map(str::to_owned));
        names.extend([Direction::Out, Direction::In].map(degrees_name));
    }
    names.extend(manifest.update_file_names());
    let segments = manifest.changes.journal.iter().flat_map(|journal| &journal.segments);
    names.extend(segments.flat_map(SegmentEntry::file_names));
    let ids: &[&str] = match manifest.numbering.ids {
        OriginalIds::Dense => &[],
        OriginalIds::Integer => &[INTEGERS_NAME],
        OriginalIds::Text => &[TEXTS_NAME, TEXT_ENDS_NAME],
    };
    let order: &[&str] = match manifest.numbering.order {
        Order::Original => &[],
        _ => &[VERTEX_OF_RANK_NAME, RANK_OF_VERTEX_NAME],
    };
    names.extend(ids.iter().chain(order).map(|name| (*name).to_owned()));
    names
}
