//! Detection of the two columns that contain the ends of edges.

use super::columns::{ColumnKind, Table};
use super::words::{End, Side, TRIPLES, WITH_OTHERS, ends, is_index, is_known_value, is_noun, joined, stem};
use outcrop_types::{Error, Result};

/// Two columns whose names are those of edge ends.
#[derive(Clone, Debug)]
struct Pair {
    ends: [usize; 2],
    /// Certainty of the names; 0 is the highest.
    tier: u8,
    rank: u8,
    bipartite: bool,
    /// True if the names need no note.
    well_known: bool,
}

/// Returns all pairs of endpoint columns among `names`, the most certain first.
fn pairs(names: &[&str]) -> Vec<Pair> {
    let named: Vec<(usize, End)> = names
        .iter()
        .enumerate()
        .flat_map(|(place, name)| ends(name).into_iter().map(move |end| (place, end)))
        .collect();
    let mut pairs = Vec::new();
    for (first, source) in named.iter().filter(|(_, end)| end.side == Side::Source) {
        let targets = named.iter().filter(|(place, end)| end.side == Side::Target && place != first);
        for (second, target) in targets.filter(|(_, end)| end.family == source.family) {
            // Which of `head` and `tail` is the source differs between writers: take the one that comes first.
            let swapped = source.tier() == 2 && ends_of_an_arrow(names, *first) && second < first;
            let ends = if swapped { [*second, *first] } else { [*first, *second] };
            let (tier, rank) = (source.tier(), source.rank.max(target.rank));
            let well_known = tier < 2 || source.is_well_known() && target.is_well_known();
            pairs.push(Pair { ends, tier, rank, bipartite: source.is_bipartite(), well_known });
        }
    }
    pairs.extend(ends_of_triples(names).into_iter().map(|ends| Pair {
        ends,
        tier: 1,
        rank: 0,
        bipartite: false,
        well_known: true,
    }));
    pairs.sort_by_key(|pair| (pair.tier, pair.rank));
    pairs
}

/// Returns the first and the last of three columns named `h`, `r`, `t` or similar.
fn ends_of_triples(names: &[&str]) -> Option<[usize; 2]> {
    let place = |name: &str| names.iter().position(|found| found.trim().eq_ignore_ascii_case(name));
    TRIPLES.iter().find_map(|[source, relation, target]| {
        place(relation)?;
        Some([place(source)?, place(target)?])
    })
}

fn ends_of_an_arrow(names: &[&str], place: usize) -> bool {
    names.get(place).is_some_and(|name| name.to_lowercase().contains("head"))
}

/// Returns the positions of columns for both ends of edges if the names contain words that are unlikely to be IDs.
/// `alone`: no rows follow.
pub(crate) fn names_ends(names: &[&str], alone: bool) -> Option<[usize; 2]> {
    let best = pairs(names).into_iter().find(|pair| {
        let long = pair.ends.iter().all(|place| names.get(*place).is_some_and(|name| name.chars().count() > 1));
        (long || ends_of_triples(names).is_some()) && (pair.tier < 2 || !alone)
    });
    best.filter(|pair| pair.tier < 3).map(|pair| pair.ends)
}

/// Returns true if a comment with these words names the columns below it.
pub(crate) fn names_columns(names: &[&str]) -> bool {
    let word = |place: &usize| names[*place].len() > 1 && names[*place].starts_with(char::is_alphabetic);
    pairs(names).first().is_some_and(|pair| pair.tier < 3 || pair.ends.iter().all(word))
}

/// Returns the positions of two names that are ends unless they are IDs: nouns for vertices, or names that differ only
/// in a number or letter and match no ID (`gene1` and `gene2`).
pub(crate) fn may_name_ends(names: &[&str], mut ids: impl Iterator<Item = String>) -> Option<[usize; 2]> {
    if let Some(Pair { ends, .. }) = pairs(names).first() {
        let stem_of_names = names.get(ends[0]).and_then(|name| stem(name));
        let is_id = stem_of_names.is_some() && ids.any(|id| stem(&id) == stem_of_names);
        return (!is_id).then_some(*ends);
    }
    (names.len() > 1 && names[..2].iter().all(|name| is_noun(name))).then_some([0, 1])
}

