//! Horizontal bars, one per name, for phases and files.

use super::figure::figure;
use super::frame::{WIDTH, picture};
use crate::page::markup::{element, escape, table, tooltip};
use crate::page::units::Quantity;

/// Height of a row: its name and value above, its bar below.
const ROW: f64 = 32.0;
/// Maximum length of a name; longer names are truncated, with the full name in the tooltip and the table.
const LONGEST: usize = 40;
/// Maximum number of rows; the remaining ones are only counted.
const MOST: usize = 40;

/// Named quantity, with further columns of the table.
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) value: Quantity,
    pub(crate) more: Vec<String>,
}

/// Returns the figure of `rows`, or `None` without any; `header` contains the column names of its table.
pub(crate) fn rows(title: &str, caption: &str, header: &[&str], color: &str, rows: &[Row]) -> Option<String> {
    if rows.is_empty() {
        return None;
    }
    let most = rows.iter().map(|row| row.value.drawn()).fold(0.0, f64::max);
    let scale = if most > 0.0 { WIDTH / most } else { 0.0 };
    let drawn: String = rows.iter().take(MOST).enumerate().map(|(place, row)| bar(place, row, scale, color)).collect();
    let shown = rows.len().min(MOST);
    let label = format!("{title}: {} rows", rows.len());
    let drawn = picture(&label, shown as f64 * ROW, &drawn);
    let rest = rows.len() - shown;
    let rest = if rest > 0 { element("p", &format!("and {rest} more")) } else { String::new() };
    Some(figure(title, caption, &[], &(drawn + &rest), &numbers(header, rows)))
}

fn bar(place: usize, row: &Row, scale: f64, color: &str) -> String {
    let y = place as f64 * ROW;
    let width = if row.value.drawn() > 0.0 { (row.value.drawn() * scale).max(1.0) } else { 0.0 };
    let cut = row.name.chars().count() > LONGEST;
    let name: String = row.name.chars().take(LONGEST).chain(cut.then_some('…')).collect();
    let (text, bar) = (y + 13.0, y + 18.0);
    format!(
        "<g class=\"row\">{}<text x=\"0\" y=\"{text}\">{}</text>\
         <text class=\"tick\" x=\"{WIDTH}\" y=\"{text}\" text-anchor=\"end\">{}</text>\
         <rect class=\"rest\" x=\"0\" y=\"{bar}\" width=\"{WIDTH}\" height=\"8\"/>\
         <rect class=\"{color}\" x=\"0\" y=\"{bar}\" width=\"{width:.1}\" height=\"8\"/></g>\n",
        tooltip(&format!("{}: {}", row.name, row.value.both())),
        escape(&name),
        escape(&row.value.short()),
    )
}

fn numbers(header: &[&str], rows: &[Row]) -> String {
    let header: Vec<_> = header.iter().map(|&name| name.to_owned()).collect();
    let cells = |row: &Row| [row.name.clone(), row.value.exact()].into_iter().chain(row.more.iter().cloned()).collect();
    table(&header, &rows.iter().take(1000).map(cells).collect::<Vec<_>>())
}
