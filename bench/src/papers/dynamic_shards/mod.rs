//! *Load the Edges You Need* (Vora, Xu, Gupta, USENIX ATC 2016).

mod arcs;
mod arguments;
mod iterations;
mod measure;
mod times;
mod traffic;

pub(crate) use arguments::DynamicShardsArguments;

use crate::table::Section;
use arguments::ShardsTable;
use measure::{DynamicShards, Measured};
use outcrop::{Cancellation, Result};

pub(crate) fn run(arguments: &DynamicShardsArguments, cancellation: &Cancellation) -> Result<()> {
    let shards = DynamicShards::new(arguments, cancellation);
    let measured = arguments.algorithms.iter().map(|algorithm| shards.measure(*algorithm));
    let measured: Vec<Measured> = measured.collect::<Result<_>>()?;
    let section = |table: &ShardsTable| match table {
        ShardsTable::Table4 => times::by_kind(&measured),
        ShardsTable::Fig3 => arcs::updated(&measured),
        ShardsTable::Fig6 => times::by_iteration(&measured),
        ShardsTable::Fig7 => traffic::moved(&measured),
        ShardsTable::Fig8 => arcs::against_ideal(&measured),
        ShardsTable::Fig9 => traffic::utilization(&measured),
    };
    shards.harness.print(&arguments.tables.iter().map(section).collect::<Vec<Section>>())
}
