//! Manifest: the contents of a store, and the length and checksum of each of its files (`docs/format/manifest.md`).

use crate::arc_hash::ArcHash;
use crate::component::{StoreId, UNIT_BYTES};
use crate::component_names::is_component_name;
use crate::identity::{GraphIdentity, Head};
use crate::journal::{JournalEntry, is_journal_name};
use crate::layout::LayoutKind;
use crate::layout::csr::edges_name;
use crate::updates::{NewVerticesEntry, UpdatesEntry, is_update_name};
use outcrop_io::{Folder, Storage};
use outcrop_types::{
    Direction, EdgeIndex, Error, MAX_VERTICES, Result, TimeRule, WeightRounding, WeightType, length_from,
};
use serde::{Deserialize, Serialize};
use std::path::Path;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

pub use crate::component::FileEntry;
pub use crate::layout::chunked::{ChunkedEntry, LevelFigures};
pub use crate::layout::compact::CompactEntry;
pub use crate::layout::csr::{CsrEntry, Interval};
pub use crate::layout::sliding::SlidingEntry;

/// Format version of this build, and the newest version that it reads.
pub const FORMAT_VERSION: u32 = 13;
/// Bytes at the start of a manifest that contain its checksum and length.
const VERSION_BYTES: u64 = 64;
/// First version with a hash of all updates in the journal.
const FIRST_WITH_HEADS: u32 = 10;
/// First version with a weight type; earlier weights are of single precision.
const FIRST_WITH_WEIGHT_TYPE: u32 = 8;
/// File name of the manifest in the store's folder.
pub(crate) const MANIFEST_NAME: &str = "manifest.json";
/// First characters of a manifest.
pub(crate) const FIRST_KEY: &str = "{ \"checksum\": \"";
/// Maximum length of a manifest, in bytes.
const LONGEST_MANIFEST: u64 = 64 << 20;

/// Kind of the original IDs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OriginalIds {
    /// `0..n`; nothing is stored.
    Dense,
    /// Integers, stored in ascending order.
    Integer,
    /// Texts, stored in ascending byte order.
    Text,
}

/// Vertex order of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// Ascending original ID.
    Original,
    /// Descending number of list entries, ties by original ID.
    Degree,
    /// Random order from a seed.
    Random,
    /// Descending PageRank.
    PageRank,
    /// Groups vertices with many common neighbors (Gorder: Wei et al., SIGMOD 2016).
    Gorder,
    /// Groups neighbors of vertices with a high in-degree (Norder: Lee et al., USENIX ATC 2019).
    Norder,
}

impl Order {
    /// Returns the name in manifests and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Original => "original",
            Self::Degree => "degree",
            Self::Random => "random",
            Self::PageRank => "pagerank",
            Self::Gorder => "gorder",
            Self::Norder => "norder",
        }
    }
}

/// Parameters of an order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OrderParameters {
    /// Seed of a random order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Percentage of vertices that were shuffled among themselves; all if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percent: Option<u32>,
    /// Window of Gorder, in vertices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<u32>,
    /// Search depth of Norder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
}

impl OrderParameters {
    /// Returns the parameters, unless all are absent.
    pub(crate) fn any(self) -> Option<Self> {
        Some(self).filter(|parameters| *parameters != Self::default())
    }
}

/// Treatment of repeated edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dedup {
    /// Keeps all repeated edges.
    #[default]
    Keep,
    /// Keeps the first edge in the input.
    First,
    /// Keeps one edge, with the sum of the weights.
    Sum,
    /// Keeps one edge, with the smallest weight.
    Min,
    /// Keeps one edge, with the largest weight.
    Max,
}

/// Treatment of self-loops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SelfLoops {
    /// Stores loops.
    #[default]
    Keep,
    /// Drops loops.
    Drop,
}

/// Completed build or conversion with checkpoints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FinishedBuild {
    /// Checksum of the inputs and options, 32 hexadecimal digits.
    pub facts: String,
    /// Report of the build, without the manifest.
    pub report: serde_json::Map<String, serde_json::Value>,
}

