//! Words that tables use as names of edge columns.

/// Names of weights, in order of preference.
pub(super) const WEIGHTS: &[&str] = &["weight", "weights", "w", "wgt", "value"];

/// Names of numeric columns that may be weights.
pub(super) const MEASURES: &[&str] = &[
    "length",
    "distance",
    "dist",
    "cost",
    "score",
    "combinedscore",
    "amount",
    "count",
    "strength",
    "similarity",
    "capacity",
    "probability",
    "prob",
    "confidence",
    "rating",
    "frequency",
    "freq",
];

/// Single-letter names of triple columns: head, relation and tail; subject, predicate and object.
pub(super) const TRIPLES: [[&str; 3]; 2] = [["h", "r", "t"], ["s", "p", "o"]];

/// Names of times, in order of preference.
pub(super) const TIMES: &[&str] = &["time", "timestamp", "ts", "t", "date", "datetime", "unixts"];

/// Names of columns that number or name the rows.
const INDEX: &[&str] = &[
    "",
    "id",
    "index",
    "idx",
    "row",
    "rowid",
    "rownum",
    "rownames",
    "no",
    "nr",
    "key",
    "eid",
    "edge",
    "edgeid",
    "edgekey",
    "linkid",
    "relid",
    "relationid",
    "fid",
    "gid",
    "objectid",
    "uuid",
    "seq",
    "osmid",
    "unnamed0",
    "level0",
    "indexlevel0",
];

/// Additional words that mark an end as a vertex, and as an ID.
const VERTEX: &[&str] = &["node", "nodes", "vertex", "vertices", "name", "label", "user", "page", "entity", "person"];
const ID: &[&str] = &["id", "ids", "idx", "index", "key", "no", "num", "number", "code"];

/// Words for both ends of an edge: the source, the target, and their certainty (0 is the highest).
const PAIRS: &[(&[&str], &[&str], u8)] = &[
    (&["source", "sources", "src"], &["target", "targets", "tgt", "trg", "dst", "dest", "destination", "sink"], 0),
    (&["from"], &["to"], 1),
    (&["u"], &["v"], 1),
    (&["origin", "orig"], &["destination", "dest"], 2),
    (&["start"], &["end", "stop", "finish"], 2),
    (&["parent"], &["child"], 2),
    (&["follower"], &["followee", "followed", "following"], 2),
    (&["sender"], &["receiver", "recipient"], 2),
    (&["payer"], &["payee"], 2),
    (&["rater", "trustor", "voter"], &["ratee", "trustee", "votee", "candidate"], 2),
    (&["predecessor", "upstream"], &["successor", "downstream"], 2),
    (&["left", "lhs"], &["right", "rhs"], 2),
    (&["quelle"], &["ziel"], 2),
    (&["citing"], &["cited"], 2),
    (&["caller"], &["callee"], 2),
    (&["subject", "subj"], &["object", "obj"], 2),
    (&["head"], &["tail"], 2),
    (&["i"], &["j"], 2),
    // The last rows: ends of two kinds, which are numbered separately.
    (
        &["user", "customer", "reader", "reviewer", "member", "author", "actor"],
        &[
            "item", "product", "movie", "film", "book", "song", "track", "artist", "business", "article", "paper",
            "group",
        ],
        2,
    ),
];

/// Rank of names with other words next to that of an end: `from_address`.
pub(super) const WITH_OTHERS: u8 = 3;

/// Words next to that of an end which show that the column is not a vertex.
const ATTRIBUTES: &[&str] = &[
    "time",
    "date",
    "datetime",
    "timestamp",
    "ts",
    "at",
    "lat",
    "lon",
    "lng",
    "latitude",
    "longitude",
    "x",
    "y",
    "z",
    "type",
    "kind",
    "weight",
    "value",
    "amount",
    "count",
    "port",
    "bytes",
    "degree",
    "title",
    "text",
];

