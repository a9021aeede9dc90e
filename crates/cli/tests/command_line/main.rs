//! The `outcrop` command as users meet it: every promise that can be seen from outside, kept by the real binary.
//!
//! One binary for all of them, so that it is linked once. Long variants are ignored; run them with `cargo test -- --ignored`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "what these tests set up must work")]
#![allow(clippy::print_stdout, reason = "long tests say what they have met")]

mod arrivals;
mod budgets;
mod conversions;
mod copies;
mod damage;
mod driver;
mod exit_codes;
mod fallbacks;
mod file_systems;
mod gas;
mod help_pages;
mod input;
mod layouts;
mod links;
mod memory_limits;
mod messages;
mod models;
mod orders;
mod output_files;
mod outputs;
mod permissions;
mod reports;
mod same_answers;
mod schedules;
mod selections;
mod updates;
mod weights;
