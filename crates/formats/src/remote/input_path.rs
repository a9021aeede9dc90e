//! Paths and addresses of inputs, without secrets in messages and records.

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};

/// Replacement for a user name and password, and for a query that may contain a signature.
const HIDDEN: &str = "***";

/// Path of a file, or address of an object as given by the user: its user name, password and signed query are used only
/// for requests.
#[derive(Clone, PartialEq, Eq)]
pub struct InputPath(PathBuf);

impl InputPath {
    /// Returns the path or address with its secrets, to open it; never to show it.
    pub(crate) fn secret(&self) -> &Path {
        &self.0
    }

    /// Returns the path of `name` in this folder.
    pub(crate) fn join(&self, name: impl AsRef<Path>) -> Self {
        Self(self.0.join(name))
    }
}

impl<P: Into<PathBuf>> From<P> for InputPath {
    fn from(path: P) -> Self {
        Self(path.into())
    }
}

/// Displays the path without secrets.
impl fmt::Display for InputPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.0.to_string_lossy();
        match text.split_once(":/") {
            Some((scheme, _)) if is_scheme(scheme) => formatter.write_str(&of_address(&text)),
            _ => formatter.write_str(&text),
        }
    }
}

impl fmt::Debug for InputPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:?}", self.to_string())
    }
}

/// Returns true if the text can be the scheme of an address; a single letter is a drive.
pub(super) fn is_scheme(text: &str) -> bool {
    text.len() > 1 && text.starts_with(|first: char| first.is_ascii_alphabetic()) && text.chars().all(in_scheme)
}

fn in_scheme(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || "+.-".contains(sign)
}

/// Returns `text` without the user names, passwords and queries of its addresses.
pub fn redacted(text: &str) -> Cow<'_, str> {
    let is_end = |sign: char| sign.is_whitespace() || "()<>\"'`".contains(sign);
    let (mut shown, mut rest) = (String::new(), text);
    while let Some(slashes) = rest.find("://") {
        let before = &rest[..slashes];
        // A scheme starts with a letter.
        let scheme = &before[before.trim_end_matches(in_scheme).len()..];
        let scheme = scheme.trim_start_matches(|sign: char| !sign.is_ascii_alphabetic());
        let begin = slashes - scheme.len();
        let length = rest[slashes + "://".len()..].find(is_end);
        let end = length.map_or(rest.len(), |length| slashes + "://".len() + length);
        shown.push_str(&rest[..begin]);
        match is_scheme(scheme) {
            true => shown.push_str(&of_address(&rest[begin..end])),
            false => shown.push_str(&rest[begin..end]),
        }
        rest = &rest[end..];
    }
    if shown.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(shown + rest) }
}

/// Returns an address without its secrets. If the scheme has no queries, `?` may be part of a pattern, unless it is
/// followed by an assignment.
fn of_address(address: &str) -> String {
    let Some((scheme, rest)) = address.split_once(":/") else { return address.to_owned() };
    let behind = rest.trim_start_matches('/');
    let slashes = &rest[..rest.len() - behind.len()];
    let behind = behind.split_once('#').map_or(behind, |(address, _)| address);
    let behind = match behind.split_once('?') {
        Some((address, query)) if scheme.to_ascii_lowercase().starts_with("http") || query.contains('=') => address,
        _ => behind,
    };
    let end = behind.find('/').unwrap_or(behind.len());
    // A password may contain a slash that should have been escaped: hide everything up to the last @.
    let (host, path) = match (behind[..end].rsplit_once('@'), behind.rsplit_once('@')) {
        (Some((_, host)), _) => (format!("{HIDDEN}@{host}"), &behind[end..]),
        (None, Some((_, host))) if begins_password(&behind[..end]) => (format!("{HIDDEN}@{host}"), ""),
        _ => (behind[..end].to_owned(), &behind[end..]),
    };
    format!("{scheme}:/{slashes}{host}{path}")
}

/// Returns true if the host position contains a user name and the start of a password, not a host and its port.
fn begins_password(text: &str) -> bool {
    text.rsplit_once(':').is_some_and(|(_, port)| !port.bytes().all(|digit| digit.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_of_addresses_are_not_shown() {
        for (given, shown) in [
            ("https://user:pw@host:8080/a.csv?X-Amz-Signature=s#t", "https://***@host:8080/a.csv"),
            ("https://token@host", "https://***@host"),
            ("HTTP://u:p@q@host/x@y.csv", "HTTP://***@host/x@y.csv"),
            ("https:/u:p@host/a?sig=s", "https:/***@host/a"),
            ("ftp://u:p@host/a?token=s", "ftp://***@host/a"),
            ("s3://key:pw@bucket/a?.csv", "s3://***@bucket/a?.csv"),
            ("s3://bucket/a.csv?sig=s", "s3://bucket/a.csv"),
            ("https://user:p/w@host/a.csv", "https://***@host/a.csv"),
            ("https://host/@scope/a.csv", "https://host/@scope/a.csv"),
            ("https://host:80/a:b@c.csv", "https://host:80/a:b@c.csv"),
            ("a/b?x=1.csv", "a/b?x=1.csv"),
            ("C:/x?y=1", "C:/x?y=1"),
            ("u@h/x", "u@h/x"),
        ] {
            let path = InputPath::from(given);
            assert_eq!((path.to_string(), format!("{path:?}")), (shown.to_owned(), format!("{shown:?}")));
        }
    }

    #[test]
    fn secrets_in_a_text_are_not_shown() {
        let text = "run --https://u:p@h/o?s --arrivals=https://u:p@h/a?sig=s 'https://h/b?c' (https://x@y/z) and s3://b/c?.csv, at 1:2";
        let shown = "run --https://***@h/o --arrivals=https://***@h/a 'https://h/b' (https://***@y/z) and s3://b/c?.csv, at 1:2";
        assert_eq!(redacted(text), shown);
        assert!(matches!(redacted("nothing to hide: 1 ?x=1"), Cow::Borrowed(_)));
    }
}
