//! Markdown tables.

use outcrop::RunRecord;
use serde::Serialize;

/// Table with a label per row and a cell per column.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Table {
    pub(crate) title: String,
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<(String, Vec<String>)>,
}

impl Table {
    pub(crate) fn new<C: Into<String>>(title: impl Into<String>, columns: impl IntoIterator<Item = C>) -> Self {
        Self { title: title.into(), columns: columns.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, label: impl Into<String>, cells: impl IntoIterator<Item = String>) {
        self.rows.push((label.into(), cells.into_iter().collect()));
    }

    pub(crate) fn text(&self) -> String {
        let cells = |cells: &[String]| cells.iter().map(|cell| format!(" {cell} |")).collect::<String>();
        let rows = self.rows.iter().map(|(label, row)| format!("| {label} |{}\n", cells(row))).collect::<String>();
        let rule = "---|".repeat(self.columns.len());
        format!("{}\n\n| |{}\n|---|{rule}\n{rows}\n", self.title, cells(&self.columns))
    }
}

/// Runs by row and algorithm.
#[derive(Clone, Debug, Default)]
pub(crate) struct Grid {
    pub(crate) rows: Vec<(String, Vec<RunRecord>)>,
}

impl Grid {
    /// Adds the runs of a row.
    pub(crate) fn row(&mut self, label: impl Into<String>, runs: Vec<RunRecord>) {
        self.rows.push((label.into(), runs));
    }

    /// Returns the runs of a row, or none if the row does not exist.
    pub(crate) fn runs(&self, row: usize) -> &[RunRecord] {
        self.rows.get(row).map_or(&[], |(_, runs)| runs)
    }

    /// Returns the algorithms of the columns.
    fn columns(&self) -> impl Iterator<Item = &str> {
        self.runs(0).iter().map(|run| &*run.task.algorithm)
    }

    /// Returns a table of a figure of each run.
    pub(crate) fn table(&self, title: impl Into<String>, cell: impl Fn(&RunRecord) -> String) -> Table {
        let mut table = Table::new(title, self.columns());
        self.rows.iter().for_each(|(label, runs)| table.row(label, runs.iter().map(&cell)));
        table
    }

    /// Returns a table of a figure of each run, and of its ratio to the first row.
    pub(crate) fn relative(
        &self,
        title: &str,
        figure: impl Fn(&RunRecord) -> f64,
        shown: impl Fn(f64) -> String,
    ) -> Table {
        let first: Vec<f64> = self.runs(0).iter().map(&figure).collect();
        let mut table = Table::new(format!("{title} (in parts of the first row)"), self.columns());
        for (number, (label, runs)) in self.rows.iter().enumerate() {
            let cells = runs.iter().map(&figure).zip(&first).map(|(mine, first)| match number > 0 && *first > 0.0 {
                true => format!("{} ({:.2})", shown(mine), mine / first),
                false => shown(mine),
            });
            table.row(label, cells);
        }
        table
    }
}

/// Figure or table of a paper: the paper's finding, and the finding here.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Section {
    /// Number of the figure or table.
    pub(crate) name: String,
    /// Finding of the paper.
    pub(crate) paper: &'static str,
    /// Finding here, in words.
    pub(crate) here: Vec<String>,
    pub(crate) tables: Vec<Table>,
}

impl Section {
    pub(crate) fn new(name: impl Into<String>, paper: &'static str, tables: Vec<Table>) -> Self {
        Self { name: name.into(), paper, here: Vec::new(), tables }
    }

    /// Adds a line about the finding here.
    pub(crate) fn here(mut self, line: impl Into<String>) -> Self {
        self.here.push(line.into());
        self
    }

    pub(crate) fn text(&self) -> String {
        let here: String = self.here.iter().map(|line| format!("Here: {line}\n\n")).collect();
        let tables: String = self.tables.iter().map(Table::text).collect();
        format!("\n## {}\n\nPaper: {}\n\n{here}{tables}", self.name, self.paper)
    }
}
