//! Stream of the edges of all inputs of a build.

use super::adjacency::{open_adjacency_list, open_metis, open_pajek, open_sg, open_wsg};
use super::binary::BinaryReader;
use super::columnar::{open_arrow, open_parquet};
use super::declared_facts::DeclaredFacts;
use super::format::EdgeFormat;
use super::input::{Content, Origin, Progress, TEXT_HEAD};
use super::ldbc::Companions;
use super::options::EdgeListOptions;
use super::reader::{FileReader, OpenReader, ReaderContext, no_times};
use super::text::{BlockSizes, Density, Listing, Pipeline, Preface, Skipped, TextInput, parsers, pipeline_bytes};
use outcrop_store::writing::{EdgeBatch, EdgeSource, IdKind};
use outcrop_types::{
    Error, FileSummary, InputSummary, Location, MemoryBudget, Purpose, Reservation, Result, TimeRule, length_from,
};
use std::collections::VecDeque;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::Arc;

impl EdgeListOptions {
    /// Returns the format used to read an input.
    fn format_of(&self, origin: &Origin) -> EdgeFormat {
        self.format.or(origin.recognized).unwrap_or(EdgeFormat::EdgeList)
    }
}

/// Returns the function that opens a file of the format; `None` if files of the format are texts that are read line by
/// line.
fn reader_of(format: EdgeFormat) -> Option<OpenReader> {
    match format {
        EdgeFormat::Outcrop => Some(BinaryReader::open_boxed),
        EdgeFormat::Parquet => Some(open_parquet),
        EdgeFormat::Arrow => Some(open_arrow),
        EdgeFormat::Sg => Some(open_sg),
        EdgeFormat::Wsg => Some(open_wsg),
        EdgeFormat::Metis => Some(open_metis),
        EdgeFormat::Pajek => Some(open_pajek),
        EdgeFormat::AdjacencyList => Some(open_adjacency_list),
        EdgeFormat::EdgeList | EdgeFormat::MatrixMarket | EdgeFormat::Dimacs | EdgeFormat::Ldbc => None,
    }
}

/// Statements of all files.
#[derive(Debug, Default)]
pub(crate) struct Stated {
    /// Direction (true for directed edges), and the file that states it.
    pub(crate) directed: Option<(bool, String)>,
    /// IDs that are vertices even without edges.
    pub(crate) vertices: Vec<RangeInclusive<u64>>,
    /// Companion vertex files.
    pub(crate) vertex_files: Vec<PathBuf>,
}

/// A pending file whose format was detected.
enum Pending {
    /// Lines of text.
    Text(Origin),
    /// File of a format with its own reader.
    File(EdgeFormat, Origin),
    /// Open reader of a stream, which can be opened only once.
    Opened(Box<dyn FileReader>),
}

/// Reader of consecutive inputs of the same kind.
enum Part {
    Text(Box<Pipeline>),
    Reader(Box<dyn FileReader>),
}

/// Consecutive inputs.
pub(crate) struct EdgeInputs {
    pending: VecDeque<Pending>,
    current: Option<Part>,
    options: EdgeListOptions,
    sizes: BlockSizes,
    threads: usize,
    held: Arc<Reservation>,
    /// Budget of the readers of non-text formats, which are open one at a time.
    readers: MemoryBudget,
    /// Reservation of that budget.
    readers_held: Reservation,
    progress: Arc<Progress>,
    kind: IdKind,
    bytes_total: Option<u64>,
    estimate: Option<u64>,
    skipped: Skipped,
    /// Skipped table rows.
    rows_skipped: u64,
    summaries: Vec<FileSummary>,
    pub(crate) stated: Stated,
}

