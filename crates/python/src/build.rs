//! Builds stores.

use crate::choices::choose;
use crate::edges::{ArrayEdges, ArrowEdges, EdgeArguments};
use crate::error::{OrException, json};
use crate::work::{Call, Failure, Listener, run};
use outcrop::{
    BuildOrder, BuildRecord, BuildRequest, ChunkSettings, Codec, ColumnNames, CompactSettings, CsrSettings, Dedup,
    EdgeInput, EdgeListOptions, EdgeSource, Error, Header, IdKind, IdMode, IndexKind, Layout, LayoutKind, MemorySize,
    OnError, Result, SelfLoops, Separator, SlidingSettings, WeightChoice,
};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::path::PathBuf;

/// How texts of edges are read.
pub(crate) struct TextArguments<'a> {
    pub(crate) separator: Option<char>,
    pub(crate) header: &'a str,
    pub(crate) comments: &'a str,
    pub(crate) on_error: &'a str,
    pub(crate) max_errors: u64,
}

impl TextArguments<'_> {
    pub(crate) fn options(&self, edges: &EdgeArguments) -> Result<EdgeListOptions> {
        if !self.comments.is_ascii() {
            return Err(Error::Usage("comments takes ASCII characters".to_owned()));
        }
        let headers = [("auto", Header::Auto), ("yes", Header::Yes), ("no", Header::No)];
        let on_errors = [("stop", OnError::Stop), ("skip", OnError::Skip { max_errors: self.max_errors })];
        Ok(EdgeListOptions {
            separator: self.separator.map_or(Separator::Auto, Separator::Char),
            header: choose("header", self.header, &headers)?,
            columns: ColumnNames {
                source: edges.source.clone(),
                target: edges.target.clone(),
                weight: edges.weight.clone(),
            },
            weighted: edges.weighted,
            comments: self.comments.bytes().collect(),
            on_error: choose("on_error", self.on_error, &on_errors)?,
            ..EdgeListOptions::default()
        })
    }
}

/// What to build and how, as a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct BuildArguments {
    store: PathBuf,
    source: Option<String>,
    target: Option<String>,
    weight: Option<String>,
    weighted: bool,
    weight_type: String,
    directed: Option<bool>,
    format: Option<String>,
    ids: String,
    num_vertices: Option<u64>,
    vertices: Option<PathBuf>,
    order: String,
    order_seed: Option<u64>,
    window: Option<u32>,
    layout: String,
    page_size: Option<String>,
    intervals: Option<u32>,
    codec: Option<String>,
    index: Option<String>,
    dedup: String,
    self_loops: String,
    memory: String,
    threads: Option<usize>,
    tmp_dir: Option<PathBuf>,
    overwrite: bool,
    verify: bool,
    on_error: String,
    max_errors: u64,
    separator: Option<char>,
    header: String,
    comments: String,
}

impl BuildArguments {
    fn request(&self, edges: Vec<PathBuf>) -> Result<BuildRequest> {
        let dedups = [
            ("keep", Dedup::Keep),
            ("first", Dedup::First),
            ("sum", Dedup::Sum),
            ("min", Dedup::Min),
            ("max", Dedup::Max),
        ];
        let ids = [("auto", IdMode::Auto), ("dense", IdMode::Dense), ("string", IdMode::Text)];
        let loops = [("keep", SelfLoops::Keep), ("drop", SelfLoops::Drop)];
        Ok(BuildRequest {
            vertices: self.vertices.clone().map(EdgeInput::Path),
            text: self.text()?,
            ids: choose("ids", &self.ids, &ids)?,
            num_vertices: self.num_vertices,
            directed: self.directed,
            dedup: choose("dedup", &self.dedup, &dedups)?,
            self_loops: choose("self_loops", &self.self_loops, &loops)?,
            order: self.order()?,
            layout: self.layout()?,
            weights: self.weights()?,
            memory: self.memory.parse()?,
            threads: self.threads,
            temp_folder: self.tmp_dir.clone(),
            overwrite: self.overwrite,
            verify: self.verify,
            ..BuildRequest::new(edges.into_iter().map(EdgeInput::Path).collect(), &self.store)
        })
    }

    fn order(&self) -> Result<BuildOrder> {
        let orders = [
            ("original", BuildOrder::Original),
            ("degree", BuildOrder::Degree),
            ("random", BuildOrder::Random { seed: self.order_seed.unwrap_or(BuildOrder::DEFAULT_SEED) }),
            ("pagerank", BuildOrder::PageRank),
            ("gorder", BuildOrder::Gorder { window: self.window }),
            ("norder", BuildOrder::Norder),
            ("auto", BuildOrder::Auto),
        ];
        if self.order_seed.is_some() && self.order != "random" {
            return Err(Error::Usage("order_seed goes with order=\"random\"".to_owned()));
        }
        if self.window.is_some() && self.order != "gorder" {
            return Err(Error::Usage("window goes with order=\"gorder\"".to_owned()));
        }
        choose("order", &self.order, &orders)
    }

