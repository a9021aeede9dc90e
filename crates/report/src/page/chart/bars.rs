//! Bars, the series one upon the other.

use super::Series;
use super::axis::Axis;
use super::frame::{BOTTOM, Places};
use crate::page::markup::tooltip;

/// Anything that is not nothing can be seen.
const LEAST: f64 = 0.8;

pub(super) fn bars(series: &[Series], axis: &Axis, places: &Places, texts: &[String]) -> String {
    texts.iter().enumerate().map(|(column, text)| bar(series, axis, places, (column, text))).collect()
}

fn bar(series: &[Series], axis: &Axis, places: &Places, (column, text): (usize, &String)) -> String {
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
            one.colour,
            foot - top
        );
        foot = top;
    }
    let (left, reach) = places.reach(column);
    let (top, height) = (super::frame::TOP, BOTTOM - super::frame::TOP);
    let found = format!("<rect class=\"reach\" x=\"{left:.1}\" y=\"{top}\" width=\"{reach:.1}\" height=\"{height}\"/>");
    format!("<g class=\"column\">{}{parts}{found}</g>\n", tooltip(text))
}