impl EdgeInputs {
    pub(crate) fn open(
        origins: Vec<Origin>,
        options: &EdgeListOptions,
        budget: &MemoryBudget,
        threads: usize,
        sizes: BlockSizes,
    ) -> Result<Self> {
        let progress = Arc::default();
        let look = |origin| look_inside(origin, options, budget, sizes, &progress);
        let origins = origins.into_iter().map(look).collect::<Result<Vec<_>>>()?;
        let texts = origins.iter().filter(|origin| reader_of(options.format_of(origin)).is_none());
        let stating = texts.clone().any(|origin| options.format_of(origin).states_direction());
        let mirror = stating && options.directed == Some(true);
        let window = texts.map(Origin::stream_bytes).max();
        let mut inputs = Self {
            bytes_total: origins.iter().try_fold(0u64, |sum, origin| Some(sum + origin.bytes?)),
            pending: VecDeque::new(),
            current: None,
            options: options.clone(),
            sizes,
            threads,
            held: Arc::new(budget.reserve(0, Purpose::InputBuffers)?),
            readers: budget.clone(),
            readers_held: budget.reserve(0, Purpose::InputBuffers)?,
            progress,
            kind: IdKind::Integer,
            estimate: None,
            skipped: Skipped::default(),
            rows_skipped: 0,
            summaries: Vec::new(),
            stated: Stated::default(),
        };
        let sizes_on_disk: Vec<_> = origins
            .iter()
            .map(|origin| (origin.bytes, reader_of(options.format_of(origin)).is_none().then_some(origin.content)))
            .collect();
        let statements = origins.into_iter().map(|origin| inputs.inspect(origin)).collect::<Result<Vec<_>>>()?;
        inputs.stated.directed = stated_direction(&statements, options.directed)?;
        inputs.stated.vertices = statements.iter().filter_map(|(_, said)| said.vertices.clone()).collect();
        let kind = inputs.stated_kind(&statements)?;
        inputs.options.times = inputs.stated_times(&statements)?;
        let greediest = inputs.readers_held.bytes();
        inputs.readers = MemoryBudget::new(greediest);
        if let Some(window) = window {
            // Files are open one at a time, except for streams: non-text readers share the memory of the text readers.
            let streams = inputs.pending.iter().any(|pending| matches!(pending, Pending::Opened(_)));
            if !streams {
                inputs.readers_held.shrink_to(0);
            }
            let (held, threads) = reserve(window, budget, threads, sizes, mirror)?;
            if !streams && greediest > held.bytes() {
                inputs.readers_held = budget.reserve(greediest - held.bytes(), Purpose::InputBuffers)?;
            }
            (inputs.held, inputs.threads) = (Arc::new(held), threads);
        }
        let density = inputs.start(kind)?;
        let files = sizes_on_disk.into_iter().zip(&statements);
        inputs.estimate = estimate(files, density);
        Ok(inputs)
    }

