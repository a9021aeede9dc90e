//! Builds stores.

use crate::arguments::choose;
use crate::edges::{EdgeArguments, Given, TextArguments};
use crate::error::{OrException, json};
use crate::work::{Failure, Listener, run};
use outcrop::{
    BuildOrder, BuildRecord, BuildRequest, ChunkSettings, Codec, CompactSettings, CsrSettings, Dedup, EdgeInput,
    EdgeListOptions, Error, IdMode, IndexKind, Layout, LayoutKind, MemorySize, Result, SelfLoops, SlidingSettings,
    WeightChoice,
};
use pyo3::prelude::*;
use std::path::PathBuf;

/// Options of a build, from its dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct BuildArguments {
    store: PathBuf,
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
}

impl BuildArguments {
    fn request(&self, text: &TextArguments) -> Result<BuildRequest> {
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
            text: EdgeListOptions { format: self.format.as_deref().map(str::parse).transpose()?, ..text.options()? },
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
            ..BuildRequest::new(Vec::new(), &self.store)
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

    fn weights(&self) -> Result<WeightChoice> {
        self.weight_type.parse()
    }

    fn edges(&self, text: &TextArguments) -> Result<EdgeArguments> {
        let vertices = self.num_vertices.filter(|_| self.ids == "dense");
        Ok(EdgeArguments {
            columns: text.columns(),
            weighted: text.weighted,
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

/// Builds a store; an account of its input as JSON.
#[pyfunction]
pub(crate) fn build(
    py: Python<'_>,
    edges: Given<'_>,
    arguments: &Bound<'_, PyAny>,
    progress: Option<Listener>,
) -> PyResult<String> {
    let (text, arguments): (TextArguments, BuildArguments) = (arguments.extract()?, arguments.extract()?);
    let failure = Failure::default();
    let request = arguments.request(&text).or_exception(py)?;
    let (edges, source) = Given::open(Some(edges), &arguments.edges(&text).or_exception(py)?, &failure)?;
    let request = BuildRequest { edges, ..request };
    let built = run(py, progress.as_ref(), |call| match source {
        None => outcrop::build(&request, &call.cancellation, &*call.observer),
        Some(source) => outcrop::build_from(source, &request, &call.cancellation, &*call.observer),
    });
    failure.take().map_or_else(|| json(&figures(&built?)), Err)
}
