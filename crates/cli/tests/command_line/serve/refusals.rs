//! Requests and servers that are refused.

use super::answers::folder;
use super::client::{Server, get, parse};
use crate::driver::Folder;
use std::io::{Read, Write};

#[test]
fn refusals_have_a_status_and_say_what_to_do() {
    let folder = folder();
    let server = Server::start(&folder, "a.outcrop");
    for (path, status, words) in [
        ("/neighbors", 400, "no vertices given; pass their IDs, such as id=1&id=2"),
        ("/neighbors?id=ann&ids=bob", 400, "unknown parameter `ids`; parameters of /neighbors: id, direction"),
        ("/info?id=ann", 400, "parameters of /info: none"),
        ("/degree?id=ann&direction=up", 400, "`direction` must be out, in or both, not \"up\""),
        ("/degree?direction=in&direction=in", 400, "`direction` is given twice"),
        ("/neighbors?id=ann&weights=yes", 400, "`weights` must be true or false, not \"yes\""),
        ("/subgraph?id=ann&radius=-1", 400, "`radius` must be an integer of at least 0, not \"-1\""),
        ("/sample?id=ann", 400, "such as fanouts=10,5"),
        ("/sample?id=ann&fanouts=10,x", 400, "not \"10,x\""),
        ("/sample?id=ann&fanouts=99999", 400, "a fanout of 99999 exceeds the limit"),
        ("/degree?format=xls", 400, "`format` must be json, jsonl, csv, tsv or arrow"),
        ("/degree?id=ann&id=eve", 404, "the graph has no vertex \"eve\""),
        ("/sample?id=eve&fanouts=1", 404, "the graph has no vertex \"eve\""),
        ("/neighbours?id=ann", 404, "use one of /, /info, /neighbors"),
    ] {
        let answer = server.get(path);
        assert_eq!((answer.status, answer.header("content-type")), (status, Some("application/json")), "{path}");
        let error = answer.json()["error"].as_str().unwrap().to_owned();
        assert!(error.contains(words), "{path}: {error}");
    }
    let empty = "{\"id\": \"ann\", \"direction\": []}";
    for body in ["", "[]", "{\"id\": []}", empty, "{\"id\": [1.5]}", "{\"id\": \"ann\"} {}"] {
        assert_eq!(server.post("/neighbors", body).status, 400, "{body}");
    }
    let refused = server.send(&get("/degree", "").replace("GET", "DELETE"));
    assert_eq!((refused.status, refused.header("allow")), (405, Some("GET, HEAD, POST")));
    for (accept, status) in [("image/png", 406), ("text/csv;q=0", 406), ("", 200), ("text/csv;q=0, text/*", 200)] {
        assert_eq!(server.send(&get("/degree", &format!("Accept: {accept}\r\n"))).status, status, "{accept}");
    }
    let long = server.post("/neighbors", &format!("{{\"{}\": 1}}", "é".repeat(1 << 20)));
    assert!(long.status == 400 && long.body.len() < 2_000, "{}", long.body.len());
    let array = format!("{{\"id\": \"ann\", \"fanouts\": [1{}]}}", ",1".repeat(1 << 20));
    assert_eq!(server.post("/neighbors", &array).status, 400);
    // Nothing above has changed the server.
    assert_eq!(server.get("/degree?id=ann").status, 200);
}

#[test]
fn only_local_names_of_the_host_are_served() {
    let folder = folder();
    let server = Server::start(&folder, "a.outcrop");
    let host = |lines: &str| server.send(&get("/info", "").replace("Host: localhost\r\n", lines));
    for local in ["localhost", "LOCALHOST:8080", "127.0.0.1:1", "[::1]:8080", "[::1]"] {
        let answer = host(&format!("Host: {local}\r\n"));
        assert_eq!(answer.status, 200, "{local}");
        assert_eq!(answer.header("access-control-allow-origin"), None);
    }
    for lines in ["Host: localhost\r\nHost: example.org\r\n", "Host: localhost\r\nHost: localhost\r\n", ""] {
        let refused = host(lines);
        assert_eq!(refused.status, 400, "{lines:?}");
        assert!(refused.text().contains("exactly one header `Host`"), "{refused:?}");
    }
    for lines in ["Host: example.org\r\n", "Host: localhost.example.org\r\n", "Host: 10.0.0.1:8080\r\n", "Host: \r\n"] {
        assert_eq!(host(lines).status, 403, "{lines:?}");
    }
    assert!(host("Host: example.org\r\n").text().contains("address the server as localhost"));
}