/// Manifest of a store. In the file, the keys of all parts are on the same level, in the order of their declaration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Version of the format.
    pub format_version: u32,
    /// UUID of the store, 32 hexadecimal digits.
    pub uuid: String,
    /// Size and kind of the graph.
    #[serde(flatten)]
    pub graph: GraphEntry,
    /// Original IDs and vertex order.
    #[serde(flatten)]
    pub numbering: Numbering,
    /// Treatment of edges when the store was built.
    #[serde(flatten)]
    pub rules: EdgeRules,
    /// The lists, by layout.
    #[serde(flatten)]
    pub lists: ListEntries,
    /// Pending updates, and the journal.
    #[serde(flatten)]
    pub changes: ChangeEntries,
    /// Build with checkpoints that created this store; absent for builds without checkpoints and for updates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub built: Option<FinishedBuild>,
    /// All files except the manifest.
    pub files: Vec<FileEntry>,
}

/// Graph of a store.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GraphEntry {
    /// Number of vertices.
    pub vertices: u32,
    /// Number of edges; an undirected edge counts once.
    pub edges: EdgeIndex,
    /// Hash of all arcs of the lists, without updates; not written before version 7.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arc_hash: Option<ArcHash>,
    /// `true` for a directed graph. An undirected store has one direction, with each edge except a loop listed twice.
    pub directed: bool,
    /// `true` if edges have weights.
    pub weighted: bool,
    /// Weight type; not written before version 8 and for unweighted graphs. See [`Manifest::weights`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight_type: Option<WeightType>,
    /// Input weights that were rounded when the store was built.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight_rounding: Option<WeightRounding>,
}

/// Original IDs and vertex order of a store.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Numbering {
    /// Kind of the original IDs.
    pub ids: OriginalIds,
    /// Order of the vertices.
    pub order: Order,
    /// Parameters of the order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order_parameters: Option<OrderParameters>,
}

/// Treatment of the edges of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EdgeRules {
    /// Treatment of repeated edges.
    pub dedup: Dedup,
    /// Treatment of loops.
    pub self_loops: SelfLoops,
}

/// Lists of a store, by layout.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ListEntries {
    /// The `csr` layout, by direction.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub csr: Vec<CsrEntry>,
    /// The `chunked` layout, by direction.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chunked: Vec<ChunkedEntry>,
    /// The `compact` layout, by direction.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub compact: Vec<CompactEntry>,
    /// The `sliding` layout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sliding: Option<SlidingEntry>,
}

/// Pending updates of a store, and its journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChangeEntries {
    /// Pending updates, which are included in the numbers of vertices and edges.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updates: Option<UpdatesEntry>,
    /// Journal; absent before version 9, and for graphs without updates and edge times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub journal: Option<JournalEntry>,
}

impl Manifest {
    /// Returns the weight type of a weighted graph.
    pub fn weights(&self) -> Option<WeightType> {
        self.graph.weighted.then(|| self.graph.weight_type.unwrap_or(WeightType::F32))
    }

    /// Returns the rounded weights, including those of added edges.
    pub(crate) fn rounding_with(&self, added: &WeightRounding) -> Option<WeightRounding> {
        // Default: no weights were rounded before.
        let mut all = self.graph.weight_rounding.clone().unwrap_or_default();
        all.add(added.clone());
        Some(all).filter(|all| !all.is_none())
    }

    /// Returns the text of the manifest; the first line contains the checksum of all following lines.
    ///
    /// # Errors
    /// Returns an error if the manifest cannot be serialized.
    pub fn to_text(&self) -> Result<String> {
        let body = serde_json::to_string_pretty(self)
            .map_err(|error| Error::corrupt(MANIFEST_NAME, format!("it cannot be written: {error}")))?;
        let body = body.strip_prefix('{').unwrap_or(&body).trim_start();
        let body = format!("  {body}\n");
        Ok(first_line(&body) + &body)
    }

