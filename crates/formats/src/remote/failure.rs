//! Failures of object stores, with advice.

use super::input_path::redacted;
use object_store::Error as StoreError;
use std::error::Error as _;
use std::io::{self, ErrorKind};

/// Failure of a request.
#[derive(Debug)]
pub(super) enum Failure {
    /// Failure reported by the store or the network.
    Store(StoreError),
    /// The object changed since it was opened.
    Changed,
    /// Fewer or more bytes arrived than were requested.
    Length { expected: u64, found: u64 },
    /// More bytes arrived than were requested; the rest was not read.
    TooMuch { expected: u64 },
}

const CREDENTIALS: &str = "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (for Google GOOGLE_APPLICATION_CREDENTIALS) to an \
                           account that may read it, or AWS_SKIP_SIGNATURE=true (GOOGLE_SKIP_SIGNATURE=true) for public data";

impl Failure {
    /// Returns the failure as an error of reading a file.
    pub(super) fn explain(&self) -> io::Error {
        let (kind, message) = match self {
            Self::Store(error) => return of_store(error),
            Self::Changed => {
                let message = "it changed while it was read; try again when it is no longer written";
                (ErrorKind::Other, message.to_owned())
            }
            Self::Length { expected, found } => {
                (ErrorKind::UnexpectedEof, format!("received {found} of {expected} bytes; try again"))
            }
            Self::TooMuch { expected } => {
                let remedy = "download it first, or pipe it: curl URL | outcrop build - STORE";
                let message = format!("the server sends more than the requested {expected} bytes; {remedy}");
                (ErrorKind::InvalidData, message)
            }
        };
        io::Error::new(kind, message)
    }
}

fn of_store(error: &StoreError) -> io::Error {
    let (cause, chain) = (cause(error), chain(error));
    let has = |signs: &[&str]| signs.iter().any(|sign| chain.contains(sign));
    let (kind, message) = match error {
        StoreError::NotFound { .. } if has(&["NoSuchBucket"]) => (
            ErrorKind::Other,
            format!("the bucket does not exist ({cause}); check its name, AWS_ENDPOINT_URL and AWS_REGION"),
        ),
        StoreError::NotFound { .. } => (ErrorKind::NotFound, cause),
        StoreError::Precondition { .. } => return Failure::Changed.explain(),
        _ if has(&["412 Precondition Failed"]) => return Failure::Changed.explain(),
        StoreError::PermissionDenied { .. } | StoreError::Unauthenticated { .. } => {
            (ErrorKind::PermissionDenied, format!("access denied ({cause}); {CREDENTIALS}"))
        }
        StoreError::NotSupported { .. } => {
            let remedy = "download it first, or pipe it: curl URL | outcrop build - STORE";
            (ErrorKind::Unsupported, format!("the server does not support byte ranges; {remedy}"))
        }
        // Machines of AWS and Google request their credentials from these addresses.
        _ if has(&["/latest/api/token", "/latest/meta-data", "169.254.170.2", "computeMetadata"]) => {
            (ErrorKind::PermissionDenied, format!("no credentials ({cause}); {CREDENTIALS}"))
        }
        _ if has(&["incorrectly configured region", "PermanentRedirect", "AuthorizationHeaderMalformed"]) => {
            (ErrorKind::Other, format!("the bucket is in another region ({cause}); set AWS_REGION to its region"))
        }
        _ if has(&["URL scheme is not allowed"]) => {
            let remedy =
                "set AWS_ALLOW_HTTP=true (GOOGLE_ALLOW_HTTP=true) to allow it for a bucket, or use an http:// address";
            let message = format!("the endpoint or its redirect uses unencrypted http://; {remedy}");
            (ErrorKind::Unsupported, message)
        }
        _ => (ErrorKind::Other, cause),
    };
    io::Error::new(kind, message)
}

/// Returns the messages of an error and all of its sources.
fn chain(error: &StoreError) -> String {
    let (mut text, mut source) = (error.to_string(), error.source());
    while let Some(inner) = source {
        text = format!("{text}\n{inner}");
        source = inner.source();
    }
    text
}

/// Returns the last cause of an error on one line, or the code and message of an XML response. Contains no addresses,
/// which may be signed.
fn cause(error: &StoreError) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        text = inner.to_string();
        source = inner.source();
    }
    let element = |name: &str| {
        let (_, rest) = text.split_once(&format!("<{name}>"))?;
        rest.split_once(&format!("</{name}>")).map(|(content, _)| content.to_owned())
    };
    let short = match (element("Code"), element("Message")) {
        (Some(code), Some(message)) => format!("{code}: {message}"),
        (Some(code), None) => code,
        _ => text.split('<').next().map_or_else(String::new, |text| text.trim_end_matches([':', ' ']).to_owned()),
    };
    let short = short.split_whitespace().collect::<Vec<_>>().join(" ");
    redacted(&short).chars().take(300).collect()
}