    fn context(&self, kind: Option<IdKind>) -> ReaderContext<'_> {
        let listing = Listing::Edges;
        ReaderContext { options: &self.options, progress: &self.progress, listing, budget: &self.readers, kind }
    }

    /// Detects the format of a file, appends it to the pending files, and returns its name and statements.
    fn inspect(&mut self, origin: Origin) -> Result<(String, DeclaredFacts)> {
        let format = self.options.format_of(&origin);
        let name = origin.name.clone();
        let Some(open) = reader_of(format) else {
            let mut origin =
                origin.read_preface(format, &self.progress).map_err(|error| hinted(&self.options, format, error))?;
            // Default: a file without a preface states nothing.
            let mut declared_facts = origin.preface.as_ref().map(Preface::declared_facts).unwrap_or_default();
            if declared_facts.id_kind == Some(IdKind::Integer) && self.options.ids.kind() == Some(IdKind::Text) {
                let message = format!("{name}: IDs in the format {} are integers, not strings", format.name());
                return Err(Error::Usage(message));
            }
            if format == EdgeFormat::Ldbc && origin.is_object() {
                let message = "the vertex and property files of an LDBC graph must be on disk; download them, or use --format edge-list with --vertices and --undirected";
                return Err(Error::Usage(format!("{name}: {message}")));
            }
            if let (EdgeFormat::Ldbc, Some(path)) = (format, origin.path()) {
                let companions = Companions::of(path)?;
                declared_facts.directed = companions.directed;
                origin.mirrored = companions.directed == Some(false) && self.options.directed == Some(true);
                self.stated.vertex_files.extend(companions.vertices);
            }
            self.pending.push_back(Pending::Text(origin));
            return Ok((name, declared_facts));
        };
        if self.options.wants_times() && !matches!(format, EdgeFormat::Parquet | EdgeFormat::Arrow) {
            return Err(no_times(&name));
        }
        if let Some(method) = origin.content.name().filter(|_| !format.reads_compressed()) {
            let message = format!("found {method} data, expected a plain file of the format {}", format.name());
            return Err(Error::bad_input(Location::file(name), message));
        }
        let (pending, declared_facts) = if let Some(again) = origin.again() {
            // Files are open one at a time: reserve the largest need of a reader before the build reserves the
            // remaining memory.
            let held = self.readers_held.bytes();
            let trial = MemoryBudget::new(self.readers.available() + held);
            let (progress, budget) = (&Arc::default(), &trial);
            let context = ReaderContext { progress, budget, ..self.context(self.options.ids.kind()) };
            let declared_facts =
                open(again, &context).map_err(|error| hinted(&self.options, format, error))?.declared_facts();
            if trial.peak() > held {
                self.readers_held.shrink_to(0);
                self.readers_held = self.readers.reserve(trial.peak(), Purpose::InputBuffers)?;
            }
            (Pending::File(format, origin), declared_facts)
        } else {
            let reader = open(origin, &self.context(self.options.ids.kind()));
            let reader = reader.map_err(|error| hinted(&self.options, format, error))?;
            let declared_facts = reader.declared_facts();
            (Pending::Opened(reader), declared_facts)
        };
        self.pending.push_back(pending);
        Ok((name, declared_facts))
    }

    /// Returns the kind of IDs stated by the options or the files; `None` if neither states it.
    fn stated_kind(&self, statements: &[(String, DeclaredFacts)]) -> Result<Option<IdKind>> {
        if let Some(kind) = self.options.ids.kind() {
            return Ok(Some(kind));
        }
        let mut stated = statements.iter().filter_map(|(name, said)| Some((name, said.id_kind?)));
        let Some((first, kind)) = stated.next() else { return Ok(None) };
        match stated.find(|(_, other)| *other != kind) {
            None => Ok(Some(kind)),
            Some((name, _)) => {
                let (found, expected) = match kind {
                    IdKind::Integer => ("strings", "integers"),
                    IdKind::Text => ("integers", "strings"),
                };
                let message = format!("found {found} as IDs, expected {expected} as in {first}");
                Err(Error::bad_input(Location::file(name), message))
            }
        }
    }

    /// Returns the rule of times stated by the options or the files.
    fn stated_times(&self, statements: &[(String, DeclaredFacts)]) -> Result<Option<TimeRule>> {
        let mut stated = statements.iter().filter_map(|(name, said)| Some((name, said.times?)));
        let Some((first, rule)) = stated.next() else { return Ok(self.options.times) };
        match stated.find(|(_, other)| other.kind != rule.kind) {
            None => Ok(self.options.times.or(Some(rule))),
            Some((name, _)) => {
                let message =
                    format!("the timestamps differ in type from those in {first}; expected all numbers or all dates");
                Err(Error::bad_input(Location::file(name), message))
            }
        }
    }

    /// Opens the first part and determines the kinds of IDs and times.
    fn start(&mut self, kind: Option<IdKind>) -> Result<Option<Density>> {
        self.kind = kind.unwrap_or(IdKind::Integer);
        let mut density = None;
        if let Some(mut texts) = self.next_texts() {
            self.kind = texts.decide_kind(kind)?;
            density = texts.density;
            self.options.times = texts.times;
            self.start_texts(texts)?;
        }
        Ok(density)
    }

    fn next_texts(&mut self) -> Option<TextInput> {
        let mut texts = VecDeque::new();
        while let Some(Pending::Text(_)) = self.pending.front() {
            if let Some(Pending::Text(origin)) = self.pending.pop_front() {
                texts.push_back(origin);
            }
        }
        (!texts.is_empty()).then(|| TextInput::new(texts, &self.options, Listing::Edges, self.sizes, &self.progress))
    }

    fn start_texts(&mut self, texts: TextInput) -> Result<()> {
        let on_error = self.options.on_error;
        let skipped = std::mem::take(&mut self.skipped);
        let pipeline = Pipeline::start(texts, self.kind, on_error, self.threads, &self.held, skipped)?;
        self.current = Some(Part::Text(Box::new(pipeline)));
        Ok(())
    }

    fn open_next(&mut self) -> Result<bool> {
        if let Some(mut texts) = self.next_texts() {
            texts.decide_kind(Some(self.kind))?;
            self.start_texts(texts)?;
            return Ok(true);
        }
        let reader = match self.pending.pop_front() {
            Some(Pending::File(format, origin)) => match reader_of(format) {
                Some(open) => open(origin, &self.context(Some(self.kind)))?,
                None => return Ok(false),
            },
            Some(Pending::Opened(reader)) => reader,
            Some(Pending::Text(_)) | None => return Ok(false),
        };
        self.current = Some(Part::Reader(reader));
        Ok(true)
    }

    /// Returns the summary of the current file, or of the first completed one.
    pub(crate) fn account(&self) -> Option<FileSummary> {
        match &self.current {
            Some(Part::Text(pipeline)) => pipeline.account(),
            Some(Part::Reader(reader)) => Some(reader.summary()),
            None => self.summaries.first().cloned(),
        }
    }

    /// Returns a description of the separator of the current text.
    pub(crate) fn separator(&self) -> Option<String> {
        match &self.current {
            Some(Part::Text(pipeline)) => pipeline.separator(),
            Some(Part::Reader(_)) | None => None,
        }
    }

    /// Stores the counts of the completed part.
    fn end_part(&mut self) {
        let ended = self.summaries.len();
        match self.current.take() {
            Some(Part::Text(pipeline)) => {
                self.skipped = pipeline.skipped;
                self.summaries.extend(pipeline.ended_files);
            }
            Some(Part::Reader(reader)) => {
                let summary = reader.summary();
                self.rows_skipped += summary.skipped;
                self.summaries.push(summary);
            }
            None => {}
        }
        for file in self.summaries.iter_mut().skip(ended).filter(|file| file.edges == 0) {
            file.notes.push("it has no edges".to_owned());
        }
    }
}

