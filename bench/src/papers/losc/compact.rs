//! Figures 8 and 11: cost and savings of the compact layout.

use super::requests::{cell, request};
use crate::harness::Harness;
use crate::output::{bytes, percent};
use crate::table::{Section, Table};
use outcrop::{Codec, CompactSettings, CsrSettings, Graph, Layout, Model, Result, Schedule};

/// Returns the layouts for the comparison.
fn layouts() -> [(&'static str, Layout); 5] {
    [
        ("csr", Layout::Csr(CsrSettings::default())),
        ("chunked", Layout::default()),
        ("compact, alternating", Layout::Compact(CompactSettings { codec: Codec::Alternating })),
        ("compact, packed", Layout::Compact(CompactSettings { codec: Codec::Packed })),
        ("compact, runs", Layout::Compact(CompactSettings { codec: Codec::Runs })),
    ]
}

/// Creates figure 8.
pub(super) fn preparation(harness: &Harness<'_>) -> Result<Section> {
    let mut table = Table::new("Seconds of a conversion", ["seconds"]);
    for (name, layout) in layouts() {
        table.row(name, [format!("{:.1}", harness.convert("layout", layout, None)?.seconds)]);
    }
    let found = "LOSC prepares longest, as it writes two copies of the edges and compresses them";
    Ok(Section::new("Figure 8", found, vec![table]).here("every layout has both directions and sorts alike"))
}

/// Creates figure 11.
pub(super) fn space_and_traffic(harness: &Harness<'_>) -> Result<Section> {
    let columns = ["bytes on disk, all lists", "of csr", "seconds, and bytes read"];
    let mut table = Table::new("PageRank, five iterations", columns);
    let request = request(harness, "pagerank", Model::EdgeMap, Schedule::Auto)?;
    let mut plain = None;
    for (name, layout) in layouts() {
        let made = harness.convert("layout", layout, None)?;
        let info = Graph::open(&made.path, harness.options())?.info();
        let size: u64 = info.layouts.iter().map(|layout| layout.bytes).sum();
        let whole = *plain.get_or_insert(size);
        let record = harness.run(&made.path, &harness.options(), &request)?;
        table.row(name, [bytes(size), percent(size, whole), cell(&record)]);
    }
    let found = "the compact format saves up to 76% of the space, 58% of the traffic and 43% of the time";
    Ok(Section::new("Figure 11", found, vec![table]))
}
