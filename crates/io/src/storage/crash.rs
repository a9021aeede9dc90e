//! Model of the state of a file system after a crash.

use crate::SECTOR_BYTES;
use outcrop_types::{Error, Result, SplitMix64};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Component, Path};

/// State after a crash, relative to the operations before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrashMode {
    /// Everything up to the crash.
    CleanPrefix,
    /// Everything, but only the first half of the last operation if it is a write.
    TornLastWrite,
    /// Only what was synced: names of synced folders, contents of synced files.
    UnsyncedLost,
    /// Every name, but only synced contents: the rest of each file is zeros.
    UnsyncedReordered,
    /// Synced data, and a random part of the rest (Pillai et al., OSDI 2014, section 3): each change of names by
    /// itself, and of each file a random number of sectors, each of which is data or zeros.
    Random(u64),
}

impl CrashMode {
    /// Every mode that is not random.
    pub(super) const FIXED: [Self; 4] =
        [Self::CleanPrefix, Self::TornLastWrite, Self::UnsyncedLost, Self::UnsyncedReordered];
}

/// Number of a file or folder in the model; renames do not change it.
pub(super) type NodeId = usize;

/// Root folder of all operations.
const ROOT: NodeId = 0;

/// Recorded operation. Paths are relative to the root; nodes are numbered by [`Model::apply`].
#[derive(Clone, Debug)]
pub(super) enum Operation {
    CreateFolder(Names),
    CreateFile(Names),
    /// Writes to the file that the operation with this number created.
    Write(usize, Vec<u8>),
    /// Syncs the file that the operation with this number created.
    SyncFile(usize),
    SyncFolder(Names),
    Rename(Names, Names),
    Exchange(Names, Names),
    Remove(Names),
}

/// Path relative to the root, as a list of names.
pub(super) type Names = Vec<OsString>;

/// Returns the names of `path` relative to `root`; `None` if it is not below it.
pub(super) fn names_below(root: &Path, path: &Path) -> Option<Names> {
    let rest = path.strip_prefix(root).ok()?;
    rest.components()
        .map(|component| match component {
            Component::Normal(name) => Some(name.to_owned()),
            _ => None,
        })
        .collect()
}

#[derive(Clone, Debug)]
enum Node {
    File {
        data: Vec<u8>,
        synced: usize,
    },
    /// The names at the start, and now.
    Folder {
        start: Entries,
        names: Entries,
    },
}

impl Node {
    const EMPTY: Self = Self::Folder { start: Entries::new(), names: Entries::new() };
}

type Entries = BTreeMap<OsString, NodeId>;

/// Change of names that survives a crash completely or not at all, such as that of a rename.
#[derive(Clone, Debug, Default)]
struct NameChange {
    /// Folder, name, and what it refers to afterwards.
    entries: Vec<(NodeId, OsString, Option<NodeId>)>,
    /// Targets of the names before and afterwards.
    nodes: BTreeSet<NodeId>,
    synced: bool,
}

/// State of a file system: as seen by processes, and as synced.
#[derive(Clone, Debug)]
pub(super) struct Model {
    nodes: Vec<Node>,
    changes: Vec<NameChange>,
    /// Files that operations created, by the operations' numbers.
    created: BTreeMap<usize, NodeId>,
}

impl Model {
    /// Creates a model of the current content of `root`, assumed to be synced. Ignores everything except regular files
    /// and folders.
    pub(super) fn of(root: &Path) -> Result<Self> {
        let mut model = Self { nodes: vec![Node::EMPTY], changes: Vec::new(), created: BTreeMap::new() };
        model.import(ROOT, root).map_err(|error| Error::io("read", root, error))?;
        Ok(model)
    }

