//! Reads graphs as METIS has them: a line with the numbers of vertices and edges, then a line a vertex with its neighbours.
//!
//! The first line may say by digits which weights the others have: `1` of edges, `10` of vertices, `100` sizes of vertices, and any sum of
//! these; behind it stands how many weights a vertex has. Ids begin at 1, an edge is in the lines of both its ends, and lines that begin
//! with `%` are comments (Karypis: *METIS, a software package for partitioning*, manual of version 5.1, section 4.1.1).

use super::balance::Balance;
use crate::edges::format::EdgeFormat;
use crate::edges::input::{Origin, TextStream};
use crate::edges::reader::{FileReader, ReaderContext, clear_for_ids, whole_ids};
use crate::edges::statement::Statement;
use crate::edges::text::{is_blank, shown, whole_number};
use crate::edges::weight::weight_as;
use outcrop_store::writing::{EdgeBatch, IdKind};
use outcrop_types::{
    Error, FileSummary, Location, MAX_VERTICES, Purpose, ReadWeight, Reservation, Result, WeightRounding, WeightType,
};

/// Bytes of text that are read at once.
const BUFFER: usize = 128 << 10;
/// Edges that are handed over at once.
const EDGES: usize = 1 << 14;
/// Digits of the longest number, and more.
const LONGEST_FIELD: usize = 32;
/// Memory of a reader, in bytes, with edges on their way out and those with the caller.
const READER_BYTES: u64 = (BUFFER + 2 * EDGES * 24) as u64;

/// Next token of a text.
enum Token {
    /// A number.
    Number(u64),
    /// The end of a line.
    LineEnd,
    /// The end of the text.
    End,
}

/// A text, number by number.
struct Numbers {
    stream: TextStream,
    buffer: Vec<u8>,
    at: usize,
    line: u64,
    column: u64,
    /// Columns of the last number.
    begin: u64,
}

impl Numbers {
    fn peek(&mut self) -> Result<Option<u8>> {
        if self.at == self.buffer.len() {
            self.buffer.resize(BUFFER, 0);
            let count = self.stream.read(&mut self.buffer)?;
            self.buffer.truncate(count);
            self.at = 0;
        }
        Ok(self.buffer.get(self.at).copied())
    }

    fn step(&mut self) {
        self.at += 1;
        self.column += 1;
    }

    /// Goes on to the next line.
    fn end_line(&mut self) {
        self.at += 1;
        (self.line, self.column) = (self.line + 1, 1);
    }

    fn next(&mut self) -> Result<Token> {
        loop {
            match self.peek()? {
                None => return Ok(Token::End),
                Some(b'\n') => return Ok(Token::LineEnd),
                Some(byte) if is_blank(byte) || byte == b'\r' => self.step(),
                Some(_) => return self.number().map(Token::Number),
            }
        }
    }

    fn number(&mut self) -> Result<u64> {
        let mut field = Vec::with_capacity(LONGEST_FIELD);
        self.begin = self.column;
        while let Some(byte) = self.peek()?.filter(|byte| !is_blank(*byte) && !matches!(byte, b'\n' | b'\r')) {
            if field.len() < LONGEST_FIELD {
                field.push(byte);
            }
            self.step();
        }
        whole_number(&field).ok_or_else(|| self.wrong(&format!("found {}, expected a whole number", shown(&field))))
    }

    /// Passes over a comment line that begins here; `false` if it is none.
    fn pass_comment(&mut self) -> Result<bool> {
        if self.peek()? != Some(b'%') {
            return Ok(false);
        }
        while self.peek()?.is_some_and(|byte| byte != b'\n') {
            self.step();
        }
        if self.peek()?.is_some() {
            self.end_line();
        }
        Ok(true)
    }

    fn wrong(&self, message: &str) -> Error {
        Error::bad_input(Location::at(&self.stream.name, self.line, self.begin), message)
    }
}