/// Returns true if one column has a usual name of sources and another a usual name of targets.
pub(crate) fn names_source_and_target(names: &[&str]) -> bool {
    pairs(names).first().is_some_and(|pair| pair.tier == 0 && pair.rank == 0)
}

impl Table<'_> {
    pub(super) fn ends(&mut self) -> Result<[usize; 2]> {
        let asked = &self.options.columns;
        let source = asked.source.as_ref().map(|name| self.named(name)).transpose()?;
        let target = asked.target.as_ref().map(|name| self.named(name)).transpose()?;
        match (source, target) {
            (Some(source), Some(target)) => Ok([source, target]),
            (Some(source), None) => Ok([source, self.other_end(source, Side::Target)?]),
            (None, Some(target)) => Ok([self.other_end(target, Side::Source)?, target]),
            (None, None) => match self.pair()? {
                Some(ends) => Ok(ends),
                None => self.ends_by_place(),
            },
        }
    }

    /// Returns the columns whose names are those of ends.
    fn pair(&mut self) -> Result<Option<[usize; 2]>> {
        let names: Vec<&str> = self.columns.iter().map(|column| column.name.as_str()).collect();
        let mut pairs = pairs(&names);
        pairs.retain(|pair| pair.tier < 3 || pair.ends.iter().all(|place| self.kind(*place).is_id()));
        let Some(best) = pairs.first().cloned() else { return self.mixed_pair() };
        let rivals: Vec<[usize; 2]> = pairs
            .iter()
            .filter(|pair| pair.tier == best.tier && pair.ends != best.ends)
            .filter(|pair| pair.rank < WITH_OTHERS || best.rank == WITH_OTHERS)
            .filter(|pair| pair.rank == best.rank || !self.same_words(pair.ends, best.ends))
            .map(|pair| pair.ends)
            .collect();
        if !rivals.is_empty() {
            let mut places: Vec<usize> = rivals.into_iter().chain([best.ends]).flatten().collect();
            places.sort_unstable();
            places.dedup();
            return Err(self.in_doubt(&places));
        }
        if !best.well_known {
            let (source, target) = (self.name(best.ends[0]), self.name(best.ends[1]));
            self.unusual_names = Some(format!(
                "columns {source:?} and {target:?} were read as source and target because of their names; use --source-column and --target-column for others"
            ));
        }
        if best.bipartite && best.ends.iter().all(|place| self.kind(*place) == ColumnKind::Whole) {
            self.notes.push(
                "the source and target columns suggest two types of vertices, but equal numbers in both are one vertex; give them different IDs"
                    .to_owned(),
            );
        }
        Ok(Some(best.ends))
    }

    /// Returns true if two pairs use the same words and one has additional words: `from` and `from_id`.
    fn same_words(&self, first: [usize; 2], second: [usize; 2]) -> bool {
        let families = |place: usize| ends(self.name(place)).into_iter().map(|end| end.family).collect::<Vec<_>>();
        families(first[0]).iter().any(|family| families(second[0]).contains(family))
    }

    /// Returns a source and a target with words of different families, such as `from` and `dst`.
    fn mixed_pair(&mut self) -> Result<Option<[usize; 2]>> {
        let of_side = |side: Side| -> Vec<usize> {
            let fits = |place: &usize| ends(self.name(*place)).iter().any(|end| end.side == side && end.tier() < 2);
            let long = |place: &usize| self.name(*place).chars().count() > 1;
            (0..self.columns.len()).filter(long).filter(fits).collect()
        };
        match (&of_side(Side::Source)[..], &of_side(Side::Target)[..]) {
            ([], []) => Ok(None),
            ([source], [target]) => Ok(Some([*source, *target])),
            ([source], []) => Ok(Some([*source, self.other_end(*source, Side::Target)?])),
            ([], [target]) => Ok(Some([self.other_end(*target, Side::Source)?, *target])),
            (sources, targets) => Err(self.in_doubt(&[sources, targets].concat())),
        }
    }

    /// Returns the column of the end opposite to the one in `known`.
    fn other_end(&mut self, known: usize, side: Side) -> Result<usize> {
        let names: Vec<&str> = self.columns.iter().map(|column| column.name.as_str()).collect();
        let other = |pair: &Pair| match side {
            Side::Target => (pair.ends[0] == known).then_some(pair.ends[1]),
            Side::Source => (pair.ends[1] == known).then_some(pair.ends[0]),
        };
        if let Some(place) = pairs(&names).iter().find_map(other) {
            return Ok(place);
        }
        let free: Vec<usize> = (0..self.columns.len()).filter(|place| *place != known).collect();
        let of_side = |tier: u8| -> Vec<usize> {
            let fits = |end: &End| end.side == side && end.tier() <= tier;
            free.iter().copied().filter(|place| ends(self.name(*place)).iter().any(fits)).collect()
        };
        let ids = || free.iter().copied().filter(|place| self.may_be_end(*place)).collect::<Vec<_>>();
        let named = [of_side(0), of_side(1), of_side(2)].into_iter().find(|found| !found.is_empty());
        let found = named.unwrap_or_else(ids);
        let (end, option) =
            if side == Side::Source { ("source", "--source-column") } else { ("target", "--target-column") };
        match found[..] {
            [place] => {
                if ends(self.name(place)).iter().all(|end| end.side != side) {
                    self.note_place(place, side);
                }
                Ok(place)
            }
            [] => self.exists(free.first().copied().unwrap_or(self.columns.len())),
            _ => {
                let names = self.names(&found);
                Err(self
                    .wrong(format!("found the columns {names}, which do not identify the {end}; use {option} COLUMN")))
            }
        }
    }

    fn may_be_end(&self, place: usize) -> bool {
        let name = self.name(place);
        self.kind(place).is_id() && !is_index(name) && !is_known_value(name)
    }

    /// Returns the first two columns that are not an index; refuses them if a name or a kind of values contradicts.
    fn ends_by_place(&mut self) -> Result<[usize; 2]> {
        let all: Vec<usize> = (0..self.columns.len()).collect();
        if let [id, label, ..] = self.columns
            && is_index(&id.name)
            && !id.name.is_empty()
            && ["label", "name"].contains(&joined(&label.name).as_str())
        {
            let names = self.names(&[0, 1]);
            return Err(self.wrong(format!(
                "found a table of vertices (columns {names}), expected edges; pass it with --vertices, or use --source-column and --target-column"
            )));
        }
        let mut rest: Vec<usize> = all.iter().copied().filter(|place| !is_index(self.name(*place))).collect();
        if rest.len() < 2 {
            rest = all;
        }
        let [source, target] = match rest[..] {
            [source, target, ..] => [source, target],
            _ => return self.exists(self.columns.len()).map(|place| [place, place]),
        };
        let ids: Vec<usize> = rest.iter().copied().filter(|place| self.may_be_end(*place)).collect();
        let kinds = [self.kind(source), self.kind(target)];
        let differ = kinds[0] != kinds[1] && !kinds.contains(&ColumnKind::Unknown);
        if ids.len() > 2 && differ {
            return Err(self.in_doubt(&ids));
        }
        self.note_place(source, Side::Source);
        self.note_place(target, Side::Target);
        Ok([source, target])
    }

    fn note_place(&mut self, place: usize, side: Side) {
        self.target_by_place |= side == Side::Target;
        let end = if side == Side::Source { "source" } else { "target" };
        let name = self.name(place).to_owned();
        let number = place + 1;
        self.notes
            .push(format!("column {number} ({name:?}) was read as the {end}; use --{end}-column for another one"));
    }

    fn in_doubt(&self, places: &[usize]) -> Error {
        let names = self.names(places);
        self.wrong(format!(
            "found the columns {names}, which do not identify the ends of edges; use --source-column COLUMN and --target-column COLUMN"
        ))
    }
}
