//! Addresses of objects: `s3://bucket/key`, `gs://bucket/key`, `https://host/path`.

use super::input_path::{InputPath, is_scheme};
use outcrop_types::{Error, Result};
use std::ffi::OsString;
use std::fmt;
use std::path::Path;

/// Protocol of an object store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scheme {
    S3,
    Gs,
    Http,
    Https,
}

impl Scheme {
    const ALL: [(&str, Self); 4] = [("s3", Self::S3), ("gs", Self::Gs), ("http", Self::Http), ("https", Self::Https)];

    /// Returns the scheme with this name.
    fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(known, _)| *known == name).map(|(_, scheme)| scheme)
    }

    /// Returns true if addresses may have a query after `?`, and folders cannot be listed.
    pub(crate) const fn is_web(self) -> bool {
        matches!(self, Self::Http | Self::Https)
    }
}

/// Address of an object, or of a folder of objects.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) scheme: Scheme,
    /// Bucket, or host with its port.
    pub(crate) host: String,
    /// Encoded user name and password of a web address; used only for requests.
    pub(crate) user: Option<String>,
    /// Path after the host, without its leading `/`.
    pub(crate) path: String,
    /// Query of a web address, which may contain a signature; used only for requests.
    pub(crate) query: Option<String>,
    /// Address without its secrets, for messages and records.
    pub(crate) name: String,
}

impl fmt::Debug for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Address({:?})", self.name)
    }
}

/// Names in a folder, sorted.
#[derive(Debug, Default)]
pub(crate) struct Names {
    pub(crate) files: Vec<OsString>,
    pub(crate) folders: Vec<OsString>,
}

impl Address {
    /// Parses a path as an address; returns `None` for a path on disk.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Usage`] if the scheme is unknown, the bucket or host is missing, or a slash was lost as in a
    /// normalized path.
    pub(crate) fn of(path: &InputPath) -> Result<Option<Self>> {
        let text = path.secret().to_str();
        let Some((scheme, rest)) = text.and_then(|text| text.split_once(":/")) else { return Ok(None) };
        let known = Scheme::named(&scheme.to_ascii_lowercase());
        let refused = |message: &str| Err(Error::Usage(format!("{path}: {message}")));
        match (rest.strip_prefix('/'), known) {
            _ if !is_scheme(scheme) => Ok(None),
            (Some(rest), Some(scheme)) => match Self::behind(scheme, rest, path.to_string()) {
                Some(address) if address.user.is_some() && !scheme.is_web() => {
                    refused("credentials of buckets come from the environment; remove them from the address")
                }
                Some(address) => Ok(Some(address)),
                None => refused("the address has no bucket or host; expected SCHEME://BUCKET/NAME"),
            },
            (Some(_), None) => refused("unsupported address; use s3://, gs://, https://, http:// or a file on disk"),
            (None, Some(_)) if !path.secret().exists() => {
                refused("the address has one slash in place of two, as in a pathlib.Path; pass a string")
            }
            (None, _) => Ok(None),
        }
    }

    fn behind(scheme: Scheme, rest: &str, name: String) -> Option<Self> {
        let (rest, query) = match rest.split_once('?') {
            Some((rest, query)) if scheme.is_web() => (rest, Some(query.to_owned())),
            _ => (rest, None),
        };
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        let (user, host) = host.rsplit_once('@').map_or((None, host), |(user, host)| (Some(user.to_owned()), host));
        (!host.is_empty()).then(|| Self { scheme, host: host.to_owned(), user, path: path.to_owned(), query, name })
    }

    /// Returns true if the address is that of a folder.
    pub(crate) fn is_folder(&self) -> bool {
        self.path.is_empty() || self.path.ends_with('/')
    }
}

/// Checks that a store to be created is on disk.
///
/// # Errors
///
/// Returns [`Error::Usage`] for an address.
pub fn require_on_disk(store: &Path) -> Result<()> {
    match Address::of(&store.into())? {
        Some(Address { name, .. }) => Err(Error::Usage(format!("{name}: a store must be on a local disk; use a path"))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<Option<Address>> {
        Address::of(&text.into())
    }

    #[test]
    fn addresses_have_a_scheme_and_everything_else_is_a_path() {
        for path in ["edges.csv", "a/b.csv", "/s3/x", "./s3://b/x", "2020:/x", ":/x", "C:/x"] {
            assert_eq!(of(path).unwrap(), None, "{path}");
        }
        let address = of("s3://bucket/a/b?.csv").unwrap().unwrap();
        assert_eq!((address.scheme, &*address.host, &*address.path), (Scheme::S3, "bucket", "a/b?.csv"));
        let address = of("HTTPS://host:8080/a.csv?signature=secret").unwrap().unwrap();
        assert_eq!(
            (&*address.host, &*address.path, address.query.as_deref()),
            ("host:8080", "a.csv", Some("signature=secret"))
        );
        assert_eq!(address.name, "HTTPS://host:8080/a.csv");
        let address = of("https://user:pw@host/a.csv?token=t").unwrap().unwrap();
        assert_eq!((&*address.host, address.user.as_deref()), ("host", Some("user:pw")));
        assert_eq!(format!("{address:?}"), "Address(\"https://***@host/a.csv\")");
        assert!(of("gs://bucket").unwrap().unwrap().is_folder() && of("gs://bucket/a/").unwrap().unwrap().is_folder());
    }

    #[test]
    fn what_is_no_address_of_ours_is_refused() {
        for (text, expected) in [
            ("ftp://host/x", "s3://, gs://"),
            ("s3:///x", "no bucket"),
            ("http://u:p@/x", "no bucket"),
            ("s3://u:p@b/x", "from the environment"),
            ("s3:/bucket/x", "pass a string"),
        ] {
            let error = of(text).unwrap_err();
            assert!(error.exit_code() == 2 && error.to_string().contains(expected), "{error}");
        }
    }
}
