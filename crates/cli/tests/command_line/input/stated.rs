//! What files state about their graph, what is guessed, and what a build says of both.

use crate::driver::Folder;

#[test]
fn a_symmetric_matrix_is_an_undirected_store_with_all_its_vertices() {
    let folder = Folder::new();
    folder
        .write("a.mtx", "%%MatrixMarket matrix coordinate integer symmetric\n% c\n5 5 3\n2 1 4\n3 3 1\n4 2 16777217\n");
    let ran = folder.ok("build a.mtx g.outcrop --json");
    let record = ran.json();
    assert_eq!((ran.figure("vertices"), ran.figure("edges"), &record["directed"]), (5, 3, &false.into()));
    assert_eq!(record["input"]["direction"], "undirected as stated in a.mtx");
    let file = &record["input"]["files"][0];
    assert_eq!((file["format"].as_str(), file["edges"].as_u64()), (Some("matrix-market"), Some(3)));
    assert_eq!(folder.rows("wcc g.outcrop"), ["1,1", "2,1", "3,3", "4,1", "5,5"]);
    let ran = folder.ok("build a.mtx d.outcrop --directed --weighted --weight-type f32");
    assert!(ran.stderr.contains("directed as requested, each edge in both directions"), "{}", ran.stderr);
    let rounded = "1 weight was rounded, the first at a.mtx:6; the largest error is 1.0 (relative: ";
    assert!(ran.stderr.contains(rounded), "{}", ran.stderr);
    let info = folder.ok("info d.outcrop --json").json();
    assert_eq!((info["edges"].as_u64(), info["directed"].as_bool()), (Some(5), Some(true)));
    assert_eq!(info["weight_rounding"]["first"], "a.mtx:6");
    folder.write("more.txt", "1 2 0.5\n1 3 0.1\n");
    let ran = folder.ok("update d.outcrop --add more.txt --json");
    assert!(ran.stderr.contains("note: 1 weight was rounded, the first at more.txt:2"), "{}", ran.stderr);
    assert_eq!(ran.json()["weight_rounding"]["count"], 1);
    assert_eq!(folder.ok("info d.outcrop --json").json()["weight_rounding"]["count"], 2);
    folder.fails("build a.mtx e.outcrop --directed --undirected", 2);
}

#[test]
fn arcs_of_roads_are_arcs_and_ids_that_start_at_one_are_not_dense() {
    let folder = Folder::new();
    folder.write("a.gr", "c roads\np sp 3 2\na 1 2 7\na 2 1 7\n");
    let ran = folder.ok("build a.gr g.outcrop --weighted --json");
    assert_eq!((ran.figure("vertices"), ran.figure("edges")), (3, 2));
    assert_eq!(folder.rows("sssp g.outcrop --source 1 --columns all"), ["1,0.0,", "2,7.0,1", "3,,"]);
    let message = folder.fails("build a.gr h.outcrop --ids dense", 2);
    assert!(message.contains("vertex IDs 1 to 3"), "{message}");
    let cut = folder.run_with_stdin("build - h.outcrop --format dimacs", b"p sp 3 2\na 1 2 7\n");
    assert_eq!(cut.code, Some(3));
    assert!(cut.stderr.contains("standard input: found 1 edge, expected 2 as stated in line 1"), "{}", cut.stderr);
    assert_eq!(folder.names(), ["a.gr", "g.outcrop"]);
}

#[test]
fn a_graph_of_ldbc_has_the_vertices_of_its_file() {
    let folder = Folder::new();
    folder.write("x.e", "1 2\n");
    folder.write("x.v", "1\n2\n9\n");
    folder.write("x.properties", "graph.x.directed = false\n");
    let ran = folder.ok("build x.e g.outcrop --json");
    assert_eq!((ran.figure("vertices"), &ran.json()["directed"]), (3, &false.into()));
    assert_eq!(ran.json()["input"]["notes"][0], "vertices read from x.v");
}

#[test]
fn a_folder_and_a_pattern_are_their_files() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("d")).unwrap();
    for (name, text) in [("d/a.csv", "src,dst\n1,2\n"), ("d/b.csv", "src,dst\n2,3\n"), ("d/_SUCCESS", "")] {
        folder.write(name, text);
    }
    let ran = folder.ok("build d g.outcrop");
    assert!(ran.stderr.contains("note: skipped d/_SUCCESS"), "{}", ran.stderr);
    assert_eq!(folder.ok("build d/?.csv h.outcrop --json").figure("edges"), 2);
    folder.fails("build d/*.tsv i.outcrop", 2);
    folder.write("d/notes.pdf", "1 2\n");
    assert!(folder.fails("build d i.outcrop", 2).contains("notes.pdf has no known extension"));
}

