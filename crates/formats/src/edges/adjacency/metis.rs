//! Reader of METIS graphs: a line with the numbers of vertices and edges, then one line per vertex with its neighbors.
//!
//! A code on the first line declares the weights of the other lines: `1` for edge weights, `10` for vertex weights,
//! `100` for vertex sizes, or any sum of these. The number of weights per vertex follows the code. IDs start at 1, each
//! edge is on the lines of both of its ends, and lines that start with `%` are comments (Karypis: *METIS, a software
//! package for partitioning*, manual of version 5.1, section 4.1.1).

use super::balance::Balance;
use super::words::{BUFFER, Part, Words};
use crate::edges::declared_facts::DeclaredFacts;
use crate::edges::format::EdgeFormat;
use crate::edges::input::Origin;
use crate::edges::reader::{FileReader, ReaderContext, clear_for_ids, whole_ids};
use crate::edges::text::{shown, whole_number};
use crate::edges::weight::weight_as;
use outcrop_store::writing::{EdgeBatch, IdKind};
use outcrop_types::{
    Error, FileSummary, Location, MAX_VERTICES, Purpose, ReadWeight, Reservation, Result, WeightRounding, WeightType,
    length_from,
};

/// Maximum number of edges per batch.
const EDGES: usize = 1 << 14;
/// Memory of a reader, in bytes, including outgoing edges and edges held by the caller.
const READER_BYTES: u64 = (BUFFER + 2 * EDGES * 24) as u64;

/// Returns the next number of a line, or skips the end of the line and returns `None`.
fn next_number(words: &mut Words) -> Result<Option<u64>> {
    if words.next()? != Part::Word {
        return Ok(None);
    }
    let number = whole_number(&words.word);
    number.map(Some).ok_or_else(|| words.wrong(&format!("found {}, expected an integer", shown(&words.word))))
}

/// The first line.
#[derive(Debug)]
struct Header {
    vertices: u64,
    edges: u64,
    /// Number of fields before the neighbors on each line.
    leading: u64,
    weighted: bool,
}

/// Reader that returns a graph line by line.
struct MetisReader {
    words: Words,
    header: Header,
    weights_read: bool,
    /// The end of a note on unread weights.
    on_unread: &'static str,
    /// True if edges are returned in both directions.
    both: bool,
    /// Number of lists read completely.
    lists: u64,
    /// Within a line: number of fields before its next neighbor.
    leading: Option<u64>,
    /// Number of entries of all lists so far.
    entries: u64,
    edges: u64,
    balance: Balance,
    rounding: WeightRounding,
    weight_type: Option<WeightType>,
    _held: Reservation,
}

/// Opens a graph.
pub(crate) fn open_metis(origin: Origin, context: &ReaderContext<'_>) -> Result<Box<dyn FileReader>> {
    let (name, weights_read) = (origin.name.clone(), context.options.wants_weights());
    context.expect_whole_ids(&name)?;
    let held = context.budget.reserve(READER_BYTES + origin.stream_bytes(), Purpose::InputBuffers)?;
    let mut words = Words::of(origin.open_text(context.progress)?);
    while words.pass_comment(b"%")? {}
    let header = read_header(&mut words)?;
    if weights_read && !header.weighted {
        let message = "found a graph without edge weights, expected one with weights (a format ending with 1)";
        return Err(Error::bad_input(Location::at(name, words.place.0, 1), message));
    }
    Ok(Box::new(MetisReader {
        words,
        header,
        weights_read,
        on_unread: context.options.on_unread_weights("use --weighted to read them"),
        both: context.options.directed == Some(true),
        lists: 0,
        leading: None,
        entries: 0,
        edges: 0,
        balance: Balance::default(),
        rounding: WeightRounding::default(),
        weight_type: context.options.weight_type,
        _held: held,
    }))
}

fn read_header(words: &mut Words) -> Result<Header> {
    const EXPECTED: &str = "expected a line `VERTICES EDGES [FORMAT [WEIGHTS]]`";
    let mut fields = Vec::new();
    while let Some(number) = next_number(words)? {
        fields.push(number);
        if fields.len() > 4 {
            return Err(words.wrong(&format!("found a fifth number, {EXPECTED}")));
        }
    }
    let (vertices, edges, format, weights) = match fields[..] {
        [vertices, edges] => (vertices, edges, 0, 0),
        [vertices, edges, format] => (vertices, edges, format, 1),
        [vertices, edges, format, weights] => (vertices, edges, format, weights),
        _ => return Err(words.wrong(&format!("found {} numbers, {EXPECTED}", fields.len()))),
    };
    if vertices > MAX_VERTICES {
        return Err(words.wrong(&format!("found {vertices} vertices, expected at most {MAX_VERTICES}")));
    }
    let digits = [format / 100, format / 10 % 10, format % 10];
    if digits.iter().any(|digit| *digit > 1) || weights > u64::from(u16::MAX) {
        let message = format!("found the format {format}, expected three digits 0 or 1");
        return Err(words.wrong(&message));
    }
    let [sizes, vertex_weights, edge_weights] = digits;
    Ok(Header { vertices, edges, leading: sizes + vertex_weights * weights, weighted: edge_weights == 1 })
}

