//! The `outcrop` command as users meet it: every promise that can be seen from outside, kept by the real binary.
//!
//! One binary for all of them, so that it is linked once. Long variants are ignored; run them with `cargo test --
//! --ignored`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "what these tests set up must work")]
#![allow(clippy::print_stdout, reason = "long tests say what they have met")]

mod damage;
mod driver;
mod exit_codes;
mod first_contact;
mod help_pages;
mod input;
mod output;
mod runs;
mod serve;
mod stores;
mod updates;
