//! Figures: heading, legend, drawing, and a table of its numbers.

use crate::page::markup::{details, element, escape};
use crate::page::units::Quantity;

/// Series of one number per column.
pub(super) struct Series {
    pub(super) name: &'static str,
    /// CSS class of its color.
    pub(super) color: &'static str,
    pub(super) values: Vec<Quantity>,
}

/// Returns a figure that consists of a table.
pub(crate) fn open_table(title: &str, caption: &str, table: &str) -> String {
    let head = element("h3", title) + &element("p", caption);
    format!("<figure>\n<figcaption>{head}</figcaption>\n{table}</figure>\n")
}

/// Returns a figure around a chart.
pub(super) fn figure(title: &str, caption: &str, legend: &[(&str, String)], drawn: &str, table: &str) -> String {
    let key = |(color, name): &(&str, String)| format!("<li><span class=\"key {color}\"></span>{}</li>", escape(name));
    let legend: String = legend.iter().map(key).collect();
    let legend = if legend.is_empty() { legend } else { format!("<ul class=\"legend\">{legend}</ul>\n") };
    let head = element("h3", title) + &element("p", caption);
    let numbers = details("Data", table);
    format!("<figure>\n<figcaption>{head}</figcaption>\n{legend}{drawn}{numbers}</figure>\n")
}
