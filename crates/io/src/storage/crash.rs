//! Model of the state of a file system after a crash.

use outcrop_types::{Error, Result};
use std::collections::BTreeMap;
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
}

impl CrashMode {
    /// Every mode.
    pub const ALL: [Self; 4] = [Self::CleanPrefix, Self::TornLastWrite, Self::UnsyncedLost, Self::UnsyncedReordered];
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
    File { data: Vec<u8>, synced: usize },
    Folder { names: Entries, synced: Entries },
}

type Entries = BTreeMap<OsString, NodeId>;

/// State of a file system: as seen by processes, and as synced.
#[derive(Clone, Debug)]
pub(super) struct Model {
    nodes: Vec<Node>,
    /// Files that operations created, by the operations' numbers.
    created: BTreeMap<usize, NodeId>,
}

impl Model {
    /// Creates a model of the current content of `root`, assumed to be synced. Ignores everything except regular files
    /// and folders.
    pub(super) fn of(root: &Path) -> Result<Self> {
        let mut model = Self {
            nodes: vec![Node::Folder { names: Entries::new(), synced: Entries::new() }],
            created: BTreeMap::new(),
        };
        model.import(ROOT, root).map_err(|error| Error::io("read", root, error))?;
        Ok(model)
    }

    fn import(&mut self, folder: NodeId, path: &Path) -> std::io::Result<()> {
        let mut found = Entries::new();
        for entry in std::fs::read_dir(path)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() {
                let node = self.add(Node::Folder { names: Entries::new(), synced: Entries::new() });
                self.import(node, &entry.path())?;
                found.insert(entry.file_name(), node);
            } else if kind.is_file() {
                let data = std::fs::read(entry.path())?;
                let synced = data.len();
                found.insert(entry.file_name(), self.add(Node::File { data, synced }));
            }
        }
        self.nodes[folder] = Node::Folder { names: found.clone(), synced: found };
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
                let node = self.add(Node::Folder { names: Entries::new(), synced: Entries::new() });
                self.link(path, Some(node));
            }
            Operation::CreateFile(path) => {
                let node = self.add(Node::File { data: Vec::new(), synced: 0 });
                self.created.insert(number, node);
                self.link(path, Some(node));
            }
            Operation::Write(file, bytes) => self.write(*file, bytes),
            Operation::SyncFile(file) => self.sync_file(*file),
            Operation::SyncFolder(path) => self.sync_folder(path),
            Operation::Rename(from, to) => {
                let node = self.link(from, None);
                self.link(to, node);
            }
            Operation::Exchange(a, b) => {
                let (first, second) = (self.link(a, None), self.link(b, None));
                self.link(a, second);
                self.link(b, first);
            }
            Operation::Remove(path) => _ = self.link(path, None),
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

    fn sync_folder(&mut self, path: &[OsString]) {
        let node = self.find(path);
        if let Some(Node::Folder { names, synced }) = node.and_then(|node| self.nodes.get_mut(node)) {
            synced.clone_from(names);
        }
    }

    fn find(&self, path: &[OsString]) -> Option<NodeId> {
        path.iter().try_fold(ROOT, |folder, name| match &self.nodes[folder] {
            Node::Folder { names, .. } => names.get(name).copied(),
            Node::File { .. } => None,
        })
    }

    /// Links or unlinks a name; returns the previous node.
    fn link(&mut self, path: &[OsString], node: Option<NodeId>) -> Option<NodeId> {
        let (name, parent) = path.split_last()?;
        let parent = self.find(parent)?;
        let Node::Folder { names, .. } = &mut self.nodes[parent] else { return None };
        match node {
            Some(node) => names.insert(name.clone(), node),
            None => names.remove(name),
        }
    }

    /// Writes the content that survives a crash now into the empty or absent folder `target`.
    pub(super) fn materialize(&self, mode: CrashMode, target: &Path) -> Result<()> {
        self.write_out(ROOT, mode, target).map_err(|error| Error::io("write", target, error))
    }

    fn write_out(&self, node: NodeId, mode: CrashMode, path: &Path) -> std::io::Result<()> {
        match &self.nodes[node] {
            Node::File { data, synced } => std::fs::write(path, surviving(data, *synced, mode)),
            Node::Folder { names, synced } => {
                std::fs::create_dir_all(path)?;
                let survivors = if mode == CrashMode::UnsyncedLost { synced } else { names };
                survivors.iter().try_for_each(|(name, node)| self.write_out(*node, mode, &path.join(name)))
            }
        }
    }
}

fn surviving(data: &[u8], synced: usize, mode: CrashMode) -> Vec<u8> {
    let mut kept = data.to_vec();
    match mode {
        CrashMode::CleanPrefix | CrashMode::TornLastWrite => {}
        CrashMode::UnsyncedLost => kept.truncate(synced),
        CrashMode::UnsyncedReordered => kept[synced..].fill(0),
    }
    kept
}
