//! Thins a product of choices so that any two choices still meet.

/// Rows of choices, `levels[f]` being how many there are for factor `f`, such that any two choices for any two factors
/// occur together in some row.
pub fn pairwise<const F: usize>(levels: [usize; F]) -> Vec<[usize; F]> {
    let mut missing = all_pairs(levels);
    let mut rows = Vec::new();
    while let Some(pair) = missing.first().copied() {
        let row = row_with(pair, levels, &missing);
        missing.retain(|pair| !pair.is_in(&row.map(Some)));
        rows.push(row);
    }
    rows
}

/// Two factors and a choice for each.
#[derive(Clone, Copy, Debug)]
struct Pair([(usize, usize); 2]);

impl Pair {
    fn is_in(&self, row: &[Option<usize>]) -> bool {
        self.0.iter().all(|(factor, level)| row[*factor] == Some(*level))
    }
}

fn all_pairs<const F: usize>(levels: [usize; F]) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for (one, other) in (0..F).flat_map(|one| (one + 1..F).map(move |other| (one, other))) {
        let choices = (0..levels[one]).flat_map(|a| (0..levels[other]).map(move |b| (a, b)));
        pairs.extend(choices.map(|(a, b)| Pair([(one, a), (other, b)])));
    }
    pairs
}

/// Fills the other factors so that each adds as many missing pairs as possible.
fn row_with<const F: usize>(pair: Pair, levels: [usize; F], missing: &[Pair]) -> [usize; F] {
    let mut row = [None; F];
    pair.0.iter().for_each(|(factor, level)| row[*factor] = Some(*level));
    for factor in 0..F {
        if row[factor].is_none() {
            let gain = |level: &usize| {
                let mut tried = row;
                tried[factor] = Some(*level);
                missing.iter().filter(|pair| pair.is_in(&tried)).count()
            };
            row[factor] = (0..levels[factor]).max_by_key(gain);
        }
    }
    row.map(Option::unwrap)
}

#[test]
fn any_two_choices_meet() {
    let levels = [2, 3, 4, 2];
    let rows = pairwise(levels);
    assert!(rows.len() < 20);
    for pair in all_pairs(levels) {
        assert!(rows.iter().any(|row| pair.is_in(&row.map(Some))), "{pair:?}");
    }
}
