//! Variants of text files.

use super::*;
use std::fs;

fn auto() -> EdgeListOptions {
    EdgeListOptions::default()
}

#[test]
fn separators_are_found() {
    for text in ["1 2\n3 4\n", "1\t2\n3 4\n", "1,2\n3,4\n", "1;2\n3; 4\n", "1|2\n3|4", "  1   2  \n3\t\t4 x\n"] {
        assert_eq!(read(text, &auto()).unwrap().edges, edges(&[("1", "2"), ("3", "4")]), "{text:?}");
    }
    let colon = EdgeListOptions { separator: Separator::Char(':'), ..auto() };
    assert_eq!(read("1:2:9\n3:4\n", &colon).unwrap().edges, edges(&[("1", "2"), ("3", "4")]));
}

#[test]
fn byte_order_marks_line_ends_comments_and_empty_lines_do_no_harm() {
    let text = b"\xef\xbb\xbf# c\r\n% d\r\n\r\n   \r\n1 2\r\n  # e\r\n3 4";
    assert_eq!(read(text, &auto()).unwrap().edges, edges(&[("1", "2"), ("3", "4")]));
    assert_eq!(read(b"\xef\xbb\xbf1 2\n", &auto()).unwrap().edges, edges(&[("1", "2")]));
    for nothing in ["", "\n", "# c", "\u{feff}"] {
        assert_eq!(read(nothing, &auto()).unwrap(), Whole::default());
    }
}

#[test]
fn names_may_hold_blanks_where_tabs_or_commas_separate() {
    assert_eq!(read("New York\tBonn\n", &auto()).unwrap().edges, edges(&[("New York", "Bonn")]));
    let quoted = "\"Smith, J\",\"say \"\"hi\"\"\"\n a , b ,c\n";
    let expected = edges(&[("Smith, J", "say \"hi\""), ("a", "b")]);
    assert_eq!(read_named("x.csv", quoted.as_bytes(), &auto()).unwrap().edges, expected);
    assert_eq!(read("ä \u{1f600}\n", &auto()).unwrap().edges, edges(&[("ä", "\u{1f600}")]));
}

#[test]
fn headers_are_found() {
    let one = edges(&[("1", "2")]);
    for name in ["x.txt", "x.csv"] {
        for header in ["src dst", "To,weight,From", "a,b", "source;target", "u v", "Node1|Node2", "A\tB"] {
            let line =
                if header.contains("weight") { "2,0.5,1" } else { &header.replace(char::is_alphanumeric, "")[..1] };
            let line = if line.len() > 1 { line.to_owned() } else { format!("1{line}2") };
            let text = format!("# c\n{header}\n{line}\n");
            let mut source = open_text(name, text.as_bytes(), &auto(), BlockSizes::usual()).unwrap();
            assert_eq!(drain(&mut source).unwrap().edges, one, "{name} {header}");
            let file = &source.summary().files[0];
            assert_eq!(file.header.as_ref().unwrap().line, 2, "{header}");
            assert_eq!((file.lines, file.comments, file.edges), (Some(3), 1, 1), "{header}");
        }
    }
    assert_eq!(read_named("x.tsv.gz", &gz(b"a\tb\n1\t2\n"), &auto()).unwrap().edges, one);
    let yes = EdgeListOptions { header: Header::Yes, ..auto() };
    assert_eq!(read("5 6\n# c\n1 2\n", &yes).unwrap().edges, one);
    assert_eq!(read("src,dst\n", &auto()).unwrap(), Whole::default());
    let named = edges(&[("anna", "bob")]);
    assert_eq!(read("from to\nanna bob\n", &auto()).unwrap().edges, named);
    assert_eq!(read("x y km\nanna bob 3\n", &auto()).unwrap().edges, named);
}

