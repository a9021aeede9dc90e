//! A result as the user reads it: a table of text, ids turned back into ranks.

use crate::graph::Model;
use outcrop::RunResult;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// The columns of a table that was written, by rank.
#[derive(Debug)]
pub struct Answer {
    pub iterations: u32,
    /// Model that values flowed in.
    pub model: Cow<'static, str>,
    /// Numbers for the whole graph.
    pub values: BTreeMap<Cow<'static, str>, serde_json::Value>,
    names: Vec<String>,
    rows: Vec<Vec<String>>,
    rank_of_id: HashMap<String, usize>,
}

impl Answer {
    /// Writes the table into `folder` and reads it; its rows must be the ids of `model` in ascending order, but for
    /// those of walks and paths.
    pub fn read(result: &RunResult, model: &Model, folder: &Path) -> Self {
        let path = folder.join("result.csv");
        result.table().write(&path, true).unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        let mut lines =
            text.lines().map(|line| line.split(',').map(|cell| cell.trim_matches('"').to_owned()).collect::<Vec<_>>());
        let (names, rows) = (lines.next().unwrap(), lines.collect::<Vec<_>>());
        if !["walks", "path", "k-shortest-paths"].contains(&&*result.record().task.algorithm) {
            assert_eq!(names[0], "node");
            assert!(rows.iter().map(|row| &row[0]).eq(&model.ids), "every vertex has a row, in ascending order");
        }
        let rank_of_id = model.ids.iter().cloned().zip(0..).collect();
        Self {
            model: result.record().task.model.clone(),
            iterations: result.record().convergence.iterations,
            values: result.record().answer.values.clone(),
            names,
            rows,
            rank_of_id,
        }
    }

    /// The names of all columns but that of ids.
    pub fn names(&self) -> Vec<String> {
        self.names.iter().filter(|name| *name != "node").cloned().collect()
    }

    /// The cells of the column `name`, empty ones being null.
    pub fn cells<T>(&self, name: &str, of: impl Fn(&str) -> T) -> Vec<Option<T>> {
        let column = self.names.iter().position(|known| known == name).unwrap();
        self.rows.iter().map(|row| Some(&row[column]).filter(|cell| !cell.is_empty()).map(|cell| of(cell))).collect()
    }

    pub fn counts(&self, name: &str) -> Vec<Option<u32>> {
        self.cells(name, |cell| cell.parse().unwrap())
    }

    pub fn nodes(&self, name: &str) -> Vec<Option<usize>> {
        self.cells(name, |cell| self.rank_of_id[cell])
    }

    pub fn doubles(&self, name: &str) -> Vec<Option<f64>> {
        self.cells(name, |cell| cell.parse().unwrap())
    }

    /// Real numbers of single precision.
    pub fn singles(&self, name: &str) -> Vec<Option<f64>> {
        self.cells(name, |cell| f64::from(cell.parse::<f32>().unwrap()))
    }
}