    fn import(&mut self, folder: NodeId, path: &Path) -> std::io::Result<()> {
        let mut found = Entries::new();
        for entry in std::fs::read_dir(path)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() {
                let node = self.add(Node::EMPTY);
                self.import(node, &entry.path())?;
                found.insert(entry.file_name(), node);
            } else if kind.is_file() {
                let data = std::fs::read(entry.path())?;
                let synced = data.len();
                found.insert(entry.file_name(), self.add(Node::File { data, synced }));
            }
        }
        self.nodes[folder] = Node::Folder { start: found.clone(), names: found };
        Ok(())
    }

    fn add(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// Applies an operation. Operations are from a log of successes; invalid ones are ignored.
    pub(super) fn apply(&mut self, number: usize, operation: &Operation) {
        match operation {
            Operation::CreateFolder(path) => {
                let node = self.add(Node::EMPTY);
                self.change([(path, Some(node))]);
            }
            Operation::CreateFile(path) => {
                let node = self.add(Node::File { data: Vec::new(), synced: 0 });
                self.created.insert(number, node);
                self.change([(path, Some(node))]);
            }
            Operation::Write(file, bytes) => self.write(*file, bytes),
            Operation::SyncFile(file) => self.sync_file(*file),
            Operation::SyncFolder(path) => self.sync_folder(path),
            Operation::Rename(from, to) => self.change([(from, None), (to, self.find(from))]),
            Operation::Exchange(a, b) => self.change([(a, self.find(b)), (b, self.find(a))]),
            Operation::Remove(path) => self.change([(path, None)]),
        }
    }

    /// Applies half of the last write, for a torn write.
    pub(super) fn apply_half(&mut self, number: usize, operation: &Operation) {
        match operation {
            Operation::Write(file, bytes) => self.write(*file, &bytes[..bytes.len() / 2]),
            whole => self.apply(number, whole),
        }
    }

    fn write(&mut self, file: usize, bytes: &[u8]) {
        if let Some(Node::File { data, .. }) = self.created.get(&file).and_then(|node| self.nodes.get_mut(*node)) {
            data.extend_from_slice(bytes);
        }
    }

    fn sync_file(&mut self, file: usize) {
        if let Some(Node::File { data, synced }) = self.created.get(&file).and_then(|node| self.nodes.get_mut(*node)) {
            *synced = data.len();
        }
    }

    /// A change in a folder is synced with it, and so is what happened before to the same files and folders.
    fn sync_folder(&mut self, path: &[OsString]) {
        let Some(folder) = self.find(path) else { return };
        let mut nodes = BTreeSet::new();
        for change in self.changes.iter_mut().rev() {
            let within = change.entries.iter().any(|entry| entry.0 == folder);
            change.synced |= within || !change.nodes.is_disjoint(&nodes);
            if change.synced {
                nodes.extend(&change.nodes);
            }
        }
    }

    fn find(&self, path: &[OsString]) -> Option<NodeId> {
        path.iter().try_fold(ROOT, |folder, name| match &self.nodes[folder] {
            Node::Folder { names, .. } => names.get(name).copied(),
            Node::File { .. } => None,
        })
    }

    /// Makes each path refer to its node, or to nothing.
    fn change<'a>(&mut self, paths: impl IntoIterator<Item = (&'a Names, Option<NodeId>)>) {
        let mut change = NameChange::default();
        for (path, node) in paths {
            let Some((name, parent)) = path.split_last() else { continue };
            let Some(folder) = self.find(parent) else { continue };
            let Node::Folder { names, .. } = &mut self.nodes[folder] else { continue };
            change.nodes.extend(set(names, name, node).into_iter().chain(node));
            change.entries.push((folder, name.clone(), node));
        }
        self.changes.push(change);
    }

    /// Writes the content that survives a crash now into the empty or absent folder `target`.
    pub(super) fn materialize(&self, mode: CrashMode, target: &Path) -> Result<()> {
        let mut chance = Chance::of(mode);
        let survivors = self.surviving_names(mode, &mut chance);
        self.write_out(ROOT, &survivors, mode, &mut chance, target).map_err(|error| Error::io("write", target, error))
    }

    /// Returns the names of every folder after a crash.
    fn surviving_names(&self, mode: CrashMode, chance: &mut Chance) -> Vec<Entries> {
        let names_of = |node: &Node| match node {
            Node::Folder { start, .. } => start.clone(),
            Node::File { .. } => Entries::new(),
        };
        let mut folders: Vec<Entries> = self.nodes.iter().map(names_of).collect();
        // A file system does not move what it has not created, nor twice in another order.
        let mut lost = BTreeSet::new();
        for change in &self.changes {
            let survives = match mode {
                CrashMode::UnsyncedLost => change.synced,
                CrashMode::Random(_) => change.synced || change.nodes.is_disjoint(&lost) && chance.up_to(1) == 1,
                _ => true,
            };
            if survives {
                for (folder, name, node) in &change.entries {
                    set(&mut folders[*folder], name, *node);
                }
            } else {
                lost.extend(&change.nodes);
            }
        }
        folders
    }

    fn write_out(
        &self,
        node: NodeId,
        folders: &[Entries],
        mode: CrashMode,
        chance: &mut Chance,
        path: &Path,
    ) -> std::io::Result<()> {
        match &self.nodes[node] {
            Node::File { data, synced } => std::fs::write(path, surviving(data, *synced, mode, chance)),
            Node::Folder { .. } => {
                std::fs::create_dir_all(path)?;
                let mut names = folders[node].iter();
                names.try_for_each(|(name, node)| self.write_out(*node, folders, mode, chance, &path.join(name)))
            }
        }
    }
}

/// Makes a name refer to a node, or to nothing; returns the previous node.
fn set(names: &mut Entries, name: &OsString, node: Option<NodeId>) -> Option<NodeId> {
    match node {
        Some(node) => names.insert(name.clone(), node),
        None => names.remove(name),
    }
}

/// Random numbers of a crash.
struct Chance {
    numbers: SplitMix64,
    drawn: u64,
}

impl Chance {
    fn of(mode: CrashMode) -> Self {
        let seed = if let CrashMode::Random(seed) = mode { seed } else { 0 };
        Self { numbers: SplitMix64::new(seed, 0), drawn: 0 }
    }

    fn up_to(&mut self, most: usize) -> usize {
        self.drawn += 1;
        // Default: no file of a test is larger.
        let most = u32::try_from(most).unwrap_or(u32::MAX);
        self.numbers.up_to(self.drawn, most) as usize
    }
}

fn surviving(data: &[u8], synced: usize, mode: CrashMode, chance: &mut Chance) -> Vec<u8> {
    let mut kept = data.to_vec();
    match mode {
        CrashMode::CleanPrefix | CrashMode::TornLastWrite => {}
        CrashMode::UnsyncedLost => kept.truncate(synced),
        CrashMode::UnsyncedReordered => kept[synced..].fill(0),
        CrashMode::Random(_) => {
            kept.truncate(synced + SECTOR_BYTES * chance.up_to((data.len() - synced).div_ceil(SECTOR_BYTES)));
            let lost = |_: &&mut [u8]| chance.up_to(1) == 0;
            kept[synced..].chunks_mut(SECTOR_BYTES).filter(lost).for_each(|sector| sector.fill(0));
        }
    }
    kept
}