/// Examines the start of a file if that determines its format, within the memory of a text reader.
fn look_inside(
    origin: Origin,
    options: &EdgeListOptions,
    budget: &MemoryBudget,
    sizes: BlockSizes,
    progress: &Arc<Progress>,
) -> Result<Origin> {
    origin.refuse_foreign(options)?;
    if !origin.is_in_question(options) {
        return Ok(origin);
    }
    let reader = if origin.recognized.is_some_and(|format| reader_of(format).is_some()) {
        length_from(TEXT_HEAD)
    } else {
        pipeline_bytes(1, sizes, false)
    };
    let _held = budget.reserve(reader.max(length_from(TEXT_HEAD)) + origin.stream_bytes(), Purpose::InputBuffers)?;
    origin.look_inside(options, progress)
}

/// Returns the error in a text whose format was detected, with advice for the case that it has one edge per line.
fn hinted(options: &EdgeListOptions, format: EdgeFormat, error: Error) -> Error {
    match error {
        Error::BadInput { location, message }
            if options.format.is_none()
                && (format.has_preface() || format.reads_compressed())
                && !message.contains("--format") =>
        {
            let message = format!("{message}; if each line is an edge, use --format edge-list");
            Error::BadInput { location, message }
        }
        error => error,
    }
}

/// Returns the direction of edges that the files state; `asked` is the direction requested by the options.
fn stated_direction(statements: &[(String, DeclaredFacts)], asked: Option<bool>) -> Result<Option<(bool, String)>> {
    let mut stated = statements.iter().filter_map(|(name, said)| Some((said.directed?, name)));
    let Some((directed, first)) = stated.next() else { return Ok(None) };
    let silent = statements.iter().find(|(_, said)| said.directed.is_none());
    let other = stated.find(|(other, _)| *other != directed).map(|(_, name)| (name, "states the opposite"));
    let other = other.or_else(|| silent.filter(|_| !directed).map(|(name, _)| (name, "does not say")));
    match other {
        Some((name, what)) if asked.is_none() => {
            let direction = if directed { "directed" } else { "undirected" };
            Err(Error::Usage(format!(
                "{first} states that its edges are {direction}, but {name} {what}; use --directed or --undirected"
            )))
        }
        _ => Ok(Some((directed, first.clone()))),
    }
}

