//! `outcrop calibrate`

use crate::arguments::CalibrateArguments;
use crate::output::{bytes, json, remark, say};
use outcrop::{Bandwidths, Cancellation, Result};

pub(crate) fn run(arguments: &CalibrateArguments, cancellation: &Cancellation) -> Result<()> {
    let observer = arguments.progress.progress.observer();
    let measured = outcrop::calibrate(&arguments.folder, arguments.size.bytes(), &*observer, cancellation)?;
    let file = measured.save()?;
    say(&if arguments.json { json(&measured)? } else { table(&measured) })?;
    remark(&format!("kept in {}", file.display()));
    Ok(())
}

fn table(measured: &Bandwidths) -> String {
    let rate = |bytes_per_second: f64| format!("{}/s", bytes(bytes_per_second as u64));
    let mut lines = vec![
        format!("device              {}", measured.device),
        format!("sequential read     {}", rate(measured.sequential_read)),
    ];
    lines.extend(
        measured
            .random_read
            .iter()
            .map(|(block, bandwidth)| format!("random {:>11}  {}", bytes(u64::from(*block)), rate(*bandwidth))),
    );
    lines.push(format!("random, one by one  {:.0} reads of 4 KiB a second", measured.random_read_depth_1));
    lines.push(format!("reads are merged where the gap is at most {}", bytes(measured.merge_gap())));
    lines.join("\n")
}
