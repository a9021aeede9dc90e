//! Fuzz target: `cargo +nightly fuzz run codecs --features libfuzzer`, or `make fuzz`.
#![no_main]

libfuzzer_sys::fuzz_target!(
    init: outcrop_fuzz::start("codecs"),
    |data: &[u8]| outcrop_fuzz::run("codecs", data)
);
