//! What messages, their logs and the edge log did.

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

/// How messages were kept, and what their logs moved.
fn kept(record: &MessageRecord) -> Vec<Fact> {
    let number = |name, count| Fact::number(name, Quantity::Count(count));
    let bytes = |name, bytes| Fact::number(name, Quantity::Bytes(bytes));
    vec![
        Fact::text("delivery", &*record.delivery),
        Fact::text("logs", &*record.log),
        number("messages sent", record.sent),
        number("messages delivered", record.delivered),
        bytes("written to logs", record.log_bytes_written),
        bytes("read from logs", record.log_bytes_read),
        Fact::text("fusing", on_or_off(record.fuse)),
        number("times that messages were grouped", record.groups),
        number("intervals that were fused", record.fused),
        number("vertices computed", record.computed),
    ]
}

/// Which pages lists came from, and what the edge log saved of them.
fn pages(record: &MessageRecord) -> Vec<Fact> {
    let number = |name, count| Fact::number(name, Quantity::Count(count));
    let bytes = |name, bytes| Fact::number(name, Quantity::Bytes(bytes));
    vec![
        number("pages with active lists", record.pages),
        number("of these, less than 10% of it used", record.thin_pages),
        Fact::text("of these, predicted", share(record.predicted_pages as f64, record.thin_pages as f64)),
        Fact::text("edge log", on_or_off(record.edge_log)),
        number("lists logged", record.logged_lists),
        number("lists from the edge log", record.lists_from_log),
        bytes("written to the edge log", record.edge_log_bytes_written),
        bytes("read from the edge log", record.edge_log_bytes_read),
    ]
}
