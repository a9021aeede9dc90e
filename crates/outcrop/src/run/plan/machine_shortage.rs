//! Graphs that exceed the capacity of a machine.

use crate::request::RunRequest;
use outcrop_algorithms::params::{Arg, InputVector, ParamInfo, Personalization};
use outcrop_io::{Disk, Storage};
use outcrop_types::Result;
use serde::Serialize;
use std::path::Path;

/// Required and available bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Shortage {
    /// Minimum, in bytes.
    pub needed: u64,
    /// Available bytes.
    pub available: u64,
}

/// Shortages of a machine that is too small for a graph, and an alternative.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MachineShortage {
    /// Memory shortage, if any.
    pub memory: Option<Shortage>,
    /// Disk shortage, if any.
    pub disk: Option<Shortage>,
    /// Equivalent command for Spark, if Spark supports it.
    pub spark: Option<String>,
}

impl MachineShortage {
    /// Returns the shortages of the first of `ways`, each a pair of required memory and disk space, or `None` if one
    /// of them fits.
    pub(crate) fn of(ways: &[(u64, u64)], memory: u64, disk: u64) -> Option<Self> {
        let short = |needed, available| (needed > available).then_some(Shortage { needed, available });
        let first = ways.first().filter(|_| !ways.iter().any(|way| way.0 <= memory && way.1 <= disk))?;
        Some(Self { memory: short(first.0, memory), disk: short(first.1, disk), spark: None })
    }

    /// Adds the command for `request` on Spark, with `edges` as its input.
    pub(crate) fn with_command(self, request: &RunRequest<'_>, edges: &str) -> Self {
        let spark = request.spec().on_spark.map(|params| command(request, params, edges));
        Self { spark, ..self }
    }
}

/// Returns the free space of a folder in bytes, or the maximum if it is unknown.
pub(crate) fn room_in(folder: &Path) -> Result<u64> {
    // Default: an unknown amount of free space never causes a shortage.
    Ok(Disk.free_bytes(folder)?.unwrap_or(u64::MAX))
}

/// Returns the command with the given parameters, and placeholders for required ones.
fn command(request: &RunRequest<'_>, params: &[&str], edges: &str) -> String {
    let name = request.spec().name;
    let mut words = vec![format!("outcrop run {name} {edges} --engine spark --master URL --tmp-dir DIR")];
    let own = request.algorithm().params().iter();
    let missing = own.filter(|info| info.needed.is_some() && !request.args().is_given(info.name));
    words.extend(missing.map(|info| format!("--{} {}", info.name, info.placeholder)));
    let given = request.args().given().filter(|(info, _)| params.contains(&info.name));
    words.extend(given.flat_map(|(info, arg)| typed(info, arg)));
    words.push(format!("-o {name}.parquet"));
    words.join(" ")
}

/// Returns a parameter as command-line words.
fn typed(info: &ParamInfo, arg: &Arg) -> Vec<String> {
    let option = |value: &str| format!("--{} {}", info.name, quoted(value));
    match arg {
        Arg::Flag(flag) => flag.then(|| format!("--{}", info.name)).into_iter().collect(),
        Arg::Ids(ids) => ids.iter().map(|id| option(id)).collect(),
        Arg::Text(text) => vec![option(text)],
        Arg::Count(count) => vec![option(&count.to_string())],
        Arg::Number(number) => vec![option(&number.to_string())],
        Arg::Auto => vec![option("auto")],
        Arg::Word(word) => vec![option(word)],
        Arg::File(path) | Arg::NodeWeights(Personalization::File(path)) | Arg::Vector(InputVector::File(path)) => {
            vec![option(&path.display().to_string())]
        }
        Arg::NodeWeights(_) | Arg::Vector(_) => vec![format!("--{} {}", info.name, info.placeholder)],
    }
}

/// Returns a word quoted for a shell.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:=,%+@*".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_is_outgrown_where_no_way_fits_both_its_memory_and_its_disk() {
        assert_eq!(MachineShortage::of(&[(10, 0), (5, 70)], 10, 60), None);
        assert_eq!(MachineShortage::of(&[(11, 0), (5, 60)], 10, 60), None);
        let short = |needed, available| Some(Shortage { needed, available });
        let memory = MachineShortage { memory: short(11, 10), disk: None, spark: None };
        assert_eq!(MachineShortage::of(&[(11, 0), (5, 70)], 10, 60), Some(memory));
        let both = MachineShortage { memory: short(11, 10), disk: short(61, 60), spark: None };
        assert_eq!(MachineShortage::of(&[(11, 61)], 10, 60), Some(both));
    }

    #[test]
    fn the_command_has_the_parameters_that_spark_has() {
        let ranks = RunRequest::new("pagerank").and_then(|request| request.with("iterations", "7")).unwrap();
        let ranks = ranks.with("precision", "f32").and_then(|request| request.with("unweighted", true)).unwrap();
        let shortage = MachineShortage::of(&[(2, 0)], 1, 0).unwrap();
        let expected = "outcrop run pagerank edges --engine spark --master URL --tmp-dir DIR --iterations 7 --unweighted \
                        -o pagerank.parquet";
        assert_eq!(shortage.clone().with_command(&ranks, "edges").spark.as_deref(), Some(expected));
        let command = |name| shortage.clone().with_command(&RunRequest::new(name).unwrap(), "hdfs:///web").spark;
        let search = "outcrop run bfs hdfs:///web --engine spark --master URL --tmp-dir DIR --source ID -o bfs.parquet";
        assert_eq!(command("bfs").as_deref(), Some(search));
        assert_eq!(command("kcore"), None);
        assert_eq!((quoted("a/b-1.parquet").as_str(), quoted("it's").as_str()), ("a/b-1.parquet", r"'it'\''s'"));
    }
}
