//! Chart of choices between two options per iteration: one band per choice.

use super::figure::figure;
use super::frame::{self, FOOT, LEFT, Places};
use crate::page::columns::Column;
use crate::page::markup::{escape, table, tooltip};

/// Height of a band, and distance between bands.
const BAND: f64 = 26.0;
const NEXT: f64 = 38.0;

/// Choice: the names of its two options, and the share of the first per column.
pub(crate) struct Half {
    pub(crate) names: [&'static str; 2],
    pub(crate) colors: [&'static str; 2],
    pub(crate) shares: Vec<f64>,
}

impl Half {
    fn text(&self, column: usize) -> String {
        // Default: iterations that were not recorded have neither option.
        let share = self.shares.get(column).copied().unwrap_or_default();
        match share {
            0.0 => self.names[1].to_owned(),
            1.0 => self.names[0].to_owned(),
            share => format!("{:.0}% {}", share * 100.0, self.names[0]),
        }
    }
}

/// Returns the figure of all `halves`, one below the other; `None` without columns.
pub(crate) fn strip(title: &str, caption: &str, columns: &[Column], halves: &[Half]) -> Option<String> {
    let keys = halves.iter().flat_map(|half| half.colors.into_iter().zip(half.names.map(str::to_owned)));
    let drawn = || picture(title, columns, halves);
    let numbers = || numbers(columns, halves);
    (!columns.is_empty()).then(|| figure(title, caption, &keys.collect::<Vec<_>>(), &drawn(), &numbers()))
}

fn picture(title: &str, columns: &[Column], halves: &[Half]) -> String {
    let places = Places::new(columns.len());
    let column = |(place, column): (usize, &Column)| {
        let texts: String = halves.iter().map(|half| format!("; {}", half.text(place))).collect();
        let bands: String = halves.iter().enumerate().map(|(band, half)| cell(band, half, &places, place)).collect();
        format!("<g class=\"column\">{}{bands}</g>\n", tooltip(&format!("{}{texts}", column.name)))
    };
    let drawn: String = columns.iter().enumerate().map(column).collect();
    let bottom = halves.len() as f64 * NEXT;
    let labels: String = halves.iter().enumerate().map(|(band, half)| label(band, half)).collect();
    let inside = labels + &drawn + &frame::names(columns, &places, bottom);
    frame::picture(&format!("{title}: {} columns", columns.len()), bottom + FOOT, &inside)
}

fn top(band: usize) -> f64 {
    8.0 + band as f64 * NEXT
}

fn label(band: usize, half: &Half) -> String {
    let (x, y) = (LEFT - 6.0, top(band) + BAND / 2.0);
    let name = |name: &str, y: f64| {
        format!("<text class=\"tick\" x=\"{x}\" y=\"{y:.1}\" text-anchor=\"end\">{}</text>", escape(name))
    };
    name(half.names[0], y - 2.0) + &name(half.names[1], y + 10.0)
}

/// Renders the first option from the top and the second from the bottom.
fn cell(band: usize, half: &Half, places: &Places, column: usize) -> String {
    let (x, width) = places.bar(column);
    // Default: iterations that were not recorded have neither option.
    let share = half.shares.get(column).copied().unwrap_or_default();
    let part = |color: &str, y: f64, height: f64| {
        format!("<rect class=\"{color}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>")
    };
    let (y, first) = (top(band), BAND * share);
    let upper = if share > 0.0 { part(half.colors[0], y, first) } else { String::new() };
    let lower = if share < 1.0 { part(half.colors[1], y + first, BAND - first) } else { String::new() };
    upper + &lower
}

fn numbers(columns: &[Column], halves: &[Half]) -> String {
    let pairs = halves.iter().map(|half| half.names.join(" or "));
    let header: Vec<_> = std::iter::once("iteration".to_owned()).chain(pairs).collect();
    let row = |(place, column): (usize, &Column)| {
        std::iter::once(column.name.clone()).chain(halves.iter().map(|half| half.text(place))).collect()
    };
    let rows: Vec<Vec<String>> = columns.iter().enumerate().map(row).collect();
    table(&header, &rows)
}
