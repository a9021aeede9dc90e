//! BASC and Norder (Lee, Kim, Lim, Noh, Seo, USENIX ATC 2019).

mod arguments;
mod caches;
mod changes;
mod measure;
mod orders;
mod references;
mod selections;

pub(crate) use arguments::BascArguments;

use arguments::BascTable;
use measure::Basc;
use outcrop::{Cancellation, Result};

pub(crate) fn run(arguments: &BascArguments, cancellation: &Cancellation) -> Result<()> {
    let basc = Basc::new(arguments, cancellation);
    basc.harness.print_each(&arguments.tables, |table| {
        Ok(match table {
            BascTable::Fig1 => vec![references::by_in_degree(&basc)?],
            BascTable::Fig2 => vec![caches::hit_ratios(&basc)?],
            BascTable::Fig5 => vec![orders::cost_model(&basc)?],
            BascTable::Fig6 => selections::against_page_cache(&basc)?,
            BascTable::Fig7 => vec![caches::shares(&basc)?],
            BascTable::Fig9 => vec![changes::days(&basc)?],
            BascTable::Fig10 => vec![selections::rounds(&basc)?],
            BascTable::Fig11 => orders::orders(&basc)?,
            BascTable::Fig13 => vec![caches::page_sizes(&basc)?],
        })
    })
}
