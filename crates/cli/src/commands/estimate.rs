//! `outcrop estimate`

use crate::algorithm_command::AlgorithmCommand;
use crate::options::output::JsonOption;
use crate::options::work::Resources;
use crate::output::{bytes, count, json, print};
use clap::{ArgMatches, Args, Command, FromArgMatches};
use outcrop::{
    BuildNeeds, Capacity, Error, Estimate, Graph, GraphSize, Machine, MachineShortage, OpenOptions, Profile, Result,
    RunRequest, Shortage, capacity,
};
use std::path::Path;

/// Needs of a run, or of a build.
#[derive(Debug)]
pub(crate) enum EstimateCommand {
    /// A run.
    Run(Box<AlgorithmCommand<EstimateOptions>>),
    /// A build.
    Build(EstimateOptions),
}

/// Options of `outcrop estimate` besides the parameters of an algorithm.
#[derive(Debug, Args)]
pub(crate) struct EstimateOptions {
    /// Number of vertices of a planned graph: 3.5e9 or 3500000000
    #[arg(long, value_name = "N", requires = "graph_edges", value_parser = number, help_heading = "Planned graph")]
    pub(crate) vertices: Option<u64>,
    /// Number of edges
    #[arg(id = "graph_edges", long = "edges", value_name = "N", requires = "vertices", value_parser = number, help_heading = "Planned graph")]
    pub(crate) graph_edges: Option<u64>,
    /// Type of the planned graph: social, web, road or kronecker [default: social]
    #[arg(long, value_name = "TYPE", requires = "vertices", help_heading = "Planned graph")]
    pub(crate) profile: Option<Profile>,
    /// The planned graph is undirected
    #[arg(long, requires = "vertices", help_heading = "Planned graph")]
    pub(crate) undirected: bool,
    /// The planned graph has edge weights
    #[arg(id = "graph_weights", long = "with-weights", requires = "vertices", help_heading = "Planned graph")]
    pub(crate) graph_weights: bool,
    /// Read speed of the disk in GB/s [default: measured by `outcrop calibrate`, otherwise 2]
    #[arg(long, value_name = "NUMBER", requires = "vertices", value_parser = speed, help_heading = "Planned graph")]
    pub(crate) disk_gbps: Option<f64>,
    #[command(flatten)]
    pub(crate) resources: Resources,
    #[command(flatten)]
    pub(crate) output: JsonOption,
}

/// A whole number, also as `3.5e9`.
fn number(text: &str) -> std::result::Result<u64, String> {
    let digits = text.replace(['_', ','], "");
    let decimal = || digits.parse().ok().filter(|number: &f64| number.fract() == 0.0 && (0.0..1e19).contains(number));
    let whole = digits.parse().ok().or_else(|| decimal().map(|number| number as u64));
    whole.ok_or_else(|| format!("expected an integer such as 3.5e9, not {text:?}"))
}

/// A speed above 0.
fn speed(text: &str) -> std::result::Result<f64, String> {
    let speed = text.parse().ok().filter(|speed: &f64| *speed > 0.0 && speed.is_finite());
    speed.ok_or_else(|| format!("expected a speed in GB/s such as 7, not {text:?}"))
}

