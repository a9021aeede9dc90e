//! Reader of Pajek networks: `*Vertices N`, then sections of arcs (directed) and edges (undirected).
//!
//! Vertices are 1 to N; their labels are ignored. Lines of `*Arcs` and `*Edges` have two vertices and an optional
//! weight (1 if absent). Lines of `*Arcslist` and `*Edgeslist` have a vertex and its neighbors. Lines that start with
//! `%` are comments.

use super::words::{BUFFER, Part, Words};
use crate::edges::declared_facts::DeclaredFacts;
use crate::edges::format::EdgeFormat;
use crate::edges::input::Origin;
use crate::edges::reader::{FileReader, ReaderContext, clear_for_ids, whole_ids};
use crate::edges::text::shown;
use crate::edges::weight::weight_as;
use outcrop_store::writing::{EdgeBatch, IdKind};
use outcrop_types::{FileSummary, MAX_VERTICES, Purpose, ReadWeight, Reservation, Result, WeightRounding, WeightType};

/// Maximum number of edges per batch.
const EDGES: usize = 1 << 14;
/// Memory of a reader, in bytes, including outgoing edges and edges held by the caller.
const READER_BYTES: u64 = (BUFFER + 4 * EDGES * 24) as u64;

/// Section of a network with edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Section {
    directed: bool,
    /// True if a line has a vertex and its neighbors.
    list: bool,
}

struct PajekReader {
    words: Words,
    vertices: u64,
    /// Current section; `None` after the last one.
    section: Option<Section>,
    /// Direction stated by the first section.
    directed: bool,
    /// Requested direction of the store, if any.
    asked: Option<bool>,
    /// Vertex whose list is being read.
    vertex: Option<u64>,
    weights_read: bool,
    /// The end of a note on unread weights.
    on_unread: &'static str,
    weight_type: Option<WeightType>,
    rounding: WeightRounding,
    edges: u64,
    weights_seen: bool,
    _held: Reservation,
}

/// Opens a network.
pub(crate) fn open_pajek(origin: Origin, context: &ReaderContext<'_>) -> Result<Box<dyn FileReader>> {
    context.expect_whole_ids(&origin.name)?;
    let held = context.budget.reserve(READER_BYTES + origin.stream_bytes(), Purpose::InputBuffers)?;
    let mut reader = PajekReader {
        words: Words::of(origin.open_text(context.progress)?),
        vertices: 0,
        section: None,
        directed: true,
        asked: context.options.directed,
        vertex: None,
        weights_read: context.options.wants_weights(),
        on_unread: context.options.on_unread_weights("use --weighted to read them"),
        weight_type: context.options.weight_type,
        rounding: WeightRounding::default(),
        edges: 0,
        weights_seen: false,
        _held: held,
    };
    reader.pass_vertices()?;
    reader.directed = reader.section.is_none_or(|section| section.directed);
    Ok(Box::new(reader))
}

impl PajekReader {
    /// Skips the vertices up to the first section of edges.
    fn pass_vertices(&mut self) -> Result<()> {
        while self.section.is_none() && self.words.find_line(b"%")? {
            if self.words.peek()? == Some(b'*') {
                self.begin_section()?;
            } else if self.vertices == 0 {
                self.words.next()?;
                return Err(self.words.wrong(&format!(
                    "found {}, expected `*Vertices N`; if each line is an edge, use --format edge-list",
                    shown(&self.words.word)
                )));
            } else {
                self.words.pass_line()?;
            }
        }
        Ok(())
    }

    /// Reads the line that starts a section.
    fn begin_section(&mut self) -> Result<()> {
        self.words.next()?;
        let name = self.words.word.to_ascii_lowercase();
        let section = |directed, list| Some(Section { directed, list });
        match name.as_slice() {
            b"*network" => {}
            b"*vertices" if self.vertices == 0 => {
                if self.words.next()? != Part::Word {
                    return Err(self.words.wrong("found a section without number of vertices, expected `*Vertices N`"));
                }
                self.vertices = self.words.number(0, MAX_VERTICES)?;
                return self.end_vertices_line();
            }
            b"*arcs" => self.section = section(true, false),
            b"*edges" => self.section = section(false, false),
            b"*arcslist" => self.section = section(true, true),
            b"*edgeslist" => self.section = section(false, true),
            _ => {
                let message = format!(
                    "found the section {}, expected one network with arcs and edges; keep these sections only",
                    shown(&self.words.word)
                );
                return Err(self.words.wrong(&message));
            }
        }
        self.words.pass_line()
    }

    /// Reads the end of the line with the number of vertices; in a network of two kinds of vertices, it has the number
    /// of the first kind.
    fn end_vertices_line(&mut self) -> Result<()> {
        if self.words.next()? == Part::Word {
            self.words.number(0, self.vertices)?;
            if self.words.next()? == Part::Word {
                let found = shown(&self.words.word);
                return Err(self.words.wrong(&format!("found {found}, expected the end of the line")));
            }
        }
        Ok(())
    }