#[test]
fn a_first_line_is_an_edge_unless_it_cannot_be_one() {
    let folder = Folder::new();
    folder.write("a.txt", "u v\nv w\nw u\n");
    assert_eq!(folder.ok("build a.txt a.outcrop --json").figure("edges"), 3);
    for first in ["-1,2", "1e5,2", "7,", "18446744073709551616,2"] {
        folder.write("a.csv", format!("{first}\n3,4\n"));
        let message = folder.fails("build a.csv b.outcrop", 3);
        assert!(message.starts_with("outcrop: a.csv:1:"), "{message}");
    }
    folder.write("a.csv", "src,dst,weight\n# c\n1,2,0.5\n\n2,2,1\n");
    let ran = folder.ok("build a.csv b.outcrop");
    for part in [
        "input: integer IDs; directed by default",
        "a.csv: edge-list; 2 edges in 5 lines; line 1 read as header: `src,dst,weight`; columns src, dst; 1 comment; 1 blank line",
        "note: column \"weight\" was not read; use --weighted to read it as weights",
        "1 self-loop kept",
    ] {
        assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
    }
    folder.write("c.txt", "1 2\nx y\n");
    let ran = folder.ok("build c.txt c.outcrop --on-error skip");
    assert!(ran.stderr.contains("    skipped c.txt:2:1: found `x`"), "{}", ran.stderr);
    folder.write("d.txt", "1 2 1e39\n");
    let message = folder.fails("build d.txt d.outcrop --weighted --weight-type f32", 3);
    assert!(message.contains("d.txt:1:5: found the weight 1e39, expected at most 3.4028235e38"), "{message}");
}

#[test]
fn weights_stay_as_they_are_in_the_narrowest_type_or_the_one_that_is_asked_for() {
    let folder = Folder::new();
    for (weight, kind, distance) in [
        ("7", "u8", "7.0"),
        ("65535", "u16", "65535.0"),
        ("16777217", "u32", "16777217.0"),
        ("-0", "f32", "-0.0"),
        ("0.5", "f32", "0.5"),
        ("0.1", "f64", "0.1"),
        ("1700000000123", "f64", "1700000000123.0"),
        ("1e39", "f64", "1e+39"),
    ] {
        folder.write("a.txt", format!("1 2 {weight}\n"));
        let ran = folder.ok("build a.txt g.outcrop --weighted --overwrite");
        assert!(ran.stderr.contains(&format!("weights as {kind}")), "{}", ran.stderr);
        let info = folder.ok("info g.outcrop --json").json();
        assert_eq!((info["weight_type"].as_str(), info.get("weight_rounding")), (Some(kind), None));
        assert!(folder.ok("info g.outcrop").stdout.contains(&format!("directed, weights as {kind}\n")));
        if weight != "-0" {
            assert_eq!(
                folder.rows("sssp g.outcrop --source 1 --columns all"),
                ["1,0.0,".to_owned(), format!("2,{distance},1")]
            );
        }
        folder.ok("build a.txt g.outcrop --weighted --weight-type f64 --overwrite");
        assert_eq!(folder.ok("info g.outcrop --json").json()["weight_type"], "f64");
        folder.ok("convert g.outcrop c.outcrop --weight-type auto --overwrite --verify");
        assert_eq!(folder.ok("info c.outcrop --json").json()["weight_type"], kind);
    }
    let message = folder.fails("build a.txt h.outcrop --weighted --weight-type u16", 3);
    assert!(
        message.contains("a.txt:1:5: found the weight 1e39") || message.contains("a.txt:1:5: found the weight 1000"),
        "{message}"
    );
    let message = folder.fails("build a.txt h.outcrop --weighted --weight-type i32", 2);
    assert!(message.contains("; expected auto, f64, f32, u8, u16 or u32"), "{message}");
}

#[test]
fn an_update_adds_weights_that_the_store_holds() {
    let folder = Folder::new();
    folder.write("a.txt", "1 2 7\n2 3 255\n");
    folder.write("fits.txt", "3 1 9\n");
    folder.write("wide.txt", "3 2 256\n");
    folder.ok("build a.txt g.outcrop --weighted");
    folder.ok("update g.outcrop --add fits.txt");
    let message = folder.fails("update g.outcrop --add wide.txt", 3);
    assert!(
        message.contains("wide.txt:1:5: found the weight 256")
            && message.contains("u8")
            && message.contains("`outcrop convert --weight-type f64`"),
        "{message}"
    );
    folder.ok("convert g.outcrop w.outcrop --weight-type f64");
    folder.ok("update w.outcrop --add wide.txt --merge");
    let info = folder.ok("info w.outcrop --json").json();
    assert_eq!((info["weight_type"].as_str(), info["edges"].as_u64()), (Some("f64"), Some(4)));
    assert_eq!(folder.rows("sssp w.outcrop --source 3 --columns all"), ["1,9.0,3", "2,16.0,1", "3,0.0,"]);
    let ran = folder.ok("convert w.outcrop s.outcrop --weight-type u16 --json");
    assert_eq!(ran.json()["weight_type"], "u16");
    assert!(
        folder
            .fails("convert w.outcrop t.outcrop --weight-type u8", 3)
            .contains("the weight 256, which does not fit u8")
    );
}
