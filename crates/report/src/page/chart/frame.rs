//! Frame of charts with columns.

use crate::page::columns::Column;
use crate::page::markup::{escape, tooltip};
use crate::page::units::count;

pub(super) const WIDTH: f64 = 440.0;
pub(super) const LEFT: f64 = 54.0;
pub(super) const RIGHT: f64 = 432.0;
pub(super) const TOP: f64 = 10.0;
pub(super) const BOTTOM: f64 = 160.0;
/// Distance between the chart area and the lower edge.
pub(super) const FOOT: f64 = 34.0;
/// Maximum width of a column, so that a single iteration does not fill the chart.
const WIDEST: f64 = 48.0;
/// Maximum number of labeled columns, not counting the first.
const NAMED: usize = 6;

/// Positions of columns.
pub(super) struct Places {
    columns: usize,
    step: f64,
}

impl Places {
    pub(super) fn new(columns: usize) -> Self {
        Self { columns, step: (RIGHT - LEFT) / columns.max(1) as f64 }
    }

    /// Returns the center of a column.
    pub(super) fn middle(&self, column: usize) -> f64 {
        LEFT + (column as f64 + 0.5) * self.step
    }

    /// Renders a column with its drawing and the tooltip `text`.
    pub(super) fn column(&self, column: usize, text: &str, drawn: &str) -> String {
        let (left, width, height, text) = (LEFT + column as f64 * self.step, self.step, BOTTOM - TOP, tooltip(text));
        format!(
            "<g class=\"column\">{text}{drawn}\
             <rect class=\"reach\" x=\"{left:.1}\" y=\"{TOP}\" width=\"{width:.1}\" height=\"{height}\"/></g>\n"
        )
    }

    /// Returns the left edge and the width of a bar.
    pub(super) fn bar(&self, column: usize) -> (f64, f64) {
        // Narrow bars overlap slightly, so that no gap shows between them.
        let width = if self.step > 4.0 { (self.step * 0.8).min(WIDEST) } else { self.step + 0.2 };
        (self.middle(column) - width / 2.0, width)
    }

    /// Returns the columns with labels: the first, and every second, fifth, tenth...
    fn named(&self) -> impl Iterator<Item = usize> {
        let steps =
            (0..).flat_map(|power| [1, 2, 5].map(|step: usize| step.saturating_mul(10_usize.saturating_pow(power))));
        // Default: one label for all columns.
        let step = steps.into_iter().find(|step| self.columns / step <= NAMED).unwrap_or(usize::MAX);
        // A 2 would touch the 1.
        let round = move |column: usize| (column + 1).is_multiple_of(step) && (step == 1 || column > 1);
        (0..self.columns).filter(move |column| *column == 0 || round(*column))
    }
}

/// Returns the labels below the columns; `bottom` is the lower edge of the chart area.
pub(super) fn names(columns: &[Column], places: &Places, bottom: f64) -> String {
    let name = |place: usize| {
        let text = columns.get(place).map_or(String::new(), |column| count(column.first.into()));
        let (x, y) = (places.middle(place), bottom + 14.0);
        format!("<text class=\"tick\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{text}</text>")
    };
    let names: String = places.named().map(name).collect();
    let (x, y) = ((LEFT + RIGHT) / 2.0, bottom + 29.0);
    format!("{names}<text class=\"tick\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">iteration</text>\n")
}

/// Returns the picture around `inside`, with the accessible description `label`.
pub(super) fn picture(label: &str, height: f64, inside: &str) -> String {
    let label = escape(label);
    format!("<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{label}\">\n{inside}</svg>\n")
}
