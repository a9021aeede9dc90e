//! `outcrop info`

use crate::arguments::InfoArguments;
use crate::output::{bytes, count, json, say};
use outcrop::{Graph, GraphInfo, OpenOptions, Result};

pub(crate) fn run(arguments: &InfoArguments) -> Result<()> {
    let graph = Graph::open(&arguments.store, OpenOptions { threads: Some(1), ..OpenOptions::default() })?;
    let info = graph.info();
    say(&if arguments.json { json(&info)? } else { table(&info) })
}

fn table(info: &GraphInfo) -> String {
    let kind = |yes: bool, one: &'static str, other: &'static str| if yes { one } else { other };
    let mut lines = vec![
        format!("store        {}", info.store),
        format!("uuid         {} (format {})", info.uuid, info.format_version),
        format!("vertices     {}", count(info.vertices.into())),
        format!("edges        {}", count(info.edges)),
        format!(
            "kind         {}, {}",
            kind(info.directed, "directed", "undirected"),
            kind(info.weighted, "weighted", "unweighted")
        ),
        format!("ids          {}", word(&info.ids)),
        format!("order        {}", word(&info.order)),
        format!("built with   --dedup {} --self-loops {}", word(&info.dedup), word(&info.self_loops)),
        format!("on disk      {}", bytes(info.bytes)),
    ];
    lines.extend(info.layouts.iter().map(|layout| {
        format!(
            "{:<12} {} lists: {} entries in {} ({:.2} bytes an entry), {} intervals, index {}",
            layout.layout,
            layout.direction.name(),
            count(layout.arcs),
            bytes(layout.bytes),
            layout.bytes_per_arc,
            count(layout.intervals as u64),
            bytes(layout.index_bytes),
        )
    }));
    lines.join("\n")
}

/// The word that a choice has in manifests.
fn word(choice: &impl serde::Serialize) -> String {
    serde_json::to_value(choice).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}