    /// Returns the start of the manifest of the store in `folder`, with its checksum and length.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub(crate) fn version(folder: &Folder) -> Result<Vec<u8>> {
        folder.read(MANIFEST_NAME, VERSION_BYTES)
    }

    /// Reads the manifest of the store in `folder`, and returns [`Manifest::version`] with it.
    ///
    /// # Errors
    /// Returns an error if there is no manifest, if it is damaged, or if a newer version of outcrop wrote it.
    pub(crate) fn read(folder: &Folder) -> Result<(Self, Vec<u8>)> {
        let path = folder.named().join(MANIFEST_NAME);
        let failed = |error| match error {
            Error::NotFound { .. } => not_a_store(folder.named()),
            other => other,
        };
        if folder.length(MANIFEST_NAME).map_err(failed)?.is_none_or(|length| length > LONGEST_MANIFEST) {
            return Err(Error::corrupt(&path, "it is not a regular file with the size of a manifest"));
        }
        let mut text = folder.read(MANIFEST_NAME, LONGEST_MANIFEST).map_err(failed)?;
        let manifest = Self::from_text(&text, &path)?;
        text.truncate(VERSION_BYTES as usize);
        Ok((manifest, text))
    }

    /// Parses the text of a manifest; `path` is for messages.
    ///
    /// # Errors
    /// Returns an error if the manifest is damaged, or if a newer version of outcrop wrote it.
    pub(crate) fn from_text(text: &[u8], path: &Path) -> Result<Self> {
        let damaged = |message: &str| Error::corrupt(path, message);
        let text = std::str::from_utf8(text).map_err(|_| damaged("it is not text"))?;
        let (_, body) = text.split_once('\n').ok_or_else(|| damaged("it has only one line"))?;
        if text.strip_suffix(body) != Some(&first_line(body)) {
            return Err(damaged("it fails its checksum"));
        }
        let json = format!("{{{body}");
        let version: Version = serde_json::from_str(&json).map_err(|error| damaged(&error.to_string()))?;
        if version.format_version > FORMAT_VERSION {
            let path = path.parent().unwrap_or(path).to_owned();
            return Err(Error::FormatVersion { path, found: version.format_version, supported: FORMAT_VERSION });
        }
        let mut manifest: Self = serde_json::from_str(&json).map_err(|error| damaged(&error.to_string()))?;
        if manifest.format_version < FIRST_WITH_HEADS
            && let Some(journal) = manifest.changes.journal.take()
        {
            manifest.changes.journal = Some(journal.with_heads(Head::start(body)));
        }
        manifest.validate().map_err(|message| damaged(&message))?;
        Ok(manifest)
    }

    /// Validates the contents: a manifest with a valid checksum may still be hostile.
    fn validate(&self) -> Result<(), String> {
        self.store_id().ok_or("its UUID is malformed")?;
        if u64::from(self.graph.vertices) > MAX_VERTICES {
            return Err(format!("{} vertices exceed the limit of a store", self.graph.vertices));
        }
        if self.graph.weight_type.is_some() != (self.graph.weighted && self.format_version >= FIRST_WITH_WEIGHT_TYPE) {
            return Err("it has a weight type without weights, or weights without a type".to_owned());
        }
        match self.files.iter().find(|file| !is_component_name(&file.name)) {
            Some(file) => Err(format!("{:?} is not a valid component name", file.name)),
            None => {
                let (all, text_ids) = (self.graph.vertices, self.numbering.ids == OriginalIds::Text);
                let written = |direction| self.written_arcs(direction);
                let updates = self.changes.updates.iter();
                updates.clone().try_for_each(|entry| entry.validate(all, text_ids, self.graph.directed, written))?;
                let listed = self.listed_vertices();
                self.lists.csr.iter().try_for_each(|entry| entry.validate(listed))?;
                self.lists.chunked.iter().try_for_each(|entry| entry.validate(listed))?;
                self.lists.compact.iter().try_for_each(|entry| entry.validate(listed))?;
                self.lists.sliding.iter().try_for_each(|entry| entry.validate(listed))?;
                self.validate_update_files()?;
                self.validate_journal()?;
                self.validate_edges()
            }
        }
    }

    /// Checks the number of edges against the arcs per direction; undirected loops are in one list, other edges in two.
    fn validate_edges(&self) -> Result<(), String> {
        for direction in [Direction::Out, Direction::In] {
            let Some(arcs) = self.arcs(direction) else { continue };
            let expected = if self.graph.directed { arcs..=arcs } else { arcs.div_ceil(2)..=arcs };
            if !expected.contains(&self.graph.edges) {
                let name = direction.name();
                return Err(format!("it lists {} edges, but {arcs} arcs in its {name}-lists", self.graph.edges));
            }
        }
        Ok(())
    }

    /// Checks that every listed update file belongs to the updates.
    fn validate_update_files(&self) -> Result<(), String> {
        let known: Vec<String> = self.update_file_names().collect();
        match self.files.iter().find(|file| is_update_name(&file.name) && !known.contains(&file.name)) {
            Some(file) => Err(format!("it lists {}, which is not one of its updates", file.name)),
            None => Ok(()),
        }
    }

    /// Returns the names of the files of pending updates.
    pub fn update_file_names(&self) -> impl Iterator<Item = String> {
        let dense = self.numbering.ids == OriginalIds::Dense;
        self.changes.updates.iter().flat_map(move |entry| entry.file_names(dense))
    }

    /// Returns the number of vertices that pending updates added. They have no list in the files, and the numbers after
    /// the vertices that have one.
    pub fn new_vertices(&self) -> u32 {
        self.new_vertices_entry().map_or(0, |new| new.count)
    }

    /// Returns what the manifest says of the new vertices, if there are any.
    pub(crate) fn new_vertices_entry(&self) -> Option<NewVerticesEntry> {
        self.changes.updates.as_ref()?.new_vertices
    }

    /// Returns the number of vertices with a list in the files, empty or not.
    pub fn listed_vertices(&self) -> u32 {
        self.graph.vertices.saturating_sub(self.new_vertices())
    }

    /// Returns true if the rank of every vertex is its number.
    pub fn is_in_rank_order(&self) -> bool {
        self.numbering.order == Order::Original && self.new_vertices_entry().is_none_or(|new| new.appended)
    }

    /// Checks the journal against its files.
    fn validate_journal(&self) -> Result<(), String> {
        let mut files = self.journal_files();
        match &self.changes.journal {
            Some(journal) => journal.validate(files),
            None => match files.next() {
                Some(file) => Err(format!("it lists {}, but has no journal", file.name)),
                None => Ok(()),
            },
        }
    }

    /// Returns the files of the journal.
    pub fn journal_files(&self) -> impl Iterator<Item = &FileEntry> {
        self.files.iter().filter(|file| is_journal_name(&file.name))
    }

    /// Returns the identity of the graph across all stores that replaced each other.
    pub fn lineage(&self) -> &str {
        self.changes.journal.as_ref().map_or(&self.uuid, |journal| &journal.lineage)
    }

    /// Returns the number of updates of the graph.
    pub fn generation(&self) -> u64 {
        let before = || self.changes.updates.as_ref().map_or(0, |updates| updates.generation);
        self.changes.journal.as_ref().map_or_else(before, |journal| journal.generation)
    }

    /// Returns the time rule, if edges have times.
    pub fn times(&self) -> Option<TimeRule> {
        self.changes.journal.as_ref().and_then(|journal| journal.times)
    }

    /// Returns the journal, or a new one derived from the manifest.
    pub(crate) fn journal_so_far(&self) -> JournalEntry {
        self.changes
            .journal
            .clone()
            .unwrap_or_else(|| JournalEntry::new(self.lineage(), self.generation(), self.head()))
    }

    /// Returns the hash of all updates of the graph. Without a journal, it starts from the UUID, or with pending
    /// updates from the checksum of the manifest.
    fn head(&self) -> Head {
        match &self.changes.journal {
            Some(journal) => journal.head,
            None if self.changes.updates.is_none() => Head::start(&self.uuid),
            None => Head::start(&self.checksum()),
        }
    }

    /// Returns the identity of the current graph.
    pub fn identity(&self) -> GraphIdentity {
        GraphIdentity { lineage: self.lineage().to_owned(), generation: self.generation(), head: self.head() }
    }

    /// Returns the checksum of the contents of the manifest, which cover every file of the store.
    pub fn checksum(&self) -> String {
        // Default: a manifest that cannot be serialized was never read.
        let text = serde_json::to_string(self).unwrap_or_default();
        format!("{:032x}", xxh3_128(text.as_bytes()))
    }

    /// Writes the manifest to a new file at `path`, durably; all manifests are written here. Refuses manifests that
    /// readers would reject.
    ///
    /// # Errors
    /// Returns an error if writing fails or the manifest is invalid; [`Error::Usage`] if it is longer than readers
    /// accept.
    pub(crate) fn write(&self, storage: &dyn Storage, path: &Path) -> Result<()> {
        let text = self.to_text()?;
        if length_from(text.len()) > LONGEST_MANIFEST {
            return Err(Error::Usage(format!(
                "the manifest would have {} bytes, more than the limit of {LONGEST_MANIFEST}; rebuild the store",
                text.len()
            )));
        }
        self.validate().map_err(|message| Error::internal(format!("the manifest is invalid: {message}")))?;
        let mut file = storage.create(path)?;
        file.write(text.as_bytes())?;
        file.sync()
    }

    /// Returns the store's identity, or `None` if it is malformed.
    pub(crate) fn store_id(&self) -> Option<StoreId> {
        StoreId::from_hex(&self.uuid)
    }

    /// Returns the file with the name `name`.
    pub fn file(&self, name: &str) -> Option<&FileEntry> {
        self.files.iter().find(|file| file.name == name)
    }

    /// Returns the `csr` lists of `direction`; an undirected store has one direction, which serves as both.
    pub fn csr(&self, direction: Direction) -> Option<&CsrEntry> {
        let stored = if self.graph.directed { direction } else { Direction::Out };
        self.lists.csr.iter().find(|entry| entry.direction == stored)
    }

    /// Returns the unit size of the file `name`, in bytes: for edge files, the page size of the store.
    pub fn unit_bytes(&self, name: &str) -> usize {
        let entry = self.lists.csr.iter().find(|entry| edges_name(entry.direction) == name);
        entry.map_or(UNIT_BYTES, |entry| entry.settings().page())
    }

    /// Returns the `chunked` lists of `direction`; an undirected store has one direction, which serves as both.
    pub fn chunked(&self, direction: Direction) -> Option<&ChunkedEntry> {
        let stored = if self.graph.directed { direction } else { Direction::Out };
        self.lists.chunked.iter().find(|entry| entry.direction == stored)
    }

    /// Returns the `compact` lists of `direction`; an undirected store has one direction, which serves as both.
    pub fn compact(&self, direction: Direction) -> Option<&CompactEntry> {
        let stored = if self.graph.directed { direction } else { Direction::Out };
        self.lists.compact.iter().find(|entry| entry.direction == stored)
    }

    /// Returns the layout that runs read.
    pub const fn layout(&self) -> LayoutKind {
        match (self.lists.chunked.is_empty(), self.lists.compact.is_empty(), self.lists.sliding.is_some()) {
            (false, ..) => LayoutKind::Chunked,
            (true, false, _) => LayoutKind::Compact,
            (true, true, true) => LayoutKind::Sliding,
            (true, true, false) => LayoutKind::Csr,
        }
    }

    /// Returns the layouts with lists of `direction`.
    pub(crate) fn layouts(&self, direction: Direction) -> impl Iterator<Item = LayoutKind> {
        let entries = [
            (self.csr(direction).is_some(), LayoutKind::Csr),
            (self.chunked(direction).is_some(), LayoutKind::Chunked),
            (self.compact(direction).is_some(), LayoutKind::Compact),
            (self.lists.sliding.is_some(), LayoutKind::Sliding),
        ];
        entries.into_iter().filter(|(present, _)| *present).map(|(_, layout)| layout)
    }

    /// Returns the number of list entries of `direction`, including updates, or `None` without such lists.
    pub fn arcs(&self, direction: Direction) -> Option<EdgeIndex> {
        let written = self.written_arcs(direction)?;
        let stored = if self.graph.directed { direction } else { Direction::Out };
        let changed = self.changes.updates.as_ref().and_then(|entry| entry.lists(stored));
        Some(changed.map_or(written, |lists| lists.arcs(written)))
    }

    /// Returns the number of list entries of `direction` in the list files.
    fn written_arcs(&self, direction: Direction) -> Option<EdgeIndex> {
        match self.layout() {
            LayoutKind::Chunked => self.chunked(direction).map(|entry| entry.arcs),
            LayoutKind::Compact => self.compact(direction).map(|entry| entry.arcs),
            LayoutKind::Csr => self.csr(direction).map(|entry| entry.arcs),
            LayoutKind::Sliding => self.lists.sliding.as_ref().map(|entry| entry.arcs),
        }
    }

    /// Returns the size of all files except the manifest, in bytes.
    pub fn bytes(&self) -> u64 {
        self.files.iter().fold(0, |sum, file| sum.saturating_add(file.bytes))
    }
}

