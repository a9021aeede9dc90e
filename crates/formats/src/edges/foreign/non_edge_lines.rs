//! Lines whose shape shows that they are not edges.

use std::collections::HashSet;

/// Start of a text: its lines, without comments and blank lines.
pub(super) struct Start<'t> {
    pub(super) lines: Vec<&'t [u8]>,
    /// Every line, including comments.
    pub(super) all: Vec<&'t [u8]>,
}

fn words(line: &[u8]) -> Vec<&[u8]> {
    line.split(|byte| *byte == b' ' || *byte == b'\t').filter(|word| !word.is_empty()).collect()
}

fn is_whole(word: &[u8]) -> bool {
    !word.is_empty() && word.iter().all(u8::is_ascii_digit)
}

impl Start<'_> {
    /// Returns true if there are lines and `is` holds for all of them.
    pub(super) fn all_are(&self, is: impl Fn(&[u8]) -> bool) -> bool {
        !self.lines.is_empty() && self.lines.iter().all(|line| is(line))
    }
}

/// Returns the words of the first line that is not a DIMACS comment (a line that starts with `c`).
pub(super) fn problem<'t>(start: &Start<'t>) -> Vec<&'t [u8]> {
    let comment = |line: &[u8]| line == b"c" || line.starts_with(b"c ") || line.starts_with(b"c\t");
    start.lines.iter().find(|line| !comment(line)).map_or_else(Vec::new, |line| words(line))
}

/// Returns true if the first statement is a DIMACS graph problem.
pub(super) fn dimacs(start: &Start<'_>) -> bool {
    let known: [&[u8]; 14] =
        [b"edge", b"edges", b"col", b"sp", b"max", b"min", b"asn", b"aux", b"tw", b"td", b"ds", b"vc", b"cep", b"clq"];
    match problem(start)[..] {
        [b"p", problem, ref sizes @ ..] => {
            known.contains(&problem)
                && !sizes.is_empty()
                && sizes.iter().all(|size| is_whole(size) || problem == b"aux")
        }
        _ => false,
    }
}

/// Returns true for graphs with lines `t`, vertices `v` and edges `e`.
pub(super) fn gspan(start: &Start<'_>) -> bool {
    let Some(first) = start.lines.first() else { return false };
    let numbers = |words: &[&[u8]]| !words.is_empty() && words.iter().all(|word| is_whole(word));
    let opens = match words(first)[..] {
        [b"t", b"#", ..] => true,
        [b"t", ref sizes @ ..] => numbers(sizes),
        _ => false,
    };
    let vertex = |line: &&[u8]| matches!(words(line)[..], [b"v", id, ..] if is_whole(id));
    opens && start.lines.get(1).is_some_and(vertex)
}

/// Returns true for lines `e 1 2` or `a 1 2 3` only.
pub(super) fn tagged(start: &Start<'_>) -> bool {
    let tag = start.lines.first().and_then(|line| words(line).first().copied());
    let Some(tag) = tag.filter(|tag| tag.len() == 1 && tag[0].is_ascii_alphabetic()) else { return false };
    start.lines.len() > 1
        && start.all_are(|line| match words(line)[..] {
            [first, source, target, ..] => first == tag && is_whole(source) && is_whole(target),
            _ => false,
        })
}

/// Returns true for vertices, a line `#`, and edges between them.
pub(super) fn tgf(start: &Start<'_>) -> bool {
    let mut marks = (0..start.all.len()).filter(|place| start.all[*place] == b"#");
    let (Some(mark), None) = (marks.next(), marks.next()) else { return false };
    let (before, behind) = (&start.all[..mark], &start.all[mark + 1..]);
    let first = |line: &[u8]| words(line).first().map(|word| word.to_vec());
    let vertices: HashSet<Vec<u8>> = before.iter().filter_map(|line| first(line)).collect();
    let edges: Vec<Vec<&[u8]>> = behind.iter().map(|line| words(line)).filter(|words| !words.is_empty()).collect();
    let inside = |words: &Vec<&[u8]>| words.len() > 1 && words[..2].iter().all(|word| vertices.contains(*word));
    !vertices.is_empty() && !edges.is_empty() && edges.iter().all(inside)
}