/// The first line.
#[derive(Debug)]
struct Header {
    vertices: u64,
    edges: u64,
    /// Numbers before the neighbours in a line.
    leading: u64,
    weighted: bool,
}

/// A graph, line by line.
struct MetisReader {
    numbers: Numbers,
    header: Header,
    weights_read: bool,
    /// Edges are given in both directions.
    both: bool,
    /// Lists that were read to their ends.
    lists: u64,
    /// Within a line: how many numbers come before its next neighbour.
    leading: Option<u64>,
    /// Entries of all lists so far.
    entries: u64,
    edges: u64,
    comments: u64,
    blank_lines: u64,
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
    let stream = origin.open_text(context.progress)?;
    let mut numbers = Numbers { stream, buffer: Vec::new(), at: 0, line: 1, column: 1, begin: 1 };
    let mut comments = 0;
    while numbers.pass_comment()? {
        comments += 1;
    }
    let header = read_header(&mut numbers)?;
    if weights_read && !header.weighted {
        let message = "found a graph without weights of edges, expected one with weights, whose format ends with 1";
        return Err(Error::bad_input(Location::at(name, numbers.line, 1), message));
    }
    numbers.end_line();
    Ok(Box::new(MetisReader {
        numbers,
        header,
        weights_read,
        both: context.options.directed == Some(true),
        lists: 0,
        leading: None,
        entries: 0,
        edges: 0,
        comments,
        blank_lines: 0,
        balance: Balance::default(),
        rounding: WeightRounding::default(),
        weight_type: context.options.weight_type,
        _held: held,
    }))
}

fn read_header(numbers: &mut Numbers) -> Result<Header> {
    const EXPECTED: &str = "expected a line `VERTICES EDGES [FORMAT [WEIGHTS]]`";
    let mut fields = Vec::new();
    while let Token::Number(number) = numbers.next()? {
        fields.push(number);
        if fields.len() > 4 {
            return Err(numbers.wrong(&format!("found a fifth number, {EXPECTED}")));
        }
    }
    let (vertices, edges, format, weights) = match fields[..] {
        [vertices, edges] => (vertices, edges, 0, 0),
        [vertices, edges, format] => (vertices, edges, format, 1),
        [vertices, edges, format, weights] => (vertices, edges, format, weights),
        _ => return Err(numbers.wrong(&format!("found {} numbers, {EXPECTED}", fields.len()))),
    };
    if vertices > MAX_VERTICES {
        return Err(numbers.wrong(&format!("found {vertices} vertices, expected at most {MAX_VERTICES}")));
    }
    let digits = [format / 100, format / 10 % 10, format % 10];
    if digits.iter().any(|digit| *digit > 1) || weights > u64::from(u16::MAX) {
        let message = format!("found the format {format}, expected three digits of which each is 0 or 1");
        return Err(numbers.wrong(&message));
    }
    let [sizes, vertex_weights, edge_weights] = digits;
    Ok(Header { vertices, edges, leading: sizes + vertex_weights * weights, weighted: edge_weights == 1 })
}

impl MetisReader {
    /// Reads the next line, or what of it fits `batch`; whether there was one.
    fn read_line(&mut self, batch: &mut EdgeBatch) -> Result<bool> {
        if let Some(leading) = self.leading.take() {
            return self.read_list(leading, batch);
        }
        if self.numbers.pass_comment()? {
            self.comments += 1;
            return Ok(true);
        }
        if self.lists == self.header.vertices {
            return self.read_behind();
        }
        if self.numbers.peek()?.is_none() {
            return Ok(false);
        }
        self.read_list(self.header.leading, batch)
    }

