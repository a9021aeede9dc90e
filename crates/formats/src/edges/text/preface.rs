//! Lines before the first edge in Matrix Market and DIMACS files, which state the numbers of vertices and edges and the
//! kind of the edges.

use super::digits::whole_number;
use super::fields::{LineError, is_blank, line_at, shown};
use super::tally::Tally;
use crate::edges::declared_facts::DeclaredFacts;
use crate::edges::format::EdgeFormat;
use crate::edges::input::TextStream;
use outcrop_store::writing::IdKind;
use outcrop_types::{Error, Location, MAX_VERTICES, Result, counted};

/// Maximum length of a preface, in bytes.
const LONGEST: usize = 1 << 20;
const STEP: usize = 16 << 10;

const BANNER: &str = "%%MatrixMarket matrix coordinate real|integer|pattern general|symmetric";

/// Start of a file with statements about its graph, up to the first line that may be an edge.
#[derive(Clone, Debug)]
pub(crate) struct Preface {
    /// Length in bytes.
    pub(crate) bytes: usize,
    /// Counts of its lines.
    pub(crate) tally: Tally,
    /// Number of vertices: IDs are `1..=vertices`.
    pub(crate) vertices: u64,
    /// Number of lines with an edge.
    pub(crate) entries: u64,
    pub(crate) directed: bool,
    /// Type of the weights; `None` if there are none.
    pub(crate) weights: Option<&'static str>,
    /// First field of every line with an edge.
    pub(crate) tag: Option<u8>,
    pub(crate) comments: &'static [u8],
}

impl Preface {
    /// Reads the preface of a text. Stores the bytes read, which may extend past the preface, in `head`.
    pub(crate) fn read(format: EdgeFormat, stream: &mut TextStream, head: &mut Vec<u8>) -> Result<Option<Self>> {
        let parse = match format {
            EdgeFormat::MatrixMarket => matrix_market,
            EdgeFormat::Dimacs => dimacs,
            _ => return Ok(None),
        };
        loop {
            let filled = head.len();
            head.resize(filled + STEP, 0);
            let count = stream.read(&mut head[filled..])?;
            head.truncate(filled + count);
            let mut lines = PrefaceLines { text: head, at: 0, tally: Tally::default(), ended: count == 0 };
            let outcome = parse(&mut lines);
            match outcome {
                Err(wrong) => {
                    return Err(Error::bad_input(
                        Location::at(&stream.name, lines.tally.lines.max(1), wrong.column),
                        wrong.message,
                    ));
                }
                Ok(Some(preface)) => return Ok(Some(preface)),
                Ok(None) if count == 0 => {
                    let expected = match format {
                        EdgeFormat::Dimacs => "a line `p sp VERTICES ARCS`",
                        _ => "a line with rows, columns and entries",
                    };
                    let message = format!("found the end of the file, expected {expected}; is the file truncated?");
                    return Err(Error::bad_input(Location::file(&stream.name), message));
                }
                Ok(None) if head.len() >= LONGEST => {
                    let message = format!("no number of vertices in the first {LONGEST} bytes");
                    return Err(Error::bad_input(Location::file(&stream.name), message));
                }
                Ok(None) => {}
            }
        }
    }

    /// Returns the statements of the file.
    pub(crate) fn declared_facts(&self) -> DeclaredFacts {
        DeclaredFacts {
            id_kind: Some(IdKind::Integer),
            edges: Some(self.entries),
            vertices: (self.vertices > 0).then_some(1..=self.vertices),
            directed: Some(self.directed),
            times: None,
        }
    }
}

/// Whole lines at the start of a text.
struct PrefaceLines<'t> {
    text: &'t [u8],
    at: usize,
    tally: Tally,
    ended: bool,
}

impl<'t> PrefaceLines<'t> {
    /// Returns the next line without its end; `None` if more bytes are needed.
    fn next_line(&mut self) -> Option<&'t [u8]> {
        let (line, next) = line_at(self.text, self.at);
        let whole = next <= self.text.len();
        if !whole && (!self.ended || self.at == self.text.len()) {
            return None;
        }
        self.at = next.min(self.text.len());
        self.tally.lines += 1;
        Some(line)
    }

    /// Returns the next line that is neither blank nor a comment.
    fn next_statement(&mut self, comment: u8) -> Option<&'t [u8]> {
        loop {
            let line = self.next_line()?;
            match line.iter().find(|byte| !is_blank(**byte)) {
                None => self.tally.quiet_line(true),
                Some(first) if *first == comment => self.tally.quiet_line(false),
                Some(_) => return Some(line),
            }
        }
    }
}

fn words(line: &[u8]) -> Vec<&[u8]> {
    line.split(|byte| is_blank(*byte)).filter(|word| !word.is_empty()).collect()
}

fn matrix_market(lines: &mut PrefaceLines<'_>) -> Result<Option<Preface>, LineError> {
    let Some(banner) = lines.next_line() else { return Ok(None) };
    let banner = banner.to_ascii_lowercase();
    let words_found = words(&banner);
    let wrong = |word: &[u8], expected: &str| {
        Err(LineError::at(0, format!("found {}, expected {expected} as in `{BANNER}`", shown(word))))
    };
    let [b"%%matrixmarket", object, layout, field, symmetry] = words_found[..] else {
        return Err(LineError::at(0, format!("found {}, expected `{BANNER}`", shown(&banner))));
    };
    if object != b"matrix" {
        return wrong(object, "matrix");
    }
    if layout != b"coordinate" {
        return wrong(layout, "coordinate");
    }
    let weights = match field {
        b"real" => Some("real"),
        b"integer" => Some("integer"),
        b"pattern" => None,
        _ => return wrong(field, "real, integer or pattern"),
    };
    let directed = match symmetry {
        b"general" => true,
        b"symmetric" => false,
        _ => return wrong(symmetry, "general or symmetric"),
    };
    let Some(size) = lines.next_statement(b'%') else { return Ok(None) };
    let numbers: Option<Vec<u64>> = words(size).into_iter().map(whole_number).collect();
    let Some([rows, columns, entries]) = numbers.as_deref() else {
        return Err(LineError::at(0, format!("found {}, expected rows, columns and entries", shown(size))));
    };
    if rows != columns {
        let message = format!("found {rows} rows and {columns} columns, expected a square matrix");
        return Err(LineError::at(0, message));
    }
    preface(lines, [*rows, *entries], directed, weights, None, b"%").map(Some)
}

