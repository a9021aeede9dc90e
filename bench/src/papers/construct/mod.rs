//! Subgraph construction alone, and its baseline (LOSC, section 4.3).

mod command;
mod construction;
mod psw;
#[cfg(test)]
mod tests;

pub(crate) use command::{ConstructArguments, count_cache_misses, run};
pub(crate) use construction::{Construction, ConstructionRequest, construct};
