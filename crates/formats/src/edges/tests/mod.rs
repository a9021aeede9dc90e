//! Tests of the readers and writers of edges as a whole.

mod bad_lines;
mod binary;
mod columnar;
mod dialect;
mod differential;
mod gap;
mod metis;
mod round_trips;
mod speed;
mod stated;
mod texts;
mod truncation;
mod windows;

use super::input::Origin;
use super::source::EdgeInputs;
use super::text::BlockSizes;
use super::*;
use outcrop_store::writing::{EdgeBatch, IdBatch};
use outcrop_types::LONGEST_ID;
use std::io::{Cursor, Write};

/// Edges of a source, with IDs as strings and the bits of the weights.
#[derive(Debug, Default, PartialEq, Eq)]
struct Whole {
    edges: Vec<(String, String)>,
    weights: Vec<u64>,
    skipped: u64,
}

fn names(ids: &IdBatch) -> Vec<String> {
    match ids {
        IdBatch::Integers(ids) => ids.iter().map(u64::to_string).collect(),
        IdBatch::Texts { bytes, ends } => {
            let starts = std::iter::once(0).chain(ends.iter().copied());
            starts.zip(ends).map(|(start, end)| String::from_utf8(bytes[start..*end].to_vec()).unwrap()).collect()
        }
    }
}

fn drain(source: &mut dyn EdgeSource) -> Result<Whole> {
    let mut whole = Whole::default();
    let mut batch = EdgeBatch::empty(IdKind::Text);
    while source.next_batch(&mut batch)? {
        assert!(!batch.is_empty());
        assert_eq!(batch.weights.len(), if source.weighted() { batch.len() } else { 0 });
        whole.edges.extend(names(&batch.endpoints).chunks(2).map(|pair| (pair[0].clone(), pair[1].clone())));
        whole.weights.extend(batch.weights.iter().map(|weight| weight.to_bits()));
    }
    assert!(batch.is_empty());
    whole.skipped = source.skipped();
    Ok(whole)
}

fn create(
    path: &Path,
    weights: Option<WeightType>,
    num_vertices: Option<u64>,
    overwrite: bool,
) -> Result<Box<dyn EdgeSink>> {
    let file = NewEdges::new(EdgeFormat::written(path, None)?, 0);
    create_edges(path, &NewEdges { weights, num_vertices, overwrite, ..file })
}

const TINY: BlockSizes = BlockSizes { block: 3, longest_line: 200 };

fn open_text(name: &str, text: &[u8], options: &EdgeListOptions, sizes: BlockSizes) -> Result<EdgeInputs> {
    let origin = Origin::of_reader(name, Box::new(Cursor::new(text.to_vec())))?;
    EdgeInputs::open(vec![origin], options, &MemoryBudget::new(64 << 20), 2, sizes)
}

/// Reads a text in blocks of the usual size and in tiny ones, and checks that the results agree.
fn read_named(name: &str, text: &[u8], options: &EdgeListOptions) -> Result<Whole> {
    let usual = open_text(name, text, options, BlockSizes::usual()).and_then(|mut source| drain(&mut source));
    let tiny = open_text(name, text, options, TINY).and_then(|mut source| drain(&mut source));
    match (&usual, &tiny) {
        (Ok(usual), Ok(tiny)) => assert_eq!(usual, tiny),
        (Err(Error::BudgetTooSmall { .. }), _) | (_, Err(Error::BudgetTooSmall { .. })) => {}
        (Err(usual), Err(tiny)) => assert_eq!(usual.to_string(), tiny.to_string()),
        other => panic!("{other:?}"),
    }
    usual
}

fn read(text: impl AsRef<[u8]>, options: &EdgeListOptions) -> Result<Whole> {
    read_named("x.txt", text.as_ref(), options)
}

fn edges(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(u, v)| ((*u).to_owned(), (*v).to_owned())).collect()
}

fn open_paths(paths: &[&Path], options: &EdgeListOptions) -> Result<Box<dyn EdgeSource>> {
    let inputs: Vec<EdgeInput> = paths.iter().map(|path| EdgeInput::from((*path).to_owned())).collect();
    open_edges(&inputs, options, &MemoryBudget::new(12 << 20), 2).map(|opened| opened.source)
}

fn gz(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn zst(text: &[u8]) -> Vec<u8> {
    zstd::encode_all(text, 3).unwrap()
}
