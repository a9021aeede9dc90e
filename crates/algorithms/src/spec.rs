//! Facts known of an algorithm before it runs: its names, where it comes from, what it gives.

use crate::params::Choice;
use outcrop_types::Direction;

/// Way in which values flow along edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// Maps over the edges of frontiers (Ligra; ChunkGraph), with one value a vertex in memory.
    EdgeMap,
    /// Updates of vertices, interval after interval (LOSC), with values in memory or on disk.
    Interval,
    /// Messages between vertices, superstep after superstep (MultiLogVC), with values in memory or on disk.
    Messages,
    /// Gather, apply, scatter on values of edges (Vora, Xu, Gupta), in shards that hold the edges which are needed.
    Gas,
}

impl Model {
    /// Every model.
    pub const ALL: [Self; 4] = [Self::EdgeMap, Self::Interval, Self::Messages, Self::Gas];

    /// The name in run records, on the command line and in Python.
    pub const fn name(self) -> &'static str {
        match self {
            Self::EdgeMap => "edge_map",
            Self::Interval => "interval",
            Self::Messages => "messages",
            Self::Gas => "gas",
        }
    }

    /// True if the values of vertices may be in temporary files.
    pub const fn has_values_on_disk(self) -> bool {
        !matches!(self, Self::EdgeMap)
    }

    /// True if a run uses this model only if it is requested, unless the algorithm has no other.
    pub const fn explicit_only(self) -> bool {
        matches!(self, Self::Messages | Self::Gas)
    }
}

/// The model that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelChoice {
    /// The preferred model of the algorithm if it fits in the budget, else one that fits.
    Auto,
    /// Exactly this model.
    Only(Model),
}

crate::params::choices!(ModelChoice:
    "auto" => Self::Auto,
    "edge_map" => Self::Only(Model::EdgeMap),
    "interval" => Self::Only(Model::Interval),
    "messages" => Self::Only(Model::Messages),
    "gas" => Self::Only(Model::Gas),
);

/// Place of the values of vertices during a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ValuePlace {
    /// Memory if the values fit in the budget, else disk if the algorithm supports it.
    #[default]
    Auto,
    /// Memory; a run that does not fit is refused.
    Memory,
    /// Temporary files.
    Disk,
}

crate::params::choices!(ValuePlace: "auto" => Self::Auto, "memory" => Self::Memory, "disk" => Self::Disk);

impl ValuePlace {
    /// Every place.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Memory, Self::Disk];

    /// The name on the command line and in Python.
    pub fn name(self) -> &'static str {
        self.word()
    }
}

/// Precision of the values that are kept between iterations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// 8 bytes a value.
    #[default]
    Double,
    /// 4 bytes a value.
    Single,
}

crate::params::choices!(Precision: "f64" => Self::Double, "f32" => Self::Single);

/// The lists and tables that an algorithm reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requirements {
    /// Lists of out-neighbors.
    pub out_lists: bool,
    /// Lists of in-neighbors.
    pub in_lists: bool,
    /// Sets of active vertices.
    pub frontiers: bool,
    /// The ranks of vertices, in stores of another order than the original.
    pub ranks: bool,
}

impl Requirements {
    /// Everything.
    pub const ALL: Self = Self { out_lists: true, in_lists: true, frontiers: true, ranks: true };
    /// Lists of both directions.
    pub const BOTH_LISTS: Self = Self { frontiers: false, ranks: false, ..Self::ALL };
    /// Requirements for out-lists only.
    pub const OUT_LISTS: Self = Self { in_lists: false, ..Self::BOTH_LISTS };
    /// Requirements for in-lists only.
    pub const IN_LISTS: Self = Self { out_lists: false, ..Self::BOTH_LISTS };

    /// Adds sets of active vertices.
    #[must_use]
    pub const fn with_frontiers(self) -> Self {
        Self { frontiers: true, ..self }
    }

    /// Adds the ranks of vertices.
    #[must_use]
    pub const fn with_ranks(self) -> Self {
        Self { ranks: true, ..self }
    }

    /// True if lists of `direction` are read.
    pub const fn reads(self, direction: Direction) -> bool {
        match direction {
            Direction::Out => self.out_lists,
            Direction::In => self.in_lists,
        }
    }
}

/// A column of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnInfo {
    /// Its name; with [`EACH_SOURCE`] in it, there is one column a source, named by the source's original id.
    pub name: &'static str,
    /// Meaning of a value, with its unit and what is null.
    pub meaning: &'static str,
}

/// Placeholder of the id of a source in the name of a column.
pub const EACH_SOURCE: &str = "<id>";

impl ColumnInfo {
    /// True if a result may have a column called `name` for it.
    pub fn describes(&self, name: &str) -> bool {
        match self.name.split_once(EACH_SOURCE) {
            Some((before, after)) => name.strip_prefix(before).is_some_and(|rest| rest.ends_with(after)),
            None => name == self.name,
        }
    }
}