/// Returns the error for a missing folder, or one without a manifest.
pub(crate) fn not_a_store(folder: &Path) -> Error {
    let path = if folder.exists() { folder.join(MANIFEST_NAME) } else { folder.to_owned() };
    Error::NotFound { path, hint: "; a store is a folder created by `outcrop build`" }
}

fn first_line(body: &str) -> String {
    format!("{FIRST_KEY}{:016x}-{}\",\n", xxh3_64(body.as_bytes()), length_from(body.len()))
}

#[derive(Deserialize)]
struct Version {
    format_version: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Manifest {
        Manifest {
            format_version: FORMAT_VERSION,
            uuid: "0123456789abcdef0123456789abcdef".to_owned(),
            graph: GraphEntry {
                vertices: 100,
                edges: 7,
                arc_hash: Some(ArcHash::from_sum(0x1234)),
                directed: true,
                weighted: false,
                weight_type: None,
                weight_rounding: None,
            },
            numbering: Numbering { ids: OriginalIds::Dense, order: Order::Original, order_parameters: None },
            rules: EdgeRules { dedup: Dedup::Keep, self_loops: SelfLoops::Keep },
            lists: ListEntries {
                csr: vec![CsrEntry {
                    direction: Direction::Out,
                    arcs: 7,
                    page_bytes: 512,
                    intervals: vec![
                        Interval { first_vertex: 0, first_unit: 0 },
                        Interval { first_vertex: 64, first_unit: 1 },
                    ],
                }],
                ..ListEntries::default()
            },
            changes: ChangeEntries { updates: None, journal: None },
            built: None,
            files: vec![FileEntry { name: "out.edges".to_owned(), bytes: 4096, checksum: "0".repeat(16) }],
        }
    }

