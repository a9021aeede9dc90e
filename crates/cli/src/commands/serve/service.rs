//! Requests and their responses.

use super::body::{AnswerWriter, CancelOnDrop, Client, ResponseBody, channel};
use super::formats::Format;
use super::parameters::Parameters;
use super::pool::{Pool, Turn};
use super::question::{ENDPOINTS, Endpoint, Question};
use super::refusal::Refusal;
use crate::output::json;
use http_body_util::BodyExt;
use hyper::body::{Body, Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue};
use hyper::http::request::Parts;
use hyper::http::uri::Authority;
use hyper::{Method, Request, Response, StatusCode};
use outcrop::{Cancellation, Error, Graph};
use std::io::Write;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

/// Header with the generation of the graph.
const GENERATION: HeaderName = HeaderName::from_static("outcrop-generation");
/// Maximum size of the body of a request.
const MOST_BODY_BYTES: u32 = 4 << 20;
/// Size of bodies without a limit on their number.
const SMALL_BODY_BYTES: u32 = 16 << 10;

/// Fraction of the patience of a server for a body for which a large request waits.
const LARGE_BODY_PATIENCE: u32 = 6;

/// Permit for the memory of a large body and its IDs.
type Large = OwnedSemaphorePermit;

/// Answers requests with the queries of a pool.
pub(super) struct Service {
    pub(super) pool: Arc<Pool>,
    /// Maximum time to read a body, and for a client that does not read.
    pub(super) patience: Duration,
    /// Bytes of larger bodies that may be in memory, at first [`MOST_BODY_BYTES`]: their IDs take five times that.
    large_bodies: Arc<Semaphore>,
}

impl Service {
    pub(super) fn new(pool: Arc<Pool>, patience: Duration) -> Self {
        Self { pool, patience, large_bodies: Arc::new(Semaphore::new(MOST_BODY_BYTES as usize)) }
    }

    /// Answers a request.
    pub(super) async fn respond(&self, request: Request<Incoming>) -> Response<ResponseBody> {
        self.answer(request).await.unwrap_or_else(refused)
    }

    async fn answer(&self, request: Request<Incoming>) -> Result<Response<ResponseBody>, Refusal> {
        let (head, body) = request.into_parts();
        require_local_host(&head.headers)?;
        let endpoint = ENDPOINTS.iter().find(|endpoint| endpoint.path == head.uri.path());
        let endpoint = match endpoint {
            Some(endpoint) => endpoint,
            None if head.uri.path() == "/" => return index(&head),
            None => return Err(unknown_path(head.uri.path())),
        };
        let (mut parameters, large) = self.parameters(&head, body).await?;
        let question = endpoint.question(&mut parameters)?;
        let format = match question {
            Question::Info => Format::Json,
            _ => Format::choose(&parameters, &head.headers)?,
        };
        self.stream(question, large, format).await
    }

    /// Reads the parameters of the address and of the body. The permit is that of their memory, if they are large.
    async fn parameters(&self, head: &Parts, body: Incoming) -> Result<(Parameters, Option<Large>), Refusal> {
        let mut parameters = Parameters::new();
        parameters.add_query(head.uri.query().unwrap_or(""))?;
        match head.method {
            Method::GET | Method::HEAD => return Ok((parameters, None)),
            Method::POST => {}
            _ => return Err(Refusal::method(head.method.as_str())),
        }
        let most = u64::from(MOST_BODY_BYTES);
        if body.size_hint().lower() > most {
            return Err(too_large());
        }
        let size = body.size_hint().upper().map_or(MOST_BODY_BYTES, |bytes| bytes.min(most) as u32);
        let large = if size > SMALL_BODY_BYTES { Some(self.large(size).await?) } else { None };
        parameters.add_json(&self.read(body).await?)?;
        Ok((parameters, large))
    }

    /// Waits for the memory of a large body.
    async fn large(&self, bytes: u32) -> Result<Large, Refusal> {
        let permit = Arc::clone(&self.large_bodies).acquire_many_owned(bytes);
        let permit = timeout(self.patience / LARGE_BODY_PATIENCE, permit).await;
        permit
            .ok()
            .and_then(Result::ok)
            .ok_or_else(|| Refusal::busy("other large requests are in progress; repeat the request later, or split it"))
    }

