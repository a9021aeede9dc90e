//! Input that cannot be understood: the place, what was found and what was expected; exit code 3; nothing left behind.

use crate::driver::{Folder, contents};
use std::io::Write;

const WHOLE: &str = "expected an integer from 0 to 18446744073709551615";
const DENSE: &str = "expected an integer from 0 to 4294967293";

/// A folder with a store that a failing build must not touch.
fn folder_with_store() -> Folder {
    let folder = Folder::new();
    folder.write("old.txt", "1 2\n2 3\n");
    folder.ok("build old.txt old.outcrop");
    folder
}

/// Builds from `bytes`: once where nothing stands, once over a store. Both fail with the same message and leave all as
/// it was.
fn refused_in(folder: &Folder, name: &str, bytes: &[u8], options: &str) -> String {
    folder.write(name, bytes);
    let (names, store) = (folder.names(), contents(&folder.path("old.outcrop")));
    let message = folder.fails(&format!("build {name} new.outcrop {options}"), 3);
    assert_eq!(folder.fails(&format!("build {name} old.outcrop --overwrite {options}"), 3), message);
    assert_eq!(folder.names(), names, "{message}");
    assert_eq!(contents(&folder.path("old.outcrop")), store, "{message}");
    message
}

fn refused(text: &[u8], options: &str) -> String {
    refused_in(&folder_with_store(), "edges.txt", text, options)
}

#[test]
fn a_malformed_line_is_named() {
    let message = refused(b"1 2\n3 4\nfive 6\n", "");
    let names = "if IDs are names, use --ids string";
    assert_eq!(message, format!("outcrop: edges.txt:3:1: found `five`, {WHOLE}; {names}\n"));
}

#[test]
fn a_missing_column_is_named() {
    let message = refused(b"1 2\n3\n", "");
    assert_eq!(
        message,
        "outcrop: edges.txt:2:2: found 1 field, expected 2 fields separated by blanks; if the line is not an edge, drop it or use --on-error skip\n"
    );
    let message = refused(b"1 2 0.5\n3 4\n", "--weighted");
    assert_eq!(message, "outcrop: edges.txt:2:4: found 2 fields, expected a weight in field 3\n");
    let message = refused(b"a,b\n1,2\n", "--source-column a --target-column c");
    assert_eq!(message, "outcrop: edges.txt:1: found the columns a, b, but no column c; use one of these names\n");
}

#[test]
fn a_nul_byte_is_named() {
    let message = refused(b"1 2\n3 4\0\n", "");
    assert_eq!(message, "outcrop: edges.txt:2:4: found a NUL byte, expected text; is this a binary file?\n");
}

#[test]
fn bytes_that_are_no_utf_8_are_named() {
    let message = refused(b"a b\nc d\xff\n", "--ids string");
    assert_eq!(message, "outcrop: edges.txt:2:4: found the byte 0xff, expected text in UTF-8\n");
}

#[test]
fn a_carriage_return_inside_a_line_is_named() {
    let message = refused(b"1 2\r3 4\n", "");
    assert_eq!(message, "outcrop: edges.txt:1:4: found a carriage return inside a line, expected a line feed\n");
}

#[test]
fn a_last_line_that_was_cut_inside_an_edge_is_named() {
    let message = refused(b"1 2\n3 ", "");
    assert_eq!(
        message,
        "outcrop: edges.txt:2:2: found 1 field, expected 2 fields separated by blanks; if the line is not an edge, drop it or use --on-error skip\n"
    );
}

fn edges(count: u32) -> Vec<u8> {
    let mut dice = crate::driver::Dice(7);
    (0..count).flat_map(|_| format!("{} {}\n", dice.below(5000), dice.below(5000)).into_bytes()).collect()
}

#[test]
fn gzip_that_was_cut_off_is_never_a_shorter_graph() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(&edges(3000)).unwrap();
    cut_anywhere_is_refused("edges.txt.gz", "gzip", &encoder.finish().unwrap());
}

#[test]
fn zstd_that_was_cut_off_is_never_a_shorter_graph() {
    cut_anywhere_is_refused("edges.txt.zst", "zstd", &zstd::encode_all(&edges(3000)[..], 1).unwrap());
}