fn dimacs(lines: &mut PrefaceLines<'_>) -> Result<Option<Preface>, LineError> {
    let Some(line) = lines.next_statement(b'c') else { return Ok(None) };
    let expected = "expected `p sp VERTICES ARCS` (also max, min or asn) or `p edge VERTICES EDGES` (also col)";
    let (problem, sizes) = match words(line)[..] {
        [b"p", problem, vertices, edges] => (problem, whole_number(vertices).zip(whole_number(edges))),
        _ => (&b""[..], None),
    };
    let (directed, weights, tag) = match problem {
        b"sp" | b"max" | b"asn" => (true, Some("integer"), b'a'),
        b"min" => (true, None, b'a'),
        b"edge" | b"edges" | b"col" | b"clq" => (false, None, b'e'),
        _ => return Err(LineError::at(0, format!("found {}, {expected}", shown(line)))),
    };
    let Some((vertices, edges)) = sizes else {
        return Err(LineError::at(0, format!("found {}, {expected}", shown(line))));
    };
    preface(lines, [vertices, edges], directed, weights, Some(tag), b"cndvx").map(Some)
}

fn preface(
    lines: &PrefaceLines<'_>,
    [vertices, entries]: [u64; 2],
    directed: bool,
    weights: Option<&'static str>,
    tag: Option<u8>,
    comments: &'static [u8],
) -> Result<Preface, LineError> {
    if vertices > MAX_VERTICES {
        let message = format!("found {vertices} vertices, expected at most {MAX_VERTICES}");
        return Err(LineError::at(0, message));
    }
    let (bytes, tally) = (lines.at, lines.tally.clone());
    Ok(Preface { bytes, tally, vertices, entries, directed, weights, tag, comments })
}

/// Direction of edges stated in a comment at the start of an edge list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StatedDirection {
    /// `None` if the two ends of an edge are numbered separately.
    directed: Option<bool>,
    place: String,
}

impl StatedDirection {
    /// Returns the direction stated in the comment on line `number`, as in files of KONECT (`% sym unweighted`) and
    /// SNAP (`# Undirected graph: ...`).
    pub(crate) fn of_comment(number: u64, line: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(line).trim_start_matches(['#', '%', ' ', '\t']).to_ascii_lowercase();
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        let weights = [
            "unweighted",
            "positive",
            "posweighted",
            "signed",
            "multisigned",
            "weighted",
            "multiweighted",
            "dynamic",
            "multiposweighted",
        ];
        let directed = match words[..] {
            ["sym", weighted] if weights.contains(&weighted) => Some(false),
            ["asym", weighted] if weights.contains(&weighted) => Some(true),
            ["bip", weighted] if weights.contains(&weighted) => None,
            ["undirected", graph, ..] if graph.starts_with("graph") => Some(false),
            ["directed", graph, ..] if graph.starts_with("graph") => Some(true),
            _ => return None,
        };
        Some(Self { directed, place: format!("line {number} ({})", shown(line)) })
    }

    /// Returns a note if the edges were read with another direction; `asked` is the direction requested by the options.
    pub(crate) fn contradicts(&self, asked: Option<bool>) -> Option<String> {
        let place = &self.place;
        match (self.directed, asked == Some(false)) {
            (Some(false), false) => {
                Some(format!("{place} states undirected edges, but they were read as directed; use --undirected"))
            }
            (Some(true), true) => {
                Some(format!("{place} states directed edges, but they were read as undirected; omit --undirected"))
            }
            (None, _) => Some(format!(
                "{place} states a bipartite graph with separate numbers for sources and targets, but source 1 and target 1 were read as one vertex; give them different IDs"
            )),
            _ => None,
        }
    }
}

/// Returns the number of edges stated in the comment on line `number`, as in SNAP files (`# Nodes: 4 Edges: 3`), and
/// the comment.
pub(crate) fn stated_edges(number: u64, line: &[u8]) -> Option<(u64, String)> {
    let text = String::from_utf8_lossy(line).to_ascii_lowercase();
    let mut words =
        text.split(|sign: char| sign.is_ascii_whitespace() || "#%".contains(sign)).filter(|word| !word.is_empty());
    let begins = words.next() == Some("nodes:");
    let edges = words.skip_while(|word| *word != "edges:").nth(1)?.parse().ok()?;
    begins.then(|| (edges, format!("line {number} ({})", shown(line))))
}

/// Refuses a file whose number of edges differs from the stated one.
pub(crate) fn check_entries(name: &str, preface: &Preface, tally: &Tally) -> Result<()> {
    let found = tally.edges + tally.skipped;
    if found == preface.entries {
        return Ok(());
    }
    let line = preface.tally.lines;
    let advice =
        if found < preface.entries { "is the file truncated?" } else { "correct the number, or drop the extra lines" };
    let message =
        format!("found {}, expected {} as stated in line {line}; {advice}", counted(found, "edge"), preface.entries);
    Err(Error::bad_input(Location::file(name), message))
}