    /// Reads what is left of a line.
    fn read_list(&mut self, mut leading: u64, batch: &mut EdgeBatch) -> Result<bool> {
        while batch.len() < EDGES {
            match self.numbers.next()? {
                Token::Number(_) if leading > 0 => leading -= 1,
                Token::Number(neighbour) => self.take(self.lists + 1, neighbour, batch)?,
                Token::LineEnd | Token::End => {
                    self.lists += 1;
                    self.numbers.end_line();
                    return Ok(true);
                }
            }
        }
        self.leading = Some(leading);
        Ok(true)
    }

    /// Passes over blank lines behind the last list.
    fn read_behind(&mut self) -> Result<bool> {
        match self.numbers.next()? {
            Token::End => Ok(false),
            Token::LineEnd => {
                self.blank_lines += 1;
                self.numbers.end_line();
                Ok(true)
            }
            Token::Number(_) => {
                let message = format!("found more than {} lists, as many as the first line says", self.header.vertices);
                Err(self.numbers.wrong(&message))
            }
        }
    }

    fn take(&mut self, vertex: u64, neighbour: u64, batch: &mut EdgeBatch) -> Result<()> {
        if !(1..=self.header.vertices).contains(&neighbour) || neighbour == vertex {
            let others = if neighbour == vertex { " other than that of the line" } else { "" };
            let message = format!("found {neighbour}, expected a vertex from 1 to {}{others}", self.header.vertices);
            return Err(self.numbers.wrong(&message));
        }
        let weight = match self.header.weighted {
            false => 0,
            true => match self.numbers.next()? {
                Token::Number(weight) => weight,
                Token::LineEnd | Token::End => {
                    self.numbers.begin = self.numbers.column;
                    return Err(self.numbers.wrong("found the end of the line, expected the weight of an edge"));
                }
            },
        };
        self.entries += 1;
        self.balance.count(vertex, neighbour, weight.cast_signed());
        if vertex > neighbour && !self.both {
            return Ok(());
        }
        whole_ids(batch)?.extend([vertex, neighbour]);
        self.edges += 1;
        if self.weights_read {
            let (numbers, exact) = (&self.numbers, ReadWeight::from(i128::from(weight)));
            let stored = weight_as(self.weight_type, exact.nearest).map_err(|wrong| {
                let place = Location::at(&numbers.stream.name, numbers.line, numbers.column);
                Error::bad_input(place, wrong)
            })?;
            self.rounding.note(exact, stored, || format!("{}:{}", numbers.stream.name, numbers.line));
            batch.weights.push(stored);
        }
        Ok(())
    }

    /// Compares what was read with what the first line says.
    fn finish(&self) -> Result<()> {
        let Header { vertices, edges, .. } = self.header;
        let damaged = |message: String| Err(Error::bad_input(Location::file(&self.numbers.stream.name), message));
        if edges.checked_mul(2) != Some(self.entries) {
            let entries = self.entries;
            return damaged(format!(
                "found {entries} neighbours in {} of {vertices} lists, expected twice the {edges} edges that the first line says; is the file cut off?",
                self.lists
            ));
        }
        if !self.balance.is_even() {
            return damaged("an edge is in the line of only one of its ends, or with another weight".to_owned());
        }
        Ok(())
    }
}

impl FileReader for MetisReader {
    fn statement(&self) -> Statement {
        let edges = self.header.edges;
        Statement {
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
        let note = "its weights of edges were not read; pass --weighted to read them".to_owned();
        let unread = self.header.weighted && !self.weights_read;
        FileSummary {
            name: self.numbers.stream.name.clone(),
            format: EdgeFormat::Metis.name().to_owned(),
            edges: self.edges,
            lines: Some(self.numbers.line - u64::from(self.numbers.column == 1)),
            comments: self.comments,
            blank_lines: self.blank_lines,
            stated_vertices: Some(self.header.vertices),
            stated_directed: Some(false),
            weights: self.weights_read.then(|| "integer".to_owned()),
            rounding: self.rounding.clone(),
            notes: unread.then_some(note).into_iter().collect(),
            ..FileSummary::default()
        }
    }
}
