//! *Load the Edges You Need* (Vora, Xu, Gupta, USENIX ATC 2016).

mod arcs;
mod arguments;
mod iterations;
mod measure;
mod times;
mod traffic;

pub(crate) use arguments::DynamicShardsArguments;
pub(crate) use measure::heat_source;

use crate::table::Section;
use arguments::ShardsTable;
use measure::DynamicShards;
use outcrop::{Cancellation, Result};

pub(crate) fn run(arguments: &DynamicShardsArguments, cancellation: &Cancellation) -> Result<()> {
    let shards = DynamicShards::new(arguments, cancellation);
    let mut measured = Vec::new();
    let complete = arguments.algorithms.iter().try_for_each(|algorithm| {
        measured.push(shards.measure(*algorithm)?);
        Ok(())
    });
    let section = |table: &ShardsTable| match table {
        ShardsTable::Table4 => times::by_kind(&measured),
        ShardsTable::Fig3 => arcs::updated(&measured),
        ShardsTable::Fig6 => times::by_iteration(&measured),
        ShardsTable::Fig7 => traffic::moved(&measured),
        ShardsTable::Fig8 => arcs::against_ideal(&measured),
        ShardsTable::Fig9 => traffic::utilization(&measured),
    };
    // If an algorithm fails, the tables have those before it.
    if complete.is_ok() || !measured.is_empty() {
        shards.harness.print(&arguments.tables.iter().map(section).collect::<Vec<Section>>())?;
    }
    complete
}
