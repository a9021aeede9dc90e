//! Every kind of malformed line, with its location and message.

use super::*;

const WHOLE: &str = "expected an integer from 0 to 18446744073709551615";

fn integers() -> EdgeListOptions {
    EdgeListOptions { ids: IdRule::Integer { largest: None }, ..EdgeListOptions::default() }
}

fn message(text: impl AsRef<[u8]>, options: &EdgeListOptions) -> String {
    let error = read(text, options).unwrap_err();
    assert_eq!(error.exit_code(), 3, "{error}");
    error.to_string()
}

#[test]
fn ids_that_are_no_whole_numbers_are_refused_at_their_place() {
    for bad in ["-1", "1e5", "+3", "0x10", "1.0", "18446744073709551616", "99999999999999999999999", "x", "1_0"] {
        let text = format!("# c\n1 2\n\n3 {bad}\n5 6\n");
        assert_eq!(message(&text, &integers()), format!("x.txt:4:3: found `{bad}`, {WHOLE}"));
        let text = format!("1 2\r\n {bad} 4");
        assert_eq!(message(&text, &integers()), format!("x.txt:2:2: found `{bad}`, {WHOLE}"));
    }
}

#[test]
fn a_guessed_kind_is_explained() {
    let text = "1 2\n3 bob\n";
    let expected = format!("x.txt:2:3: found `bob`, {WHOLE}; if IDs are names, use --ids string");
    assert_eq!(message(text, &EdgeListOptions::default()), expected);
}

#[test]
fn ids_at_the_edges_of_their_types_come_through() {
    let ids = [0, 1, 2147483647, 2147483648, 4294967294, 4294967295, 4294967296, 9223372036854775808, u64::MAX];
    let text: String = ids.iter().map(|id| format!("{id} {id}\n00{id} 7\n")).collect();
    let expected = ids.iter().flat_map(|id| [(id.to_string(), id.to_string()), (id.to_string(), "7".to_owned())]);
    assert_eq!(read(text, &integers()).unwrap().edges, expected.collect::<Vec<_>>());
}

#[test]
fn ids_above_the_largest_are_refused() {
    let options = EdgeListOptions { ids: IdRule::Integer { largest: Some(6) }, ..EdgeListOptions::default() };
    assert_eq!(read("6 0\n", &options).unwrap().edges, edges(&[("6", "0")]));
    assert_eq!(message("6 0\n1 7\n", &options), "x.txt:2:3: found `7`, expected an integer from 0 to 6");
}

#[test]
fn lines_with_too_few_fields_are_refused_behind_their_end() {
    assert_eq!(message("1 2\n3\n", &integers()), "x.txt:2:2: found 1 field, expected 2 fields separated by blanks");
    assert_eq!(message("1,2\n3,\n", &integers()), format!("x.txt:2:3: found nothing, {WHOLE}"));
    assert_eq!(message("1,2\n,3\n", &integers()), format!("x.txt:2:1: found nothing, {WHOLE}"));
    assert_eq!(message("1,2\n34\n", &integers()), "x.txt:2:3: found 1 field, expected 2 fields separated by `,`");
}

#[test]
fn weights_are_finite_numbers() {
    let options = EdgeListOptions { weighted: true, ..integers() };
    for bad in ["NaN", "inf", "-inf", "infinity", "1e400", "x", "0x1", "1,5"] {
        let text = format!("1 2 0.5\n3 4 {bad}\n");
        let advice = if bad == "1,5" { "; write decimals with a point" } else { "" };
        let expected = format!("found `{bad}`, expected a finite number as weight{advice}");
        assert_eq!(message(&text, &options), format!("x.txt:2:5: {expected}"), "{bad}");
    }
    let single = EdgeListOptions { weight_type: Some(WeightType::F32), ..options.clone() };
    let large = "found the weight -1e39, expected at most 3.4028235e38, the limit of f32";
    assert_eq!(message("1 2 0.5\n3 4 -1e39\n", &single), format!("x.txt:2:5: {large}"));
    assert_eq!(read("1 2 -1e39\n", &options).unwrap().weights, [(-1e39f64).to_bits()]);
    for (kind, most) in [(WeightType::U8, 255), (WeightType::U16, 65_535), (WeightType::U32, 4_294_967_295_u64)] {
        let whole = EdgeListOptions { weight_type: Some(kind), ..options.clone() };
        let over = most + 1;
        for bad in ["-1", "0.5", "-0", &over.to_string()] {
            let text = format!("1 2 {most}\n3 4 {bad}\n");
            let holds = format!("expected an integer from 0 to {most} for the weight type {};", kind.name());
            let expected = format!("x.txt:2:5: found the weight {bad}, {holds}");
            assert!(message(&text, &whole).starts_with(&expected), "{expected}");
        }
        assert_eq!(read(format!("1 2 {most}"), &whole).unwrap().weights, [(most as f64).to_bits()]);
    }
    assert_eq!(message("1 2 0.5\n3 4\n", &options), "x.txt:2:4: found 2 fields, expected a weight in field 3");
    assert_eq!(message("1 2\n", &options), "x.txt:1:4: found 2 fields, expected a weight in field 3");
    let read = read("1 2 0.1\n1 2 -1e-3 z\n1 2 3\n1 2 16777217 \n1 2 .5\r\n1 2 -0.0\n", &options).unwrap();
    let expected = [0.1f64, -1e-3, 3.0, 16777217.0, 0.5, -0.0];
    assert_eq!(read.weights, expected.map(f64::to_bits));
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    let nul = "found a NUL byte, expected text; is this a binary file?";
    assert_eq!(message("1 2\n3 4\0\n", &integers()), format!("x.txt:2:4: {nul}"));
    assert_eq!(message("1 2\n3 4 x\0\n", &integers()), format!("x.txt:2:6: {nul}"));
    assert_eq!(message("# \0\n", &integers()), format!("x.txt:1:3: {nul}"));
    let cr = "found a carriage return inside a line, expected a line feed";
    assert_eq!(message("1 2\r3 4\r5 6", &integers()), format!("x.txt:1:4: {cr}"));
    assert_eq!(message("1 2\n3 4 5\r6 7\n", &integers()), format!("x.txt:2:6: {cr}"));
    let names = EdgeListOptions { ids: IdRule::Text, ..EdgeListOptions::default() };
    let bad = b"a b\nc d\xc3\xa4\xff\n";
    assert_eq!(message(bad, &names), "x.txt:2:6: found the byte 0xff, expected text in UTF-8");
}

