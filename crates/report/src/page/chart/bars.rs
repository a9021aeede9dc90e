//! Stacked bar chart.

use super::axis::Axis;
use super::figure::Series;
use super::frame::{BOTTOM, Places};

/// Minimum height of a nonzero value, so that it is visible.
const LEAST: f64 = 0.8;

pub(super) fn bars(series: &[Series], axis: &Axis, places: &Places, texts: &[String]) -> String {
    texts.iter().enumerate().map(|(column, text)| bar(series, axis, places, column, text)).collect()
}

fn bar(series: &[Series], axis: &Axis, places: &Places, column: usize, text: &str) -> String {
    let (x, width) = places.bar(column);
    let mut sum = 0.0;
    let mut foot = BOTTOM;
    let mut parts = String::new();
    for one in series {
        let value = one.values.get(column).map_or(0.0, |value| value.drawn());
        if value <= 0.0 {
            continue;
        }
        sum += value;
        let top = axis.place(sum).min(foot - LEAST);
        parts += &format!(
            "<rect class=\"{}\" x=\"{x:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{:.1}\"/>",
            one.color,
            foot - top
        );
        foot = top;
    }
    places.column(column, text, &parts)
}
