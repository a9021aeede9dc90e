//! First lines of texts in other formats.

use super::non_edge_lines::{
    Start, arrows, colons, dimacs, gspan, lgl, multiline_adjacency, networkx_data, ntriples, problem, ruled, tagged,
    tgf,
};
use super::refusal::{Foreign, Recognized};
use crate::edges::format::EdgeFormat;

const NETWORKX: &str = "read it with NetworkX and pass the graph to outcrop.build, or write it with `networkx.write_edgelist(G, FILE, data=False)`";

/// Returns the lines of the start of a text, without the last one, which may be truncated, unless the text is `whole`.
fn lines(head: &[u8], whole: bool) -> Vec<&[u8]> {
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let mut lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).collect();
    if !whole && lines.len() > 1 {
        lines.pop();
    }
    lines
}

/// Returns the format of a text that starts with `head` if it is not a list of edges; `whole` if nothing follows.
pub(crate) fn recognize(head: &[u8], whole: bool, comments: &[u8]) -> Option<Recognized> {
    if head.starts_with(b"%%MatrixMarket") {
        return Some(Recognized::Format(EdgeFormat::MatrixMarket));
    }
    let all = lines(head, whole);
    if let Some(foreign) = by_beginning(&all) {
        return Some(foreign);
    }
    let says = |line: &&&[u8]| line.first().is_some_and(|first| !comments.contains(first));
    let data: Vec<&[u8]> = all.iter().filter(says).copied().collect();
    let start = Start { lines: data, all };
    let first = *start.lines.first()?;
    if first.first() == Some(&b'*') {
        return starred(first);
    }
    if dimacs(&start) {
        return Some(Recognized::Format(EdgeFormat::Dimacs));
    }
    let foreign = |name, advice| Some(Recognized::Doubtful(Foreign { name, advice }));
    match () {
        () if gspan(&start) => foreign(
            "a gSpan file of graphs (`t`, `v` and `e` lines)",
            "keep the `e` lines of one graph, without the `e`",
        ),
        () if tagged(&start) => foreign(
            "lines that all start with the same letter, like DIMACS without its `p` line",
            "add `p edge VERTICES EDGES` as first line, or drop the first field",
        ),
        () if tgf(&start) => foreign("a TGF file", "keep the lines after the line `#`"),
        () if ntriples(&start) => foreign(
            "N-Triples or Turtle",
            "keep the subjects and objects of one predicate: `awk '$2 == \"<PREDICATE>\" {print $1, $3}' FILE`",
        ),
        () if matches!(problem(&start)[..], [b"p", b"cnf", ..]) => {
            foreign("a DIMACS formula (`p cnf`)", "write its edges, one per line")
        }
        () if start.all_are(|line| line.windows(2).any(|pair| pair == b"::") && !line.contains(&b' ')) => {
            foreign("fields separated by two colons", "use one character: `sed 's/::/,/g' FILE`")
        }
        () if ruled(&start) => foreign("a printed table with lines of dashes", "export the table as CSV"),
        () if lgl(&start) => foreign(
            "an LGL file (`# vertex`, then its neighbors)",
            "convert it: `awk '$1 == \"#\" {v = $2; next} {print v, $0}' FILE`",
        ),
        () if arrows(&start) => {
            let advice = "drop it: `awk '{print $1, $3}' FILE`";
            foreign("a symbol between the ends of edges, such as an arrow, dash or bar", advice)
        }
        () if multiline_adjacency(&start) => foreign("a NetworkX multiline adjacency list", NETWORKX),
        () if networkx_data(&start) => foreign("edges with a Python dict after IDs with blanks", NETWORKX),
        () if colons(&start) => foreign(
            "an adjacency list with a colon after each vertex",
            "drop the colons and use --format adjacency-list",
        ),
        () => None,
    }
}

