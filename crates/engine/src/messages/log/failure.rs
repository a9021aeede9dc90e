//! Errors that occurred once and are told as often as somebody asks.

use outcrop_types::Error;

/// Another error that says the same.
pub(super) fn alike(error: &Error) -> Error {
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
        Error::Usage(message) => Error::Usage(message.clone()),
        Error::Internal { message } => Error::internal(message.clone()),
        _ => Error::Interrupted,
    }
}
