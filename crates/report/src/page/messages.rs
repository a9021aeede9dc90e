//! Facts about messages, their logs and the edge log.

use super::Part;
use super::facts::Fact;
use super::units::{Quantity, share};
use crate::record::MessageRecord;

/// The section of a run in the model `messages`.
pub(super) fn message_part(record: &MessageRecord) -> Part {
    let mut facts = kept(record);
    facts.extend(pages(record));
    Part { name: "Messages", facts }
}

const fn on_or_off(on: bool) -> &'static str {
    if on { "on" } else { "off" }
}

/// Facts about how messages were kept, and what their logs moved.
fn kept(record: &MessageRecord) -> Vec<Fact> {
    let number = |name, count| Fact::number(name, Quantity::Count(count));
    let bytes = |name, bytes| Fact::number(name, Quantity::Bytes(bytes));
    vec![
        Fact::text("delivery", &*record.delivery),
        Fact::text("logs", &*record.log),
        number("messages sent", record.figures.sent),
        number("messages delivered", record.figures.delivered),
        bytes("written to logs", record.figures.log_bytes_written),
        bytes("read from logs", record.figures.log_bytes_read),
        Fact::text("fusing", on_or_off(record.fuse)),
        number("times that messages were grouped", record.figures.groups),
        number("intervals that were fused", record.figures.fused),
        number("vertices computed", record.figures.computed),
    ]
}

/// Facts about the pages that lists came from, and what the edge log saved of them.
fn pages(record: &MessageRecord) -> Vec<Fact> {
    let number = |name, count| Fact::number(name, Quantity::Count(count));
    let bytes = |name, bytes| Fact::number(name, Quantity::Bytes(bytes));
    vec![
        number("pages with active lists", record.figures.pages),
        number("of these, less than 10% of it used", record.figures.thin_pages),
        Fact::text(
            "of these, predicted",
            share(record.figures.predicted_pages as f64, record.figures.thin_pages as f64),
        ),
        Fact::text("edge log", on_or_off(record.edge_log)),
        number("lists logged", record.figures.logged_lists),
        number("lists from the edge log", record.figures.lists_from_log),
        bytes("written to the edge log", record.figures.edge_log_bytes_written),
        bytes("read from the edge log", record.figures.edge_log_bytes_read),
    ]
}
