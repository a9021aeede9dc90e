//! Names of component files: a manifest lists no others, and other files in the folder of a damaged store are foreign.

use crate::journal::is_journal_name;
use crate::updates::is_update_name;

/// Names without a direction.
const NAMES: [&str; 7] =
    ["ids.integers", "ids.texts", "ids.ends", "order.vertices", "order.ranks", "shards.blocks", "shards.table"];
/// Names after `out.` or `in.`.
const NAMES_OF_LISTS: [&str; 13] = [
    "degrees",
    "edges",
    "shards",
    "index",
    "directory",
    "chunks",
    "chunk-table",
    "classes",
    "minis",
    "mini-weights",
    "places",
    "entries",
    "firsts",
];

/// Returns true if `name` can be the name of a component file.
pub(crate) fn is_component_name(name: &str) -> bool {
    let lists = name.strip_prefix("out.").or_else(|| name.strip_prefix("in."));
    NAMES.contains(&name)
        || lists.is_some_and(|name| NAMES_OF_LISTS.contains(&name))
        || is_update_name(name)
        || is_journal_name(name)
}
