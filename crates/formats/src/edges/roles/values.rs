//! Detection of the weight and time columns.

use super::columns::{ColumnKind, Table};
use super::words::{MEASURES, TIMES, WEIGHTS, is_index, is_known_value, joined};
use outcrop_types::Result;

impl Table<'_> {
    /// Returns the only free column with the first of the `known` names that occurs.
    pub(super) fn known(&self, known: &[&str], taken: &[usize], option: &str) -> Result<Option<usize>> {
        let free = || (0..self.columns.len()).filter(|place| !taken.contains(place));
        for name in known {
            let found: Vec<usize> = free()
                .filter(|place| {
                    let column = joined(self.name(*place));
                    column.strip_prefix("edge").unwrap_or(&column) == *name
                })
                .collect();
            match found[..] {
                [] => {}
                [place] => return Ok(Some(place)),
                _ => {
                    let names = self.names(&found);
                    return Err(
                        self.wrong(format!("found the columns {names}, expected only one; use {option} COLUMN"))
                    );
                }
            }
        }
        Ok(None)
    }

    pub(super) fn weight(&mut self, ends: [usize; 2]) -> Result<usize> {
        if let Some(name) = &self.options.columns.weight {
            return self.named(name);
        }
        if let Some(place) = self.known(WEIGHTS, &ends, "--weight")? {
            return Ok(place);
        }
        let free: Vec<usize> = (0..self.columns.len()).filter(|place| !ends.contains(place)).collect();
        let fit = |place: &usize| {
            let name = self.name(*place);
            self.kind(*place).is_number() && !is_index(name) && !is_known_value(name)
        };
        let numbers: Vec<usize> = free.iter().copied().filter(fit).collect();
        match numbers[..] {
            [place] => {
                let name = self.name(place).to_owned();
                self.notes.push(format!("column {name:?} was read as the weight; use --weight for another one"));
                Ok(place)
            }
            [] => {
                // Row numbers and times are numbers, too.
                let other = |place: &usize| !is_index(self.name(*place)) && !is_known_value(self.name(*place));
                match free.iter().copied().find(other) {
                    None if !free.is_empty() => Err(self.wrong(format!(
                        "found no weight column, but {}; use --weight COLUMN to read it as the weight",
                        free.iter().map(|place| format!("{:?}", self.name(*place))).collect::<Vec<_>>().join(", ")
                    ))),
                    // Default: the column after the last one does not exist.
                    place => self.exists(place.unwrap_or(self.columns.len())),
                }
            }
            _ => {
                let names = self.names(&numbers);
                Err(self.wrong(format!("found no column named weight, but {names}; use --weight COLUMN")))
            }
        }
    }

    pub(super) fn time(&mut self, taken: &[usize]) -> Result<usize> {
        if let Some(name) = &self.options.columns.time {
            return self.named(name);
        }
        if let Some(place) = self.known(TIMES, taken, "--time")? {
            return Ok(place);
        }
        let mut free = (0..self.columns.len()).filter(|place| !taken.contains(place));
        let place = free.find(|place| !is_index(self.name(*place)) && !is_known_value(self.name(*place)));
        let place = self.exists(place.unwrap_or(self.columns.len()))?;
        let name = self.name(place).to_owned();
        self.notes.push(format!("column {name:?} was read as the time; use --time for another one"));
        Ok(place)
    }

    /// Returns a note on an unread column whose name is that of weights or measures.
    pub(super) fn unread_weights(&self, taken: &[usize], time: Option<usize>) -> Option<String> {
        let is_free = |place: &usize| !taken.contains(place) && Some(*place) != time;
        let known = |place: &usize| {
            let name = joined(self.name(*place));
            [WEIGHTS, MEASURES].iter().any(|names| names.contains(&name.as_str()))
        };
        let unread = (0..self.columns.len()).filter(is_free).find(known);
        let sure = |place: usize| match self.kind(place) {
            ColumnKind::Unknown => false,
            kind => joined(self.name(place)).starts_with("weight") || kind.is_number(),
        };
        let name = self.name(unread.filter(|place| !self.options.wants_weights() && sure(*place))?);
        let option = if WEIGHTS.contains(&joined(name).as_str()) { "--weighted" } else { "--weight with its name" };
        let advice = format!("use {option} to read it as weights");
        Some(format!("column {name:?} was not read; {}", self.options.on_unread_weights(&advice)))
    }
}
