//! Pages: title, headline, charts, parts and facts as HTML.

use super::facts::{Fact, headline, list};
use super::markup::{element, escape};

pub(super) const STYLE: &str = include_str!("style.css");

/// Content of every page.
pub(super) struct Page {
    /// Title, shown in the title bar and at the top.
    pub(super) title: String,
    /// Text below the title.
    pub(super) about: String,
    /// Key figures in large type.
    pub(super) headline: Vec<Fact>,
    pub(super) facts: Vec<Fact>,
    /// Facts about parts of the work, if any.
    pub(super) parts: Vec<Part>,
    pub(super) charts: Vec<String>,
}

/// Facts under a separate heading.
pub(super) struct Part {
    pub(super) name: &'static str,
    pub(super) facts: Vec<Fact>,
}

impl Part {
    fn to_html(&self) -> String {
        let (name, facts) = (escape(self.name), list(&self.facts));
        format!("<section aria-label=\"{name}\">{}{facts}</section>\n", element("h2", self.name))
    }
}

impl Page {
    pub(super) fn to_html(&self) -> String {
        let title = element("title", &self.title);
        // Browsers request no external resources, even if a name was not escaped.
        let policy =
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>";
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
             <meta name=\"color-scheme\" content=\"light dark\"/>\n{policy}\n{title}\n<style>\n{STYLE}</style>\n</head>\n\
             <body>\n<main>\n<header>{}{}</header>\n{}<section class=\"charts\" aria-label=\"Charts\">\n{}</section>\n\
             {}<section aria-label=\"Facts\">{}{}</section>\n</main>\n<footer>{}</footer>\n</body>\n</html>\n",
            element("h1", &self.title),
            element("p", &self.about),
            headline(&self.headline),
            self.charts.concat(),
            self.parts.iter().map(Part::to_html).collect::<String>(),
            element("h2", "All facts"),
            list(&self.facts),
            escape(concat!("Written by outcrop ", env!("CARGO_PKG_VERSION"), ". This page needs no network.")),
        )
    }
}
