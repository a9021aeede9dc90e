//! `outcrop serve`.

mod answers;
mod client;
mod connections;
mod refusals;
mod updates;