    fn read(text: &[u8]) -> Result<Manifest> {
        Manifest::from_text(text, Path::new("x.outcrop/manifest.json"))
    }

    #[test]
    fn a_manifest_survives_its_text() {
        let text = sample().to_text().unwrap();
        assert_eq!(read(text.as_bytes()).unwrap(), sample());
        serde_json::from_str::<serde_json::Value>(&text).expect("the text is JSON");
    }

    #[test]
    fn keys_keep_their_order_and_unknown_or_absent_ones_are_refused() {
        let all = concat!(
            r#"{"format_version":11,"uuid":"0123456789abcdef0123456789abcdef","vertices":100,"edges":7,"#,
            r#""arc_hash":"0000000000001234","directed":true,"weighted":true,"weight_type":"f32","#,
            r#""ids":"dense","order":"random","order_parameters":{"seed":7},"dedup":"keep","self_loops":"drop","#,
            r#""csr":[{"direction":"out","arcs":7,"page_bytes":512,"intervals":[{"first_vertex":0,"first_unit":0}]}],"#,
            r#""journal":{"lineage":"a","generation":0,"complete_after":0,"base":"00000000000000000000000000000000","#,
            r#""head":"00000000000000000000000000000000","segments":[]},"files":[]}"#,
        );
        let manifest: Manifest = serde_json::from_str(all).unwrap();
        assert_eq!(serde_json::to_string(&manifest).unwrap(), all);
        let unknown = all.replacen("\"files\"", "\"later\":1,\"files\"", 1);
        assert!(serde_json::from_str::<Manifest>(&unknown).unwrap_err().to_string().contains("unknown field `later`"));
        let twice = all.replacen("\"files\"", "\"vertices\":100,\"files\"", 1);
        assert!(
            serde_json::from_str::<Manifest>(&twice).unwrap_err().to_string().contains("duplicate field `vertices`")
        );
        for key in ["uuid", "vertices", "edges", "directed", "weighted", "ids", "order", "dedup", "self_loops", "files"]
        {
            let mut some: serde_json::Map<String, serde_json::Value> = serde_json::from_str(all).unwrap();
            some.remove(key).unwrap();
            let error = serde_json::from_value::<Manifest>(some.into()).unwrap_err().to_string();
            assert!(error.contains(&format!("missing field `{key}`")), "{key}: {error}");
        }
    }

