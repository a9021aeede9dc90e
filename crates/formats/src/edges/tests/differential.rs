//! Readers compared with slow, obviously correct ones, and fed arbitrary bytes.

use super::super::text::{Fields, Split};
use super::*;
use crate::vertices::read_vertices;
use proptest::prelude::*;

/// Any line break, comment, or edge with fields separated by any blanks.
fn line() -> impl Strategy<Value = String> {
    let blank = "[ \t]{1,3}";
    let edge = (
        any::<u64>(),
        0u32..64,
        any::<u64>(),
        0u32..64,
        blank,
        "[ \t]{0,2}",
        "(-?[0-9]{1,9}(\\.[0-9]{0,9})?|[0-9]e-?[0-9])",
    )
        .prop_map(|(u, cut_u, v, cut_v, blank, edge, weight)| {
            format!("{edge}{}{blank}{}{blank}{weight}{edge}", u >> cut_u, v >> cut_v)
        });
    prop_oneof![8 => edge, 1 => "[ \t]{0,3}", 1 => "[ \t]{0,2}[#%][ -~]{0,20}"]
}

fn slow(text: &str) -> Whole {
    let mut whole = Whole::default();
    for line in text.split('\n') {
        let fields: Vec<&str> = line.split_whitespace().collect();
        if fields.first().is_none_or(|first| first.starts_with(['#', '%'])) {
            continue;
        }
        let id = |place: usize| fields[place].parse::<u64>().unwrap().to_string();
        whole.edges.push((id(0), id(1)));
        whole.weights.push(fields[2].parse::<f64>().unwrap().to_bits());
    }
    whole
}

proptest! {
    #[test]
    fn texts_are_read_as_by_a_slow_reader(lines in proptest::collection::vec(line(), 0..40), end in "(\r?\n)?", crlf: bool) {
        let text = lines.join(if crlf { "\r\n" } else { "\n" }) + &end;
        let options = EdgeListOptions { weighted: true, ..EdgeListOptions::default() };
        let expected = slow(&text);
        prop_assert_eq!(&read(&text, &options).unwrap(), &expected);
        let unweighted = read(&text, &EdgeListOptions::default()).unwrap();
        prop_assert_eq!(unweighted.edges, expected.edges);
        let separator = Separator::Char(' ');
        let names = EdgeListOptions { ids: IdRule::Text, separator, ..EdgeListOptions::default() };
        prop_assert_eq!(read(&text, &names).unwrap().edges.len(), expected.weights.len());
    }

    #[test]
    fn skipping_loses_bad_lines_and_nothing_else(lines in proptest::collection::vec((any::<u32>(), any::<u32>(), 0usize..8), 1..60)) {
        const BAD: [&str; 3] = ["x 1", "4", "1 -1"];
        let text: String = lines.iter().map(|(u, v, bad)| match BAD.get(*bad) {
            Some(line) => format!("{line}\n"),
            None => format!("{u} {v}\n"),
        }).collect();
        let ids = IdRule::Integer { largest: None };
        let options = EdgeListOptions { ids, on_error: OnError::Skip { max_errors: 60 }, ..EdgeListOptions::default() };
        let whole = read(&text, &options).unwrap();
        let good: Vec<_> = lines.iter().filter(|l| l.2 >= BAD.len()).map(|l| (l.0.to_string(), l.1.to_string())).collect();
        prop_assert_eq!(whole.skipped as usize, lines.len() - good.len());
        prop_assert_eq!(whole.edges, good);
    }

    #[test]
    fn quoted_fields_are_those_of_the_csv_crate(fields in proptest::collection::vec("[a-c\",; ]{0,6}", 1..6)) {
        let mut writer = csv::WriterBuilder::new().quote_style(csv::QuoteStyle::Always).from_writer(Vec::new());
        writer.write_record(&fields).unwrap();
        let line = writer.into_inner().unwrap();
        let found: Vec<String> = Fields::new(line.trim_ascii_end(), Split::At(b','))
            .map(|field| String::from_utf8(field.unwrap().text.into_owned()).unwrap())
            .collect();
        prop_assert_eq!(found, fields);
    }

    #[test]
    fn arbitrary_bytes_never_panic(
        bytes in proptest::collection::vec(prop_oneof![any::<u8>(), proptest::sample::select(b" \t\r\n\",;|019.-e#".to_vec())], 0..400),
        head in 0usize..5, skip: bool, weighted: bool, text: bool,
    ) {
        let heads: [&[u8]; 5] = [b"", &[0x1f, 0x8b, 8, 0], &[0x28, 0xb5, 0x2f, 0xfd], b"OUTCROPE", b"1,2\n"];
        let bytes = [heads[head], &bytes].concat();
        let on_error = if skip { OnError::Skip { max_errors: 5 } } else { OnError::Stop };
        let ids = if text { IdRule::Text } else { IdRule::Auto };
        let options = EdgeListOptions { weighted, on_error, ids, ..EdgeListOptions::default() };
        for sizes in [BlockSizes::usual(), TINY] {
            _ = open_text("x.csv", &bytes, &options, sizes).and_then(|mut source| drain(&mut source));
        }
        let budget = MemoryBudget::new(1 << 30);
        let mut batch = IdBatch::empty(IdKind::Integer);
        if let Ok(mut source) = read_vertices("x", Box::new(Cursor::new(bytes)), &options, &budget) {
            while source.next_batch(&mut batch).unwrap_or(false) {}
        }
    }
}
