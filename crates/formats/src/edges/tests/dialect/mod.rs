//! Tests of format detection.

mod doubts;
mod shapes;
mod tables;

use super::*;

fn auto() -> EdgeListOptions {
    EdgeListOptions::default()
}

/// Returns the edges as `u-v u-v`, or the error.
fn edges_of(name: &str, text: &[u8], options: &EdgeListOptions) -> Result<String> {
    let whole = read_named(name, text, options)?;
    Ok(whole.edges.iter().map(|(u, v)| format!("{u}-{v}")).collect::<Vec<_>>().join(" "))
}

fn notes_of(name: &str, text: &str) -> Vec<String> {
    let mut source = open_text(name, text.as_bytes(), &auto(), BlockSizes::usual()).unwrap();
    drain(&mut source).unwrap();
    source.summary().files.remove(0).notes
}
