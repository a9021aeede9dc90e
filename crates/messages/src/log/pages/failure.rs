//! The first error of a log, reported as often as somebody asks.

use outcrop_types::{Error, Result};

/// The first error, if there was one.
#[derive(Debug, Default)]
pub(crate) struct Failure(Option<Error>);

impl Failure {
    /// Keeps `error` if it is the first.
    pub(crate) fn keep(&mut self, error: Error) {
        self.0.get_or_insert(error);
    }

    pub(crate) const fn has_failed(&self) -> bool {
        self.0.is_some()
    }

    /// The first failure as it was; later the same again.
    pub(crate) fn check(&mut self) -> Result<()> {
        match &mut self.0 {
            None => Ok(()),
            Some(error) => {
                let again = alike(error);
                Err(std::mem::replace(error, again))
            }
        }
    }
}

/// Another error that says the same.
pub(crate) fn alike(error: &Error) -> Error {
    match error {
        Error::DiskFull { path, needed } => Error::DiskFull { path: path.clone(), needed: *needed },
        Error::Io { operation, path, source } => {
            Error::Io { operation, path: path.clone(), source: source.kind().into() }
        }
        Error::Corrupt { path, message, remedy } => {
            Error::Corrupt { path: path.clone(), message: message.clone(), remedy }
        }
        Error::BudgetTooSmall { budget, plan, retry, hint } => {
            Error::BudgetTooSmall { budget: *budget, plan: plan.clone(), retry: *retry, hint: *hint }
        }
        Error::OutOfMemory { bytes, purpose } => Error::OutOfMemory { bytes: *bytes, purpose: *purpose },
        Error::Usage(message) => Error::Usage(message.clone()),
        Error::Interrupted => Error::Interrupted,
        Error::Internal { message } => Error::internal(message.clone()),
        other => Error::internal(other.to_string()),
    }
}
