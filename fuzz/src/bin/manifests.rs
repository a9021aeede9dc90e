//! Fuzz target: `cargo +nightly fuzz run manifests --features libfuzzer`, or `make fuzz`.
#![no_main]

libfuzzer_sys::fuzz_target!(
    init: outcrop_fuzz::start("manifests"),
    |data: &[u8]| outcrop_fuzz::run("manifests", data)
);
