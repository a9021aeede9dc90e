//! Client of object stores.

use super::address::Scheme;
use super::driver::Driver;
use super::failure::Failure;
use super::stream::{Ahead, Ranges};
use super::{Address, Names, Object};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::{Bytes, BytesMut};
use crossbeam_channel::Receiver;
use futures_util::TryStreamExt;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::http::HttpBuilder;
use object_store::path::Path as Key;
use object_store::{
    BackoffConfig, ClientConfigKey, ClientOptions, GetOptions, GetResult, ListResult, ObjectMeta, ObjectStore,
    RetryConfig,
};
use outcrop_types::{Error, MemoryBudget, Result, length_from};
use reqwest::header::{AUTHORIZATION, HeaderValue};
use std::collections::HashMap;
use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Bytes read from an object to detect its format, as for a file.
const HEAD: u64 = 64;

/// Time without data after which a connection is considered broken.
const SILENCE: Duration = Duration::from_secs(30);

/// Maximum number of truncated responses per request.
const ANSWERS: usize = 4;

/// Reader of objects, with a connection to each bucket and host.
pub(crate) struct Client {
    ahead: Ahead,
    connections: Mutex<Connections>,
}

#[derive(Default)]
struct Connections {
    driver: Option<Arc<Driver>>,
    stores: HashMap<String, Arc<dyn ObjectStore>>,
}

/// A bucket or host.
struct Connection {
    driver: Arc<Driver>,
    store: Arc<dyn ObjectStore>,
}

impl Client {
    /// Creates a client whose streams use a share of `budget`, without reserving it themselves.
    pub(crate) fn new(budget: &MemoryBudget) -> Self {
        Self { ahead: Ahead::within(budget.limit()), connections: Mutex::default() }
    }

    /// Opens an object and returns its first bytes.
    ///
    /// # Errors
    ///
    /// Returns an error if the object does not exist, if the store denies access, or if the network fails.
    pub(crate) fn open(&self, address: &Address) -> Result<(Object, Vec<u8>)> {
        let connection = self.connect(address)?;
        let key = key_of(address)?;
        let (store, place) = (Arc::clone(&connection.store), key.clone());
        let (meta, head) = connection.wait(address, async move { first_bytes(&*store, &place).await })?;
        // An object without a time has the epoch.
        let dated = meta.last_modified.timestamp() != 0;
        let (bytes, tag) = (meta.size, meta.e_tag.as_deref().unwrap_or("without a tag"));
        let version = (dated || meta.e_tag.is_some()).then(|| format!("{tag}, {}", meta.last_modified).into());
        let ranges = Source { driver: connection.driver, store: connection.store, key, meta };
        Ok((Object::new(Arc::new(ranges), bytes, version, self.ahead), head.into()))
    }

    /// Lists the names in a folder.
    ///
    /// # Errors
    ///
    /// Returns an error if the store does not support or permit listing, or if the network fails.
    pub(crate) fn list(&self, address: &Address) -> Result<Names> {
        if address.scheme.is_web() {
            let message = "web servers do not list folders; pass the files one by one";
            return Err(Error::Usage(format!("{}: {message}", address.name)));
        }
        let connection = self.connect(address)?;
        let (key, store) = (key_of(address)?, Arc::clone(&connection.store));
        let prefix = key.clone();
        let listing = async move { store.list_with_delimiter(Some(&prefix)).await.map_err(Failure::Store) };
        let ListResult { objects, common_prefixes, .. } = connection.wait(address, listing)?;
        // A folder may itself be an empty object.
        let objects = objects.into_iter().map(|object| object.location).filter(|location| *location != key);
        let names = |keys: &mut dyn Iterator<Item = Key>| {
            let mut names: Vec<_> = keys.filter_map(|key| key.filename().map(OsString::from)).collect();
            names.sort();
            names
        };
        Ok(Names { files: names(&mut objects.into_iter()), folders: names(&mut common_prefixes.into_iter()) })
    }

