//! Fuzz target: `cargo +nightly fuzz run tables --features libfuzzer`, or `make fuzz`.
#![no_main]

libfuzzer_sys::fuzz_target!(
    init: outcrop_fuzz::start("tables"),
    |data: &[u8]| outcrop_fuzz::run("tables", data)
);