impl MetisReader {
    /// Reads the next line as far as it fits `batch`; returns true if there was a line.
    fn read_line(&mut self, batch: &mut EdgeBatch) -> Result<bool> {
        if let Some(leading) = self.leading.take() {
            return self.read_list(leading, batch);
        }
        if self.words.pass_comment(b"%")? {
            return Ok(true);
        }
        if self.lists == self.header.vertices {
            return self.read_behind();
        }
        if self.words.peek()?.is_none() {
            return Ok(false);
        }
        self.read_list(self.header.leading, batch)
    }

    /// Reads the rest of a line.
    fn read_list(&mut self, mut leading: u64, batch: &mut EdgeBatch) -> Result<bool> {
        while batch.len() < EDGES {
            match next_number(&mut self.words)? {
                Some(_) if leading > 0 => leading -= 1,
                Some(neighbor) => self.take(self.lists + 1, neighbor, batch)?,
                None => {
                    self.lists += 1;
                    return Ok(true);
                }
            }
        }
        self.leading = Some(leading);
        Ok(true)
    }

    /// Skips blank lines after the last list.
    fn read_behind(&mut self) -> Result<bool> {
        match self.words.next()? {
            Part::End => Ok(false),
            Part::LineEnd => {
                self.words.blank_lines += 1;
                Ok(true)
            }
            Part::Word => {
                let message = format!("found more than {} lists, the number in the first line", self.header.vertices);
                Err(self.words.wrong(&message))
            }
        }
    }

    fn take(&mut self, vertex: u64, neighbor: u64, batch: &mut EdgeBatch) -> Result<()> {
        if !(1..=self.header.vertices).contains(&neighbor) || neighbor == vertex {
            let others = if neighbor == vertex { " other than the vertex of this line" } else { "" };
            let message = format!("found {neighbor}, expected a vertex from 1 to {}{others}", self.header.vertices);
            return Err(self.words.wrong(&message));
        }
        let weight = match self.header.weighted {
            false => 0,
            true => next_number(&mut self.words)?.ok_or_else(|| {
                self.words.place.1 += length_from(self.words.word.len());
                self.words.wrong("found the end of the line, expected the weight of an edge")
            })?,
        };
        self.entries += 1;
        self.balance.count(vertex, neighbor, weight.cast_signed());
        if vertex > neighbor && !self.both {
            return Ok(());
        }
        whole_ids(batch)?.extend([vertex, neighbor]);
        self.edges += 1;
        if self.weights_read {
            let (words, exact) = (&self.words, ReadWeight::from(i128::from(weight)));
            let stored = weight_as(self.weight_type, exact.nearest).map_err(|wrong| words.wrong(&wrong))?;
            self.rounding.note(exact, stored, || format!("{}:{}", words.stream.name, words.place.0));
            batch.weights.push(stored);
        }
        Ok(())
    }

    /// Checks the numbers on the first line against the data.
    fn finish(&self) -> Result<()> {
        let Header { vertices, edges, .. } = self.header;
        let damaged = |message: String| Err(Error::bad_input(Location::file(&self.words.stream.name), message));
        if edges.checked_mul(2) != Some(self.entries) {
            let entries = self.entries;
            return damaged(format!(
                "found {entries} neighbors in {} of {vertices} lists, expected twice the {edges} edges in the first line; is the file truncated?",
                self.lists
            ));
        }
        if !self.balance.is_even() {
            return damaged("an edge is in the line of only one of its ends, or has two weights".to_owned());
        }
        Ok(())
    }
}

impl FileReader for MetisReader {
    fn declared_facts(&self) -> DeclaredFacts {
        let edges = self.header.edges;
        DeclaredFacts {
            id_kind: Some(IdKind::Integer),
            edges: Some(if self.both { edges.saturating_mul(2) } else { edges }),
            vertices: (self.header.vertices > 0).then_some(1..=self.header.vertices),
            directed: Some(false),
            times: None,
        }
    }

    fn next_batch(&mut self, batch: &mut EdgeBatch) -> Result<bool> {
        clear_for_ids(batch);
        while batch.len() < EDGES && self.read_line(batch)? {}
        if batch.is_empty() {
            self.finish()?;
        }
        Ok(!batch.is_empty())
    }

    fn summary(&self) -> FileSummary {
        let note = format!("its edge weights were not read; {}", self.on_unread);
        let unread = self.header.weighted && !self.weights_read;
        FileSummary {
            name: self.words.stream.name.clone(),
            format: EdgeFormat::Metis.name().to_owned(),
            edges: self.edges,
            lines: Some(self.words.lines()),
            comments: self.words.comments,
            blank_lines: self.words.blank_lines,
            stated_vertices: Some(self.header.vertices),
            stated_directed: Some(false),
            weights: self.weights_read.then(|| "integer".to_owned()),
            rounding: self.rounding.clone(),
            notes: unread.then_some(note).into_iter().collect(),
            ..FileSummary::default()
        }
    }
}
