//! First error of a log, which can be reported repeatedly.

use outcrop_types::{Error, Result};

/// The first error, if there was one.
#[derive(Debug, Default)]
pub(crate) struct Failure(Option<Error>);

impl Failure {
    /// Stores `error` if it is the first.
    pub(crate) fn keep(&mut self, error: Error) {
        self.0.get_or_insert(error);
    }

    pub(crate) const fn has_failed(&self) -> bool {
        self.0.is_some()
    }

    /// Returns the first failure unchanged, and an equivalent error on later calls.
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

/// Returns an equivalent error.
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
