//! Advice about future access to files.

use std::num::NonZeroU64;
use std::os::fd::AsFd;

/// Future access to a range of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FileAdvice {
    Sequential,
    Random,
    WillNeed,
    DontNeed,
}

/// Advises the system about `length` bytes from `offset` on, or all of them. It may refuse the advice without harm;
/// macOS and Miri have no such call.
pub(crate) fn advise(file: impl AsFd, offset: u64, length: Option<NonZeroU64>, advice: FileAdvice) {
    #[cfg(all(target_os = "linux", not(miri)))]
    {
        let advice = match advice {
            FileAdvice::Sequential => rustix::fs::Advice::Sequential,
            FileAdvice::Random => rustix::fs::Advice::Random,
            FileAdvice::WillNeed => rustix::fs::Advice::WillNeed,
            FileAdvice::DontNeed => rustix::fs::Advice::DontNeed,
        };
        _ = rustix::fs::fadvise(file, offset, length, advice);
    }
    #[cfg(not(all(target_os = "linux", not(miri))))]
    {
        _ = (file, offset, length, advice);
    }
}
