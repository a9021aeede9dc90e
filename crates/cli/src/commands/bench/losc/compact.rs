//! Figures 8 and 11: what the compact layout costs and saves.

use super::super::markdown::{Section, Table};
use super::laboratory::{Laboratory, Made, Setting, cell};
use crate::output::bytes;
use outcrop::{Codec, CompactSettings, CsrSettings, Layout, Model, Result};

/// The layouts that are compared.
fn layouts() -> [(&'static str, Layout); 4] {
    [
        ("csr", Layout::Csr(CsrSettings::default())),
        ("chunked", Layout::default()),
        ("compact, alternating", Layout::Compact(CompactSettings { codec: Codec::Alternating })),
        ("compact, packed", Layout::Compact(CompactSettings { codec: Codec::Packed })),
    ]
}

fn make(laboratory: &Laboratory<'_>, number: usize, layout: Layout) -> Result<Made> {
    laboratory.convert(&format!("layout-{number}"), layout)
}

/// Figure 8.
pub(super) fn preparation(laboratory: &Laboratory<'_>) -> Result<Section> {
    let mut table = Table::new("Seconds of a conversion", ["seconds"]);
    for (number, (name, layout)) in layouts().into_iter().enumerate() {
        table.row(name, [format!("{:.1}", make(laboratory, number, layout)?.seconds)]);
    }
    Ok(Section {
        name: "Figure 8".to_owned(),
        paper: "LOSC prepares longest, as it writes two copies of the edges and compresses them",
        here: vec!["every layout has both directions and sorts alike".to_owned()],
        tables: vec![table],
    })
}

/// Figure 11.
pub(super) fn space_and_traffic(laboratory: &Laboratory<'_>) -> Result<Section> {
    let setting = Setting { model: Some(Model::EdgeMap), ..Setting::default() };
    let mut table =
        Table::new("PageRank, five iterations", ["bytes on disk, all lists", "of csr", "seconds, and bytes read"]);
    let mut plain = None;
    for (number, (name, layout)) in layouts().into_iter().enumerate() {
        let made = make(laboratory, number, layout)?;
        let size = laboratory.list_bytes(&made.path)?;
        let whole = *plain.get_or_insert(size);
        let record = laboratory.run(&made.path, "pagerank", setting)?;
        let share = format!("{:.0}%", 100.0 * size as f64 / whole as f64);
        table.row(name, [bytes(size), share, cell(&record)]);
    }
    Ok(Section {
        name: "Figure 11".to_owned(),
        paper: "the compact format saves up to 76% of the space, 58% of the traffic and 43% of the time",
        here: Vec::new(),
        tables: vec![table],
    })
}