#[test]
fn an_ordinary_first_line_is_an_edge() {
    let triangle = edges(&[("u", "v"), ("v", "w"), ("w", "u")]);
    for name in ["x.txt", "x.csv", "x.tsv"] {
        assert_eq!(read_named(name, b"u v\nv w\nw u\n", &auto()).unwrap().edges, triangle);
        assert_eq!(read_named(name, b"a,b\nc,d\n", &auto()).unwrap().edges, edges(&[("a", "b"), ("c", "d")]));
    }
    let texts = EdgeListOptions { ids: IdRule::Text, ..auto() };
    assert_eq!(read("a b\n1 2\n", &texts).unwrap().edges, edges(&[("a", "b"), ("1", "2")]));
}

#[test]
fn a_bad_first_line_is_no_header() {
    for bad in ["-1", "1e5", "", "18446744073709551616", "1.0", "+3"] {
        for (name, text) in [("x.csv", format!("7,{bad}\n1,2\n")), ("x.csv", format!("7,{bad}\n"))] {
            let error = read_named(name, text.as_bytes(), &auto()).unwrap_err().to_string();
            let found = if bad.is_empty() { "nothing".to_owned() } else { format!("`{bad}`") };
            assert!(error.starts_with(&format!("{name}:1:3: found {found}, expected an integer")), "{error}");
        }
    }
    let error = read_named("x.csv", b"-1,2\n3,4\n", &auto()).unwrap_err().to_string();
    assert!(error.starts_with("x.csv:1:1: found `-1`"), "{error}");
}

#[test]
fn the_account_of_a_file_says_what_was_taken() {
    let text = "# c\nsrc,kind,dst,weight\n\n1,9,2,0.5\n# d\n3,9,x,1\n5,9,6,16777217\n";
    let on_error = OnError::Skip { max_errors: 9 };
    let options = EdgeListOptions { on_error, ids: IdRule::Integer { largest: None }, ..auto() };
    for sizes in [BlockSizes::usual(), TINY] {
        let mut source = open_text("x.csv", text.as_bytes(), &options, sizes).unwrap();
        drain(&mut source).unwrap();
        let file = source.summary().files.remove(0);
        assert_eq!(
            (file.format.as_str(), file.lines, file.edges, file.comments, file.blank_lines),
            ("edge-list", Some(7), 2, 2, 1)
        );
        assert_eq!((file.columns, file.skipped), (vec!["src".to_owned(), "dst".to_owned()], 1));
        assert_eq!(file.first_skipped.len(), 1);
        assert!(file.first_skipped[0].starts_with("x.csv:6:5: found `x`"), "{:?}", file.first_skipped);
        assert_eq!(file.notes, ["column \"weight\" was not read; use --weighted to read it as weights"]);
        assert!(file.rounding.is_none());
        let mut source = open_text(
            "x.csv",
            text.as_bytes(),
            &EdgeListOptions { weighted: true, weight_type: Some(WeightType::F32), ..options.clone() },
            sizes,
        )
        .unwrap();
        drain(&mut source).unwrap();
        let rounding = source.summary().files.remove(0).rounding;
        let expected = (1, Some("x.csv:7".to_owned()), 1.0);
        assert_eq!((rounding.count, rounding.first, rounding.largest_absolute), expected);
    }
    let mut source = open_text("x.txt", b"", &auto(), TINY).unwrap();
    drain(&mut source).unwrap();
    assert_eq!(source.summary().files[0].lines, Some(0));
}

#[test]
fn columns_are_found_by_name() {
    let columns = ColumnNames {
        source: Some("Who".to_owned()),
        target: Some("whom".to_owned()),
        weight: Some("cost".to_owned()),
        time: None,
    };
    let options = EdgeListOptions { columns, ..auto() };
    let whole = read("cost\tx\twhom\twho\n0.5\t\t2\t1\n", &options).unwrap();
    assert_eq!((whole.edges, whole.weights), (edges(&[("1", "2")]), vec![0.5f64.to_bits()]));
    let weighted = EdgeListOptions { weighted: true, ..auto() };
    let whole = read("src,kind,dst,weight\n1,9,2,0.5\n", &weighted).unwrap();
    assert_eq!((whole.edges, whole.weights), (edges(&[("1", "2")]), vec![0.5f64.to_bits()]));
}

