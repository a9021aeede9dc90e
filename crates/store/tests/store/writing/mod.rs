//! Stores written, updated, numbered anew and kept from older versions.

mod beside_readers;
pub mod built;
pub mod frozen;
mod levels;
pub mod links;
pub mod new_vertices;
pub mod relations;
pub mod renumbering;
pub mod updates;
pub mod writer_locks;
