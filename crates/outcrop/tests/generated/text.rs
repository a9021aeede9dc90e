//! Texts of the table, which say options as the command line does, for readers of Python and of pages.

use crate::parameter::{self, Parameter};
use outcrop::params::WEIGHT;
use outcrop::{ALGORITHMS, Algorithm, InPython, Kind, params};

/// The paragraphs of a text whose lines are joined.
pub(crate) fn paragraphs(text: &str) -> Vec<String> {
    let lines: Vec<_> = text.trim().lines().map(str::trim).collect();
    lines.split(|line| line.is_empty()).map(joined).collect()
}

/// Joins lines, but for items of a list.
fn joined(lines: &[&str]) -> String {
    let separated = lines.iter().enumerate().map(|(place, line)| match (place, line.starts_with("- ")) {
        (0, _) => (*line).to_owned(),
        (_, true) => format!("\n{line}"),
        (_, false) => format!(" {line}"),
    });
    separated.collect()
}

/// Lines of at most `width` characters, all but the first behind `indent`, none of which begins as a list or heading
/// does. Code stays on one line.
pub(crate) fn wrapped(text: &str, width: usize, indent: &str) -> String {
    let parts: Vec<_> = text.split('\n').map(|part| wrapped_part(part, width, indent)).collect();
    parts.join(&format!("\n{indent}"))
}

fn wrapped_part(text: &str, width: usize, indent: &str) -> String {
    let mut lines = vec![String::new()];
    let mut words = text.split(' ').peekable();
    while let Some(word) = words.next() {
        let mut word = word.to_owned();
        while let Some(next) = words.next_if(|next| starts_a_block(next) || in_code(&word)) {
            word += &format!(" {next}");
        }
        let line = lines.last_mut().unwrap();
        match line.is_empty() {
            true => *line = word,
            false if indent.len() + line.chars().count() + 1 + word.chars().count() <= width => {
                *line += &format!(" {word}");
            }
            false => lines.push(word),
        }
    }
    lines.join(&format!("\n{indent}"))
}

/// True if code begins in `text` and does not end.
fn in_code(text: &str) -> bool {
    text.replace("``", "`").matches('`').count() % 2 == 1
}

fn starts_a_block(word: &str) -> bool {
    matches!(word, "-" | "+" | "*" | ">") || word.starts_with('#')
}

/// The same for pages: options are code.
pub(crate) fn for_pages(text: &str) -> String {
    replaced(&[], text, |info, value| {
        let value = value.map(|value| format!(" {value}")).unwrap_or_default();
        format!("`--{}{value}`", info.name)
    })
}

/// The same for Python: options are arguments, and code is marked as in reStructuredText.
pub(crate) fn for_python(algorithm: &dyn Algorithm, text: &str) -> String {
    let text = text.replace('`', "``").replace(" (repeatable)", ", or several of them");
    let of_engines = |info: Parameter| params::engine::PARAMS.iter().any(|other| other.name == info.name);
    replaced(&parameter::all(algorithm).collect::<Vec<_>>(), &text, |info, value| {
        let name = parameter::python_name(algorithm, info);
        match (value, info.in_python) {
            (Some(value), _) if of_engines(info) => format!("``Engine({name}=\"{value}\")``"),
            (Some(value), _) => format!("``{name}=\"{value}\"``"),
            (None, InPython::Inverse(_)) => format!("``{name}=False``"),
            (None, InPython::Weight { counts: true }) => format!("``{name}={WEIGHT:?}``"),
            (None, InPython::Weight { counts: false }) => format!("``{name}=None``"),
            (None, InPython::Plainly) => format!("``{name}``"),
        }
    })
}

/// `text` with its options replaced, and with them the words that follow and that they may have as values. They are
/// those of `own`, else of any algorithm.
fn replaced(own: &[Parameter], text: &str, replacement: impl Fn(Parameter, Option<&str>) -> String) -> String {
    let others = ALGORITHMS.iter().flat_map(|algorithm| parameter::all(*algorithm));
    let known: Vec<_> = own.iter().copied().chain(others).collect();
    let mut found = Vec::new();
    let mut words = text.split(' ').peekable();
    while let Some(word) = words.next() {
        let (before, option, after) = core(word);
        let named: Vec<_> = known.iter().filter(|info| option.strip_prefix("--") == Some(info.name)).collect();
        let Some(info) = named.first() else {
            found.push(word.to_owned());
            continue;
        };
        let takes = |kind, word| matches!(kind, Kind::Word(words) if words.contains(&word));
        let value = words.next_if(|next| after.is_empty() && named.iter().any(|info| takes(info.kind, core(next).1)));
        found.push(match value.map(core) {
            Some((_, value, after)) => format!("{before}{}{after}", replacement(info, Some(value))),
            None => format!("{before}{}{after}", replacement(info, None)),
        });
    }
    found.join(" ")
}

/// A word, without what is before and after it.
fn core(word: &str) -> (&str, &str, &str) {
    let rest = word.trim_start_matches('(');
    let option = rest.trim_end_matches([',', '.', ';', ':', ')']);
    (&word[..word.len() - rest.len()], option, &rest[option.len()..])
}

#[test]
fn options_are_replaced_with_their_values() {
    let algorithm = outcrop::find_algorithm("sssp").unwrap();
    let text = "With --method delta: wider; (or --bucket-width) not --source, --nothing or --method.";
    assert_eq!(
        for_python(algorithm, text),
        "With ``method=\"delta\"``: wider; (or ``bucket_width``) not ``source``, --nothing or ``method``."
    );
    assert_eq!(for_pages("With --method delta: `x`"), "With `--method delta`: `x`");
}

#[test]
fn lines_begin_with_words() {
    assert_eq!(wrapped("a bcde - f", 8, "  "), "a\n  bcde -\n  f");
    assert_eq!(wrapped("a `b c` d", 4, ""), "a\n`b c`\nd");
    assert_eq!(paragraphs("\n  a\n  b\n\n  c\n"), ["a b", "c"]);
}