/// Returns true for lines `<subject> <predicate> <object> .`
pub(super) fn ntriples(start: &Start<'_>) -> bool {
    let resource = |word: &[u8]| {
        word.starts_with(b"_:") || (word.starts_with(b"<") && word.ends_with(b">") && word.contains(&b':'))
    };
    start.all_are(|line| match words(line)[..] {
        [subject, predicate, _, .., last] => resource(subject) && resource(predicate) && last.ends_with(b"."),
        _ => false,
    })
}

/// Returns true for lines `1 -> 2`.
pub(super) fn arrows(start: &Start<'_>) -> bool {
    start.all_are(|line| {
        let words = words(line);
        let drawn = |word: &[u8]| {
            ["\u{2192}", "\u{2190}", "\u{2194}", "\u{21d2}", "\u{2014}"].iter().any(|sign| word == sign.as_bytes())
        };
        words.len() > 2
            && (words[1].iter().all(u8::is_ascii_punctuation) || drawn(words[1]))
            && !words[2].starts_with(b"{")
    })
}

/// Returns true for a line of dashes below names, as Markdown and databases print tables.
pub(super) fn ruled(start: &Start<'_>) -> bool {
    start.all.iter().take(3).any(|line| {
        line.iter().all(|byte| b"|-+:= \t".contains(byte)) && line.windows(2).any(|pair| pair == b"--" || pair == b"==")
    })
}

/// Returns true for a line `# a`, then its neighbors, one per line, as in LGL files.
pub(super) fn lgl(start: &Start<'_>) -> bool {
    let heads: Vec<Vec<&[u8]>> =
        start.all.iter().filter_map(|line| line.strip_prefix(b"#")).map(|rest| words(rest)).collect();
    let first = start.all.iter().find(|line| !line.is_empty());
    let known = |id: &[u8]| start.lines.iter().any(|line| words(line).first() == Some(&id));
    first.is_some_and(|line| line.starts_with(b"#"))
        && heads.len() > 1
        && heads.iter().all(|head| head.len() == 1)
        && start.all_are(|line| (1..=2).contains(&words(line).len()))
        && heads.iter().any(|head| known(head[0]))
}

/// Returns true for a vertex and a number of neighbors, then the neighbors with their data.
pub(super) fn multiline_adjacency(start: &Start<'_>) -> bool {
    let [first, second, ..] = start.lines.as_slice() else { return false };
    let counts = matches!(words(first)[..], [_, count] if is_whole(count));
    counts && words(second).get(1).is_some_and(|word| word.starts_with(b"{")) && second.ends_with(b"}")
}

/// Returns true for a Python dict that is not the third field.
pub(super) fn networkx_data(start: &Start<'_>) -> bool {
    let dict =
        |line: &&[u8]| line.ends_with(b"}") && line.iter().position(|byte| *byte == b'{').is_some_and(|open| open > 0);
    let third = |line: &&[u8]| words(line).get(2).is_some_and(|word| word.starts_with(b"{"));
    start.all_are(|line| dict(&line)) && !start.lines.iter().all(third) && !start.all_are(has_comma_fields)
}

/// Returns true if a comma or a semicolon separates at least two fields before the dict.
fn has_comma_fields(line: &[u8]) -> bool {
    let front = line.split(|byte| *byte == b'{').next().unwrap_or(&[]);
    front.iter().filter(|byte| b",;\t|".contains(byte)).count() > 1
}

/// Returns true for lines `1: 2 3`.
pub(super) fn colons(start: &Start<'_>) -> bool {
    let vertex = |word: &[u8]| word.len() > 1 && word.ends_with(b":") && !word.contains(&b'{');
    start.all_are(|line| words(line).first().is_some_and(|word| vertex(word)))
}
