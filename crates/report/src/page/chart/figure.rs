//! Figures: heading, legend, what is drawn, and its numbers in a table.

use crate::page::markup::{details, element, escape};
use crate::page::units::Quantity;

/// One number a column.
pub(super) struct Series {
    pub(super) name: &'static str,
    /// The class of its colour in the style sheet.
    pub(super) colour: &'static str,
    pub(super) values: Vec<Quantity>,
}

/// A figure that is a table by itself.
pub(crate) fn open_table(title: &str, caption: &str, table: &str) -> String {
    let head = element("h3", title) + &element("p", caption);
    format!("<figure>\n<figcaption>{head}</figcaption>\n{table}</figure>\n")
}

/// Figure around a chart.
pub(super) fn figure(title: &str, caption: &str, legend: &[(&str, String)], drawn: &str, table: &str) -> String {
    let key =
        |(colour, name): &(&str, String)| format!("<li><span class=\"key {colour}\"></span>{}</li>", escape(name));
    let legend: String = legend.iter().map(key).collect();
    let legend = if legend.is_empty() { legend } else { format!("<ul class=\"legend\">{legend}</ul>\n") };
    let head = element("h3", title) + &element("p", caption);
    let numbers = details("Data", table);
    format!("<figure>\n<figcaption>{head}</figcaption>\n{legend}{drawn}{numbers}</figure>\n")
}
