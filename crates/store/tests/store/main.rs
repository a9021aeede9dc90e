//! Builds small stores and compares everything in them with a naive model; then damages, interrupts and starves them.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, its helpers included")]

mod cases;
mod harm;
mod reading;
mod writing;
