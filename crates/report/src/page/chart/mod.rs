//! Charts as inline SVG, each with its legend and its numbers in a table.

mod axis;
mod bars;
mod figure;
mod frame;
mod lines;
mod rows;
mod stack;
mod strip;

pub(super) use figure::open_table;
pub(super) use rows::{Row, rows};
pub(super) use stack::stack;
pub(super) use strip::{Half, strip};

use super::columns::{Column, Columns};
use super::markup::table;
use super::units::{Quantity, Unit};
use axis::Axis;
use figure::{Series, figure};
use frame::{BOTTOM, FOOT, LEFT, Places, RIGHT};

/// Shape of the columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Lines, one per series.
    Lines,
    /// Stacked bars.
    Bars,
}

/// Reference value for all columns.
struct Mark {
    name: &'static str,
    value: Quantity,
}

/// Chart with one column per iteration, or another unit.
pub(super) struct Chart<'c> {
    title: &'static str,
    caption: String,
    shape: Shape,
    /// Name of what the columns are.
    per: &'static str,
    columns: &'c [Column],
    series: Vec<Series>,
    mark: Option<Mark>,
}

/// Name, color and numbers of a series.
pub(super) type Curve<'f, T> = (&'static str, &'static str, &'f dyn Fn(&T) -> Quantity);

impl<'c> Chart<'c> {
    /// Creates a chart of the means of `curves` in each of `columns`.
    pub(super) fn new<T>(
        shape: Shape,
        title: &'static str,
        caption: impl Into<String>,
        columns: &'c Columns<'_, T>,
        curves: &[Curve<'_, T>],
    ) -> Self {
        let series = curves.iter().map(|(name, color, of)| Series { name, color, values: columns.means(of) });
        let (caption, per, columns) = (caption.into(), "iteration", columns.names());
        Self { title, caption, shape, per, columns, series: series.collect(), mark: None }
    }

    /// Names the unit of the columns.
    pub(super) fn per(self, unit: &'static str) -> Self {
        Self { per: unit, ..self }
    }

    /// Adds a reference line at `value`, if given.
    pub(super) fn marked(self, name: &'static str, value: Option<Quantity>) -> Self {
        Self { mark: value.map(|value| Mark { name, value }), ..self }
    }

    /// Returns the chart with its heading, legend and table; `None` if all numbers are 0.
    pub(super) fn figure(&self) -> Option<String> {
        let mut values = self.series.iter().flat_map(|series| &series.values);
        values.find(|value| value.drawn() > 0.0)?;
        let axis = self.axis();
        let scale = if axis.is_logarithmic() { " Logarithmic scale." } else { "" };
        let caption = format!("{}{scale}", self.caption);
        let legend: Vec<_> = self.series.iter().map(|series| (series.color, series.name.to_owned())).collect();
        let mark = self.mark.iter().map(|mark| ("mark", format!("{}: {}", mark.name, mark.value.short())));
        let legend: Vec<_> = legend.into_iter().chain(mark).collect();
        Some(figure(self.title, &caption, &legend, &self.picture(&axis), &self.table()))
    }

    fn axis(&self) -> Axis {
        let unit =
            self.series.iter().find_map(|series| series.values.first()).map_or(Unit::Count, |value| value.unit());
        let mark = self.mark.iter().map(|mark| mark.value.drawn());
        let values = self.series.iter().flat_map(|series| series.values.iter().map(|value| value.drawn()));
        if self.shape == Shape::Bars && self.series.len() > 1 {
            return Axis::linear(unit, (0..self.columns.len()).map(|column| self.sum(column)));
        }
        Axis::fitting(unit, values.chain(mark), self.shape == Shape::Bars)
    }

    /// Returns the sum of all series at a column.
    fn sum(&self, column: usize) -> f64 {
        self.series.iter().filter_map(|series| series.values.get(column)).map(|value| value.drawn()).sum()
    }

    fn picture(&self, axis: &Axis) -> String {
        let places = Places::new(self.columns.len());
        let drawn = match self.shape {
            Shape::Lines => lines::lines(&self.series, axis, &places),
            Shape::Bars => bars::bars(&self.series, axis, &places, &self.texts()),
        };
        let reach = if self.shape == Shape::Lines { lines::reaches(&places, &self.texts()) } else { String::new() };
        let inside = axis.grid()
            + &drawn
            + &self.mark.as_ref().map_or_else(String::new, |mark| line_of(mark, axis))
            + &frame::names(self.columns, &places, BOTTOM)
            + &reach;
        frame::picture(&self.label(), BOTTOM + FOOT, &inside)
    }

    /// Returns the tooltips, by column.
    fn texts(&self) -> Vec<String> {
        let part = |series: &Series, place: usize| {
            series.values.get(place).map_or(String::new(), |value| format!("; {} {}", series.name, value.both()))
        };
        let text = |(place, column): (usize, &Column)| {
            column.name.clone() + &self.series.iter().map(|series| part(series, place)).collect::<String>()
        };
        self.columns.iter().enumerate().map(text).collect()
    }

    /// Returns the description of the chart.
    fn label(&self) -> String {
        let most = |series: &Series| {
            let largest = series.values.iter().max_by(|a, b| a.drawn().total_cmp(&b.drawn()));
            largest.map_or(String::new(), |value| format!("; {} at most {}", series.name, value.short()))
        };
        let series: String = self.series.iter().map(most).collect();
        format!("{}: {} columns{series}", self.title, self.columns.len())
    }

    fn table(&self) -> String {
        let names = self.series.iter().map(|series| series.name.to_owned());
        let header: Vec<_> = std::iter::once(self.per.to_owned()).chain(names).collect();
        let cell =
            |series: &Series, place: usize| series.values.get(place).map_or(String::new(), |value| value.exact());
        let row = |(place, column): (usize, &Column)| {
            let cells = self.series.iter().map(|series| cell(series, place));
            std::iter::once(column.name.clone()).chain(cells).collect()
        };
        table(&header, &self.columns.iter().enumerate().map(row).collect::<Vec<_>>())
    }
}

fn line_of(mark: &Mark, axis: &Axis) -> String {
    let y = axis.place(mark.value.drawn());
    let text = super::markup::tooltip(&format!("{}: {}", mark.name, mark.value.both()));
    format!("<line class=\"mark\" x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{RIGHT}\" y2=\"{y:.1}\">{text}</line>\n")
}