    /// Reads the next line as far as it fits `batch`; returns `false` at the end.
    fn step(&mut self, batch: &mut EdgeBatch) -> Result<bool> {
        let Some(section) = self.section else { return Ok(false) };
        if let Some(vertex) = self.vertex {
            return self.read_list(vertex, section, batch);
        }
        if !self.words.find_line(b"%")? {
            return Ok(false);
        }
        if self.words.peek()? == Some(b'*') {
            self.begin_section()?;
            return Ok(true);
        }
        if section.directed && !self.directed && self.asked.is_none() {
            self.words.next()?;
            return Err(self.words.wrong("found both arcs and edges; use --directed or --undirected"));
        }
        self.words.next()?;
        if self.words.word.ends_with(b":") {
            // Skip the number of a relation.
            self.words.next()?;
        }
        let source = self.words.number(1, self.vertices)?;
        if section.list {
            self.vertex = Some(source);
            return Ok(true);
        }
        if self.words.next()? != Part::Word {
            return Err(self.words.wrong("found one vertex, expected two"));
        }
        let target = self.words.number(1, self.vertices)?;
        let weight = match self.words.next()? {
            Part::Word => {
                let weight =
                    std::str::from_utf8(&self.words.word).ok().and_then(|word| word.parse::<ReadWeight>().ok());
                let weight = weight.filter(|weight| weight.nearest.is_finite());
                self.weights_seen |= weight.is_some_and(|weight| weight.nearest != 1.0);
                if weight.is_none() && self.weights_read {
                    let found = shown(&self.words.word);
                    return Err(self.words.wrong(&format!("found {found}, expected a finite number as weight")));
                }
                self.words.pass_line()?;
                // Default: if weights are read, a field that is not a number was refused earlier.
                weight.unwrap_or_else(|| 1.0.into())
            }
            Part::LineEnd | Part::End => 1.0.into(),
        };
        self.push([source, target], weight, section, batch)?;
        Ok(true)
    }

    fn read_list(&mut self, vertex: u64, section: Section, batch: &mut EdgeBatch) -> Result<bool> {
        while batch.len() < EDGES {
            if self.words.next()? != Part::Word {
                self.vertex = None;
                return Ok(true);
            }
            let neighbor = self.words.number(1, self.vertices)?;
            self.push([vertex, neighbor], 1.0.into(), section, batch)?;
        }
        Ok(true)
    }

    fn push(&mut self, ends: [u64; 2], exact: ReadWeight, section: Section, batch: &mut EdgeBatch) -> Result<()> {
        // Without an option, the store has the direction of the first section.
        let both = !section.directed && self.asked.unwrap_or(self.directed) && ends[0] != ends[1];
        let count = if both { 2 } else { 1 };
        let [source, target] = ends;
        whole_ids(batch)?.extend(&[source, target, target, source][..2 * count]);
        self.edges += count as u64;
        if self.weights_read {
            let stored = weight_as(self.weight_type, exact.nearest).map_err(|wrong| self.words.wrong(&wrong))?;
            let (name, line) = (&self.words.stream.name, self.words.place.0);
            self.rounding.note(exact, stored, || format!("{name}:{line}"));
            batch.weights.extend(std::iter::repeat_n(stored, count));
        }
        Ok(())
    }
}

impl FileReader for PajekReader {
    fn declared_facts(&self) -> DeclaredFacts {
        DeclaredFacts {
            id_kind: Some(IdKind::Integer),
            vertices: (self.vertices > 0).then_some(1..=self.vertices),
            directed: Some(self.directed),
            ..DeclaredFacts::default()
        }
    }

    fn next_batch(&mut self, batch: &mut EdgeBatch) -> Result<bool> {
        clear_for_ids(batch);
        while batch.len() < EDGES && self.step(batch)? {}
        Ok(!batch.is_empty())
    }

    fn summary(&self) -> FileSummary {
        let unread = self.weights_seen && !self.weights_read;
        let weights = unread.then(|| format!("its edge weights were not read; {}", self.on_unread));
        let labels = "vertices are identified by number; labels were not read".to_owned();
        FileSummary {
            name: self.words.stream.name.clone(),
            format: EdgeFormat::Pajek.name().to_owned(),
            edges: self.edges,
            lines: Some(self.words.lines()),
            comments: self.words.comments,
            blank_lines: self.words.blank_lines,
            stated_vertices: Some(self.vertices),
            stated_directed: Some(self.directed),
            weights: self.weights_read.then(|| "real".to_owned()),
            rounding: self.rounding.clone(),
            notes: weights.into_iter().chain([labels]).collect(),
            ..FileSummary::default()
        }
    }
}
