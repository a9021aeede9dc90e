//! Line chart with one line per series, with dots if there is room.

use super::axis::Axis;
use super::figure::Series;
use super::frame::Places;

/// Maximum number of columns with dots.
const DOTTED: usize = 60;

pub(super) fn lines(series: &[Series], axis: &Axis, places: &Places) -> String {
    series.iter().map(|series| line(series, axis, places)).collect()
}

fn line(series: &Series, axis: &Axis, places: &Places) -> String {
    let values = series.values.iter().enumerate();
    let points: Vec<_> = values.map(|(column, value)| (places.middle(column), axis.place(value.drawn()))).collect();
    let path: Vec<_> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let dot =
        |(x, y): &(f64, f64)| format!("<circle class=\"{}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.5\"/>", series.color);
    let dots: String = if points.len() > DOTTED { String::new() } else { points.iter().map(dot).collect() };
    format!("<polyline class=\"line {}\" points=\"{}\"/>{dots}\n", series.color, path.join(" "))
}

/// Returns hover areas above and below the lines.
pub(super) fn reaches(places: &Places, texts: &[String]) -> String {
    texts.iter().enumerate().map(|(column, text)| places.column(column, text, "")).collect()
}
