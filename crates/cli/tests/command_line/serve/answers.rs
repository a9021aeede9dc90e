//! Answers of the server, compared with those of the commands.

use super::client::{Server, get};
use crate::driver::Folder;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt32Type};
use serde_json::Value;
use std::fmt::Write;

pub(super) fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("edges.csv", "from,to,weight\nann,bob,2\nbob,cy,3\ncy,ann,4\nann,cy,1\ndan,\"a,b\",5.5\n");
    folder.ok("build edges.csv a.outcrop --weighted --directed");
    folder
}

/// Queries of the server, and the commands that ask the same.
const QUERIES: [(&str, &str); 9] = [
    ("/neighbors?id=bob&id=ann", "neighbors a.outcrop bob ann"),
    ("/neighbors?id=cy&direction=both&weights=true", "neighbors a.outcrop cy --direction both --weights"),
    ("/degree?", "degree a.outcrop"),
    ("/degree?id=a%2Cb&id=ann&direction=in", "degree a.outcrop a,b ann --direction in"),
    ("/sample?id=ann&fanouts=1,2", "sample a.outcrop ann --fanouts 1,2"),
    (
        "/sample?id=ann&id=dan&fanouts=3&replace=true&weighted=true&seed=7&direction=both",
        "sample a.outcrop ann dan --fanouts 3 --replace --weighted --seed 7 --direction both",
    ),
    ("/subgraph?id=ann&id=cy", "subgraph a.outcrop ann cy"),
    ("/subgraph?id=bob&radius=2&weights=true", "subgraph a.outcrop bob --radius 2 --weights"),
    ("/subgraph?id=ann&radius=1&direction=in", "subgraph a.outcrop ann --radius 1 --direction in"),
];

#[test]
fn answers_are_those_of_the_commands_in_every_format() {
    let folder = folder();
    let server = Server::start(&folder, "a.outcrop");
    for (path, command) in QUERIES {
        for (format, media) in
            [("csv", "text/csv"), ("tsv", "text/tab-separated-values"), ("jsonl", "application/x-ndjson")]
        {
            let expected = folder.ok(&format!("{command} --format {format}")).stdout;
            let answer = server.get(&format!("{path}&format={format}"));
            assert_eq!((answer.status, answer.text()), (200, &*expected), "{path}");
            assert_eq!((answer.header("content-type"), answer.header("outcrop-generation")), (Some(media), Some("0")));
            assert_eq!(server.send(&get(path, &format!("Accept: {media}\r\n"))).text(), expected, "{path}");
        }
        let lines = folder.ok(&format!("{command} --format jsonl")).stdout;
        let rows: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let answer = server.get(path);
        assert_eq!(answer.header("content-type"), Some("application/json"));
        assert_eq!(answer.json(), Value::Array(rows), "{path}");
    }
    let info = server.send(&get("/info", "Accept: text/csv\r\n"));
    assert_eq!(info.header("content-type"), Some("application/json"));
    assert_eq!(info.json(), folder.ok("info a.outcrop --json").json());
    assert_eq!(info.header("outcrop-generation"), Some("0"));
    let index = server.get("/").json();
    assert_eq!(index["endpoints"].as_array().unwrap().len(), 5, "{index}");
}

#[test]
fn arrow_streams_have_the_same_rows_and_types() {
    let folder = folder();
    let server = Server::start(&folder, "a.outcrop");
    let answer = server.get("/neighbors?id=ann&id=dan&weights=true&format=arrow");
    assert_eq!(answer.header("content-type"), Some("application/vnd.apache.arrow.stream"));
    let mut batches = arrow_ipc::reader::StreamReader::try_new(&*answer.body, None).unwrap();
    let batch = batches.next().unwrap().unwrap();
    assert!(batches.next().is_none());
    let text = |name: &str| {
        let column = batch.column_by_name(name).unwrap().as_string::<i64>();
        column.iter().map(|text| text.unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(
        (text("node"), text("neighbor")),
        (["ann", "ann", "dan"].map(str::to_owned).to_vec(), ["bob", "cy", "a,b"].map(str::to_owned).to_vec())
    );
    assert_eq!(batch.column_by_name("weight").unwrap().as_primitive::<Float64Type>().values(), &[2.0, 1.0, 5.5]);
    let answer = server.send(&get("/degree?id=dan", "Accept: application/vnd.apache.arrow.stream\r\n"));
    let mut batches = arrow_ipc::reader::StreamReader::try_new(&*answer.body, None).unwrap();
    assert_eq!(batches.next().unwrap().unwrap().column(1).as_primitive::<UInt32Type>().values(), &[1]);
    // A sample without layers to follow has no rows, but a schema.
    let empty = server.get("/subgraph?id=ann&format=arrow");
    let batches = arrow_ipc::reader::StreamReader::try_new(&*empty.body, None).unwrap();
    assert_eq!(batches.schema().fields().len(), 2);
    assert_eq!(batches.map(|batch| batch.unwrap().num_rows()).sum::<usize>(), 0);
    assert_eq!(server.get("/subgraph?id=ann").text(), "[]\n");
}

#[test]
fn bodies_ask_about_many_vertices_and_heads_have_no_body() {
    let folder = Folder::new();
    let (mut edges, mut ids) = (String::new(), String::new());
    for vertex in 0..20_000 {
        writeln!(edges, "{vertex} {}", (vertex * 7) % 20_000).unwrap();
        write!(ids, "{}{vertex}", if vertex > 0 { "," } else { "" }).unwrap();
    }
    folder.write("ring.el", edges);
    folder.ok("build ring.el a.outcrop --directed");
    let server = Server::start(&folder, "a.outcrop --threads 2");
    folder.write("ids.txt", ids.replace(',', "\n"));
    let expected = folder.ok("neighbors a.outcrop --ids-from ids.txt --direction both --format csv").stdout;
    let answer = server.post("/neighbors?format=csv", &format!("{{\"id\": [{ids}], \"direction\": \"both\"}}"));
    assert!(answer.complete && answer.header("transfer-encoding") == Some("chunked"));
    assert!(answer.text() == expected, "{} bytes, not {}", answer.body.len(), expected.len());
    let rows = server.post("/degree", &format!("{{\"id\": [{ids}]}}")).json();
    assert_eq!(rows.as_array().unwrap().len(), 20_000);
    let head = server.send("HEAD /degree HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    assert_eq!((head.status, head.body.len(), head.header("outcrop-generation")), (200, 0, Some("0")));
}

#[test]
fn concurrent_clients_receive_the_answers_of_single_ones() {
    let folder = folder();
    let server = Server::start(&folder, "a.outcrop --threads 4");
    let expected: Vec<_> = QUERIES.iter().map(|(path, _)| server.get(path).body).collect();
    std::thread::scope(|scope| {
        for first in 0..8 {
            let (server, expected) = (&server, &expected);
            scope.spawn(move || {
                for place in (first..).take(45).map(|place| place % QUERIES.len()) {
                    let answer = server.get(QUERIES[place].0);
                    assert_eq!((answer.status, &answer.body), (200, &expected[place]));
                }
            });
        }
    });
    assert_eq!(server.stop().code, Some(0));
}