#[test]
fn names_have_a_longest_length() {
    let names = EdgeListOptions { ids: IdRule::Text, ..EdgeListOptions::default() };
    let (fits, too_long) = ("x".repeat(LONGEST_ID), "x".repeat(LONGEST_ID + 1));
    let source = |name: &str| open_text("x", format!("a {name}\n").as_bytes(), &names, BlockSizes::usual());
    assert_eq!(drain(&mut source(&fits).unwrap()).unwrap().edges, edges(&[("a", fits.as_str())]));
    let error = drain(&mut source(&too_long).unwrap()).unwrap_err().to_string();
    assert_eq!(error, "x:1:3: found an ID of 65537 bytes, expected at most 65536");
}

#[test]
fn broken_quotes_are_refused() {
    let names = EdgeListOptions { ids: IdRule::Text, ..EdgeListOptions::default() };
    let open = "found an unclosed quote; it must end on the same line";
    assert_eq!(message("a,b\n\"c,d\n", &names), format!("x.txt:2:1: {open}"));
    let behind = "found text after a quoted field, expected `,`";
    assert_eq!(message("a,b\n\"c\" x,d\n", &names), format!("x.txt:2:5: {behind}"));
}

#[test]
fn a_line_that_never_ends_is_refused_in_flat_memory() {
    struct Endless(u64);
    impl Read for Endless {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let start = if self.0 == 0 { b"1 2\n".as_slice() } else { b"" };
            buffer.fill(b'7');
            buffer[..start.len()].copy_from_slice(start);
            self.0 += buffer.len() as u64;
            assert!(self.0 < 16 << 20, "reads on and on");
            Ok(buffer.len())
        }
    }
    let budget = MemoryBudget::new(8 << 20);
    let mut source = read_edges("pipe", Box::new(Endless(0)), &integers(), &budget, 2).unwrap();
    let error = drain(source.as_mut()).unwrap_err().to_string();
    let expected = "pipe:2:1: found a line longer than 1048576 bytes (starting at byte 4 of the text)";
    assert_eq!(error, expected);
}

#[test]
fn skipping_counts_exactly() {
    let skip = |max_errors| EdgeListOptions { on_error: OnError::Skip { max_errors }, ..integers() };
    let long = "9".repeat(3 << 20);
    let text = format!("1 2\nx y\n3 4\n5\n{long}\n# c\n\n6 7\n-1 8\n{long} 4");
    let mut source = open_text("x.txt", text.as_bytes(), &skip(5), BlockSizes::usual()).unwrap();
    let whole = drain(&mut source).unwrap();
    assert_eq!((whole.edges, whole.skipped), (edges(&[("1", "2"), ("3", "4"), ("6", "7")]), 5));
    let mut source = open_text("x.txt", text.as_bytes(), &skip(4), BlockSizes::usual()).unwrap();
    let error = drain(&mut source).unwrap_err();
    assert_eq!(error.exit_code(), 3);
    let expected = format!("x.txt:2:1: found `x`, {WHOLE}; first of more than 4 invalid lines (--max-errors)");
    assert_eq!(error.to_string(), expected);
}

#[test]
fn options_that_contradict_each_other_are_refused() {
    let columns = ColumnNames { source: Some("a".to_owned()), ..ColumnNames::default() };
    let options = EdgeListOptions { columns, header: Header::No, ..integers() };
    assert_eq!(read("1 2", &options).unwrap_err().exit_code(), 2);
    for separator in ['x', '"', '7', '\n', 'é', '-'] {
        let options = EdgeListOptions { separator: Separator::Char(separator), ..integers() };
        assert_eq!(read("1 2", &options).unwrap_err().exit_code(), 2);
    }
    let columns = ColumnNames { source: Some("a".to_owned()), ..ColumnNames::default() };
    let options = EdgeListOptions { columns, ..integers() };
    let error = read("b,c\n1,2\n", &options).unwrap_err().to_string();
    assert_eq!(error, "x.txt:1: found the columns b, c, but no column a; use one of these names");
    assert!(matches!(open_edges(&[], &integers(), &MemoryBudget::new(0), 1), Err(Error::Usage(_))));
}