    async fn read(&self, mut body: Incoming) -> Result<Vec<u8>, Refusal> {
        let read = async {
            // Frames are copied, since each of them can retain a buffer of the connection.
            let mut bytes = Vec::new();
            while let Some(frame) = body.frame().await {
                let frame = frame.map_err(|error| Refusal::bad(format!("the body is incomplete: {error}")))?;
                bytes.extend(frame.into_data().unwrap_or_else(|_| Bytes::new()));
                if bytes.len() > MOST_BODY_BYTES as usize {
                    return Err(too_large());
                }
            }
            Ok(bytes)
        };
        timeout(self.patience, read).await.unwrap_or_else(|_| {
            let message = format!("the body did not arrive within {} seconds", self.patience.as_secs());
            Err(Refusal::new(StatusCode::REQUEST_TIMEOUT, message))
        })
    }

    /// Starts a query on a thread, and streams its answer.
    async fn stream(
        &self,
        question: Question,
        large: Option<Large>,
        format: Format,
    ) -> Result<Response<ResponseBody>, Refusal> {
        let turn = self.pool.turn().await?;
        let (client, mut parts) = channel();
        let cancellation = Cancellation::new();
        let query = CancelOnDrop(cancellation.clone());
        tokio::task::spawn_blocking(move || {
            if let Err(refusal) = write(&turn, question, large, format, &client, &cancellation) {
                // After the first part there is no room for a status: the missing end reports the failure.
                _ = client.try_send(Err(turn.explained(refusal)));
            }
        });
        let stopped = || Refusal::from(Error::internal("the query ended without an answer"));
        let first = parts.recv().await.ok_or_else(stopped)??;
        let generation = first.generation;
        let mut response = Response::new(ResponseBody::of(first, parts, query));
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(format.media_type()));
        response.headers_mut().insert(GENERATION, generation.into());
        Ok(response)
    }
}

/// Asks the graph and sends the answer.
fn write(
    turn: &Turn,
    question: Question,
    large: Option<Large>,
    format: Format,
    client: &Client,
    cancellation: &Cancellation,
) -> Result<(), Refusal> {
    if matches!(question, Question::Info) {
        let (generation, text) = turn.ask(cancellation, |graph: &Graph| Ok(json(&graph.info())? + "\n"))?;
        let mut writer = AnswerWriter::new(client.clone(), generation, false);
        let sent = writer.write_all(text.as_bytes()).and_then(|()| writer.finish());
        return sent.map_err(|error| Error::io("write", "a response", error).into());
    }
    let (generation, answer) = turn.ask(cancellation, |graph| question.ask(graph))?;
    // The answer has no IDs of the request; its client can be slow.
    drop((question, large));
    let writer = AnswerWriter::new(client.clone(), generation, format == Format::Json);
    Ok(format.write(answer, &writer)?)
}

/// Refuses names of this machine that others can define, so that no page of the web reads answers (DNS rebinding).
fn require_local_host(headers: &HeaderMap) -> Result<(), Refusal> {
    let mut hosts = headers.get_all(HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else {
        return Err(Refusal::bad("a request must have exactly one header `Host`, such as `Host: localhost`"));
    };
    // Default: a name that is not local.
    let host = host.to_str().unwrap_or_default();
    if host.parse::<Authority>().is_ok_and(|authority| is_loopback(authority.host())) {
        return Ok(());
    }
    let message = format!("host {host:?} is not local; address the server as localhost, 127.0.0.1 or [::1]");
    Err(Refusal::new(StatusCode::FORBIDDEN, message))
}

fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

fn too_large() -> Refusal {
    let message = format!("the body exceeds {} MiB; split the request", MOST_BODY_BYTES >> 20);
    Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, message)
}

fn unknown_path(path: &str) -> Refusal {
    let known = ENDPOINTS.iter().map(|endpoint| endpoint.path).collect::<Vec<_>>().join(", ");
    Refusal::new(StatusCode::NOT_FOUND, format!("no endpoint {path:?}; use one of /, {known}"))
}

/// Lists the endpoints.
fn index(head: &Parts) -> Result<Response<ResponseBody>, Refusal> {
    if !matches!(head.method, Method::GET | Method::HEAD) {
        return Err(Refusal::method(head.method.as_str()));
    }
    let line = |endpoint: &Endpoint| serde_json::json!({"path": endpoint.path, "about": endpoint.about, "parameters": endpoint.parameters});
    let endpoints = ENDPOINTS.iter().map(line).collect::<Vec<_>>();
    Ok(in_json(&serde_json::json!({ "endpoints": endpoints })))
}

fn refused(refusal: Refusal) -> Response<ResponseBody> {
    let mut response = in_json(&serde_json::json!({ "error": refusal.message }));
    *response.status_mut() = refusal.status;
    response.headers_mut().extend(refusal.header);
    response
}

fn in_json(value: &serde_json::Value) -> Response<ResponseBody> {
    let mut response = Response::new(ResponseBody::whole(value.to_string() + "\n"));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(Format::Json.media_type()));
    response
}