/// Nouns that name columns of vertices.
const NOUNS: &[&str] = &[
    "gene",
    "protein",
    "drug",
    "disease",
    "compound",
    "species",
    "author",
    "coauthor",
    "paper",
    "friend",
    "manager",
    "employee",
    "boss",
    "company",
    "product",
    "item",
    "movie",
    "actor",
    "city",
    "country",
    "station",
    "airport",
    "word",
    "term",
    "site",
    "domain",
    "host",
    "ip",
    "account",
    "wallet",
    "address",
    "email",
    "student",
    "teacher",
    "customer",
    "supplier",
    "buyer",
    "seller",
    "package",
    "dependency",
    "function",
    "module",
    "class",
    "file",
    "artist",
    "song",
    "book",
    "tag",
    "topic",
    "group",
    "member",
    "follower",
    "lender",
    "borrower",
    "creditor",
    "debtor",
    "donor",
    "investor",
    "supervisor",
    "emp",
    "mgr",
    "ego",
    "alter",
    "first",
    "second",
    "firm",
    "bank",
    "team",
    "player",
    "club",
    "organization",
    "region",
    "skill",
    "job",
];

/// Certainty of names that differ only in a trailing number or letter: `node1`, `node2`.
const NUMBERED: u8 = 3;

/// Endings of names that are otherwise equal.
const SUFFIXES: [(&str, &str); 4] = [("1", "2"), ("a", "b"), ("0", "1"), ("x", "y")];

/// Side of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Source,
    Target,
}

/// Family of end names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Family {
    /// Row of the table of pairs, and the other words of the name.
    Pair(usize, String),
    /// Names that are equal except for their ending: the stem, and the row of endings.
    Alike(String, usize),
}

/// Name that may be that of an end.
#[derive(Clone, Debug)]
pub(super) struct End {
    pub(super) family: Family,
    pub(super) side: Side,
    /// Rank: 0 for the bare word, 1 with a word for IDs, 2 with one for vertices, 3 ([`WITH_OTHERS`]) with any other.
    pub(super) rank: u8,
}

impl End {
    /// Returns the certainty of the family; 0 is the highest.
    pub(super) fn tier(&self) -> u8 {
        match self.family {
            Family::Pair(place, ref others) => {
                PAIRS.get(place).map_or(NUMBERED, |(_, _, tier)| if others.is_empty() { *tier } else { (*tier).max(2) })
            }
            Family::Alike(..) => NUMBERED,
        }
    }

    /// Returns true if these names have no other meaning: public data sets use them for both ends.
    pub(super) fn is_well_known(&self) -> bool {
        match &self.family {
            Family::Pair(place, others) => {
                let (sources, ..) = PAIRS[*place];
                let doubtful = match sources[0] {
                    "start" => self.rank == 0,
                    word => ["left", "subject", "head", "i", "user"].contains(&word),
                };
                others.is_empty() && !doubtful
            }
            Family::Alike(stem, _) => {
                ["", "node", "vertex", "gene", "protein", "id"].contains(&stem.as_str())
                    && (self.rank > 0 || !stem.is_empty())
            }
        }
    }

    /// Returns true if the ends of the pair are vertices of two kinds.
    pub(super) const fn is_bipartite(&self) -> bool {
        matches!(self.family, Family::Pair(place, _) if place + 1 == PAIRS.len())
    }
}

/// Splits a name into lowercase words: at punctuation, between letters and digits, and before capitals.
fn words(name: &str) -> Vec<String> {
    let name = name.trim().trim_matches(['"', '\'']);
    // The Neo4j import format appends the ID group: `:START_ID(Person)`.
    let name = name.strip_prefix(':').map_or(name, |rest| rest.split('(').next().unwrap_or(rest));
    let mut words: Vec<String> = Vec::new();
    let mut last = ' ';
    for sign in name.chars() {
        let begins = !last.is_alphanumeric()
            || sign.is_numeric() != last.is_numeric()
            || (sign.is_uppercase() && last.is_lowercase());
        if sign.is_alphanumeric() {
            match words.last_mut().filter(|_| !begins) {
                Some(word) => word.extend(sign.to_lowercase()),
                None => words.push(sign.to_lowercase().collect()),
            }
        }
        last = sign;
    }
    words
}