#[test]
fn large_bodies_and_heads_are_refused_unread() {
    let folder = folder();
    let server = Server::start(&folder, "a.outcrop");
    let head = "POST /degree HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4194305\r\n\r\n";
    let mut stream = server.begin(head);
    let mut bytes = [0; 4096];
    let length = stream.read(&mut bytes).unwrap();
    let refused = String::from_utf8_lossy(&bytes[..length]).into_owned();
    assert!(refused.starts_with("HTTP/1.1 413 "), "{refused}");
    // Without a length, the limit is met while reading.
    let mut stream = server.begin("POST /degree HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
    let chunk = format!("100000\r\n{}\r\n", " ".repeat(1 << 20));
    for _ in 0..5 {
        if stream.write_all(chunk.as_bytes()).is_err() {
            break;
        }
    }
    let mut bytes = Vec::new();
    _ = stream.read_to_end(&mut bytes);
    // A reset connection may lose the response.
    assert!(bytes.is_empty() || parse(&bytes).status == 413, "{}", String::from_utf8_lossy(&bytes));
    let long = server.get(&format!("/degree?id={}", "x".repeat(100_000)));
    assert!((400..500).contains(&long.status), "{long:?}");
    assert_eq!(server.get("/degree?id=ann").status, 200);
}

#[test]
fn servers_without_a_local_address_or_a_store_do_not_start() {
    let folder = folder();
    for address in ["0.0.0.0:8080", "10.0.0.1:8080", "[::]:8080"] {
        let refused = folder.fails(&format!("serve a.outcrop --listen {address}"), 2);
        assert!(refused.contains("no authentication") && refused.contains("SSH tunnel"), "{refused}");
    }
    assert!(folder.fails("serve a.outcrop --memory 1KiB", 4).contains("use at least --memory "));
    assert!(folder.fails("serve a.outcrop --listen 8080", 2).contains("ADDRESS:PORT"));
    assert!(folder.fails("serve b.outcrop --listen 127.0.0.1:0", 9).contains("b.outcrop"));
    let server = Server::start(&folder, "a.outcrop");
    let taken = server.connect().peer_addr().unwrap();
    assert!(folder.fails(&format!("serve a.outcrop --listen {taken}"), 9).contains("cannot listen to"));
}

#[test]
fn queries_beyond_the_memory_are_refused_and_name_it() {
    let folder = Folder::new();
    folder.ok("generate kronecker --scale 12 -o k.bin");
    folder.ok("build k.bin k.outcrop");
    let server = Server::start(&folder, "k.outcrop --memory 20MiB --threads 4");
    let body = format!("{{\"id\": [1{}]}}", ",1".repeat(1_000_000));
    let refused = server.post("/degree", &body);
    assert_eq!(refused.status, 507, "{refused:?}");
    let text = refused.text().to_owned();
    assert!(text.contains(" and has 20.00 MiB; restart the server with --memory "), "{text}");
    let (_, memory) = text.split_once("with ").unwrap();
    let server = Server::start(&folder, &format!("k.outcrop --threads 4 {}", memory.split(',').next().unwrap()));
    assert_eq!(server.post("/degree", &body).status, 200, "{text}");
    let server = Server::start(&folder, "k.outcrop --memory 40MiB --threads 4");
    let whole = server.get("/subgraph?id=1&radius=9&format=csv");
    assert_eq!(whole.text(), folder.ok("subgraph k.outcrop 1 --radius 9 --format csv").stdout);
    let Some(peak) = server.peak_kilobytes() else { return };
    assert!(peak < (40 + 64) << 10, "{peak} KiB");
}
