//! Pending updates: edges that were added and removed since the lists were written, and vertices that came with them.
//! They are stored separately from the lists, and every visit merges them.

mod changes;
mod counts;
mod entry;
mod level;
mod levels;
mod new_vertices;
mod patched;
mod publish;
mod request;
mod resolve;

pub use changes::{Change, EdgeChange, EdgeChanges, VertexChanges};
pub use counts::UpdateCounts;
pub use entry::{ChangedLists, UpdatesEntry};
pub(crate) use entry::{DRAFT_NAME, NewVerticesEntry, is_left_over, is_update_name};
pub(crate) use levels::{ChangedDegrees, change_degrees, load_changes, updates_memory};
pub use levels::{MERGE_HINT, degrees_memory};
pub use new_vertices::AddedVertices;
pub(crate) use new_vertices::{NewVertices, Ranked};
pub use patched::with_changes;
pub use request::{UpdateEdges, UpdateReport, update, update_memory};
