//! Tables in random dialects: read as the original edges, or refused.

use super::*;
use proptest::prelude::*;
use proptest::sample::select;

/// Dialect of a table.
#[derive(Clone, Debug)]
struct Dialect {
    separator: char,
    names: Names,
    index: bool,
    decimal_comma: bool,
    weights: bool,
    texts: bool,
    quoted: bool,
    crlf: bool,
    /// True if targets come before sources.
    swapped: bool,
}

#[derive(Clone, Debug)]
enum Names {
    None,
    Ends(&'static str, &'static str),
    Unknown,
}

fn dialect() -> impl Strategy<Value = Dialect> {
    let ends = select(vec![
        ("source", "target"),
        ("Src", "Dst"),
        ("from_id", "to_id"),
        ("Source Node", "Target Node"),
        (":START_ID", ":END_ID"),
        ("follower", "followee"),
        ("protein1", "protein2"),
    ]);
    let names = prop_oneof![
        2 => Just(Names::None),
        3 => ends.prop_map(|(source, target)| Names::Ends(source, target)),
        1 => Just(Names::Unknown),
    ];
    let flags = any::<[bool; 7]>();
    (select(vec![',', ';', '\t', '|', ' ']), names, flags).prop_map(|(separator, names, flags)| {
        let [index, decimal_comma, weights, texts, quoted, crlf, swapped] = flags;
        let headed = !matches!(names, Names::None);
        Dialect {
            separator,
            index: index && headed && separator != ' ',
            decimal_comma: decimal_comma && separator != ',',
            weights,
            texts,
            quoted: quoted && separator != ' ',
            crlf,
            swapped: swapped && matches!(names, Names::Ends(..)) && separator != ' ',
            names,
        }
    })
}

/// IDs, a weight and a text of a row.
type Cells = (u32, u32, u16, u8);

fn id(number: u32, text: bool) -> String {
    let word = ["anna", "bob", "carl, the first", "dora; also", "emil"][number as usize % 5];
    if text { format!("{word} {number}") } else { number.to_string() }
}

fn write(dialect: &Dialect, text_ids: bool, rows: &[Cells]) -> (String, Vec<(String, String)>) {
    let blanks = dialect.separator == ' ';
    // If blanks separate, a comma in every ID would separate as well.
    let id = |number: u32| match blanks {
        true => id(number, text_ids).replace([' ', ',', ';'], "_"),
        false => id(number, text_ids),
    };
    let mut lines = Vec::new();
    let mut edges = Vec::new();
    let arrange = |mut ends: Vec<String>, index: String, weight: String, text: String| {
        if dialect.swapped {
            ends.reverse();
        }
        let index = dialect.index.then_some(index);
        let weight = dialect.weights.then_some(weight);
        let text = dialect.texts.then_some(text);
        let fields = index.into_iter().chain(ends).chain(weight).chain(text).map(|field| {
            let special = field.contains([dialect.separator, '"']) && !blanks;
            if special || dialect.quoted { format!("\"{field}\"") } else { field }
        });
        fields.collect::<Vec<_>>().join(&dialect.separator.to_string())
    };
    let owned = |text: &str| text.to_owned();
    match dialect.names {
        Names::None => {}
        Names::Ends(source, target) => {
            let ends = [source, target].map(|name| if blanks { name.replace(' ', "_") } else { owned(name) });
            lines.push(arrange(ends.to_vec(), String::new(), owned("km"), owned("remark")));
        }
        Names::Unknown => {
            lines.push(arrange(vec![owned("left"), owned("right")], owned("id"), owned("km"), owned("remark")));
        }
    }
    for (place, (source, target, weight, text)) in rows.iter().enumerate() {
        let (source, target) = (id(*source), id(*target));
        let weight = format!("{}.{:02}", weight / 100, weight % 100);
        let weight = if dialect.decimal_comma { weight.replace('.', ",") } else { weight };
        edges.push((source.clone(), target.clone()));
        lines.push(arrange(vec![source, target], place.to_string(), weight, format!("remark{text}")));
    }
    (lines.join(if dialect.crlf { "\r\n" } else { "\n" }), edges)
}

proptest! {
    #[test]
    fn tables_in_random_dialects_are_read_right_or_refused(
        dialect in dialect(),
        text_ids: bool,
        rows in proptest::collection::vec((0u32..2000, 0u32..2000, 0u16..5000, any::<u8>()), 1..12),
    ) {
        // Column names above strings look like any other strings, and so do names that differ in a number.
        let like_ids = matches!(dialect.names, Names::Unknown | Names::Ends("protein1", _));
        let told = !like_ids || !text_ids || dialect.weights;
        let (text, expected) = write(&dialect, text_ids, &rows);
        let name = if dialect.separator == '\t' { "x.tsv" } else { "x.csv" };
        match read_named(name, text.as_bytes(), &auto()) {
            Ok(found) => prop_assert!(!told || found.edges == expected, "{}\n{:?}", text, found.edges),
            Err(error) => prop_assert_eq!(error.exit_code(), 3, "{}", error),
        }
        if dialect.weights {
            let weighted = EdgeListOptions { weighted: true, ..auto() };
            match read_named(name, text.as_bytes(), &weighted) {
                Ok(found) => {
                    let weights = rows.iter().map(|row| (f64::from(row.2) / 100.0).to_bits()).collect::<Vec<_>>();
                    prop_assert!(!told || (found.edges == expected && found.weights == weights), "{}\n{:?}", text, found);
                }
                Err(error) => prop_assert_eq!(error.exit_code(), 3, "{}", error),
            }
        }
    }
}