/// Formats of Pajek, UCINET and NetDraw, whose sections start with a star.
fn starred(first: &[u8]) -> Option<Recognized> {
    let word = first.get(1..).unwrap_or(&[]).trim_ascii_start().to_ascii_lowercase();
    let begins = |words: &[&str]| words.iter().any(|known| word.starts_with(known.as_bytes()));
    if begins(&["vertices", "network", "arcs", "edges", "matrix"]) {
        return Some(Recognized::Format(EdgeFormat::Pajek));
    }
    let advice = "export its ties as an edge list";
    begins(&["node data", "node properties", "tie data"])
        .then_some(Recognized::Foreign(Foreign { name: "a VNA file of NetDraw", advice }))
}

const CONVERT: &str = "read it with NetworkX and pass the graph to outcrop.build, or export it as an edge list";
const DATABASE: &str = "load it into its database and export the edges as CSV";

/// First words in lowercase, name of the format, advice.
const BEGINNINGS: &[(&[&str], &str, &str)] = &[
    (&["version https://git-lfs"], "a pointer of Git LFS, not the file itself", "fetch the file with `git lfs pull`"),
    (
        &["@nodes", "@arcs", "@edges", "@attributes", "@uedges"],
        "an LGF file of LEMON",
        "keep the first two columns of its section @arcs or @edges",
    ),
    (&["@prefix", "@base"], "Turtle", "convert it to an edge list of subjects and objects"),
    (&["@relation"], "an ARFF file", "save its data as CSV"),
    (&[">>graph6<<", ">>sparse6<<", ">>digraph6<<", ">>planar_code"], "graph6, digraph6 or sparse6", CONVERT),
    (&["nodedef>", "nodedef >"], "a GDF file", "keep the lines after `edgedef>`"),
    (
        &["<number of zones>", "<number of nodes>", "<original header>"],
        "a TNTP network",
        "keep the first two columns after its metadata: `awk '$1 ~ /^[0-9]/ {print $1, $2}' FILE`",
    ),
    (&["(tlp "], "a Tulip file", "export it as an edge list"),
    (&["create (", "merge (", "match ("], "a Cypher script", DATABASE),
    (&["+ edges from", "igraph "], "a graph printed by igraph", "write it with `write_graph(G, FILE, \"ncol\")`"),
    (&["\u{250c}"], "a printed table", "export the table as CSV"),
    (&["insert into", "create table", "-- mysql dump", "-- postgresql"], "an SQL dump", DATABASE),
];

/// Detects formats with unique first words.
fn by_beginning(all: &[&[u8]]) -> Option<Recognized> {
    let first = all.iter().find(|line| !line.is_empty())?;
    let lower = first.to_ascii_lowercase();
    let begins = |text: &str| lower.starts_with(text.as_bytes());
    let contains = |text: &str| {
        let holds =
            |line: &&[u8]| line.to_ascii_lowercase().windows(text.len()).any(|window| window == text.as_bytes());
        all.iter().take(50).any(holds)
    };
    let foreign = |name, advice| Some(Recognized::Foreign(Foreign { name, advice }));
    if begins("<?xml")
        || begins("<graphml")
        || begins("<gexf")
        || begins("<gxl")
        || begins("<!doctype")
        || begins("<html")
    {
        return match () {
            () if contains("<graphml") => foreign("GraphML", CONVERT),
            () if contains("<gexf") => foreign("GEXF", CONVERT),
            () if contains("<html") || begins("<!doctype html") => {
                foreign("an HTML page", "the download may have failed: fetch the file itself")
            }
            () => foreign("XML", CONVERT),
        };
    }
    if let Some(json) = json(all, &lower, &contains) {
        return Some(json);
    }
    let graph = |line: &[u8]| matches!(line, b"graph" | b"graph[" | b"graph [") || line.starts_with(b"graph [");
    let gml = begins("creator") || begins("version") || begins("comment") || graph(&lower);
    if gml && all.iter().take(20).any(|line| graph(&line.to_ascii_lowercase())) && contains("[") {
        return foreign("GML", CONVERT);
    }
    if let Some(dot) = dot(all) {
        return Some(dot);
    }
    if lower == b"dl" || ((begins("dl ") || begins("dl,")) && (contains("n=") || contains("n =") || contains("format")))
    {
        return foreign("a DL file of UCINET", "export it as an edge list");
    }
    if begins("(") && contains(")-[") {
        return foreign("a Cypher script", DATABASE);
    }
    if begins("prefix ") && contains("<http") {
        return foreign("Turtle", "convert it to an edge list of subjects and objects");
    }
    if lower == b"adjacencygraph" || lower == b"weightedadjacencygraph" {
        return foreign("an adjacency graph of Ligra", "export it as an edge list");
    }
    if first.windows(4).any(|part| part == b"[,1]") {
        return foreign("a matrix printed by R", "write it as CSV: `write.csv(EDGES, FILE, row.names = FALSE)`");
    }
    if begins("- ") && (lower.ends_with(b":") || contains(": ")) {
        return foreign("YAML", CONVERT);
    }
    let (_, name, advice) = BEGINNINGS.iter().find(|(words, ..)| words.iter().any(|word| begins(word)))?;
    foreign(name, advice)
}

