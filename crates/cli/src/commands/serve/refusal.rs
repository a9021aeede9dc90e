//! Answers of the server to requests that it refuses.

use hyper::StatusCode;
use hyper::header::{ALLOW, HeaderName, HeaderValue, RETRY_AFTER};
use outcrop::Error;

/// Maximum size of a message, in bytes.
const MOST_MESSAGE_BYTES: usize = 1 << 10;

/// Refused request: a status, a message with what to do, and a header.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) status: StatusCode,
    pub(super) message: String,
    pub(super) header: Option<(HeaderName, HeaderValue)>,
    /// Memory that the query needs, if that is the reason, in bytes.
    pub(super) needed: Option<u64>,
}

impl Refusal {
    /// Creates a refusal; the message is shortened if it repeats a long value of the request.
    pub(super) fn new(status: StatusCode, mut message: String) -> Self {
        if message.len() > MOST_MESSAGE_BYTES {
            let end = (0..=MOST_MESSAGE_BYTES).rfind(|end| message.is_char_boundary(*end));
            message = format!("{}...", &message[..end.unwrap_or(0)]);
        }
        Self { status, message, header: None, needed: None }
    }

    /// Refusal of wrong parameters.
    pub(super) fn bad(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, message.into())
    }

    /// Refusal that a later request may not meet.
    pub(super) fn busy(message: impl Into<String>) -> Self {
        let header = Some((RETRY_AFTER, HeaderValue::from_static("1")));
        Self { header, ..Self::new(StatusCode::SERVICE_UNAVAILABLE, message.into()) }
    }

    /// Refusal of a method.
    pub(super) fn method(method: &str) -> Self {
        let message = format!("method {method} is not supported; use GET or POST");
        let header = Some((ALLOW, HeaderValue::from_static("GET, HEAD, POST")));
        Self { header, ..Self::new(StatusCode::METHOD_NOT_ALLOWED, message) }
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        let needed = match &error {
            Error::BudgetTooSmall { plan, retry, .. } => {
                Some(plan.total().saturating_add(retry.as_ref().map_or(0, |need| need.bytes)))
            }
            _ => None,
        };
        let status = match error {
            // Another store can be built in the same place.
            Error::InUse { .. } | Error::NotFound { .. } | Error::Interrupted => return Self::busy(error.to_string()),
            Error::Usage(_) | Error::BadInput { .. } => StatusCode::BAD_REQUEST,
            Error::BudgetTooSmall { .. } | Error::OutOfMemory { .. } | Error::DiskFull { .. } => {
                StatusCode::INSUFFICIENT_STORAGE
            }
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self { needed, ..Self::new(status, error.to_string()) }
    }
}