    #[test]
    fn orders_and_their_parameters_are_written_as_words() {
        let parameters = OrderParameters { window: Some(5), ..OrderParameters::default() };
        let numbering = Numbering { order: Order::PageRank, order_parameters: parameters.any(), ..sample().numbering };
        let manifest = Manifest { numbering, ..sample() };
        let text = manifest.to_text().unwrap();
        assert!(text.contains("\"order\": \"pagerank\"") && text.contains("\"window\": 5"), "{text}");
        assert!(!text.contains("seed") && !sample().to_text().unwrap().contains("order_parameters"));
        assert_eq!(read(text.as_bytes()).unwrap(), manifest);
        assert_eq!(OrderParameters::default().any(), None);
    }

    #[test]
    fn every_flipped_bit_and_every_truncation_is_noticed() {
        let text = sample().to_text().unwrap().into_bytes();
        for bit in 0..text.len() * 8 {
            let mut damaged = text.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(matches!(read(&damaged), Err(Error::Corrupt { .. })), "bit {bit}");
        }
        for length in 0..text.len() {
            assert!(matches!(read(&text[..length]), Err(Error::Corrupt { .. })), "length {length}");
        }
    }

    #[test]
    fn a_newer_version_says_so() {
        let newer = Manifest { format_version: FORMAT_VERSION + 1, ..sample() };
        let error = read(newer.to_text().unwrap().as_bytes()).unwrap_err();
        let is_told = |found, supported| (found, supported) == (FORMAT_VERSION + 1, FORMAT_VERSION);
        assert!(matches!(error, Error::FormatVersion { found, supported, .. } if is_told(found, supported)), "{error}");
    }

