//! Lines that differ from the first ones, IDs in doubt, and shapes that only look like edges.

use super::*;

/// As many lines are read as decide on the dialect, and more.
const MANY: usize = 1500;

/// A line, repeated before it is odd; the odd line; a part of the only note.
const LATE: &[(&str, &str, &str)] = &[
    ("X1,Y1", "Smith, John,Mary", "1 line has another number of fields than the first lines, the first at x.txt:1501"),
    ("q\tr", "q\tknows\tr", "another number of fields"),
    ("5 6", "5 6 7 8 9", "another number of fields"),
    ("5 6", "5 6 {'weight': 3}", "another number of fields"),
    ("5,6,1", "5,6", "another number of fields"),
    ("5 6 1", "5 6", "another number of fields"),
    ("5,6,1,2", "5,6,1", "another number of fields"),
    ("a b", "\"John Smith\" Mary", ""),
    ("a b", "\u{feff}a b", "invisible character"),
    ("a,b", "a\u{a0},b", "invisible character"),
    ("a,b", "NA,b", "looks like a missing value, the first at x.txt:1501 (`NA`)"),
    ("a b", "'a' b", "literal quote"),
    ("a b", "\"a b", "literal quote"),
    ("a,b", "\"1,234\",b", "a quoted number with commas"),
    ("a b", "// x", "begins like a comment"),
    ("5,6", "007,6", "leading zeros"),
    ("5,6,", "5,6", ""),
    ("5,6", "5,6,", ""),
    ("5 6", " 5\t6 ", ""),
    ("5,6,x", "5,6,\"a, b\"", ""),
    ("a,b,x", "a,b,\"c, d\"", ""),
];

#[test]
fn lines_unlike_the_first_are_counted() {
    for (usual, odd, expected) in LATE {
        let notes = notes_of("x.txt", &format!("{}{odd}\n", format!("{usual}\n").repeat(MANY)));
        let notes: Vec<&String> = notes.iter().filter(|note| !note.contains("not read")).collect();
        let told = notes.iter().any(|note| note.contains(expected));
        assert!(
            notes.len() == usize::from(!expected.is_empty()) && (told || expected.is_empty()),
            "{odd:?}: {notes:?}"
        );
    }
    let header = format!("source,target\n{}Source,Target\n\"source\",\"target\"\na,b,c\n", "a,b\n".repeat(MANY));
    let notes = notes_of("x.csv", &header);
    for part in
        ["1 line that repeats the header was skipped", "in quotes was read as an edge", "another number of fields"]
    {
        assert!(notes.len() == 3 && notes.iter().any(|note| note.contains(part)), "{part}: {notes:?}");
    }
    let pattern = "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 3 5\n";
    assert!(notes_of("x.mtx", pattern)[0].contains("another number of fields"));
}

#[test]
fn quotes_around_fields_are_removed_where_blanks_separate() {
    for (text, expected) in [
        ("\"from\" \"to\"\n\"a\" \"b\"\n\"b\" \"c\"\n", "a-b b-c"),
        ("\"from\" \"to\" \"weight\"\n\"1\" \"a\" \"b\" 0.5\n\"2\" \"b\" \"c\" 1\n", "a-b b-c"),
        ("\"a\" b\nb \"a\"\n", "a-b b-a"),
        ("\"1\" \"2\"\n\"2\" \"3\"\n", "1-2 2-3"),
        ("\"New York\" \"say \"\"hi\"\"\"\n", "New York-say \"hi\""),
    ] {
        assert_eq!(edges_of("x.txt", text.as_bytes(), &auto()).unwrap(), expected, "{text:?}");
    }
}

#[test]
fn other_shapes_are_refused_with_what_they_are() {
    for (text, expected) in [
        ("// c\na b\nb c\n", "a line that begins like a comment (`// c`)"),
        ("-- c\na b\nb c\n", "--comments '#%-'"),
        ("; made\na b\nb c\n", "begins like a comment"),
        ("! made\n1 2\n2 3\n", "begins like a comment"),
        ("// c\n1 2\n2 3\n", "begins like a comment"),
        ("0\t1,2,3\n1\t0,5,20\n", "two separators"),
        ("1,2 3,4\n3,4 5,6\n", "two separators"),
        (";Ann;Bob;Cy\nAnn;0;2,5;0\nBob;2,5;0;1\nCy;0;1;0\n", "a matrix with labels"),
        ("Ann,Bob,Cy\n0,1,0\n1,0,1\n0,1,0\n", "a matrix with labels"),
        ("\"V1\" \"V2\" \"V3\"\n\"1\" 0 1 0\n\"2\" 1 0 1\n\"3\" 0 1 0\n", "a matrix with labels"),
        ("1234567890 1 2\n1234567899 2 3\n", "a time in place of an endpoint"),
        ("<NUMBER OF ZONES> 24\n<END OF METADATA>\n1 2\n", "a TNTP network"),
        ("1 2\n1.0 2\n", "write IDs without sign, point or exponent"),
        ("1 2\n+1 2\n", "write IDs without sign, point or exponent"),
        ("1 2\nNA 2\n", "if the value is missing"),
        ("1 2\n(1 row)\n", "if the line is a footer"),
        ("1,2\nTotal,2\n", "if the line is a footer"),
        ("a^b\nb^c\n", "--separator '^'"),
        ("a~b\nb~c\n", "--separator '~'"),
        ("1:2\n2:3\n", "--separator ':'"),
        ("1-2\n2-3\n", "replace it by a blank"),
        ("1 2\n3\n", "if the line is not an edge, drop it"),
    ] {
        let error = edges_of("x.txt", text.as_bytes(), &auto()).expect_err(text).to_string();
        assert!(error.contains(expected), "{text:?}: {error}");
    }
}

#[test]
fn well_known_names_and_weighted_trees_have_no_notes() {
    for text in [
        "0 5 1\n1 7 1\n2 9 1\n",
        ":START_ID,:END_ID,:TYPE\na,b,KNOWS\nb,c,KNOWS\n",
        "protein1 protein2 x\na b 1\n",
        "node_1,node_2\n1,2\n2,3\n",
        "caller,callee\na,b\nb,c\n",
        "h,r,t\na,x,b\nb,y,c\n",
        "source,target,weight\n1,2\n2,3\n",
    ] {
        let notes: Vec<String> = notes_of("x.csv", text)
            .into_iter()
            .filter(|note| !note.contains("was not read; use --weighted to read field 3"))
            .collect();
        assert_eq!(notes, [""; 0], "{text:?}");
    }
    assert_eq!(edges_of("x.csv", b"h,r,t\na,x,b\nb,y,c\n", &auto()).unwrap(), "a-b b-c");
    let notes = notes_of("x.csv", "source,target,combined_score\na,b,900\n");
    assert!(notes.len() == 1 && notes[0].contains("\"combined_score\" was not read"), "{notes:?}");
}