/// Returns the words of a name joined into one.
pub(super) fn joined(name: &str) -> String {
    words(name).concat()
}

/// Returns true if the name is that of a column that numbers or names the rows.
pub(super) fn is_index(name: &str) -> bool {
    INDEX.contains(&joined(name).as_str())
}

/// Returns true if the name is a noun for vertices.
pub(crate) fn is_noun(name: &str) -> bool {
    let known = |word: &String| [NOUNS, VERTEX, ID].iter().any(|list| list.contains(&word.as_str()));
    let words = words(name);
    !words.is_empty() && words.iter().all(known)
}

/// Returns the words of a name without a trailing number or letter; `None` if it has neither.
pub(super) fn stem(name: &str) -> Option<String> {
    let words = words(name);
    let (last, stem) = words.split_last()?;
    (last.chars().count() == 1 || last.chars().all(char::is_numeric)).then(|| stem.concat())
}

/// Returns true if the name is that of a weight or a time.
pub(super) fn is_known_value(name: &str) -> bool {
    let name = joined(name);
    WEIGHTS.iter().chain(TIMES).any(|known| *known == name)
}

/// Returns the ends that a name may mean.
pub(super) fn ends(name: &str) -> Vec<End> {
    let mut words = words(name);
    let mut rank = 0;
    words.retain(|word| {
        let of_word = if ID.contains(&word.as_str()) { 1 } else { 2 * u8::from(VERTEX.contains(&word.as_str())) };
        rank = rank.max(of_word);
        of_word == 0
    });
    let mut found = Vec::new();
    if let [word] = words.as_slice() {
        found.extend(pairs_of(word, "", rank));
    }
    if found.is_empty() {
        let (word, more) = bare(&joined(name));
        found.extend(pairs_of(&word, "", rank.max(more)).filter(|_| word.len() > 1));
    }
    // `from_address`, `country_of_origin`.
    let attribute = words.iter().any(|word| ATTRIBUTES.contains(&word.as_str()));
    if found.is_empty() && (2..4).contains(&words.len()) && !attribute {
        for (place, word) in words.iter().enumerate().filter(|(_, word)| word.len() > 1) {
            let others = [&words[..place], &words[place + 1..]].concat().concat();
            found.extend(pairs_of(word, &others, WITH_OTHERS));
        }
    }
    // `node1`, `person2_id`, `a`: equal except for the last word.
    if let Some((last, stem)) = words.split_last() {
        for (place, (source, target)) in SUFFIXES.iter().enumerate() {
            let side = if last == source { Side::Source } else { Side::Target };
            if last == source || last == target {
                found.push(End { family: Family::Alike(stem.concat(), place), side, rank });
            }
        }
    }
    found
}

fn pairs_of(word: &str, others: &str, rank: u8) -> impl Iterator<Item = End> {
    PAIRS
        .iter()
        .enumerate()
        .flat_map(move |(place, (sources, targets, _))| {
            let family = Family::Pair(place, others.to_owned());
            let source = sources.contains(&word).then(|| End { family: family.clone(), side: Side::Source, rank });
            let target = targets.contains(&word).then_some(End { family, side: Side::Target, rank });
            source.into_iter().chain(target)
        })
        .collect::<Vec<_>>()
        .into_iter()
}

/// Returns a name without the words for IDs and vertices: `fromnodeid` becomes `from`.
fn bare(name: &str) -> (String, u8) {
    let (mut name, mut rank) = (name, 0);
    for _ in 0..2 {
        for (more, fillers) in [(1, ID), (2, VERTEX)] {
            let stripped = fillers.iter().find_map(|word| name.strip_suffix(word).or_else(|| name.strip_prefix(word)));
            if let Some(rest) = stripped.filter(|rest| !rest.is_empty()) {
                (name, rank) = (rest, rank.max(more));
            }
        }
    }
    (name.to_owned(), rank)
}