    fn connect(&self, address: &Address) -> Result<Connection> {
        let mut connections = self.connections.lock().unwrap_or_else(PoisonError::into_inner);
        let driver = match &connections.driver {
            Some(driver) => Arc::clone(driver),
            None => Arc::clone(connections.driver.insert(Arc::new(Driver::start()?))),
        };
        let Address { scheme, host, user, query, .. } = address;
        let name = format!("{scheme:?}://{user:?}@{host}?{query:?}");
        if let Some(store) = connections.stores.get(&name) {
            return Ok(Connection { driver, store: Arc::clone(store) });
        }
        let store = store_of(address).map_err(|error| failed(address, Failure::Store(error)))?;
        connections.stores.insert(name, Arc::clone(&store));
        Ok(Connection { driver, store })
    }
}

impl Connection {
    fn wait<T: Send + 'static>(
        &self,
        address: &Address,
        work: impl Future<Output = Result<T, Failure>> + Send + 'static,
    ) -> Result<T> {
        let outcome = self.driver.begin(work).recv();
        let outcome = outcome.map_err(|_| Error::internal("the thread that reads objects ended early"))?;
        outcome.map_err(|failure| failed(address, failure))
    }
}

/// Returns the error for a failure at an address.
fn failed(address: &Address, failure: Failure) -> Error {
    let error = failure.explain();
    match error.kind() {
        ErrorKind::NotFound => {
            let hint = "; end the address of a folder with /, and quote patterns";
            Error::NotFound { path: address.name.clone().into(), hint }
        }
        _ => Error::io("read", &address.name, error),
    }
}

fn key_of(address: &Address) -> Result<Key> {
    let key = if address.scheme.is_web() { Key::from_url_path(&address.path) } else { Key::parse(&address.path) };
    key.map_err(|error| Error::Usage(format!("{}: invalid object name ({error})", address.name)))
}

/// Returns the retry policy of a request, which takes less than two minutes.
fn retries() -> RetryConfig {
    let backoff = BackoffConfig { max_backoff: Duration::from_secs(10), ..BackoffConfig::default() };
    RetryConfig { backoff, max_retries: 8, retry_timeout: Duration::from_secs(100) }
}

/// Returns the store for an address, configured from the environment.
fn store_of(address: &Address) -> object_store::Result<Arc<dyn ObjectStore>> {
    // Limit the time without data, not the duration of a request, which depends on the network.
    let silence = format!("{} seconds", SILENCE.as_secs());
    let limits = [(ClientConfigKey::ReadTimeout, &*silence), (ClientConfigKey::Timeout, "1 day")];
    Ok(match address.scheme {
        Scheme::S3 => {
            let builder = AmazonS3Builder::from_env().with_bucket_name(&address.host).with_retry(retries());
            let set =
                |builder: AmazonS3Builder, (key, value)| builder.with_config(AmazonS3ConfigKey::Client(key), value);
            Arc::new(limits.into_iter().fold(builder, set).build()?)
        }
        Scheme::Gs => {
            let builder = GoogleCloudStorageBuilder::from_env().with_bucket_name(&address.host).with_retry(retries());
            let set = |builder: GoogleCloudStorageBuilder, (key, value)| {
                builder.with_config(GoogleConfigKey::Client(key), value)
            };
            Arc::new(limits.into_iter().fold(builder, set).build()?)
        }
        Scheme::Http | Scheme::Https => {
            let name = if address.scheme == Scheme::Http { "http" } else { "https" };
            let query = address.query.as_ref().map_or_else(String::new, |query| format!("?{query}"));
            let options = web_options(address);
            let builder = HttpBuilder::new().with_url(format!("{name}://{}/{query}", address.host));
            Arc::new(builder.with_client_options(options).with_retry(retries()).build()?)
        }
    })
}

/// Returns the options of a web client. A request over HTTPS must not be redirected to an unencrypted address.
fn web_options(address: &Address) -> ClientOptions {
    let options = ClientOptions::new().with_allow_http(address.scheme == Scheme::Http);
    let credentials = address.user.as_ref().map(|user| format!("Basic {}", BASE64_STANDARD.encode(unescaped(user))));
    let credentials = credentials.and_then(|credentials| HeaderValue::try_from(credentials).ok());
    let headers = credentials.map(|mut credentials| {
        credentials.set_sensitive(true);
        (AUTHORIZATION, credentials)
    });
    options.with_default_headers(headers.into_iter().collect()).with_timeout_disabled().with_read_timeout(SILENCE)
}

