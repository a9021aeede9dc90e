//! Logs of messages, against maps in memory.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking, its helpers included")]

mod groups;
mod setting;
