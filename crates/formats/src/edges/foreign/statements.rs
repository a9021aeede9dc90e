//! Lines that say by their shape that they are no edges.

use crate::edges::roles::names_ends;
use std::collections::HashSet;

/// Start of a text: its lines, without comments and blank ones.
pub(super) struct Start<'t> {
    pub(super) lines: Vec<&'t [u8]>,
    /// All lines, with comments.
    pub(super) all: Vec<&'t [u8]>,
}

/// Relations that SIF files of Cytoscape usually have.
const RELATIONS: [&[u8]; 10] = [b"pp", b"pd", b"pr", b"rc", b"cr", b"gl", b"pm", b"mp", b"dp", b"interacts-with"];

fn words(line: &[u8]) -> Vec<&[u8]> {
    line.split(|byte| *byte == b' ' || *byte == b'\t').filter(|word| !word.is_empty()).collect()
}

fn is_whole(word: &[u8]) -> bool {
    !word.is_empty() && word.iter().all(u8::is_ascii_digit)
}

impl Start<'_> {
    /// True if all lines, and there are some, are so.
    fn all_are(&self, is: impl Fn(&[u8]) -> bool) -> bool {
        !self.lines.is_empty() && self.lines.iter().all(|line| is(line))
    }
}

/// Lines of comments that begin with `c`, then a problem.
pub(super) fn dimacs(start: &Start<'_>) -> bool {
    let comment = |line: &[u8]| line == b"c" || line.starts_with(b"c ") || line.starts_with(b"c\t");
    let Some(problem) = start.lines.iter().find(|line| !comment(line)) else { return false };
    let known: [&[u8]; 14] =
        [b"edge", b"edges", b"col", b"sp", b"max", b"min", b"asn", b"aux", b"tw", b"td", b"ds", b"vc", b"cep", b"clq"];
    match words(problem)[..] {
        [b"p", problem, ref sizes @ ..] => {
            known.contains(&problem)
                && !sizes.is_empty()
                && sizes.iter().all(|size| is_whole(size) || problem == b"aux")
        }
        _ => false,
    }
}

/// Graphs that begin with `t`, vertices `v` and edges `e`.
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

/// Lines `e 1 2` or `a 1 2 3` throughout.
pub(super) fn tagged(start: &Start<'_>) -> bool {
    let tag = start.lines.first().and_then(|line| words(line).first().copied());
    let Some(tag) = tag.filter(|tag| tag.len() == 1 && tag[0].is_ascii_alphabetic()) else { return false };
    start.lines.len() > 1
        && start.all_are(|line| match words(line)[..] {
            [first, source, target, ..] => first == tag && is_whole(source) && is_whole(target),
            _ => false,
        })
}

/// Vertices, a line `#`, edges between them.
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

/// `<subject> <predicate> <object> .`
pub(super) fn ntriples(start: &Start<'_>) -> bool {
    let resource = |word: &[u8]| {
        word.starts_with(b"_:") || (word.starts_with(b"<") && word.ends_with(b">") && word.contains(&b':'))
    };
    start.all_are(|line| match words(line)[..] {
        [subject, predicate, _, .., last] => resource(subject) && resource(predicate) && last.ends_with(b"."),
        _ => false,
    })
}

/// `(1, 2)`, also with a comma behind.
pub(super) fn tuples(start: &Start<'_>) -> bool {
    start.all_are(|line| {
        let line = line.strip_suffix(b",").unwrap_or(line);
        line.starts_with(b"(") && line.ends_with(b")") && line.contains(&b',')
    })
}

/// `1 -> 2`.
pub(super) fn arrows(start: &Start<'_>) -> bool {
    start.all_are(|line| {
        let words = words(line);
        words.len() > 2 && matches!(words[1], b"->" | b"--" | b"<->" | b"=>" | b"-" | b"<-" | b"-->" | b"---")
    })
}

/// A vertex and a number of neighbors, then these with their data.
pub(super) fn multiline_adjacency(start: &Start<'_>) -> bool {
    let [first, second, ..] = start.lines.as_slice() else { return false };
    let counts = matches!(words(first)[..], [_, count] if is_whole(count));
    counts && words(second).get(1).is_some_and(|word| word.starts_with(b"{")) && second.ends_with(b"}")
}

/// A Python dict that is not the third field.
pub(super) fn networkx_data(start: &Start<'_>) -> bool {
    let dict = |line: &&[u8]| line.ends_with(b"}") && line.contains(&b'{');
    let third = |line: &&[u8]| words(line).get(2).is_some_and(|word| word.starts_with(b"{"));
    start.all_are(|line| dict(&line)) && !start.lines.iter().all(third) && !start.all_are(has_comma_fields)
}

/// True if a comma or a semicolon separates at least two fields in front of the dict.
fn has_comma_fields(line: &[u8]) -> bool {
    let front = line.split(|byte| *byte == b'{').next().unwrap_or(&[]);
    front.iter().filter(|byte| b",;\t|".contains(byte)).count() > 1
}

/// `1: 2 3`.
pub(super) fn colons(start: &Start<'_>) -> bool {
    start.all_are(|line| words(line).first().is_some_and(|word| word.len() > 1 && word.ends_with(b":")))
}

/// A source, a relation, targets: by the relations, which are few and no vertices.
pub(super) fn sif(start: &Start<'_>, name: &str) -> bool {
    let split = |line: &&[u8]| -> Vec<Vec<u8>> {
        let fields: Vec<&[u8]> =
            if line.contains(&b'\t') { line.split(|byte| *byte == b'\t').collect() } else { words(line) };
        fields.into_iter().map(<[u8]>::to_vec).collect()
    };
    let rows: Vec<Vec<Vec<u8>>> = start.lines.iter().map(split).collect();
    let header: Vec<String> =
        rows.first().into_iter().flatten().map(|word| String::from_utf8_lossy(word).into()).collect();
    if names_ends(&header.iter().map(String::as_str).collect::<Vec<_>>(), false).is_some() {
        return false;
    }
    let linked: Vec<&Vec<Vec<u8>>> = rows.iter().filter(|row| row.len() > 2).collect();
    let quiet = |row: &&Vec<Vec<u8>>| row.len() == 1;
    let numeric = |word: &Vec<u8>| word.first().is_some_and(u8::is_ascii_digit);
    if linked.is_empty() || rows.iter().filter(quiet).count() + linked.len() < rows.len() {
        return false;
    }
    if linked
        .iter()
        .any(|row| numeric(&row[1]) || row[1].is_empty() || row[1].iter().any(|byte| b",;\"".contains(byte)))
    {
        return false;
    }
    if name.to_lowercase().ends_with(".sif") {
        return true;
    }
    let column = |place: usize| linked.iter().map(|row| row[place].as_slice()).collect::<HashSet<_>>();
    let [sources, relations, targets] = [column(0), column(1), column(2)];
    if relations.iter().all(|relation| RELATIONS.contains(relation)) {
        return true;
    }
    let text = linked.iter().all(|row| !numeric(&row[2]));
    let apart = relations.is_disjoint(&sources) && relations.is_disjoint(&targets);
    // Few relations, and targets that are sources too.
    text && apart && linked.len() > 1 && 2 * relations.len() <= linked.len() && !sources.is_disjoint(&targets)
}