/// Returns the bytes of a part of an address, with `%40` decoded to `@`.
fn unescaped(text: &str) -> Vec<u8> {
    let mut parts = text.split('%');
    // Default: splitting always yields a first part.
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        match part.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                bytes.extend_from_slice(&part.as_bytes()[2..]);
            }
            None => bytes.extend([b"%", part.as_bytes()].concat()),
        }
    }
    bytes
}

/// Returns the metadata of an object, and its first bytes.
async fn first_bytes(store: &dyn ObjectStore, key: &Key) -> Result<(ObjectMeta, Bytes), Failure> {
    let options = GetOptions { range: Some((0..HEAD).into()), ..GetOptions::default() };
    let first = match store.get_opts(key, options).await {
        Ok(first) => first,
        Err(error @ object_store::Error::Generic { .. }) => {
            // The first byte of an empty object cannot be requested.
            let options = GetOptions { head: true, ..GetOptions::default() };
            return match store.get_opts(key, options).await {
                Ok(GetResult { meta, .. }) if meta.size == 0 => Ok((meta, Bytes::new())),
                _ => Err(Failure::Store(error)),
            };
        }
        Err(error) => return Err(Failure::Store(error)),
    };
    let meta = first.meta.clone();
    Ok((meta, at_most(first, HEAD).await?))
}

/// Returns the bytes of a response, at most `most`: a server may send more than requested.
async fn at_most(answer: GetResult, most: u64) -> Result<Bytes, Failure> {
    let mut pieces = answer.into_stream();
    let mut bytes = BytesMut::new();
    while let Some(piece) = pieces.try_next().await.map_err(Failure::Store)? {
        let found = length_from(bytes.len()) + length_from(piece.len());
        if found > most {
            return Err(Failure::TooMuch { expected: most });
        }
        bytes.extend_from_slice(&piece);
    }
    Ok(bytes.freeze())
}

/// Object of a store, in the version that was opened.
struct Source {
    driver: Arc<Driver>,
    store: Arc<dyn ObjectStore>,
    key: Key,
    meta: ObjectMeta,
}

impl Ranges for Source {
    fn request(&self, range: Range<u64>) -> Receiver<io::Result<Bytes>> {
        let (store, key, meta) = (Arc::clone(&self.store), self.key.clone(), self.meta.clone());
        self.driver.begin(async move { fetch(&*store, &key, &meta, range).await.map_err(|failure| failure.explain()) })
    }
}

/// Fetches a range of the opened version of the object. If the object has an entity tag, the store requests the bytes
/// lost by a broken connection; otherwise this function requests the whole range again.
async fn fetch(store: &dyn ObjectStore, key: &Key, opened: &ObjectMeta, range: Range<u64>) -> Result<Bytes, Failure> {
    let expected = range.end - range.start;
    // A weak tag never matches in a condition, but can be compared.
    let if_match = opened.e_tag.clone().filter(|tag| !tag.starts_with("W/"));
    let mut answers = 0;
    loop {
        answers += 1;
        let options =
            GetOptions { range: Some(range.clone().into()), if_match: if_match.clone(), ..GetOptions::default() };
        let result = store.get_opts(key, options).await.map_err(Failure::Store)?;
        let now = &result.meta;
        if now.size != opened.size || now.e_tag != opened.e_tag || now.last_modified != opened.last_modified {
            return Err(Failure::Changed);
        }
        let outcome = match at_most(result, expected).await {
            Ok(bytes) if length_from(bytes.len()) == expected => return Ok(bytes),
            Ok(bytes) => Failure::Length { expected, found: length_from(bytes.len()) },
            // With a tag, the store has already retried the missing bytes up to the limit.
            Err(Failure::Store(error)) if opened.e_tag.is_some() => return Err(Failure::Store(error)),
            Err(failure) => failure,
        };
        if answers == ANSWERS {
            return Err(outcome);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_encrypted_comes_encrypted() {
        for (text, allowed) in [("https://host/x", "false"), ("http://host/x", "true")] {
            let options = web_options(&Address::of(&text.into()).unwrap().unwrap());
            assert_eq!(options.get_config_value(&ClientConfigKey::AllowHttp).as_deref(), Some(allowed));
        }
        assert_eq!(unescaped("a%40b:p%2Fw%"), b"a@b:p/w%");
    }
}
