//! Panics in the decoders of other libraries, which are errors of the file.

use outcrop_types::{Error, Location, Result};
use std::cell::Cell;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    static DECODING: Cell<bool> = const { Cell::new(false) };
}

static HOOK: Once = Once::new();

/// Returns the error for a damaged file.
pub(super) fn damaged(name: &str, message: &str) -> Error {
    Error::bad_input(Location::file(name), format!("the file is damaged or has another format: {message}"))
}

/// Returns the result of a decoder, or an error if it fails or panics: decoders panic if a file contradicts itself.
///
/// The message of the panic is a part of the error, so it is not reported as a panic: the hook for panics is replaced,
/// once per process, by one that leaves out those of decoders.
pub(crate) fn decoded<T, E: Display>(name: &str, decode: impl FnOnce() -> Result<T, E>) -> Result<T> {
    HOOK.call_once(|| {
        let others = take_hook();
        set_hook(Box::new(move |panic| {
            if !DECODING.get() {
                others(panic);
            }
        }));
    });
    let outer = DECODING.replace(true);
    let outcome = catch_unwind(AssertUnwindSafe(decode));
    DECODING.set(outer);
    match outcome {
        Ok(outcome) => outcome.map_err(|error| damaged(name, &error.to_string())),
        Err(payload) => Err(damaged(name, &format!("its decoder failed: {}", Error::panic_message(payload.as_ref())))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    #[test]
    fn a_panic_of_a_decoder_is_an_error_and_not_reported() {
        static REPORTED: AtomicUsize = AtomicUsize::new(0);
        let mine = |panic: &std::panic::PanicHookInfo<'_>| {
            panic.payload_as_str().is_some_and(|text| text.contains("of this test"))
        };
        let before = take_hook();
        set_hook(Box::new(move |panic| if mine(panic) { _ = REPORTED.fetch_add(1, Relaxed) } else { before(panic) }));
        let failed = decoded("edges.arrow", || -> Result<()> { panic!("type {} of this test", 7) });
        let error = failed.unwrap_err().to_string();
        assert!(error.contains("edges.arrow") && error.contains("its decoder failed: type 7 of this test"), "{error}");
        let plain = decoded("edges.arrow", || -> Result<()> { panic!("text of this test") }).unwrap_err().to_string();
        assert!(plain.contains("its decoder failed: text of this test"), "{plain}");
        assert_eq!(REPORTED.load(Relaxed), 0);
        catch_unwind(|| panic!("panic of this test")).unwrap_err();
        assert_eq!(REPORTED.load(Relaxed), 1);
        assert_eq!(decoded("edges.arrow", || Ok::<_, Error>(3)).unwrap(), 3);
    }
}