    fn layout(&self) -> Result<Layout> {
        let layouts = [LayoutKind::Chunked, LayoutKind::Compact, LayoutKind::Csr, LayoutKind::Sliding];
        let layouts = layouts.map(|layout| (layout.name(), layout));
        let codecs = [("packed", Codec::Packed), ("alternating", Codec::Alternating), ("raw32", Codec::Raw32)];
        let indexes = [("compact", IndexKind::Compact), ("direct", IndexKind::Direct)];
        let codec = self.codec.as_ref().map(|codec| choose("codec", codec, &codecs)).transpose()?;
        let index = self.index.as_ref().map(|index| choose("index", index, &indexes)).transpose()?;
        match choose("layout", &self.layout, &layouts)? {
            LayoutKind::Chunked | LayoutKind::Compact | LayoutKind::Csr if self.intervals.is_some() => {
                Err(Error::Usage("intervals goes with layout=\"sliding\"".to_owned()))
            }
            LayoutKind::Csr | LayoutKind::Sliding if codec.is_some() => {
                Err(Error::Usage("codec goes with layout=\"chunked\" or \"compact\"".to_owned()))
            }
            LayoutKind::Csr | LayoutKind::Compact | LayoutKind::Sliding if index.is_some() => {
                Err(Error::Usage("index goes with layout=\"chunked\"".to_owned()))
            }
            LayoutKind::Csr => self.pages().map(Layout::Csr),
            LayoutKind::Chunked | LayoutKind::Compact | LayoutKind::Sliding if self.page_size.is_some() => {
                Err(Error::Usage("page_size goes with layout=\"csr\"".to_owned()))
            }
            LayoutKind::Sliding => {
                let settings = SlidingSettings { intervals: self.intervals };
                settings.validate().map(|()| Layout::Sliding(settings))
            }
            LayoutKind::Compact => {
                let settings = CompactSettings { codec: codec.unwrap_or(CompactSettings::default().codec) };
                settings.validate().map(|()| Layout::Compact(settings))
            }
            LayoutKind::Chunked => {
                let settings = ChunkSettings::default();
                let (codec, index) = (codec.unwrap_or(settings.codec), index.unwrap_or(settings.index));
                Ok(Layout::Chunked(ChunkSettings { codec, index, ..settings }))
            }
        }
    }

    fn pages(&self) -> Result<CsrSettings> {
        match &self.page_size {
            None => Ok(CsrSettings::default()),
            Some(size) => CsrSettings::with_pages_of(size.parse::<MemorySize>()?.bytes()),
        }
    }

    fn text(&self) -> Result<EdgeListOptions> {
        let Self { separator, header, comments, on_error, max_errors, .. } = self;
        let text = TextArguments { separator: *separator, header, comments, on_error, max_errors: *max_errors };
        let format = self.format.as_deref().map(str::parse).transpose()?;
        Ok(EdgeListOptions { format, ..text.options(&self.edges()?)? })
    }

    fn weights(&self) -> Result<WeightChoice> {
        self.weight_type.parse()
    }

    fn edges(&self) -> Result<EdgeArguments> {
        let vertices = self.num_vertices.filter(|_| self.ids == "dense");
        Ok(EdgeArguments {
            source: self.source.clone(),
            target: self.target.clone(),
            weight: self.weight.clone(),
            weighted: self.weighted,
            weight_type: self.weights()?.asked(),
            texts: self.ids == "string",
            largest: vertices.map_or(u64::MAX, |vertices| vertices.saturating_sub(1)),
        })
    }
}

fn figures(report: &BuildRecord) -> serde_json::Value {
    serde_json::json!({
        "skipped_lines": report.skipped_lines,
        "loops_dropped": report.loops_dropped,
        "input": report.input,
    })
}

/// Builds a store from files; what was left out, as JSON.
#[pyfunction]
pub(crate) fn build_files(
    py: Python<'_>,
    edges: Vec<PathBuf>,
    arguments: BuildArguments,
    progress: Option<Listener>,
) -> PyResult<String> {
    let request = arguments.request(edges).or_exception(py)?;
    let report = run(py, progress.as_ref(), |call| outcrop::build(&request, &call.cancellation, &*call.observer))?;
    json(&figures(&report))
}

/// Builds a store from pieces of arrays, each the bytes of ids, of where texts end, and of weights; what was left out, as JSON.
#[pyfunction]
pub(crate) fn build_arrays(
    py: Python<'_>,
    pieces: Py<PyAny>,
    texts: bool,
    num_edges: u64,
    arguments: BuildArguments,
    progress: Option<Listener>,
) -> PyResult<String> {
    let request = arguments.request(Vec::new()).or_exception(py)?;
    let failure = Failure::default();
    let kind = if texts { IdKind::Text } else { IdKind::Integer };
    let edges = ArrayEdges::new(pieces, kind, num_edges, &arguments.edges().or_exception(py)?, failure.clone());
    let built = run(py, progress.as_ref(), |call| build_from(Box::new(edges), &request, call));
    failure.take().map_or_else(|| json(&figures(&built?)), Err)
}

/// Builds a store from an Arrow stream; what was left out, as JSON.
#[pyfunction]
pub(crate) fn build_stream(
    py: Python<'_>,
    stream: &Bound<'_, PyCapsule>,
    arguments: BuildArguments,
    progress: Option<Listener>,
) -> PyResult<String> {
    let request = arguments.request(Vec::new()).or_exception(py)?;
    let edges = ArrowEdges::open(stream, &arguments.edges().or_exception(py)?)?;
    let report = run(py, progress.as_ref(), |call| build_from(Box::new(edges), &request, call))?;
    json(&figures(&report))
}

fn build_from(edges: Box<dyn EdgeSource>, request: &BuildRequest, call: &Call) -> Result<BuildRecord> {
    outcrop::build_from(edges, request, &call.cancellation, &*call.observer)
}
