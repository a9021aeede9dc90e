//! Selections: whose lists stay in memory (BASC: Lee, Kim, Lim, Noh, Seo, USENIX ATC 2019, section 3).
//!
//! A selection is a list of vertices, those first whose lists are worth most. Whoever has less memory takes fewer of
//! them.

mod batch;
mod candidates;
mod greedy;
mod gvs;
mod page_members;
mod page_requests;

pub use candidates::Candidates;
pub use gvs::{GvsOptions, Preference, Requesters, Rounds, gvs, gvs_bytes};