    #[test]
    fn hostile_numbers_of_new_vertices_are_refused() {
        let lists = serde_json::json!([{"direction": "out", "changed": 1, "removed": 0, "added": 1, "removed_arcs": 0},
            {"direction": "in", "changed": 1, "removed": 0, "added": 1, "removed_arcs": 0}]);
        let with = |new: serde_json::Value| {
            let mut manifest = sample();
            let updates = serde_json::json!({"generation": 1, "lists": lists, "new_vertices": new});
            manifest.changes.updates = Some(serde_json::from_value(updates).unwrap());
            manifest.lists.csr.push(CsrEntry { direction: Direction::In, ..manifest.lists.csr[0].clone() });
            manifest.graph.edges = 8;
            read(manifest.to_text().unwrap().as_bytes())
        };
        let manifest = with(serde_json::json!({"count": 30, "appended": true})).unwrap();
        assert_eq!((manifest.new_vertices(), manifest.listed_vertices()), (30, 70));
        for (count, text_bytes) in [(0, None), (101, None), (37, None), (30, Some(9))] {
            let new = serde_json::json!({"count": count, "text_bytes": text_bytes, "appended": true});
            assert!(matches!(with(new), Err(Error::Corrupt { .. })), "{count} {text_bytes:?}");
        }
    }

