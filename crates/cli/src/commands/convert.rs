//! `outcrop convert`

use super::build::summarize;
use super::output;
use crate::arguments::ConvertArguments;
use outcrop::{Cancellation, ConvertRequest, Error, Result};

pub(crate) fn run(arguments: &ConvertArguments, cancellation: &Cancellation) -> Result<()> {
    let request = ConvertRequest {
        order: arguments.order.order()?,
        memory: arguments.work.memory,
        threads: arguments.work.threads(),
        io: arguments.io,
        weights: arguments.weight_type,
        temp_folder: arguments.tmp_dir.clone(),
        overwrite: arguments.overwrite,
        verify: arguments.verify,
        ..ConvertRequest::new(&arguments.source, &arguments.store, arguments.layout.layout()?)
    };
    if arguments.report.as_ref().is_some_and(|path| [&request.store, &request.source].contains(&path)) {
        return Err(Error::Usage("--report names a store".to_owned()));
    }
    let report = output(arguments.report.as_deref(), arguments.overwrite)?;
    let record = outcrop::convert(&request, cancellation, &*arguments.work.progress.progress.observer())?;
    if let Some(report) = report {
        outcrop::write_report(&record.to_html(), report)?;
    }
    summarize(&record, arguments.json)
}
