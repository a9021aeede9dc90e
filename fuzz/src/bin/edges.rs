//! Fuzz target: `cargo +nightly fuzz run edges --features libfuzzer`, or `make fuzz`.
#![no_main]

libfuzzer_sys::fuzz_target!(
    init: outcrop_fuzz::start("edges"),
    |data: &[u8]| outcrop_fuzz::run("edges", data)
);