    #[test]
    fn hostile_levels_are_refused() {
        let lists = serde_json::json!([{"direction": "out", "changed": 3, "removed": 0, "added": 3, "removed_arcs": 0},
            {"direction": "in", "changed": 2, "removed": 0, "added": 3, "removed_arcs": 0}]);
        let with = |levels: serde_json::Value| {
            let mut manifest = sample();
            let updates = serde_json::json!({"generation": 5, "lists": lists, "levels": levels});
            manifest.changes.updates = Some(serde_json::from_value(updates).unwrap());
            manifest.lists.csr.push(CsrEntry { direction: Direction::In, ..manifest.lists.csr[0].clone() });
            manifest.graph.edges = 10;
            read(manifest.to_text().unwrap().as_bytes())
        };
        let counts = |changed: u64, added: u64| serde_json::json!({"changed": changed, "removed": 0, "added": added});
        let level = |generation: u64, counts: &[serde_json::Value]| serde_json::json!({"generation": generation, "lists": counts});
        let both = [counts(2, 2), counts(1, 2)];
        let names: Vec<_> =
            with(serde_json::json!([level(2, &both), level(5, &both)])).unwrap().update_file_names().collect();
        assert_eq!(names, ["out.updates-0002", "in.updates-0002", "out.updates-0005", "in.updates-0005"]);
        let hostile = [
            vec![level(5, &both), level(2, &both)],
            vec![level(5, &both), level(5, &both)],
            vec![level(2, &both), level(4, &both)],
            vec![level(0, &both), level(5, &both)],
            vec![level(2, &both), level(6, &both)],
            vec![level(2, &both[..1]), level(5, &both)],
            vec![level(2, &[counts(3, 2), counts(1, 2)]), level(5, &both)],
            vec![level(2, &[counts(0, 2), counts(1, 2)]), level(5, &both)],
            vec![level(2, &[counts(101, 200), counts(1, 2)]), level(5, &both)],
            (1..=5).chain(1..=5).map(|generation| level(generation, &both)).collect(),
        ];
        for levels in hostile {
            assert!(matches!(with(levels.clone().into()), Err(Error::Corrupt { .. })), "{levels:?}");
        }
    }

    #[test]
    fn a_hostile_manifest_with_a_right_checksum_is_refused() {
        let hostile: [fn(&mut Manifest); 15] = [
            |m| m.graph.weight_type = Some(WeightType::F32),
            |m| m.graph.weighted = true,
            |m| (m.graph.weighted, m.graph.weight_type, m.format_version) = (true, Some(WeightType::U8), 7),
            |m| m.graph.edges = u64::MAX,
            |m| m.graph.edges = 6,
            |m| (m.graph.directed, m.graph.edges) = (false, 3),
            |m| m.files[0].name = "../x".to_owned(),
            |m| m.files[0].name = ".hidden".to_owned(),
            |m| m.uuid = "short".to_owned(),
            |m| m.graph.vertices = u32::MAX,
            |m| m.lists.csr[0].intervals[1].first_vertex = 65,
            |m| m.lists.csr[0].intervals.clear(),
            |m| m.lists.csr[0].page_bytes = 0,
            |m| m.lists.csr[0].page_bytes = 1000,
            |m| m.lists.csr[0].page_bytes = 1 << 17,
        ];
        for spoil in hostile {
            let mut manifest = sample();
            spoil(&mut manifest);
            assert!(matches!(read(manifest.to_text().unwrap().as_bytes()), Err(Error::Corrupt { .. })));
        }
    }
}