impl Args for EstimateCommand {
    fn augment_args(command: Command) -> Command {
        let build = EstimateOptions::augment_args(Command::new("build"))
            .about("Build of a store, for a planned graph (--vertices, --edges)")
            .mut_arg("vertices", |vertices| vertices.required(true));
        AlgorithmCommand::<EstimateOptions>::augment_args(command).subcommand(build).after_help(
            "For the options of an algorithm, see its help: outcrop estimate pagerank --help\n\n\
             Examples:\n  outcrop estimate pagerank web.outcrop\n  \
             outcrop estimate build --vertices 3.5e9 --edges 128e9",
        )
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for EstimateCommand {
    fn from_arg_matches(matches: &ArgMatches) -> std::result::Result<Self, clap::Error> {
        match matches.subcommand() {
            Some(("build", matches)) => EstimateOptions::from_arg_matches(matches).map(Self::Build),
            _ => AlgorithmCommand::from_arg_matches(matches).map(|run| Self::Run(Box::new(run))),
        }
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> std::result::Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl EstimateOptions {
    /// Size of a hypothetical graph; `None` for a store.
    fn size(&self) -> Option<GraphSize> {
        let (vertices, edges) = self.vertices.zip(self.graph_edges)?;
        let (directed, weighted) = (!self.undirected, self.graph_weights);
        Some(GraphSize { vertices, edges, directed, weighted, profile: self.profile.unwrap_or(Profile::Social) })
    }

    /// Needs of a hypothetical graph, and of a run on it if `request` is given.
    fn plan(&self, size: &GraphSize, request: Option<&RunRequest<'_>>) -> Result<String> {
        let disk_bytes_a_second = self.disk_gbps.map(|speed| speed * 1e9);
        let (memory, threads) = (self.resources.memory, self.resources.threads());
        let machine = Machine { memory, threads, disk_bytes_a_second };
        let needs = capacity(size, request, &machine)?;
        if self.output.json { json(&needs) } else { Ok(planned(&needs)) }
    }

    /// The needs of a run on a store.
    fn estimate(&self, store: &Path, request: &RunRequest<'_>) -> Result<String> {
        let (memory, threads) = (self.resources.memory, self.resources.threads());
        let options = OpenOptions { memory, threads, ..OpenOptions::default() };
        let estimate = Graph::open(store, options)?.estimate(request)?;
        if self.output.json { json(&estimate) } else { Ok(table(&estimate)) }
    }
}

pub(crate) fn run(command: EstimateCommand) -> Result<()> {
    let (request, store, options) = match command {
        EstimateCommand::Build(options) => (None, None, options),
        EstimateCommand::Run(run) => (Some(run.request?), run.store, run.options),
    };
    print(&match (options.size(), request, store) {
        (Some(size), request, _) => options.plan(&size, request.as_ref())?,
        (None, Some(request), Some(store)) => options.estimate(&store, &request)?,
        (None, ..) => return Err(Error::internal("an estimate has neither a store nor a graph size")),
    })
}

/// Needs of a hypothetical graph, as text.
fn planned(needs: &Capacity) -> String {
    let BuildNeeds { minimum, temporary_bytes, seconds, range } = &needs.build;
    let [least, most] = range.map(duration);
    let mut lines = vec![
        format!("{:<18}{:>12}", "store", bytes(needs.store_bytes)),
        format!("{:<18}{:>12}", "build at least", bytes(*minimum)),
        format!("{:<18}{:>12}  (on disk)", "temporary files", bytes(*temporary_bytes)),
        format!("{:<18}{:>12}  (likely between {least} and {most})", "build time", duration(*seconds)),
    ];
    lines.extend(needs.run.as_ref().map(|run| format!("\n{}", table(run))));
    lines.extend(needs.shortage.as_ref().map(shortage));
    lines.join("\n")
}

/// The shortages of a machine, and the command that runs the same on Spark.
fn shortage(found: &MachineShortage) -> String {
    let short = |what: &str, of: Option<Shortage>| {
        of.map(|short| format!("{what}: {} of {}", bytes(short.needed), bytes(short.available)))
    };
    let all: Vec<_> = short("memory", found.memory).into_iter().chain(short("disk", found.disk)).collect();
    let spark = found.spark.as_ref().map_or_else(String::new, |command| format!("\n{:<18}{command}", "on Spark"));
    format!("{:<18}{}{spark}", "machine too small", all.join("; "))
}

/// A time as a person reads it.
fn duration(seconds: f64) -> String {
    match seconds {
        0.0..1.0 => format!("{:.0} ms", 1e3 * seconds),
        1.0..100.0 => format!("{seconds:.1} s"),
        100.0..6000.0 => format!("{:.0} min", seconds / 60.0),
        _ => format!("{:.1} h", seconds / 3600.0),
    }
}

fn table(estimate: &Estimate) -> String {
    let needs = estimate.plan.needs().iter();
    let mut lines = vec![format!("{:<18}{:>12}", "model", way(estimate.model, estimate.values_on_disk))];
    lines.extend(needs.map(|need| format!("{:<18}{:>12}", need.purpose.name(), bytes(need.bytes))));
    lines.push(format!("{:<18}{:>12}  (--memory {})", "at least", bytes(estimate.minimum), estimate.minimum));
    lines.push(format!("{:<18}{:>12}", "all in memory", bytes(estimate.all_in_memory)));
    if estimate.static_cache > 0 {
        lines.push(format!(
            "{:<18}{:>12}  (of the memory left for caches)",
            "selected lists",
            bytes(estimate.static_cache)
        ));
    }
    if estimate.temporary_bytes > 0 {
        lines.push(format!("{:<18}{:>12}  (on disk)", "temporary files", bytes(estimate.temporary_bytes)));
    }
    if let Some(time) = &estimate.time {
        let [least, most] = time.range.map(duration);
        lines.push(format!("{:<18}{:>12}  (likely between {least} and {most})", "time", duration(time.seconds)));
        let rounds = if time.rounds > 1 { format!("  ({} rounds)", count(time.rounds.into())) } else { String::new() };
        lines.push(format!("{:<18}{:>12}{rounds}", "read", bytes(time.bytes_read)));
        lines.push(format!("{:<18}{:>12}", "computing", duration(time.processor_seconds)));
        lines.push(format!("{:<18}{:>12}", "reading", duration(time.disk_seconds)));
        lines.push(format!("{:<18}{}", "twice as fast", time.twice_as_fast));
    }
    for other in &estimate.others {
        let name = way(other.model, other.values_on_disk);
        lines.push(format!("{:<18}{:>12}  (--memory {})", format!("in {name}"), bytes(other.minimum), other.minimum));
    }
    lines.extend(estimate.shortage.as_ref().map(shortage));
    lines.join("\n")
}

/// A model and where its values are, in words.
fn way(model: &str, values_on_disk: bool) -> String {
    if values_on_disk { format!("{model}, values on disk") } else { model.to_owned() }
}
