//! Fuzz target: `cargo +nightly fuzz run stores --features libfuzzer`, or `make fuzz`.
#![no_main]

libfuzzer_sys::fuzz_target!(
    init: outcrop_fuzz::start("stores"),
    |data: &[u8]| outcrop_fuzz::run("stores", data)
);
