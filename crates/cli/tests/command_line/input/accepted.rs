//! Input that looks odd and is right: the graph is the same as that of its plain form.

use crate::driver::Folder;
use std::io::Write;

/// The components of `text` with all ids, as one line.
fn components(folder: &Folder, build: &str) -> String {
    folder.ok(&format!("build {build} g.outcrop --overwrite"));
    folder.rows("wcc g.outcrop").join(" ")
}

fn components_of(text: &[u8], options: &str) -> String {
    let folder = Folder::new();
    folder.write("edges.txt", text);
    components(&folder, &format!("edges.txt {options}"))
}

const EXPECTED: &str = "1,1 2,1 3,3 4,3";

#[test]
fn byte_order_marks_line_ends_comments_and_a_whole_last_line_do_no_harm() {
    for text in
        ["1 2\n3 4\n", "\u{feff}1 2\n3 4\n", "1 2\r\n3 4\r\n", "# c\n1 2\n\n% d\n3 4", "1\t2\n3\t4\n", "1,2\n3,4"]
    {
        assert_eq!(components_of(text.as_bytes(), ""), EXPECTED, "{text:?}");
    }
}

#[test]
fn compressed_and_several_files_are_one_graph() {
    let folder = Folder::new();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(b"1 2\n").unwrap();
    folder.write("a.txt.gz", gzip.finish().unwrap());
    folder.write("b.csv.zst", zstd::encode_all(&b"src,dst\n3,4\n"[..], 1).unwrap());
    folder.write("c.txt", "2 1\n");
    folder.write("empty.txt", "");
    assert_eq!(components(&folder, "a.txt.gz empty.txt b.csv.zst c.txt"), EXPECTED);
}

#[test]
fn standard_input_is_read() {
    let folder = Folder::new();
    let ran = folder.run_with_stdin("build - g.outcrop", b"1 2\n3 4\n");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(folder.rows("wcc g.outcrop").join(" "), EXPECTED);
    folder.write("edges.txt", "1 2\n");
    let ran = folder.run_with_stdin("build edges.txt - h.outcrop", b"3 4\n");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(folder.rows("wcc h.outcrop").join(" "), EXPECTED);
}

#[test]
fn texts_are_ids_in_the_order_of_their_bytes() {
    let text = "bob anna\nzoë émile\n10 9\n";
    let expected = "\"10\",\"10\" \"9\",\"10\" anna,anna bob,anna zoë,zoë émile,zoë";
    assert_eq!(components_of(text.as_bytes(), ""), expected);
    assert_eq!(components_of(text.as_bytes(), "--order degree --memory 64MiB"), expected);
    assert_eq!(components_of(b"1 2\n3 4\n", "--ids string").replace('"', ""), EXPECTED);
    let folder = Folder::new();
    folder.write("edges.csv", "from,to\n\"Smith, J\",\"say \"\"hi\"\"\"\n");
    folder.ok("build edges.csv g.outcrop");
    let expected = ["\"Smith, J\",0,", "\"say \"\"hi\"\"\",1,\"Smith, J\""];
    let source =
        folder.command("run bfs g.outcrop -o rows.csv --columns all --source").arg("Smith, J").output().unwrap();
    assert!(source.status.success(), "{source:?}");
    assert_eq!(folder.read("rows.csv").lines().skip(1).collect::<Vec<_>>(), expected);
}

#[test]
fn vertices_without_edges_come_from_their_file() {
    let folder = Folder::new();
    folder.write("edges.txt", "1 2\n");
    folder.write("vertices.txt", "# all\n9\n1\n4000000000\n");
    assert_eq!(components(&folder, "edges.txt --vertices vertices.txt"), "1,1 2,1 9,9 4000000000,4000000000");
    folder.write("vertices.txt", "4\n");
    assert_eq!(components(&folder, "edges.txt --vertices vertices.txt --ids dense"), "0,0 1,1 2,1 3,3 4,4");
    assert_eq!(components(&folder, "edges.txt --num-vertices 4 --ids dense"), "0,0 1,1 2,1 3,3");
}

#[test]
fn ids_at_the_edges_of_their_types_come_through() {
    let ids = [0, 2147483647, 2147483648, 4294967295, 4294967296, 9223372036854775808, u64::MAX];
    let folder = Folder::new();
    let text: String = ids.windows(2).map(|pair| format!("{} {}\n", pair[0], pair[1])).collect();
    folder.write("edges.txt", text);
    folder.ok("build edges.txt g.outcrop");
    let last = ids[ids.len() - 1];
    let mut expected: Vec<_> = (0..ids.len()).map(|i| format!("{},{i},{}", ids[i], ids[i.saturating_sub(1)])).collect();
    expected[0] = "0,0,".to_owned();
    assert_eq!(folder.rows("bfs g.outcrop --source 0 --columns all"), expected);
    assert!(folder.rows(&format!("bfs g.outcrop --source {last}"))[ids.len() - 1].starts_with(&format!("{last},0")));
}

#[test]
fn one_large_id_costs_nothing() {
    let folder = Folder::new();
    folder.write("edges.txt", "1 2\n2 4000000000\n4000000000 1\n");
    // However much memory it may take.
    for memory in ["64MiB", "16GiB"] {
        let ran = folder.ok(&format!("build edges.txt g.outcrop --overwrite --json --memory {memory}"));
        assert_eq!((ran.figure("vertices"), ran.figure("edges")), (3, 3));
        assert!(ran.figure("bytes") < 1 << 20 && ran.figure("peak_rss") < 128 << 20, "{}", ran.stdout);
        let ran = folder.ok(&format!("run wcc g.outcrop --json --memory {memory}"));
        assert!(ran.figure("peak_rss") < 128 << 20, "{}", ran.stdout);
    }
}
