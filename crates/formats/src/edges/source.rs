//! All inputs of a build as one stream of edges.

use super::binary::{BINARY_BYTES, BinaryReader};
use super::input::{Content, Origin, Progress};
use super::options::{EdgeListOptions, IdRule};
use super::text::{BlockSizes, Density, Listing, Pipeline, Skipped, TextInput, parsers, pipeline_bytes};
use outcrop_store::build::{EdgeBatch, EdgeSource, IdKind};
use outcrop_types::{Error, MemoryBudget, Purpose, Reservation, Result};
use std::collections::VecDeque;
use std::sync::Arc;

/// Memory that reading takes at its largest, in bytes.
pub(crate) const fn source_bytes(threads: usize, sizes: BlockSizes) -> u64 {
    let text = pipeline_bytes(threads, sizes);
    if text > BINARY_BYTES { text } else { BINARY_BYTES }
}

/// One run of inputs of the same sort.
enum Part {
    Text(Pipeline),
    Binary(Box<BinaryReader>),
}

/// Inputs one after the other.
pub(crate) struct EdgeInputs {
    waiting: VecDeque<Origin>,
    current: Option<Part>,
    options: EdgeListOptions,
    sizes: BlockSizes,
    threads: usize,
    held: Arc<Reservation>,
    progress: Arc<Progress>,
    kind: IdKind,
    bytes_total: Option<u64>,
    estimate: Option<u64>,
    skipped: Skipped,
}

impl EdgeInputs {
    pub(crate) fn open(
        origins: Vec<Origin>,
        options: &EdgeListOptions,
        budget: &MemoryBudget,
        threads: usize,
        sizes: BlockSizes,
    ) -> Result<Self> {
        let (held, threads) = reserve(&origins, budget, threads, sizes)?;
        let has_binary = origins.iter().any(|origin| origin.content == Content::Binary);
        if has_binary && options.ids == IdRule::Text {
            return Err(Error::Usage(
                "binary edge files have whole numbers as ids, and --ids string was given".to_owned(),
            ));
        }
        let mut inputs = Self {
            bytes_total: origins.iter().try_fold(0u64, |sum, origin| Some(sum + origin.bytes?)),
            waiting: origins.into(),
            current: None,
            options: options.clone(),
            sizes,
            threads,
            held: Arc::new(held),
            progress: Arc::default(),
            kind: IdKind::Integer,
            estimate: None,
            skipped: Skipped::default(),
        };
        let sizes_on_disk: Vec<_> = inputs.waiting.iter().map(|o| (o.content, o.bytes)).collect();
        let binary_edges = inputs.count_binary()?;
        let density = inputs.start(has_binary.then_some(IdKind::Integer))?;
        inputs.estimate = estimate(&sizes_on_disk, binary_edges, density);
        Ok(inputs)
    }

    /// Edges in all binary files, as their headers say; `None` where one is a stream.
    fn count_binary(&self) -> Result<Option<u64>> {
        let mut sum = 0u64;
        for origin in self.waiting.iter().filter(|origin| origin.content == Content::Binary) {
            let Some(origin) = origin.again() else { return Ok(None) };
            let edges = BinaryReader::open(origin, &Arc::default(), None, self.options.wants_weights())?.num_edges();
            sum = sum.saturating_add(edges);
        }
        Ok(Some(sum))
    }

    /// Opens the first part and decides what the ids are.
    fn start(&mut self, kind: Option<IdKind>) -> Result<Option<Density>> {
        let mut density = None;
        let kind = kind.or(match self.options.ids {
            IdRule::Auto => None,
            IdRule::Integer { .. } => Some(IdKind::Integer),
            IdRule::Text => Some(IdKind::Text),
        });
        if let Some(mut texts) = self.next_texts() {
            self.kind = texts.decide_kind(kind)?;
            density = texts.density;
            self.start_texts(texts)?;
        }
        Ok(density)
    }

    fn next_texts(&mut self) -> Option<TextInput> {
        let count = self.waiting.iter().take_while(|origin| origin.content != Content::Binary).count();
        let texts: VecDeque<Origin> = self.waiting.drain(..count).collect();
        (count > 0).then(|| TextInput::new(texts, &self.options, Listing::Edges, self.sizes, &self.progress))
    }

    fn start_texts(&mut self, texts: TextInput) -> Result<()> {
        let on_error = self.options.on_error;
        let skipped = std::mem::take(&mut self.skipped);
        let pipeline = Pipeline::start(texts, self.kind, on_error, self.threads, &self.held, skipped)?;
        self.current = Some(Part::Text(pipeline));
        Ok(())
    }

    fn open_next(&mut self) -> Result<bool> {
        if let Some(mut texts) = self.next_texts() {
            texts.decide_kind(Some(self.kind))?;
            self.start_texts(texts)?;
            return Ok(true);
        }
        let Some(origin) = self.waiting.pop_front() else { return Ok(false) };
        let largest = match self.options.ids {
            IdRule::Integer { largest } => largest,
            IdRule::Auto | IdRule::Text => None,
        };
        let reader = BinaryReader::open(origin, &self.progress, largest, self.options.wants_weights())?;
        self.current = Some(Part::Binary(Box::new(reader)));
        Ok(true)
    }
}

/// Takes memory for as many parsers as the budget has room for, up to `threads`.
fn reserve(
    origins: &[Origin],
    budget: &MemoryBudget,
    threads: usize,
    sizes: BlockSizes,
) -> Result<(Reservation, usize)> {
    let window = origins.iter().map(|origin| origin.window).max().unwrap_or(0);
    let mut threads = parsers(threads);
    loop {
        match budget.reserve(source_bytes(threads, sizes) + window, Purpose::InputBuffers) {
            Ok(held) => return Ok((held, threads)),
            Err(error) if threads == 1 => return Err(error),
            Err(_) => threads -= 1,
        }
    }
}

fn estimate(files: &[(Content, Option<u64>)], binary: Option<u64>, density: Option<Density>) -> Option<u64> {
    let mut lines = 0.0;
    for (content, bytes) in files {
        let bytes = (*bytes)? as f64;
        let Some(density) = density else { continue };
        lines += match content {
            Content::Binary => 0.0,
            Content::Plain => bytes / density.line_length,
            Content::Gzip | Content::Zstd => bytes * density.expansion.max(1.0) / density.line_length,
        };
    }
    Some(binary?.saturating_add(lines.ceil() as u64))
}

impl EdgeSource for EdgeInputs {
    fn id_kind(&self) -> IdKind {
        self.kind
    }

    fn weighted(&self) -> bool {
        self.options.wants_weights()
    }

    fn next_batch(&mut self, batch: &mut EdgeBatch) -> Result<bool> {
        loop {
            let more = match &mut self.current {
                Some(Part::Text(pipeline)) => pipeline.next_batch(batch)?,
                Some(Part::Binary(reader)) => reader.next_batch(batch)?,
                None => false,
            };
            if more {
                return Ok(true);
            }
            if let Some(Part::Text(pipeline)) = self.current.take() {
                self.skipped = pipeline.skipped;
            }
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
        match &self.current {
            Some(Part::Text(pipeline)) => pipeline.skipped.lines,
            _ => self.skipped.lines,
        }
    }
}