/// A number that is given for the whole graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScalarInfo {
    /// Its name.
    pub name: &'static str,
    /// Its meaning, with its unit and what is null.
    pub meaning: &'static str,
}

/// A number that says something of all values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statistic {
    /// Vertices that have a value.
    Known,
    /// Sum of all values.
    Sum,
    /// Third of the sum, for items counted at three vertices.
    ThirdOfSum,
    /// The mean of the values that are there.
    Mean,
    /// The greatest value.
    Most,
    /// Greatest value plus one: the size of a numbering that starts from 0.
    MostAndOne,
    /// Vertices with the greatest value.
    CountOfMost,
    /// Groups of vertices with the same value.
    Groups,
    /// Vertices of the largest group.
    LargestGroup,
}

/// Use that an algorithm makes of the weights of a weighted store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weights {
    /// Weights always count.
    Used,
    /// Weights count unless [`crate::weights::UNWEIGHTED`] is given.
    ByDefault,
    /// Weights count if [`crate::weights::WEIGHTED`] is given.
    OnRequest,
    /// There is a weighted form, with other answers, which is not computed: the namesake in NetworkX takes a `weight`,
    /// or edges have couplings and conductances.
    Ignored,
    /// There is no weighted form that readers would expect.
    Meaningless,
}

/// Work of a round (see [`crate::Algorithm::rounds`]) in the model [`Model::EdgeMap`], measured on Kronecker graphs
/// with values in memory (docs/scaling.md).
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// Nanoseconds of a thread for a list entry, without waiting for values.
    pub entry: f64,
    /// Values of other vertices that a list entry waits for.
    pub waits: f64,
    /// Bytes of such values per vertex.
    pub value_bytes: u64,
    /// Passes over the lists that are opened, read with an empty cache.
    pub passes: f64,
}

/// Facts known of an algorithm.
#[derive(Debug)]
pub struct Spec {
    /// The name on the command line and in records.
    pub name: &'static str,
    /// Other names on the command line.
    pub aliases: &'static [&'static str],
    /// The name in Python.
    pub python_name: &'static str,
    /// Summary in one line, for help pages.
    pub summary: &'static str,
    /// Papers that it comes from.
    pub paper: &'static str,
    /// The models that it is written in, its natural one first.
    pub models: &'static [Model],
    /// Reason not to write it in the model [`Model::Gas`], where that cannot be: no aggregation function makes one
    /// change of several (Vora, Xu, Gupta, USENIX ATC 2016, table 1).
    pub not_in_gas: Option<&'static str>,
    /// Parameters that it has on Spark, by the Python package (`outcrop/spark` there); none where it does not run
    /// there.
    pub on_spark: Option<&'static [&'static str]>,
    /// Use that it makes of weights.
    pub weights: Weights,
    /// Columns that it gives back, besides `node`.
    pub columns: &'static [ColumnInfo],
    /// Values that it gives back for the whole graph.
    pub values: &'static [ScalarInfo],
    /// Statistics of its first column, by name.
    pub statistics: &'static [(&'static str, Statistic)],
    /// Parameters with which edges may arrive during a run in the model [`Model::Gas`]; none if they may not.
    pub arrivals: Option<&'static [&'static str]>,
    /// Measured work of a round; none if it was not measured.
    pub cost: Option<Cost>,
    /// Advice that makes a run need less memory.
    pub memory_hint: Option<&'static str>,
    /// Definition, guarantees, and what is done otherwise elsewhere, for reference pages: lines are joined, an empty
    /// one ends a paragraph, and options are written as on the command line.
    pub details: &'static str,
    /// An example in Python, as a session of the interpreter in which the package is `oc`; spaces before lines do not
    /// count.
    pub example: &'static str,
}

impl Spec {
    /// Values that most algorithms have in common; the rest is to be filled in.
    pub const DEFAULT: Self = Self {
        name: "",
        aliases: &[],
        python_name: "",
        summary: "",
        paper: "",
        models: &[Model::EdgeMap],
        not_in_gas: None,
        on_spark: None,
        weights: Weights::Meaningless,
        columns: &[],
        values: &[],
        statistics: &[],
        arrivals: None,
        cost: None,
        memory_hint: None,
        details: "",
        example: "",
    };

    /// True if its first column names groups of vertices, of which the top rows are the largest with the number of
    /// their vertices.
    pub fn names_groups(&self) -> bool {
        self.statistics.iter().any(|(_, statistic)| matches!(statistic, Statistic::Groups))
    }

    /// True if users call it `name`, anywhere.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.python_name == name || self.aliases.contains(&name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_a_source_is_told_by_what_stands_around_its_id() {
        let [plain, each] = ["distance", "distance_<id>"].map(|name| ColumnInfo { name, meaning: "" });
        assert!(plain.describes("distance") && !plain.describes("distance_7"));
        assert!(each.describes("distance_7") && each.describes("distance_") && !each.describes("distance"));
    }
}