/// Reserves memory for as many parsers as the budget allows, at most `threads`, and for `window`, the need of a stream.
fn reserve(
    window: u64,
    budget: &MemoryBudget,
    threads: usize,
    sizes: BlockSizes,
    mirror: bool,
) -> Result<(Reservation, usize)> {
    let mut threads = parsers(threads);
    loop {
        match budget.reserve(pipeline_bytes(threads, sizes, mirror) + window, Purpose::InputBuffers) {
            Ok(held) => return Ok((held, threads)),
            Err(error) if threads == 1 => return Err(error),
            Err(_) => threads -= 1,
        }
    }
}

/// Returns the estimated number of edges in files of the given sizes (with the compression of texts) and statements.
fn estimate<'s>(
    files: impl Iterator<Item = ((Option<u64>, Option<Content>), &'s (String, DeclaredFacts))>,
    density: Option<Density>,
) -> Option<u64> {
    let (mut lines, mut stated) = (0.0, 0u64);
    for ((bytes, text), (_, declared_facts)) in files {
        let bytes = bytes? as f64;
        match (declared_facts.edges, text, density) {
            (Some(edges), ..) => stated = stated.saturating_add(edges),
            (None, None, _) => return None,
            (None, Some(_), None) => {}
            (None, Some(Content::Plain), Some(density)) => lines += bytes / density.line_length,
            (None, Some(_), Some(density)) => lines += bytes * density.expansion.max(1.0) / density.line_length,
        }
    }
    Some(stated.saturating_add(lines.ceil() as u64))
}

impl EdgeSource for EdgeInputs {
    fn id_kind(&self) -> IdKind {
        self.kind
    }

    fn weighted(&self) -> bool {
        self.options.wants_weights()
    }

    fn times(&self) -> Option<TimeRule> {
        // Default: if there are no times, they are numbers.
        self.options.wants_times().then(|| self.options.times.unwrap_or(TimeRule::of_numbers(None)))
    }

    fn next_batch(&mut self, batch: &mut EdgeBatch) -> Result<bool> {
        loop {
            let more = match &mut self.current {
                Some(Part::Text(pipeline)) => pipeline.next_batch(batch)?,
                Some(Part::Reader(reader)) => {
                    reader.next_batch(batch).map_err(|error| match reader.summary().format.parse() {
                        Ok(format) => hinted(&self.options, format, error),
                        Err(_) => error,
                    })?
                }
                None => false,
            };
            if more {
                return Ok(true);
            }
            self.end_part();
            if !self.open_next()? {
                batch.clear();
                return Ok(false);
            }
        }
    }

    fn bytes_done(&self) -> u64 {
        self.progress.done()
    }

    fn bytes_total(&self) -> Option<u64> {
        self.bytes_total
    }

    fn edges_estimate(&self) -> Option<u64> {
        self.estimate
    }

    fn skipped(&self) -> u64 {
        let lines = match &self.current {
            Some(Part::Text(pipeline)) => pipeline.skipped.lines,
            _ => self.skipped.lines,
        };
        lines + self.rows_skipped
    }

    fn summary(&self) -> InputSummary {
        InputSummary { files: self.summaries.clone(), ..InputSummary::default() }
    }
}
