//! Journal of a store: the edges of updates, by generation, and the times of edges (`docs/format/journal.md`). Lists
//! contain the current graph, and the journal its history: incremental runs read the updates since an earlier result
//! from it, and time windows are read from it.

mod between;
mod block;
mod entry;
mod given;
mod merge;
mod reader;
mod update;
mod writer;

pub use between::EdgesBetween;
pub(crate) use entry::is_journal_name;
pub use entry::{JournalEntry, NamedUpdate, SegmentEntry};
pub use given::GivenEdges;
pub(crate) use merge::{JournalWriter, NewUpdate, WrittenJournal};
pub use reader::came_from;
pub(crate) use reader::{SegmentReader, check, id_kind};
pub use update::JournalUpdate;
pub(crate) use writer::SegmentWriter;
