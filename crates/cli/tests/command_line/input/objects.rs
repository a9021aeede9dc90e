//! Edges from servers on this machine: secrets in addresses, answers that are too long, objects without a version.

use crate::driver::Folder;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;

const EDGES: &str = "1 2\n2 3\n";

/// A server on a free port.
struct Server {
    host: String,
    /// Heads of the requests.
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// One that answers each request by `answer`, which gets its head.
    fn start(answer: impl Fn(&str, &mut TcpStream) + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let host = listener.local_addr().unwrap().to_string();
        let requests = Arc::<Mutex<Vec<String>>>::default();
        let heads = Arc::clone(&requests);
        thread::spawn(move || {
            for mut connection in listener.incoming().flatten() {
                let lines = BufReader::new(connection.try_clone().unwrap()).lines().map_while(Result::ok);
                let head = lines.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join("\n");
                heads.lock().unwrap().push(head.clone());
                answer(&head, &mut connection);
            }
        });
        Self { host, requests }
    }

    /// One that has [`EDGES`] under every name but those with `gone` in them, and sends these `headers`.
    fn of_edges(headers: &'static str) -> Self {
        Self::start(move |head, connection| {
            let body = EDGES;
            let answer = match head.contains("gone") {
                true => "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_owned(),
                false => format!(
                    "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-{}/{}\r\nContent-Length: {}\r\n{headers}Connection: \
                     close\r\n\r\n{body}",
                    body.len() - 1,
                    body.len(),
                    body.len()
                ),
            };
            _ = connection.write_all(answer.as_bytes());
        })
    }
}

/// True if the bytes of a file in `folder`, at any depth, have `text` in them.
fn is_in(folder: &Path, text: &str) -> bool {
    fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => is_in(&path, text),
            false => fs::read(path).unwrap().windows(text.len()).any(|bytes| bytes == text.as_bytes()),
        }
    })
}

#[test]
fn secrets_of_addresses_reach_the_server_and_nobody_else() {
    let (folder, server) = (Folder::new(), Server::of_edges("ETag: \"1\"\r\n"));
    let address = |name: &str| format!("http://user:hidden-pw@{}/{name}?X-Amz-Signature=hidden-sig", server.host);
    let (edges, gone) = (address("e.txt"), address("gone.txt"));
    let checkpoints = "--checkpoint-dir ck";
    for command in [
        format!("build {edges} g.outcrop --vertices {edges} --json"),
        format!("build {edges} h.outcrop {checkpoints}"),
        format!("update g.outcrop --add {edges} --json"),
        "info g.outcrop --json".to_owned(),
        format!("run pagerank g.outcrop --model messages --delta 0.01 --arrivals {edges} --report r.html --json"),
        "runs g.outcrop --json".to_owned(),
        format!("build {gone} i.outcrop"),
        format!("build {edges} i.outcrop --vertices {gone}"),
        format!("build {edges} {}", address("i.outcrop")),
        format!("build {edges} i.outcrop --{gone}"),
        "build ftp://user:hidden-pw@host/x?token=hidden-sig i.outcrop".to_owned(),
    ] {
        let ran = folder.run(&command);
        assert!(!ran.stdout.contains("hidden") && !ran.stderr.contains("hidden"), "{command}: {ran:?}");
    }
    assert!(folder.path("g.outcrop").is_dir() && folder.path("h.outcrop").is_dir());
    assert!(!is_in(&folder.path("."), "hidden"));
    let requests = server.requests.lock().unwrap();
    assert!(requests.iter().all(|head| head.contains("?X-Amz-Signature=hidden-sig")), "{requests:?}");
    // `user:hidden-pw`.
    assert!(requests.iter().all(|head| head.contains("asic dXNlcjpoaWRkZW4tcHc=")), "{requests:?}");
}

#[test]
fn an_answer_that_is_longer_than_was_asked_for_is_refused() {
    let folder = Folder::new();
    let server = Server::start(|_, connection| {
        let head = "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-63/100000\r\nETag: \"1\"\r\nContent-Length: 1073741824\r\n\r\n";
        let piece = [b'7'; 1 << 16];
        let mut outcome = connection.write_all(head.as_bytes());
        for _ in 0..1 << 14 {
            outcome = outcome.and_then(|()| connection.write_all(&piece));
        }
    });
    let message = folder.fails(&format!("build http://{}/e.txt g.outcrop", server.host), 9);
    assert!(message.contains("sends more than the requested 64 bytes; download it first"), "{message}");
}

#[test]
fn an_object_without_a_version_is_noted() {
    let folder = Folder::new();
    let note = "has no ETag and no modification time, so changes while it is read are detected by length only";
    for (headers, noted) in
        [("", true), ("ETag: \"1\"\r\n", false), ("Last-Modified: Wed, 25 Nov 2026 10:00:00 GMT\r\n", false)]
    {
        let server = Server::of_edges(headers);
        let ran = folder.ok(&format!("build http://{}/e.txt g.outcrop --overwrite", server.host));
        assert_eq!(ran.stderr.contains(note) || ran.stdout.contains(note), noted, "{ran:?}");
    }
}