#[test]
fn comments_longer_than_blocks_may_stand_anywhere() {
    let filler = "# a comment\n".repeat(40_000);
    let text = format!("{filler}src dst\n{filler}1 2\n{filler}3 4\n{filler}x y\n");
    let mut source = open_text("x", text.as_bytes(), &auto(), BlockSizes::usual()).unwrap();
    let error = drain(&mut source).unwrap_err().to_string();
    assert!(error.starts_with("x:160004:1: found `x`"), "{error}");
}

#[test]
fn several_files_of_all_sorts_come_one_after_the_other() {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["a.txt", "b.csv.gz", "c.zst", "d.el", "e.txt"].map(|name| folder.path().join(name));
    fs::write(&paths[0], "").unwrap();
    fs::write(&paths[1], [gz(b"src,dst\n1,2\n"), vec![0; 700], gz(b"3,4\n"), vec![0; 300_000]].concat()).unwrap();
    fs::write(&paths[2], [zst(b"5 6\n"), zst(b"7 8")].concat()).unwrap();
    fs::write(&paths[3], "9 10").unwrap();
    fs::write(&paths[4], "11\t12\n").unwrap();
    let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
    let mut source = open_paths(&paths, &auto()).unwrap();
    assert_eq!(source.id_kind(), IdKind::Integer);
    assert!(source.edges_estimate().unwrap() > 3);
    let expected = [("1", "2"), ("3", "4"), ("5", "6"), ("7", "8"), ("9", "10"), ("11", "12")];
    assert_eq!(drain(source.as_mut()).unwrap().edges, edges(&expected));
    assert_eq!(Some(source.bytes_done()), source.bytes_total());
}

#[test]
fn the_estimate_is_close() {
    let folder = tempfile::tempdir().unwrap();
    let text: String = (0..100_000u64).map(|i| format!("{} {}\n", i * 7919 % 99_991, i * 104_729 % 99_991)).collect();
    for (name, bytes) in [("a.txt", text.clone().into_bytes()), ("a.gz", gz(text.as_bytes()))] {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        let estimate = open_paths(&[&path], &auto()).unwrap().edges_estimate().unwrap();
        assert!((70_000..180_000).contains(&estimate), "{name}: {estimate}");
    }
}

#[test]
fn a_missing_file_and_a_folder_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let missing = open_paths(&[&folder.path().join("x")], &auto());
    assert!(matches!(missing, Err(Error::NotFound { .. })));
    assert!(matches!(open_paths(&[folder.path()], &auto()), Err(Error::Usage(_))));
}

#[test]
fn dropping_half_way_gives_the_memory_back() {
    let budget = MemoryBudget::new(8 << 20);
    let text = "1 2\n".repeat(1 << 20);
    let mut source = read_edges("x", Box::new(Cursor::new(text.into_bytes())), &auto(), &budget, 2).unwrap();
    assert!(source.next_batch(&mut EdgeBatch::empty(IdKind::Integer)).unwrap());
    assert!(budget.available() < 8 << 20);
    drop(source);
    // A generous limit, which ends a stuck test but not a slow one.
    for _ in 0..30_000 {
        if budget.available() == 8 << 20 {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("the threads go on");
}

#[test]
fn a_budget_without_room_is_refused_and_a_small_one_suffices() {
    let open = |bytes| {
        read_edges("x", Box::new(Cursor::new(b"1 2".to_vec())), &auto(), &MemoryBudget::new(bytes), 64).map(drop)
    };
    assert!(matches!(open(buffer_bytes(1) - 1), Err(Error::BudgetTooSmall { .. })));
    open(buffer_bytes(1)).unwrap();
    assert!(buffer_bytes(2) <= 8 << 20);
}

#[test]
fn a_failing_read_is_no_damaged_file() {
    struct Failing;
    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("unplugged"))
        }
    }
    for head in [b"1 2\n".repeat(30), gz(&b"1 2\n3 4\n".repeat(5))[..20].to_vec()] {
        let reader = Box::new(Cursor::new(head).chain(Failing));
        let source = read_edges("x", reader, &auto(), &MemoryBudget::new(8 << 20), 1);
        let error = source.and_then(|mut source| drain(source.as_mut())).unwrap_err();
        assert_eq!(error.exit_code(), 9, "{error}");
    }
}
