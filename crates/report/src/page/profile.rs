//! Page of a profile.

use super::chart::{Chart, Shape};
use super::columns::{Column, Columns};
use super::document::{Page, Part};
use super::facts::Fact;
use super::units::{Quantity, Unit, count, share};
use crate::record::{DegreeRecord, DistancesRecord, ProfileRecord, RangeCount};
use outcrop_types::counted;

/// Returns the page of `record`.
pub(crate) fn profile_page(record: &ProfileRecord) -> String {
    let degrees = record.degrees.named().map(|(name, degrees)| {
        let caption = "Number of vertices per range of degrees; the ranges double in width.";
        chart(degree_name(name), caption, ["degree", "vertices"], &degrees.histogram)
    });
    let caption = "Number of weakly connected components per range of sizes; the ranges double in width.";
    let components = chart("Component size", caption, ["size", "components"], &record.components.histogram);
    Page {
        title: format!("Profile of {}", record.store),
        about: format!(
            "{}, {}; {}, {}.",
            counted(record.vertices.into(), "vertex"),
            counted(record.edges, "edge"),
            if record.directed { "directed" } else { "undirected" },
            if record.weights.is_some() { "weighted" } else { "unweighted" }
        ),
        headline: headline(record),
        facts: facts(record),
        parts: record.degrees.named().map(|(name, degrees)| degree_part(name, degrees)).collect(),
        charts: degrees.chain([components, distance_chart(&record.distances)]).flatten().collect(),
    }
    .to_html()
}

fn number(name: &str, value: Option<f64>) -> Fact {
    value.map_or_else(|| Fact::text(name, "none"), |value| Fact::number(name, Quantity::Number(value)))
}

fn headline(record: &ProfileRecord) -> Vec<Fact> {
    let reciprocity = record.reciprocity.map(|reciprocity| Fact::text("reciprocity", share(reciprocity, 1.0)));
    let mut facts = vec![
        Fact::number("mean degree", Quantity::Number(record.degrees.both.mean)),
        Fact::count("maximum degree", record.degrees.both.max),
        Fact::text("vertices in the largest component", share(record.components.largest_share, 1.0)),
        Fact::number("mean clustering", Quantity::Number(record.clustering.mean)),
        number("mean distance", record.distances.mean),
        number("effective diameter (90%)", record.distances.effective_diameter),
    ];
    facts.extend(reciprocity);
    facts
}

fn facts(record: &ProfileRecord) -> Vec<Fact> {
    let (distances, clustering) = (&record.distances, &record.clustering);
    let sampled = |exact: bool| if exact { "all vertices" } else { "a random sample" };
    let mut facts = vec![
        Fact::text("store", &record.store),
        Fact::count("vertices", record.vertices.into()),
        Fact::count("edges", record.edges),
        Fact::count("self-loops", record.self_loops),
        Fact::count("repeated edges", record.repeated_edges),
        Fact::count("isolated vertices", record.degrees.both.zeros),
        Fact::count("weakly connected components", record.components.count),
        Fact::count("vertices of the largest component", record.components.largest.into()),
        Fact::text("mean local clustering coefficient", Unit::Number.short(clustering.mean)),
        Fact::text("its standard error", Unit::Number.short(clustering.standard_error)),
        Fact::text("clustering of", format!("{}: {}", sampled(clustering.exact), count(clustering.vertices))),
        Fact::text("distances from", format!("{}: {}", sampled(distances.exact), count(distances.sources.into()))),
        Fact::text("pairs connected by a path", share(distances.connected_share, 1.0)),
        Fact::text("largest distance found", distances.max.map_or_else(|| "none".to_owned(), count)),
        Fact::text("neighbors on the same page", share(record.locality.same_page, 1.0)),
        Fact::text("pages per neighbor", Unit::Number.short(record.locality.pages_per_neighbor)),
        Fact::count("random seed", record.seed),
    ];
    facts.extend(record.weights.iter().map(|[least, most]| Fact::text("weights", format!("{least} to {most}"))));
    facts.extend(record.times.iter().map(|[first, last]| Fact::text("times", format!("{first} to {last}"))));
    facts
}

/// Returns the heading of the degrees of a direction.
fn degree_name(direction: &str) -> &'static str {
    match direction {
        "out" => "Out-degree",
        "in" => "In-degree",
        _ => "Degree",
    }
}

fn degree_part(direction: &str, degrees: &DegreeRecord) -> Part {
    let mut facts = vec![
        Fact::number("mean", Quantity::Number(degrees.mean)),
        Fact::number("median", Quantity::Number(degrees.median)),
        Fact::count("maximum", degrees.max),
        Fact::count("vertices of degree 0", degrees.zeros),
    ];
    facts.extend(degrees.power_law.iter().flat_map(|fit| {
        [
            Fact::number("exponent of the fitted power law", Quantity::Number(fit.exponent)),
            Fact::count("smallest degree of the fit", fit.xmin),
            Fact::text("vertices in the fit", share(fit.share, 1.0)),
            Fact::number("Kolmogorov-Smirnov distance", Quantity::Number(fit.ks)),
        ]
    }));
    Part { name: degree_name(direction), facts }
}

/// Returns a chart of the numbers of items per range of values; `names` are those of the values and of the items.
fn chart(title: &'static str, caption: &str, names: [&'static str; 2], ranges: &[RangeCount]) -> Option<String> {
    let [value, items] = names;
    let columns = Columns::named(ranges, |part: &[RangeCount]| {
        let (first, last) = (part.first().map_or(0, |range| range.from), part.last().map_or(0, |range| range.to));
        let name = if first == last { count(first) } else { format!("{value} {} to {}", count(first), count(last)) };
        // Default: a label has room for a small number only.
        Column { first: u32::try_from(first).unwrap_or(u32::MAX), name }
    });
    let caption = match columns.each() {
        1 => caption.to_owned(),
        each => format!("{caption} Each column is the mean of {each} values."),
    };
    let each = |range: &RangeCount| Quantity::Count(range.count);
    Chart::new(Shape::Bars, title, caption, &columns, &[(items, "c1", &each)]).per(value).figure()
}

fn distance_chart(distances: &DistancesRecord) -> Option<String> {
    let pairs = (1_u64..).zip(&distances.pairs);
    let ranges: Vec<_> =
        pairs.map(|(distance, pairs)| RangeCount { from: distance, to: distance, count: *pairs }).collect();
    let caption =
        format!("Number of pairs of vertices by distance, from {}.", counted(distances.sources.into(), "vertex"));
    chart("Distance", &caption, ["distance", "pairs"], &ranges)
}
