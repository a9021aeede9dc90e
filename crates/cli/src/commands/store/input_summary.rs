//! Summary of the input of a build.

use crate::output::count;
use outcrop::{BuildRecord, FileSummary, InputSummary, counted};

/// Maximum number of files with a line each.
const MOST_FILES: usize = 10;

/// Lines of the summary; empty without input.
pub(crate) fn lines(record: &BuildRecord) -> Vec<String> {
    let input = &record.input.summary;
    if input.files.is_empty() && input.edges == 0 {
        return Vec::new();
    }
    let weights =
        record.graph.weight_type.map_or_else(|| "no weights".to_owned(), |kind| format!("weights as {}", kind.name()));
    let ids = if input.ids == "text" { "string" } else { &input.ids };
    let mut lines = vec![format!("input: {ids} IDs; {}; {weights}", input.direction)];
    lines.extend(of_files("", &input.files, "edge"));
    lines.extend(of_files("vertices: ", &input.vertex_files, "vertex"));
    lines.extend(input.notes.iter().map(|note| format!("  note: {note}")));
    lines.extend(merged(record, input));
    let twice = input.repeated_edges().filter(|_| input.both_directions);
    lines.extend(twice.map(|remark| format!("  note: {remark}")));
    lines
}

/// Lines on `files`, whose rows are a `thing` each.
pub(super) fn of_files(role: &str, files: &[FileSummary], thing: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for file in files.iter().take(MOST_FILES) {
        lines.push(format!("  {role}{}", file_line(file, thing)));
        lines.extend(file.first_skipped.iter().map(|place| format!("    skipped {place}")));
        lines.extend(file.notes.iter().map(|note| format!("    note: {note}")));
    }
    lines.extend(rest(files));
    lines
}

/// The files that are not told one by one, together.
fn rest(files: &[FileSummary]) -> Option<String> {
    let rest = files.get(MOST_FILES..).filter(|rest| !rest.is_empty())?;
    let sum = |thing, of: fn(&FileSummary) -> u64| counted(rest.iter().map(of).sum(), thing);
    Some(format!(
        "  and {}: {}, {}, {}, {} skipped, {}; use --json for details",
        counted(rest.len() as u64, "more file"),
        sum("edge", |file| file.edges),
        sum("header", |file| u64::from(file.header.is_some())),
        sum("comment", |file| file.comments),
        count(rest.iter().map(|file| file.skipped).sum()),
        sum("note", |file| file.notes.len() as u64),
    ))
}

fn file_line(file: &FileSummary, thing: &str) -> String {
    let mut parts = vec![match &file.compression {
        Some(compression) => format!("{}: {}, {compression}", file.name, file.format),
        None => format!("{}: {}", file.name, file.format),
    }];
    parts.push(match file.lines {
        Some(lines) => format!("{} in {}", counted(file.edges, thing), counted(lines, "line")),
        None => counted(file.edges, thing),
    });
    parts.extend(file.header.as_ref().map(|header| format!("line {} read as header: {}", header.line, header.text)));
    if !file.columns.is_empty() {
        parts.push(format!("columns {}", file.columns.join(", ")));
    }
    parts.extend(file.stated_vertices.map(|vertices| format!("states {}", counted(vertices, "vertex"))));
    parts.extend(file.weights.as_ref().map(|kind| format!("{kind} weights")));
    for (number, what) in [(file.comments, "comment"), (file.blank_lines, "blank line"), (file.skipped, "skipped line")]
    {
        if number > 0 {
            parts.push(counted(number, what));
        }
    }
    parts.join("; ")
}

fn merged(record: &BuildRecord, input: &InputSummary) -> Option<String> {
    let loops = (input.loops > 0).then(|| {
        let kept = if record.input.loops_dropped > 0 { "dropped" } else { "kept" };
        format!("{} {kept}", counted(input.loops, "self-loop"))
    });
    let kept = input.duplicates.saturating_sub(input.duplicates_merged);
    let merged = [(input.duplicates_merged, "merged"), (kept, "kept")];
    let merged = merged.into_iter().filter(|(count, _)| *count > 0);
    let merged = merged.map(|(count, what)| format!("{} {what}", counted(count, "repeated edge")));
    let both: Vec<String> = loops.into_iter().chain(merged).collect();
    (!both.is_empty()).then(|| format!("  {}", both.join("; ")))
}