fn json(all: &[&[u8]], lower: &[u8], contains: &dyn Fn(&str) -> bool) -> Option<Recognized> {
    let next = lower.get(1..).unwrap_or(&[]).trim_ascii_start().first().copied();
    let is_json = match lower.first() {
        Some(b'{') => next.is_none_or(|sign| b"\"'}".contains(&sign)),
        // `[deleted]` and `[1]` are valid IDs.
        Some(b'[') => {
            next.is_none_or(|sign| b"[{(\"'-]0123456789".contains(&sign) && (lower.len() < 3 || lower.contains(&b',')))
        }
        _ => false,
    };
    let name = match () {
        () if contains("\"nodes\"") || contains("\"links\"") || contains("\"edges\"") => "a graph in JSON",
        () if lower.first() == Some(&b'{') => "JSON",
        () => "lists of JSON or Python",
    };
    let mut signs = all.iter().flat_map(|line| line.iter()).filter(|sign| !sign.is_ascii_whitespace());
    let lines = all.get(1).is_some_and(|line| line.first() == lower.first()) && lower.len() > 1;
    let advice = match (signs.next(), signs.next()) {
        (_, Some(b'(' | b'\'')) => "load it in Python and build from its edges: outcrop.build takes lists of pairs",
        (Some(b'['), Some(b'[')) => "write it as CSV with `jq -r '.[] | @csv' FILE`",
        (Some(b'['), Some(b'{')) => "write it as CSV, for example with `jq -r '.[] | [.source, .target] | @csv' FILE`",
        (Some(b'['), _) => "write it as CSV with `jq -r '@csv' FILE`",
        _ if lines => "write it as CSV, for example with `jq -r '[.source, .target] | @csv' FILE`",
        _ if contains("\"links\"") => "write it as CSV with `jq -r '.links[] | [.source, .target] | @csv' FILE`",
        _ => "write it as CSV, for example with `jq -r '.edges[] | [.source, .target] | @csv' FILE`",
    };
    is_json.then_some(Recognized::Foreign(Foreign { name, advice }))
}

/// Detects the Graphviz language.
fn dot(all: &[&[u8]]) -> Option<Recognized> {
    let mut inside_comment = false;
    let mut text = Vec::new();
    for line in all.iter().take(50) {
        inside_comment |= line.starts_with(b"/*");
        if !inside_comment && !line.starts_with(b"//") && !line.starts_with(b"#") {
            text.extend_from_slice(line);
            text.push(b' ');
        }
        inside_comment &= !line.ends_with(b"*/");
    }
    let text = text.trim_ascii_start().to_ascii_lowercase();
    let words: Vec<&[u8]> =
        text.split(|byte| byte.is_ascii_whitespace() || *byte == b'{').filter(|w| !w.is_empty()).collect();
    let (first, second) = (words.first().copied().unwrap_or(&[]), words.get(1).copied().unwrap_or(&[]));
    let kind = if first == b"strict" { second } else { first };
    let open = text.iter().position(|byte| *byte == b'{')?;
    let before = text.get(..open)?.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty()).count();
    let dot = matches!(kind, b"graph" | b"digraph") && before <= 3;
    let advice =
        "read it with NetworkX (pydot) and pass the graph to outcrop.build, or convert it with `gv2gml` or igraph";
    dot.then_some(Recognized::Foreign(Foreign { name: "a DOT file of Graphviz", advice }))
}
