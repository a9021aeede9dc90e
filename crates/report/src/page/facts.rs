//! Facts: names and values, with all digits in a tooltip.

use super::markup::{element, escape};
use super::units::Quantity;

/// Name, value, and the exact value if it differs.
pub(super) struct Fact {
    name: String,
    value: String,
    exact: Option<String>,
}

impl Fact {
    pub(super) fn text(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self { name: name.into(), value: value.into(), exact: None }
    }

    pub(super) fn number(name: impl Into<String>, value: Quantity) -> Self {
        let (short, exact) = (value.short(), value.exact());
        Self { name: name.into(), exact: (short != exact).then_some(exact), value: short }
    }

    pub(super) fn count(name: impl Into<String>, count: u64) -> Self {
        Self::number(name, Quantity::Count(count))
    }

    pub(super) fn bytes(name: impl Into<String>, bytes: u64) -> Self {
        Self::number(name, Quantity::Bytes(bytes))
    }

    pub(super) fn seconds(name: impl Into<String>, seconds: f64) -> Self {
        Self::number(name, Quantity::Seconds(seconds))
    }

    /// Creates a fact with a number that may be unknown.
    pub(super) fn known(name: &str, value: Option<Quantity>) -> Self {
        value.map_or_else(|| Self::text(name, "unknown"), |value| Self::number(name, value))
    }

    fn pair(&self) -> String {
        let title = self.exact.as_ref().map_or_else(String::new, |exact| format!(" title=\"{}\"", escape(exact)));
        format!("<div>{}<dd{title}>{}</dd></div>\n", element("dt", &self.name), escape(&self.value))
    }
}

/// Renders key figures in large type.
pub(super) fn headline(facts: &[Fact]) -> String {
    format!("<dl class=\"headline\">\n{}</dl>\n", facts.iter().map(Fact::pair).collect::<String>())
}

/// Renders facts as a description list.
pub(super) fn list(facts: &[Fact]) -> String {
    format!("<dl class=\"facts\">\n{}</dl>\n", facts.iter().map(Fact::pair).collect::<String>())
}
