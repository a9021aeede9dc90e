//! Fuzz target: `cargo +nightly fuzz run vertices --features libfuzzer`, or `make fuzz`.
#![no_main]

libfuzzer_sys::fuzz_target!(
    init: outcrop_fuzz::start("vertices"),
    |data: &[u8]| outcrop_fuzz::run("vertices", data)
);
