//! `outcrop run` and `outcrop estimate`

use super::output;
use crate::arguments::{AlgorithmArguments, EstimateArguments, MethodOption, PrecisionOption, RunArguments};
use crate::layout_options::{DenseAccessOption, LayoutOption};
use crate::output::{bytes, count, json, remark, say};
use outcrop::{
    ALGORITHMS, Cancellation, DenseAccess, Estimate, Graph, InputVector, Method, OpenOptions, PendingFile,
    Personalization, Precision, Result, RunRecord, RunRequest, TableFormat, Utilisation,
};

/// The table of algorithms as it ends the help page.
pub(crate) fn algorithms_help() -> String {
    let mut text = String::from("Algorithms:\n");
    for row in ALGORITHMS {
        let options: Vec<_> = row.parameters.iter().map(|parameter| format!("--{}", parameter.option())).collect();
        text += &format!("  {:<9} {}\n", row.name, row.summary);
        if !options.is_empty() {
            text += &format!("            {}\n", options.join(" "));
        }
    }
    text
}

pub(crate) fn run(arguments: &RunArguments, cancellation: &Cancellation) -> Result<()> {
    let request = RunRequest {
        layout: arguments.layout.map(LayoutOption::kind),
        schedule: arguments.schedule,
        messages: arguments.messages.choices(),
        gas: arguments.gas.choices(),
        arrivals: arguments.gas.arrivals(),
        ..request(&arguments.algorithm)?
    };
    request.validate()?;
    request.require_sources()?;
    let (output, report) = outputs(arguments)?;
    let options = OpenOptions {
        memory: arguments.work.memory,
        threads: arguments.work.threads(),
        io: arguments.io,
        page_cache: arguments.page_cache,
        static_cache: arguments.static_cache,
        dense_access: match arguments.dense_access {
            DenseAccessOption::Chunk => DenseAccess::ByChunk,
            DenseAccessOption::Vertex => DenseAccess::ByVertex,
        },
        temp_folder: arguments.tmp_dir.clone(),
        utilisation: if arguments.cache_statistics { Utilisation::Tracked } else { Utilisation::Ignored },
        cancellation: cancellation.clone(),
        observer: arguments.work.progress.progress.observer(),
    };
    let result = Graph::open(&arguments.algorithm.store, options)?.run(&request)?;
    if let Some(file) = output {
        result.table().write_into(file)?;
    }
    let top = arguments.top.or((arguments.output.is_none() && !arguments.json).then_some(10));
    if let Some(count) = top {
        result.table().write_top_to(Box::new(std::io::stdout()), TableFormat::Tsv, count)?;
    }
    let record = result.record();
    if let Some(file) = report {
        outcrop::write_report(&record.to_html(), file)?;
    }
    if arguments.json {
        say(&json(&record)?)?;
    } else {
        answer(&record).iter().for_each(|line| remark(line));
        remark(&summary(&record));
    }
    result.converged()
}

/// Creates the files of the result and of the report, before the run.
fn outputs(arguments: &RunArguments) -> Result<(Option<PendingFile>, Option<PendingFile>)> {
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

pub(crate) fn estimate(arguments: &EstimateArguments) -> Result<()> {
    let threads = arguments.threads.map(usize::from);
    let options = OpenOptions { memory: arguments.memory, threads, ..OpenOptions::default() };
    let estimate = Graph::open(&arguments.algorithm.store, options)?.estimate(&request(&arguments.algorithm)?)?;
    say(&if arguments.json { json(&estimate)? } else { table(&estimate) })
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

fn request(arguments: &AlgorithmArguments) -> Result<RunRequest> {
    Ok(RunRequest {
        sources: arguments.source.clone(),
        alpha: arguments.alpha,
        tolerance: arguments.tol,
        max_iterations: arguments.max_iter,
        iterations: arguments.iterations,
        exact: arguments.exact.then_some(true),
        personalization: arguments.personalization.clone().map(Personalization::File),
        precision: arguments.precision.map(|precision| match precision {
            PrecisionOption::F64 => Precision::Double,
            PrecisionOption::F32 => Precision::Single,
        }),
        source_count: arguments.sources,
        samples: arguments.samples,
        seed: arguments.seed,
        batch: arguments.batch,
        normalized: arguments.unnormalized.then_some(false),
        delta: arguments.delta,
        k: arguments.k,
        method: arguments.method.map(|method| match method {
            MethodOption::Delta => Method::Delta,
            MethodOption::BellmanFord => Method::BellmanFord,
            MethodOption::Afforest => Method::Afforest,
            MethodOption::Sweep => Method::Sweep,
            MethodOption::LabelPropagation => Method::LabelPropagation,
        }),
        bucket_width: arguments.bucket_width,
        vector: arguments.vector.clone().map(InputVector::File),
        transpose: arguments.transpose.then_some(true),
        weighted: arguments.weighted.then_some(true),
        length: arguments.length,
        every: arguments.every,
        restart: arguments.restart,
        return_parameter: arguments.p,
        in_out_parameter: arguments.q,
        coupling: arguments.coupling,
        damping: arguments.damping,
        rate: arguments.rate,
        model: arguments.model.model(),
        values: arguments.values,
        ..RunRequest::new(&arguments.algorithm)?
    })
}
