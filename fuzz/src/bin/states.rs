//! Fuzz target: `cargo +nightly fuzz run states --features libfuzzer`, or `make fuzz`.
#![no_main]

libfuzzer_sys::fuzz_target!(
    init: outcrop_fuzz::start("states"),
    |data: &[u8]| outcrop_fuzz::run("states", data)
);