fn cut_anywhere_is_refused(name: &str, method: &str, whole: &[u8]) {
    let folder = folder_with_store();
    for length in [0, 1, 3, 7, whole.len() / 3, whole.len() / 2, whole.len() - 9, whole.len() - 1] {
        let message = refused_in(&folder, name, &whole[..length], "");
        assert!(
            message.starts_with(&format!("outcrop: {name}")) && message.contains("truncated")
                || message.contains("incomplete"),
            "{length}: {message}"
        );
        assert!(message.contains(method), "{length}: {message}");
    }
    folder.write(name, whole);
    folder.ok(&format!("build {name} whole.outcrop"));
}

#[test]
fn a_line_without_end_is_refused_in_flat_memory() {
    let line = [b"1 2\n".as_slice(), &vec![b'7'; 128 << 20]].concat();
    let folder = Folder::new();
    folder.write("edges.txt", &line);
    drop(line);
    let message = folder.fails("build edges.txt g.outcrop --memory 64MiB", 3);
    let expected = "found a line longer than 1048576 bytes (starting at byte 4 of the text)";
    assert_eq!(message, format!("outcrop: edges.txt:2:1: {expected}\n"));
    let skipping = "build edges.txt g.outcrop --memory 64MiB --on-error skip --json";
    let ran = folder.ok(skipping);
    assert_eq!((ran.figure("edges"), ran.figure("skipped_lines")), (1, 1));
    assert!(ran.figure("peak_rss") <= (64 + 64) << 20, "{}", ran.stdout);
}

#[test]
fn what_is_no_id_is_named() {
    let folder = folder_with_store();
    for bad in ["-1", "1e5", "+3", "0x10", "1.0", "18446744073709551616"] {
        let text = format!("1 2\n3 {bad}\n");
        let message = refused_in(&folder, "edges.txt", text.as_bytes(), "--ids dense");
        assert_eq!(message, format!("outcrop: edges.txt:2:3: found `{bad}`, {DENSE}\n"));
        let message = refused_in(&folder, "edges.txt", text.as_bytes(), "");
        assert!(message.starts_with(&format!("outcrop: edges.txt:2:3: found `{bad}`, {WHOLE}")), "{message}");
    }
}

#[test]
fn ids_above_those_of_a_dense_store_are_named_and_never_wrap() {
    let folder = folder_with_store();
    for bad in ["4294967294", "4294967295", "4294967296", "9223372036854775808", "18446744073709551615"] {
        let text = format!("1 2\n{bad} 3\n");
        let message = refused_in(&folder, "edges.txt", text.as_bytes(), "--ids dense");
        assert_eq!(message, format!("outcrop: edges.txt:2:1: found `{bad}`, {DENSE}\n"));
    }
    for (bad, most) in [("2147483648", 2_147_483_648_u64), ("10", 10)] {
        let text = format!("1 2\n{bad} 3\n");
        let message = refused_in(&folder, "edges.txt", text.as_bytes(), &format!("--ids dense --num-vertices {most}"));
        let expected = format!("expected an integer from 0 to {}", most - 1);
        assert_eq!(message, format!("outcrop: edges.txt:2:1: found `{bad}`, {expected}\n"));
    }
}

#[test]
fn weights_that_are_no_finite_numbers_are_named() {
    let folder = folder_with_store();
    for bad in ["NaN", "inf", "-inf", "1e400", "x"] {
        let message = refused_in(&folder, "edges.txt", format!("1 2 0.5\n3 4 {bad}\n").as_bytes(), "--weighted");
        assert_eq!(message, format!("outcrop: edges.txt:2:5: found `{bad}`, expected a finite number as weight\n"));
    }
}

#[test]
fn a_bad_vertex_is_named() {
    let folder = folder_with_store();
    folder.write("vertices.txt", "1\n2x\n");
    let message = refused_in(&folder, "edges.txt", b"1 2\n", "--vertices vertices.txt");
    assert!(message.starts_with(&format!("outcrop: vertices.txt:2:1: found `2x`, {WHOLE}")), "{message}");
    folder.write("vertices.txt", "anna\n");
    let message = refused_in(&folder, "edges.txt", b"1 2\n", "--vertices vertices.txt");
    assert!(message.contains("--ids string"), "{message}");
}

