//! Tables as text.

use crate::output::{json, say};
use outcrop::Result;
use serde::Serialize;

/// A table: what its lines are about, and a cell for each column.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Table {
    pub(super) title: String,
    pub(super) columns: Vec<String>,
    pub(super) rows: Vec<(String, Vec<String>)>,
}

impl Table {
    pub(super) fn new<C: Into<String>>(title: impl Into<String>, columns: impl IntoIterator<Item = C>) -> Self {
        Self { title: title.into(), columns: columns.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    /// Adds a line.
    pub(super) fn row(&mut self, label: impl Into<String>, cells: impl IntoIterator<Item = String>) {
        self.rows.push((label.into(), cells.into_iter().collect()));
    }

    /// The table in Markdown.
    pub(super) fn text(&self) -> String {
        let cells = |cells: &[String]| cells.iter().map(|cell| format!(" {cell} |")).collect::<String>();
        let rows = self.rows.iter().map(|(label, row)| format!("| {label} |{}\n", cells(row))).collect::<String>();
        let rule = "---|".repeat(self.columns.len());
        format!("{}\n\n| |{}\n|---|{rule}\n{rows}\n", self.title, cells(&self.columns))
    }
}

/// What a paper says, and what is seen here.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Section {
    /// Number and subject of the figure or table.
    pub(super) name: String,
    /// What the paper found.
    pub(super) paper: &'static str,
    /// What is seen here, in words.
    pub(super) here: Vec<String>,
    pub(super) tables: Vec<Table>,
}

impl Section {
    pub(super) fn text(&self) -> String {
        let here: String = self.here.iter().map(|line| format!("Here: {line}\n\n")).collect();
        let tables: String = self.tables.iter().map(Table::text).collect();
        format!("\n## {}\n\nPaper: {}\n\n{here}{tables}", self.name, self.paper)
    }
}

/// Prints what was made of a paper, as Markdown or as JSON.
pub(super) fn print(sections: &[Section], as_json: bool) -> Result<()> {
    if as_json {
        return say(&json(&sections)?);
    }
    say(sections.iter().map(Section::text).collect::<String>().trim())
}

/// `part` of `whole` in percent.
pub(super) fn percent(part: u64, whole: u64) -> String {
    if whole == 0 { "-".to_owned() } else { format!("{:.1}%", 100.0 * part as f64 / whole as f64) }
}
