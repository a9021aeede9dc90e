//! `outcrop run` and `outcrop estimate`

use super::output;
use crate::algorithm_command::AlgorithmCommand;
use crate::arguments::{EstimateOptions, OutputOptions, RunOptions};
use crate::layout_options::DenseAccessOption;
use crate::output::{bytes, count, json, remark, say};
use outcrop::{
    Cancellation, DenseAccess, Estimate, Graph, OpenOptions, PendingFile, Result, RunRecord, TableFormat, Utilisation,
};

pub(crate) fn run(command: AlgorithmCommand<RunOptions>, cancellation: &Cancellation) -> Result<()> {
    let AlgorithmCommand { request, store, options: RunOptions { output: outputs_of, work, reading } } = command;
    let request = request?;
    request.validate()?;
    request.require()?;
    let (output, report) = outputs(&outputs_of)?;
    let options = OpenOptions {
        memory: work.memory,
        threads: work.threads(),
        io: reading.io,
        page_cache: reading.page_cache,
        static_cache: reading.static_cache,
        dense_access: match reading.dense_access {
            DenseAccessOption::Chunk => DenseAccess::ByChunk,
            DenseAccessOption::Vertex => DenseAccess::ByVertex,
        },
        temp_folder: reading.tmp_dir.clone(),
        utilisation: if reading.cache_statistics { Utilisation::Tracked } else { Utilisation::Ignored },
        cancellation: cancellation.clone(),
        observer: work.progress.progress.observer(),
    };
    let result = Graph::open(&store, options)?.run(&request)?;
    if let Some(file) = output {
        result.table().write_into(file)?;
    }
    let top = outputs_of.top.or((outputs_of.output.is_none() && !outputs_of.json).then_some(10));
    if let Some(count) = top {
        result.table().write_top_to(Box::new(std::io::stdout()), TableFormat::Tsv, count)?;
    }
    let shown = report.is_some() || outputs_of.json;
    let record = if shown { result.record_with_top()? } else { result.record() };
    let record = RunRecord { command: command_line(), ..record };
    if let Some(file) = report {
        outcrop::write_report(&record.to_html(), file)?;
    }
    if outputs_of.json {
        say(&json(&record)?)?;
    } else {
        answer(&record).iter().for_each(|line| remark(line));
        if !record.summary.is_empty() {
            let found = record.summary.iter().map(|(name, value)| format!("{name}: {}", said(value)));
            remark(&found.collect::<Vec<_>>().join("; "));
        }
        remark(&summary(&record));
    }
    result.converged()
}

/// Creates the files of the result and of the report, before the run.
fn outputs(arguments: &OutputOptions) -> Result<(Option<PendingFile>, Option<PendingFile>)> {
    let (result, report) = (arguments.output.as_deref(), arguments.report.as_deref());
    if result.is_some() && result == report {
        return Err(outcrop::Error::Usage("--output and --report name the same file".to_owned()));
    }
    if let Some(path) = result {
        TableFormat::from_path(path)?;
    }
    Ok((output(result, arguments.overwrite)?, output(report, arguments.overwrite)?))
}

/// The number that a run gives for the whole graph, or the two that it lies between.
fn answer(record: &RunRecord) -> Option<String> {
    let (name, value) = record.values.get_key_value(&record.algorithm)?;
    Some(match (record.values.get("lower"), record.values.get("upper")) {
        (Some(lower), Some(upper)) if lower != upper => format!("{name}: between {lower} and {upper}"),
        _ => format!("{name}: {value}"),
    })
}

/// The command as it was typed.
fn command_line() -> String {
    let words = std::env::args().skip(1).map(|word| match word.contains(char::is_whitespace) {
        true => format!("'{word}'"),
        false => word,
    });
    std::iter::once("outcrop".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

/// A number as a person reads it.
fn said(value: &serde_json::Value) -> String {
    match (value.as_u64(), value.as_f64()) {
        (Some(number), _) => count(number),
        (None, Some(number)) => format!("{number:.6}"),
        (None, None) => "none".to_owned(),
    }
}

fn summary(record: &RunRecord) -> String {
    let percent =
        |name, share: Option<f64>| share.map_or_else(String::new, |share| format!(", {name} {:.1}%", 100.0 * share));
    format!(
        "{}: {} iterations in {:.2} s, {} read in {} requests{}{}, {} of {} memory reserved, at most {} resident",
        record.algorithm,
        count(record.iterations.into()),
        record.seconds,
        bytes(record.bytes_read),
        count(record.requests),
        percent("hit ratio", record.cache_hit_ratio),
        percent("page utilisation", record.page_utilisation),
        bytes(record.memory_peak),
        bytes(record.memory_budget),
        bytes(record.peak_rss),
    )
}

pub(crate) fn estimate(command: AlgorithmCommand<EstimateOptions>) -> Result<()> {
    let AlgorithmCommand { request, store, options: EstimateOptions { memory, threads, json: as_json } } = command;
    let options = OpenOptions { memory, threads: threads.map(usize::from), ..OpenOptions::default() };
    let estimate = Graph::open(&store, options)?.estimate(&request?)?;
    say(&if as_json { json(&estimate)? } else { table(&estimate) })
}

fn table(estimate: &Estimate) -> String {
    let needs = estimate.plan.needs().iter();
    let mut lines = vec![format!("{:<18}{:>12}", "model", way(estimate.model, estimate.values_on_disk))];
    lines.extend(needs.map(|need| format!("{:<18}{:>12}", need.purpose.name(), bytes(need.bytes))));
    lines.push(format!("{:<18}{:>12}  (--memory {})", "at least", bytes(estimate.minimum), estimate.minimum));
    lines.push(format!("{:<18}{:>12}", "all in memory", bytes(estimate.all_in_memory)));
    if estimate.static_cache > 0 {
        lines.push(format!(
            "{:<18}{:>12}  (of what is left for caches)",
            "selected lists",
            bytes(estimate.static_cache)
        ));
    }
    if estimate.temporary_bytes > 0 {
        lines.push(format!("{:<18}{:>12}  (on disk)", "temporary files", bytes(estimate.temporary_bytes)));
    }
    for other in &estimate.others {
        let name = way(other.model, other.values_on_disk);
        lines.push(format!("{:<18}{:>12}  (--memory {})", format!("in {name}"), bytes(other.minimum), other.minimum));
    }
    lines.join("\n")
}

/// A model and where its values are, in words.
fn way(model: &str, values_on_disk: bool) -> String {
    if values_on_disk { format!("{model}, values on disk") } else { model.to_owned() }
}