#[test]
fn an_edge_file_of_our_own_that_was_cut_off_or_damaged_is_refused() {
    let folder = folder_with_store();
    folder.ok("generate uniform --vertices 100 --edges 500 -o edges.bin");
    let whole = std::fs::read(folder.path("edges.bin")).unwrap();
    for length in [0, 5, 8, 20, whole.len() / 2, whole.len() - 1] {
        refused_in(&folder, "edges.bin", &whole[..length], "");
    }
}

#[test]
fn standard_input_is_named_too() {
    let folder = Folder::new();
    let ran = folder.run_with_stdin("build - g.outcrop", b"1 2\n3\n");
    assert_eq!(ran.code, Some(3));
    let expected = "outcrop: standard input:2:2: found 1 field, expected 2 fields separated by blanks; if the line is not an edge, drop it or use --on-error skip\n";
    assert_eq!(ran.stderr, expected);
    assert!(folder.names().is_empty(), "{:?}", folder.names());
}

#[test]
fn the_second_of_two_files_is_named_with_its_own_lines() {
    let folder = Folder::new();
    folder.write("a.txt", "1 2\n".repeat(1000));
    folder.write("b.txt", "3 4\n# c\n\n5 x\n");
    let message = folder.fails("build a.txt b.txt g.outcrop", 3);
    assert!(message.starts_with(&format!("outcrop: b.txt:4:3: found `x`, {WHOLE}")), "{message}");
    assert_eq!(folder.names(), ["a.txt", "b.txt"]);
}

#[test]
fn skipping_counts_exactly_and_has_a_limit() {
    let folder = Folder::new();
    folder.write("edges.txt", "1 2\nx y\n3 4\n5\n-1 8\n6 7\n");
    let ran = folder.ok("build edges.txt g.outcrop --on-error skip --max-errors 3 --json");
    assert_eq!((ran.figure("edges"), ran.figure("vertices"), ran.figure("skipped_lines")), (3, 6, 3));
    assert_eq!(ran.stderr, "outcrop: note: skipped 3 lines that could not be parsed\n");
    let message = folder.fails("build edges.txt h.outcrop --on-error skip --max-errors 2", 3);
    assert!(message.starts_with(&format!("outcrop: edges.txt:2:1: found `x`, {WHOLE}")), "{message}");
    assert!(message.ends_with("first of more than 2 invalid lines (--max-errors)\n"), "{message}");
    assert_eq!(folder.names(), ["edges.txt", "g.outcrop"]);
}

#[test]
fn a_negative_weight_is_named_by_the_users_own_ids() {
    let folder = Folder::new();
    folder.write("edges.txt", "70 80 1\n80 90 2\n90 4000000000 -0.5\n");
    for order in ["original", "degree"] {
        folder.ok(&format!("build edges.txt g.outcrop --weighted --overwrite --order {order}"));
        let message = folder.fails("run sssp g.outcrop --source 70", 3);
        let edge = "the edge from 90 to 4000000000 has the weight -0.5";
        assert_eq!(message, format!("outcrop: g.outcrop: {edge}; shortest paths need weights of at least 0\n"));
        let message = folder.fails("run cdlp g.outcrop --weighted", 3);
        assert_eq!(
            message,
            format!("outcrop: g.outcrop: {edge}; `cdlp --weighted` needs weights of 0 or from 1e-280 to 1e270\n")
        );
        let ranks = [
            "",
            "--delta 0.1",
            "--model interval",
            "--values disk",
            "--model messages",
            "--model messages --delta 0.1",
        ];
        for run in
            ranks.map(|way| format!("pagerank g.outcrop {way}")).into_iter().chain(["ppr g.outcrop --source 70".into()])
        {
            let name = run.split(' ').next().unwrap();
            let needs =
                format!("`{name}` needs weights of 0 or from 1e-280 to 1e270; use --unweighted to ignore weights");
            assert_eq!(
                folder.fails(&format!("run {run}"), 3),
                format!("outcrop: g.outcrop: {edge}; {needs}\n"),
                "{run}"
            );
            folder.ok(&format!("run {run} --unweighted"));
        }
        for run in ["bfs g.outcrop --source 70", "cdlp g.outcrop", "ppr g.outcrop --source 4000000000"] {
            folder.ok(&format!("run {run}"));
        }
    }
}
