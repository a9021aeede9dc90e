//! `outcrop build --explain`: how edges would be read.

use crate::output::print;
use outcrop::{BuildRequest, Error, ExplainedFile, Location, Result, counted, explain};

/// Prints how each file of a build would be read, with its first edges.
pub(super) fn run(request: &BuildRequest) -> Result<()> {
    let comments = String::from_utf8_lossy(&request.input.text.comments).into_owned();
    let files = explain(request)?;
    if let Some(file) = files.first().filter(|_| !request.graph.allow_empty)
        && files.iter().all(|file| file.rows.is_empty())
    {
        let message = "found no edges, expected at least one; use --allow-empty for an empty graph";
        return Err(Error::bad_input(Location::file(&file.summary.name), message));
    }
    let (weighted, timed) = (request.input.text.wants_weights(), request.input.text.wants_times());
    let parts = files.iter().map(|file| described(file, request.graph.directed, &comments, weighted, timed));
    print(&parts.collect::<Vec<_>>().join("\n"))
}

fn described(file: &ExplainedFile, asked: Option<bool>, comments: &str, weighted: bool, timed: bool) -> String {
    let summary = &file.summary;
    let packed = summary.compression.as_ref().map_or_else(String::new, |method| format!(", {method}"));
    let mut lines = vec![format!("{}: {}{packed}", summary.name, summary.format)];
    let mut fact = |name: &str, value: String| lines.push(format!("  {name:<10} {value}"));
    if let Some(separator) = &file.separator {
        fact("separator", separator.clone());
        fact(
            "header",
            match &summary.header {
                Some(header) => format!("line {}: {}", header.line, header.text),
                None => "none".to_owned(),
            },
        );
        fact("comments", format!("lines that start with one of {comments}"));
    }
    let further = [(weighted, "weight"), (timed, "time")].into_iter().filter_map(|(read, role)| read.then_some(role));
    let roles = ["source", "target"].into_iter().chain(further);
    let columns: Vec<String> = roles.zip(&summary.columns).map(|(role, name)| format!("{role} = {name}")).collect();
    if !columns.is_empty() {
        fact("columns", columns.join(", "));
    }
    fact("ids", if file.text_ids { "strings" } else { "integers" }.to_owned());
    fact(
        "direction",
        match (asked, file.directed) {
            (Some(directed), _) => format!("{}, as requested", direction(directed)),
            (None, Some(directed)) => format!("{}, as stated in the file", direction(directed)),
            (None, None) => "directed by default".to_owned(),
        },
    );
    lines.extend(summary.notes.iter().map(|note| format!("  note: {note}")));
    lines.push(format!("  first {}:", counted(file.rows.len() as u64, "edge")));
    lines.extend(file.rows.iter().map(|row| match row.as_slice() {
        [source, target, values @ ..] => {
            let values: String = values.iter().map(|value| format!("  {value}")).collect();
            format!("    {source} -> {target}{values}")
        }
        _ => String::new(),
    }));
    lines.join("\n")
}

const fn direction(directed: bool) -> &'static str {
    if directed { "directed" } else { "undirected" }
}
