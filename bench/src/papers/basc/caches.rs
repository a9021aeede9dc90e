//! Figures 2, 7 and 13: memory by kind of cache and page size.

use super::measure::{Basc, bytes_read, costs, hit_ratio, utilization};
use crate::output::bytes;
use crate::table::{Grid, Section};
use outcrop::{CsrSettings, Layout, Result, Rounds, Selector};

/// Creates figure 2.
pub(super) fn hit_ratios(basc: &Basc<'_>) -> Result<Section> {
    let mut grid = Grid::default();
    for percent in [5.0, 10.0, 15.0, 20.0, 25.0, 30.0] {
        basc.row(&mut grid, &format!("page cache {percent}%"), basc.store(), percent, 0.0)?;
    }
    let tables = vec![hit_ratio(&grid), grid.relative("Bytes read", bytes_read, |read| bytes(read as u64))];
    let found = "hit ratios are low; from 5% to 30% of the graph they rise by 5 to 10 points only; wcc has the highest";
    Ok(Section::new("Figure 2", found, tables))
}

/// Creates figure 7.
pub(super) fn shares(basc: &Basc<'_>) -> Result<Section> {
    let store = basc.harness.copy("shares")?;
    basc.select(&store.path, Selector::Gvs(Rounds::OneByOne), 20.0)?;
    let mut grid = Grid::default();
    for share in [0.0, 15.0, 30.0, 45.0, 60.0, 75.0, 90.0] {
        let fixed = 20.0 * share / 100.0;
        basc.row(&mut grid, &format!("static {share}%"), &store.path, 20.0 - fixed, fixed)?;
    }
    let found = "the greater the part of the static cache, the faster";
    Ok(Section::new("Figure 7, caches of 20% of the lists", found, costs(&grid)))
}

/// Creates figure 13.
pub(super) fn page_sizes(basc: &Basc<'_>) -> Result<Section> {
    let mut grid = Grid::default();
    for page_bytes in [8192, 512] {
        let layout = Layout::Csr(CsrSettings { page_bytes });
        let store = basc.harness.convert("pages", layout, None)?;
        basc.select(&store.path, Selector::Gvs(Rounds::OneByOne), 20.0)?;
        for (name, page, fixed) in [("page cache", 30.0, 0.0), ("with gvs", 10.0, 20.0)] {
            basc.row(&mut grid, &format!("{name}, pages of {page_bytes} B"), &store.path, page, fixed)?;
        }
    }
    let tables = costs(&grid).into_iter().chain([utilization(&grid)]).collect();
    let found =
        "pages of 512 B are mostly faster than of 8 KiB, and the static cache makes both faster by about as much";
    Ok(Section::new("Figure 13, 30% of the lists", found, tables))
}
