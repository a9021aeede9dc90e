//! `outcrop profile`

use crate::options::output::RecordOptions;
use crate::options::work::ReadOptions;
use crate::output::{count, create, json, print};
use clap::Args;
use outcrop::{
    Cancellation, DegreeRecord, Graph, PowerLawRecord, ProfileRecord, ProfileRequest, RangeCount, Result, counted,
};
use std::collections::BTreeMap;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "\
Measures degrees, reciprocity, weakly connected components, clustering, distances and locality.
Clustering and distances of larger graphs are estimated from samples.")]
pub(crate) struct ProfileArguments {
    /// Path of the store
    pub(crate) store: PathBuf,
    /// Number of randomly chosen source vertices
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) sources: u32,
    /// Number of random vertices to sample for the clustering, each with one pair of neighbors
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) wedges: u32,
    /// Random seed
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) record: RecordOptions,
    #[command(flatten)]
    pub(crate) reading: ReadOptions,
}

pub(crate) fn run(arguments: &ProfileArguments, cancellation: &Cancellation) -> Result<()> {
    let ProfileArguments { store, sources, wedges, seed, record: output, reading } = arguments;
    let report = create(output.report.as_deref(), output.overwrite())?;
    let graph = Graph::open(store, reading.open(cancellation))?;
    let profile = graph.profile(&ProfileRequest { sources: *sources, wedges: *wedges, seed: *seed })?;
    if let Some(file) = report {
        outcrop::write_report(&profile.to_html(), file)?;
    }
    print(&if output.json() { json(&profile)? } else { table(&profile) })
}

/// A fraction in percent.
fn percent(fraction: f64) -> String {
    format!("{:.1}%", 100.0 * fraction)
}

fn table(profile: &ProfileRecord) -> String {
    let kind = if profile.directed { "directed" } else { "undirected" };
    let weighted = if profile.weights.is_some() { "weighted" } else { "unweighted" };
    let (loops, repeated) = (counted(profile.self_loops, "self-loop"), count(profile.repeated_edges));
    let mut lines = vec![
        format!("store        {}", profile.store),
        format!("kind         {kind}, {weighted}"),
        format!("vertices     {}, {} isolated", count(profile.vertices.into()), count(profile.degrees.both.zeros)),
        format!("edges        {}, {loops}, {repeated} repeated", count(profile.edges)),
    ];
    lines.extend(profile.weights.iter().map(|[least, most]| format!("weights      {least} to {most}")));
    lines.extend(profile.times.iter().map(|[first, last]| format!("times        {first} to {last}")));
    lines.extend(profile.reciprocity.map(|share| {
        format!("reciprocity  {} of the distinct edges have an edge in the opposite direction", percent(share))
    }));
    let components = &profile.components;
    lines.push(format!(
        "components   {} (weakly connected), the largest with {} of the vertices ({})",
        count(components.count),
        percent(components.largest_share),
        count(components.largest.into()),
    ));
    lines.push(clustering(profile));
    lines.extend(distances(profile));
    lines.push(format!(
        "locality     {} of neighbors on the same page; {:.3} pages per neighbor",
        percent(profile.locality.same_page),
        profile.locality.pages_per_neighbor
    ));
    lines.extend(degrees(profile));
    lines.join("\n")
}

/// The vertices of a measurement.
fn sample(vertices: u64, exact: bool) -> String {
    if exact { "all vertices".to_owned() } else { format!("a sample of {}", counted(vertices, "vertex")) }
}

fn clustering(profile: &ProfileRecord) -> String {
    let clustering = &profile.clustering;
    let error = clustering.standard_error;
    let error = if clustering.exact { String::new() } else { format!("; standard error {error:.4}") };
    let of = sample(clustering.vertices, clustering.exact);
    format!("clustering   {:.4} (mean local coefficient of {of}, directions ignored{error})", clustering.mean)
}

fn distances(profile: &ProfileRecord) -> Vec<String> {
    let distances = &profile.distances;
    let from = sample(distances.sources.into(), distances.exact);
    let (Some(mean), Some(effective), Some(most)) = (distances.mean, distances.effective_diameter, distances.max)
    else {
        return vec!["distances    none: no source reaches another vertex".to_owned()];
    };
    let most =
        if distances.exact { format!("diameter {}", count(most)) } else { format!("largest found {}", count(most)) };
    vec![
        format!("distances    mean {mean:.2}, 90% within {effective:.2} (effective diameter), {most}"),
        format!("             from {from}, which reach {} of the vertices", percent(distances.connected_share)),
    ]
}

/// The tables of degrees, and the fitted power laws.
fn degrees(profile: &ProfileRecord) -> Vec<String> {
    let named: Vec<(&str, &DegreeRecord)> = profile.degrees.named().collect();
    let row = |name: &str, cells: &[String]| {
        let cells: String = cells.iter().map(|cell| format!("{cell:>16}")).collect();
        format!("{name:<20}{cells}").trim_end().to_owned()
    };
    let of = |name: &str, cell: &dyn Fn(&DegreeRecord) -> String| {
        row(name, &named.iter().map(|(_, degrees)| cell(degrees)).collect::<Vec<_>>())
    };
    let mut lines = vec![
        String::new(),
        row("degree", &named.iter().map(|(name, _)| (*name).to_owned()).collect::<Vec<_>>()),
        of("  mean", &|degrees| format!("{:.2}", degrees.mean)),
        of("  median", &|degrees| degrees.median.to_string()),
        of("  maximum", &|degrees| count(degrees.max)),
    ];
    if named.iter().any(|(_, degrees)| degrees.power_law.is_some()) {
        let law = |cell: &dyn Fn(&PowerLawRecord) -> String| {
            let cells = named.iter().map(|(_, degrees)| degrees.power_law.as_ref().map_or("-".to_owned(), cell));
            cells.collect::<Vec<_>>()
        };
        lines.push(row("power law (a fit, not evidence of one)", &[]));
        lines.push(row("  exponent", &law(&|fit| format!("{:.3}", fit.exponent))));
        lines.push(row("  from degree", &law(&|fit| count(fit.xmin))));
        lines.push(row("  share of vertices", &law(&|fit| percent(fit.share))));
        lines.push(row("  KS distance", &law(&|fit| format!("{:.4}", fit.ks))));
    }
    lines.push(row("vertices by degree", &[]));
    let mut ranges = BTreeMap::<u64, (u64, Vec<u64>)>::new();
    for (place, (_, degrees)) in named.iter().enumerate() {
        for RangeCount { from, to, count } in &degrees.histogram {
            let (_, counts) = ranges.entry(*from).or_insert_with(|| (*to, vec![0; named.len()]));
            counts[place] = *count;
        }
    }
    lines.extend(ranges.iter().map(|(from, (to, counts))| {
        let name =
            if from == to { format!("  {}", count(*from)) } else { format!("  {} to {}", count(*from), count(*to)) };
        row(&name, &counts.iter().map(|vertices| count(*vertices)).collect::<Vec<_>>())
    }));
    lines
}
