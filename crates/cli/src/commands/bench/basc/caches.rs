//! Figures 2, 7 and 13: how much memory, for which cache, in pages of which size.

use super::measure::{Caches, Laboratory};
use super::table::{Metric, Section};
use outcrop::{CsrSettings, Layout, Result, Selector};

/// Figure 2.
pub(super) fn hit_ratios(laboratory: &Laboratory<'_>) -> Result<Section> {
    let row = |percent: f64| {
        laboratory.row(format!("page cache {percent}%"), &laboratory.arguments.store, Caches::new(percent, 0.0))
    };
    Ok(Section {
        name: "Figure 2".to_owned(),
        paper: "hit ratios are low; from 5% to 30% of the graph they rise by 5 to 10 points only; wcc has the highest",
        metrics: vec![Metric::HitRatio, Metric::BytesRead],
        rows: [5.0, 10.0, 15.0, 20.0, 25.0, 30.0].into_iter().map(row).collect::<Result<_>>()?,
        here: Vec::new(),
    })
}

/// Figure 7.
pub(super) fn shares(laboratory: &Laboratory<'_>) -> Result<Section> {
    let store = laboratory.copy("shares")?;
    laboratory.select(&store, Selector::Gvs(None), 20.0)?;
    let row = |share: f64| {
        let fixed = 20.0 * share / 100.0;
        laboratory.row(format!("static {share}%"), &store, Caches::new(20.0 - fixed, fixed))
    };
    let rows = [0.0, 15.0, 30.0, 45.0, 60.0, 75.0, 90.0].into_iter().map(row).collect::<Result<_>>();
    laboratory.remove(&store)?;
    Ok(Section {
        name: "Figure 7, caches of 20% of the lists".to_owned(),
        paper: "the greater the part of the static cache, the faster",
        metrics: vec![Metric::Seconds, Metric::BytesRead],
        rows: rows?,
        here: Vec::new(),
    })
}

/// Figure 13.
pub(super) fn page_sizes(laboratory: &Laboratory<'_>) -> Result<Section> {
    let mut rows = Vec::new();
    for page_bytes in [8192, 512] {
        let layout = Layout::Csr(CsrSettings { page_bytes });
        let (store, _) = laboratory.convert(&format!("pages-{page_bytes}"), layout, None)?;
        let selected = laboratory.select(&store, Selector::Gvs(None), 20.0);
        let row = |name: &str, caches| laboratory.row(format!("{name}, pages of {page_bytes} B"), &store, caches);
        let both = selected
            .and_then(|_| Ok([row("page cache", Caches::new(30.0, 0.0))?, row("with gvs", Caches::new(10.0, 20.0))?]));
        laboratory.remove(&store)?;
        rows.extend(both?);
    }
    Ok(Section {
        name: "Figure 13, 30% of the lists".to_owned(),
        paper: "pages of 512 B are mostly faster than of 8 KiB, and the static cache makes both faster by about as much",
        metrics: vec![Metric::Seconds, Metric::BytesRead, Metric::Utilisation],
        rows,
        here: Vec::new(),
    })
}
