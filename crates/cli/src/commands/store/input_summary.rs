//! The lines with which a build says what it took from its input.

use crate::output::count;
use outcrop::{BuildRecord, FileSummary, InputSummary};

/// As many files are told one by one.
const MOST_FILES: usize = 10;

/// Summary of the input; empty where there was none.
pub(crate) fn lines(record: &BuildRecord) -> Vec<String> {
    let input = &record.input;
    if input.files.is_empty() && input.edges == 0 {
        return Vec::new();
    }
    let weights =
        record.weight_type.map_or_else(|| "no weights".to_owned(), |kind| format!("weights as {}", kind.name()));
    let mut lines = vec![format!("input: {} ids; {}; {weights}", input.ids, input.direction)];
    for file in input.files.iter().take(MOST_FILES) {
        lines.push(format!("  {}", file_line(file)));
        lines.extend(file.first_skipped.iter().map(|place| format!("    skipped {place}")));
        lines.extend(file.notes.iter().map(|note| format!("    note: {note}")));
    }
    lines.extend(rest(&input.files));
    lines.extend(input.notes.iter().map(|note| format!("  note: {note}")));
    lines.extend(merged(record, input));
    lines
}

/// The files that are not told one by one, together.
fn rest(files: &[FileSummary]) -> Option<String> {
    let rest = files.get(MOST_FILES..).filter(|rest| !rest.is_empty())?;
    let sum = |of: fn(&FileSummary) -> u64| count(rest.iter().map(of).sum());
    Some(format!(
        "  and {} more files: {} edges, {} headers, {} comments, {} skipped, {} notes; --json tells them one by one",
        count(rest.len() as u64),
        sum(|file| file.edges),
        sum(|file| u64::from(file.header.is_some())),
        sum(|file| file.comments),
        sum(|file| file.skipped),
        sum(|file| file.notes.len() as u64),
    ))
}

fn file_line(file: &FileSummary) -> String {
    let mut parts = vec![match &file.compression {
        Some(compression) => format!("{}: {}, {compression}", file.name, file.format),
        None => format!("{}: {}", file.name, file.format),
    }];
    parts.push(match file.lines {
        Some(lines) => format!("{} in {}", counted(file.edges, "edge"), counted(lines, "line")),
        None => counted(file.edges, "edge"),
    });
    parts.extend(file.header.as_ref().map(|header| format!("line {} taken as a header: {}", header.line, header.text)));
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
        let kept = if record.loops_dropped > 0 { "left out" } else { "kept" };
        format!("{} {kept}", counted(input.loops, "loop"))
    });
    let merged =
        (input.duplicates_merged > 0).then(|| format!("{} merged", counted(input.duplicates_merged, "repeated edge")));
    let repeated = (input.repeated > 0).then(|| {
        let reversed = if record.directed { "" } else { ", or listed in both directions" };
        format!("{} kept{reversed} (--dedup=first keeps one of each)", counted(input.repeated, "repeated edge"))
    });
    let both: Vec<String> = loops.into_iter().chain(merged).chain(repeated).collect();
    (!both.is_empty()).then(|| format!("  {}", both.join("; ")))
}

/// A number of things.
fn counted(number: u64, thing: &str) -> String {
    match (number, thing) {
        (1, thing) => format!("1 {thing}"),
        (_, "vertex") => format!("{} vertices", count(number)),
        _ => format!("{} {thing}s", count(number)),
    }
}
