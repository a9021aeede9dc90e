//! Walks as result rows.

use super::context::RunContext;
use crate::result::{StepRows, StepWriter};
use outcrop_algorithms::walks::Record;
use outcrop_messages::Records;
use outcrop_types::{Error, Result};

/// Memory for collecting the steps of walks in one pass, in bytes, if available.
const SORTED_AT_ONCE: u64 = 64 << 20;

/// Returns walks as rows, with the steps of each in order.
pub(super) fn step_rows(run: &RunContext<'_>, records: Option<Records<Record>>) -> Result<StepRows> {
    let mut writer = StepWriter::create(run.spill()?, run.budget)?;
    if let Some(records) = records {
        records.for_each_block(SORTED_AT_ONCE, |walks, starts, steps| {
            for (walk, ends) in walks.iter().zip(starts.windows(2)) {
                let [from, to] = [ends[0], ends[1]].map(|end| end as usize);
                let beyond = || Error::internal("a walk ends beyond its block");
                let steps = steps.get_mut(from..to).ok_or_else(beyond)?;
                steps.sort_unstable();
                steps.iter().try_for_each(|[step, rank]| writer.push([walk, *step, *rank]))?;
            }
            Ok(())
        })?;
    }
    writer.finish()
}
