//! Clients that are slow, idle or gone, and the end of the server.

use super::client::{Server, get, parse, post};
use crate::driver::{Folder, interrupt};
use std::io::{Read, Write};
use std::net::TcpStream;

/// A hub with many neighbors, and a query whose answer is larger than the buffers of a connection.
fn folder() -> (Folder, String) {
    let folder = Folder::new();
    folder.write("star.el", (1..4_000).map(|leaf| format!("0 {leaf}\n")).collect::<String>());
    folder.ok("build star.el a.outcrop --directed");
    let query = post("/neighbors?format=csv", &format!("{{\"id\": [0{}]}}", ",0".repeat(599)));
    (folder, query)
}

const ROWS: usize = 3_999 * 600;

/// Sends the large query and reads the beginning of its answer.
fn begin(server: &Server, query: &str) -> (TcpStream, Vec<u8>) {
    let mut stream = server.begin(query);
    let mut bytes = vec![0; 1_000];
    stream.read_exact(&mut bytes).unwrap();
    (stream, bytes)
}

#[test]
fn a_stopping_server_finishes_its_responses_and_succeeds() {
    let (folder, query) = folder();
    let server = Server::start(&folder, "a.outcrop --threads 2");
    let (mut stream, mut bytes) = begin(&server, &query);
    let _idle = server.connect();
    server.terminate();
    _ = stream.read_to_end(&mut bytes);
    let answer = parse(&bytes);
    assert!(answer.complete, "{} bytes", answer.body.len());
    assert_eq!(answer.text().lines().count(), ROWS + 1);
    let ran = server.outcome();
    assert_eq!((ran.code, &*ran.stderr), (Some(0), ""));
    let server = Server::start(&folder, "a.outcrop");
    interrupt(server.process());
    assert_eq!(server.outcome().code, Some(0));
}

#[test]
fn idle_and_incomplete_connections_do_not_keep_others_from_being_served() {
    let (folder, _) = folder();
    let server = Server::start(&folder, "a.outcrop");
    let mut idle = Vec::new();
    for count in 0..1_000 {
        let Ok(mut stream) = std::panic::catch_unwind(|| server.connect()) else { break };
        if count % 2 == 0 {
            _ = stream.write_all(b"GET /degree HTTP/1.1\r\nHost: local");
        }
        idle.push(stream);
    }
    assert_eq!(idle.len(), 1_000);
    assert_eq!(server.get("/degree?id=0&format=csv").text(), "node,degree\n0,3999\n");
    assert_eq!(server.stop().code, Some(0));
}

#[test]
fn queries_of_clients_that_have_left_are_canceled() {
    let (folder, query) = folder();
    // One query at a time.
    let server = Server::start(&folder, "a.outcrop --threads 1");
    for _ in 0..3 {
        drop(begin(&server, &query));
    }
    assert_eq!(server.get("/degree?id=0&format=csv").text(), "node,degree\n0,3999\n");
    let (_slow, _) = begin(&server, &query);
    assert_eq!(server.get("/").status, 200);
}

#[test]
fn clients_that_do_not_read_and_large_bodies_take_little_memory() {
    let (folder, _) = folder();
    let server = Server::start(&folder, "a.outcrop --threads 1 --memory 16MiB");
    let query = post("/neighbors?format=csv", &format!("{{\"id\": [0{}]}}", ",0".repeat(59)));
    let slow: Vec<_> = (0..60)
        .map(|_| {
            let mut stream = server.connect();
            receive_little(&stream);
            stream.write_all(query.as_bytes()).unwrap();
            stream
        })
        .collect();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            // More IDs than fit in the memory.
            let body = format!("{{\"id\": [1{}]}}", ",1".repeat((4 << 20) / 2 - 8));
            let server = &server;
            scope.spawn(move || assert!([503, 507].contains(&server.post("/degree", &body).status)));
        }
    });
    drop(slow);
    let Some(peak) = server.peak_kilobytes() else { return };
    assert!(peak < (16 + 64) << 10, "{peak} KiB");
}

/// Limits the bytes that the system receives for a client that does not read.
fn receive_little(stream: &TcpStream) {
    let (bytes, length) = (2048_i32, size_of::<i32>() as libc::socklen_t);
    // SAFETY: the pointer is that of an integer of this length, and the socket is open.
    let set = unsafe {
        libc::setsockopt(
            std::os::fd::AsRawFd::as_raw_fd(stream),
            libc::SOL_SOCKET,
            libc::SO_RCVBUF,
            (&raw const bytes).cast(),
            length,
        )
    };
    assert_eq!(set, 0);
}

#[test]
fn connections_serve_several_requests() {
    let (folder, _) = folder();
    let server = Server::start(&folder, "a.outcrop");
    let mut stream = server.connect();
    for leaf in 1..100 {
        let request = get(&format!("/neighbors?id={leaf}&direction=in&format=csv"), "");
        stream.write_all(request.replace("Connection: close\r\n", "").as_bytes()).unwrap();
        let (mut bytes, expected) = (Vec::new(), format!("node,neighbor\n{leaf},0\n"));
        while !bytes.ends_with(expected.as_bytes()) {
            let mut more = [0; 512];
            let length = stream.read(&mut more).unwrap();
            assert!(length > 0, "{}", String::from_utf8_lossy(&bytes));
            bytes.extend(&more[..length]);
        }
    }
}

#[test]
fn queries_beyond_the_queue_are_refused_until_later() {
    let (folder, query) = folder();
    let server = Server::start(&folder, "a.outcrop --threads 1");
    let (slow, _) = begin(&server, &query);
    std::thread::scope(|scope| {
        let (sender, answers) = std::sync::mpsc::channel();
        for _ in 0..80 {
            let (server, sender) = (&server, sender.clone());
            scope.spawn(move || sender.send(server.get("/degree?id=0")).unwrap());
        }
        drop(sender);
        // The others wait for the client that does not read.
        let refused = answers.recv().unwrap();
        assert_eq!((refused.status, refused.header("retry-after")), (503, Some("1")), "{refused:?}");
        drop(slow);
        let statuses: Vec<_> = answers.iter().map(|answer| answer.status).collect();
        assert!(statuses.contains(&200) && statuses.iter().all(|status| [200, 503].contains(status)), "{statuses:?}");
    });
}
