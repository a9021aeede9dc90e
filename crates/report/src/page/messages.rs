//! Facts about messages, their logs and the edge log.

use super::document::Part;
use super::facts::Fact;
use super::units::share;
use crate::record::MessageRecord;

/// Returns the section of a run with the model `messages`.
pub(super) fn message_part(record: &MessageRecord) -> Part {
    let mut facts = kept(record);
    facts.extend(pages(record));
    Part { name: "Messages", facts }
}

const fn on_or_off(on: bool) -> &'static str {
    if on { "on" } else { "off" }
}

/// Returns facts about the storage of messages and the I/O of their logs.
fn kept(record: &MessageRecord) -> Vec<Fact> {
    vec![
        Fact::text("delivery", &*record.delivery),
        Fact::text("logs", &*record.log),
        Fact::count("messages sent", record.figures.sent),
        Fact::count("messages delivered", record.figures.delivered),
        Fact::bytes("written to logs", record.figures.log_bytes_written),
        Fact::bytes("read from logs", record.figures.log_bytes_read),
        Fact::text("fusing", on_or_off(record.fuse)),
        Fact::count("message groupings", record.figures.groups),
        Fact::count("fused intervals", record.figures.fused),
        Fact::count("vertices computed", record.figures.computed),
    ]
}

/// Returns facts about the pages of lists, and the savings by the edge log.
fn pages(record: &MessageRecord) -> Vec<Fact> {
    vec![
        Fact::count("pages with active lists", record.figures.pages),
        Fact::count("of these, used by less than 10%", record.figures.thin_pages),
        Fact::text(
            "of these, predicted",
            share(record.figures.predicted_pages as f64, record.figures.thin_pages as f64),
        ),
        Fact::text("edge log", on_or_off(record.edge_log)),
        Fact::count("lists logged", record.figures.logged_lists),
        Fact::count("lists from the edge log", record.figures.lists_from_log),
        Fact::bytes("written to the edge log", record.figures.edge_log_bytes_written),
        Fact::bytes("read from the edge log", record.figures.edge_log_bytes_read),
    ]
}
