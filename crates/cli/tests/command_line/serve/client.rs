//! Servers of a test, and a client that shows what it receives.

use crate::driver::{Folder, Ran};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::Duration;

/// Time after which a missing answer fails a test.
const LONGEST: Duration = Duration::from_secs(120);

/// Running server, which is killed with the test.
pub(crate) struct Server {
    child: Option<Child>,
    port: u16,
}

/// Received response.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// True if the body has its end.
    pub(crate) complete: bool,
}

impl Server {
    /// Starts `outcrop serve` with these arguments on a free port.
    pub(crate) fn start(folder: &Folder, arguments: &str) -> Self {
        let mut command = folder.command(&format!("serve {arguments} --listen 127.0.0.1:0"));
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let port = line.trim().strip_prefix("listening on http://127.0.0.1:").unwrap_or_else(|| {
            panic!("{line:?} {:?}", child.kill());
        });
        Self { port: port.parse().unwrap(), child: Some(child) }
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(LONGEST)).unwrap();
        stream
    }

    /// Sends a request on a new connection.
    pub(crate) fn begin(&self, request: &str) -> TcpStream {
        let mut stream = self.connect();
        // A server that refuses a body does not read it.
        _ = stream.write_all(request.as_bytes());
        stream
    }

    pub(crate) fn send(&self, request: &str) -> Response {
        read(self.begin(request))
    }

    pub(crate) fn get(&self, path: &str) -> Response {
        self.send(&get(path, ""))
    }

    pub(crate) fn post(&self, path: &str, body: &str) -> Response {
        self.send(&post(path, body))
    }

    pub(crate) fn process(&self) -> &Child {
        self.child.as_ref().unwrap()
    }

    /// Peak resident memory in KiB, where the system has `/proc`.
    pub(crate) fn peak_kilobytes(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process().id())).ok()?;
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        peak.trim().trim_end_matches(" kB").parse().ok()
    }

    /// Sends SIGTERM; the outcome.
    pub(crate) fn stop(self) -> Ran {
        self.terminate();
        self.outcome()
    }

    /// Waits until the server has ended.
    pub(crate) fn outcome(mut self) -> Ran {
        Ran::of(self.child.take().unwrap().wait_with_output().unwrap())
    }

    pub(crate) fn terminate(&self) {
        let id = i32::try_from(self.process().id()).unwrap();
        // SAFETY: sends a signal to a process that was started here and not yet waited for.
        assert_eq!(unsafe { libc::kill(id, libc::SIGTERM) }, 0);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            _ = child.kill();
            _ = child.wait();
        }
    }
}

impl Response {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| &**value)
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }
}

pub(crate) fn get(path: &str, headers: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}\r\n")
}

pub(crate) fn post(path: &str, body: &str) -> String {
    let length = body.len();
    format!("POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}")
}

/// Reads a response until the server closes the connection.
pub(crate) fn read(mut stream: TcpStream) -> Response {
    let mut bytes = Vec::new();
    // A server that closes early may reset the connection.
    _ = stream.read_to_end(&mut bytes);
    parse(&bytes)
}

pub(crate) fn parse(bytes: &[u8]) -> Response {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
    let end = end.unwrap_or_else(|| panic!("no response: {:?}", String::from_utf8_lossy(bytes)));
    let head = std::str::from_utf8(&bytes[..end]).unwrap();
    let mut lines = head.split("\r\n");
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let pair = |line: &str| line.split_once(": ").map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()));
    let headers = lines.map(|line| pair(line).unwrap()).collect();
    let mut response = Response { status, headers, body: bytes[end + 4..].to_vec(), complete: true };
    match response.header("content-length").map(|length| length.parse::<usize>().unwrap()) {
        Some(length) => response.complete = response.body.len() == length,
        None => (response.body, response.complete) = joined(&bytes[end + 4..]),
    }
    response
}

/// The content of chunks, and whether the last one is among them.
fn joined(mut chunks: &[u8]) -> (Vec<u8>, bool) {
    let mut body = Vec::new();
    while let Some(end) = chunks.windows(2).position(|two| two == b"\r\n") {
        let length = usize::from_str_radix(std::str::from_utf8(&chunks[..end]).unwrap(), 16).unwrap();
        if length == 0 {
            return (body, true);
        }
        let Some(content) = chunks.get(end + 2..end + 2 + length) else { break };
        body.extend(content);
        chunks = chunks.get(end + 4 + length..).unwrap_or(&[]);
    }
    (body, false)
}
