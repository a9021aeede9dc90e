//! Reader of adjacency lists as `networkx.write_adjlist` writes them: one line per vertex, with the vertex and its
//! neighbors.

use super::words::{BUFFER, Part, Words};
use crate::edges::declared_facts::DeclaredFacts;
use crate::edges::format::EdgeFormat;
use crate::edges::input::Origin;
use crate::edges::options::Separator;
use crate::edges::reader::{FileReader, ReaderContext};
use outcrop_store::writing::{EdgeBatch, IdBatch, IdKind};
use outcrop_types::{Error, FileSummary, LONGEST_ID, Location, Purpose, Reservation, Result, check_id, counted};

/// Maximum number of edges per batch, and bytes of their texts.
const EDGES: usize = 1 << 14;
const BYTES: usize = 512 << 10;
/// Memory of a reader, in bytes, including outgoing edges and edges held by the caller.
const READER_BYTES: u64 = (BUFFER + 2 * (EDGES * 32 + BYTES + 3 * LONGEST_ID)) as u64;

struct ListReader {
    words: Words,
    comments: Vec<u8>,
    kind: IdKind,
    largest: u64,
    /// Vertex of the current line.
    vertex: Option<Vec<u8>>,
    /// Number of neighbors of that vertex so far.
    neighbors: u64,
    /// Number of lines without a neighbor.
    lone: u64,
    edges: u64,
    _held: Reservation,
}

/// Opens adjacency lists.
pub(crate) fn open_adjacency_list(origin: Origin, context: &ReaderContext<'_>) -> Result<Box<dyn FileReader>> {
    let name = origin.name.clone();
    if context.options.wants_weights() {
        let message = "adjacency lists have no weights; omit --weighted";
        return Err(Error::bad_input(Location::file(name), message));
    }
    let held = context.budget.reserve(READER_BYTES + origin.stream_bytes(), Purpose::InputBuffers)?;
    let mut words = Words::of(origin.open_text(context.progress)?);
    words.separator = match context.options.separator {
        Separator::Auto | Separator::Char(' ') => None,
        Separator::Char(sign) => u8::try_from(sign).ok(),
    };
    let comments = context.options.comments.clone();
    let vertex = match words.find_line(&comments)? && words.next()? == Part::Word {
        true => Some(words.word.clone()),
        false => None,
    };
    let whole = |id: &Vec<u8>| id.iter().all(u8::is_ascii_digit);
    // Default: a file without lines has integer IDs.
    let guess = if vertex.as_ref().is_none_or(whole) { IdKind::Integer } else { IdKind::Text };
    let kind = context.kind.or(context.options.ids.kind()).unwrap_or(guess);
    let largest = context.options.ids.largest();
    let reader = ListReader { words, comments, kind, largest, vertex, neighbors: 0, lone: 0, edges: 0, _held: held };
    if reader.vertex.is_some() {
        reader.check()?;
    }
    Ok(Box::new(reader))
}

impl ListReader {
    /// Reads the next word; returns `false` at the end of the text.
    fn step(&mut self, batch: &mut EdgeBatch) -> Result<bool> {
        let Some(vertex) = &self.vertex else {
            if !self.words.find_line(&self.comments)? || self.words.next()? != Part::Word {
                return Ok(false);
            }
            self.check()?;
            self.vertex = Some(self.words.word.clone());
            return Ok(true);
        };
        match self.words.next()? {
            Part::Word => {
                match &mut batch.endpoints {
                    IdBatch::Integers(ids) => {
                        let number = |text: &[u8]| crate::edges::text::whole_number(text);
                        // Default: the vertex was checked when it was read.
                        let source = number(vertex).unwrap_or_default();
                        ids.extend([source, self.words.number(0, self.largest)?]);
                    }
                    IdBatch::Texts { bytes, ends } => {
                        for id in [vertex, &self.words.word] {
                            bytes.extend_from_slice(id);
                            ends.push(bytes.len());
                        }
                    }
                }
                self.check()?;
                (self.neighbors, self.edges) = (self.neighbors + 1, self.edges + 1);
            }
            Part::LineEnd | Part::End => {
                self.lone += u64::from(self.neighbors == 0);
                (self.vertex, self.neighbors) = (None, 0);
            }
        }
        Ok(true)
    }

    /// Returns an error if the word is not an ID.
    fn check(&self) -> Result<()> {
        match self.kind {
            IdKind::Integer => self.words.number(0, self.largest).map(drop),
            IdKind::Text => check_id(&self.words.word).map_err(|reason| self.words.wrong(&reason)),
        }
    }
}

impl FileReader for ListReader {
    fn declared_facts(&self) -> DeclaredFacts {
        DeclaredFacts { id_kind: Some(self.kind), ..DeclaredFacts::default() }
    }

    fn next_batch(&mut self, batch: &mut EdgeBatch) -> Result<bool> {
        if batch.endpoints.kind() != self.kind {
            batch.endpoints = IdBatch::empty(self.kind);
        }
        batch.clear();
        let room = |batch: &EdgeBatch| match &batch.endpoints {
            IdBatch::Integers(ids) => ids.len() < 2 * EDGES,
            IdBatch::Texts { bytes, ends } => ends.len() < 2 * EDGES && bytes.len() < BYTES,
        };
        while room(batch) && self.step(batch)? {}
        Ok(!batch.is_empty())
    }

    fn summary(&self) -> FileSummary {
        let lone = self.lone;
        let note = (lone > 0).then(|| {
            let have = if lone == 1 { "has" } else { "have" };
            let lines = counted(lone, "line");
            format!("{lines} {have} a vertex without neighbors; add such vertices with --vertices, unless other lines contain them")
        });
        FileSummary {
            name: self.words.stream.name.clone(),
            format: EdgeFormat::AdjacencyList.name().to_owned(),
            edges: self.edges,
            lines: Some(self.words.lines()),
            comments: self.words.comments,
            blank_lines: self.words.blank_lines,
            notes: note.into_iter().collect(),
            ..FileSummary::default()
        }
    }
}
