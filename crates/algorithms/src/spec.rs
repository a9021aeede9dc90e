//! Descriptions of algorithms: names, origin, results.

use crate::params::Choice;
use outcrop_types::Direction;

/// Execution model: how values flow along edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// Maps over the edges of frontiers (Ligra; ChunkGraph), with one value per vertex in memory.
    EdgeMap,
    /// Vertex updates, interval by interval (LOSC), with values in memory or on disk.
    Interval,
    /// Messages between vertices in supersteps (MultiLogVC), with values in memory or on disk.
    Messages,
    /// Gather, apply, scatter on edge values (Vora, Xu, Gupta), in shards that contain only the required edges.
    Gas,
}

impl Model {
    /// Every model.
    pub const ALL: [Self; 4] = [Self::EdgeMap, Self::Interval, Self::Messages, Self::Gas];

    /// Returns the name in run records, on the command line and in Python.
    pub const fn name(self) -> &'static str {
        match self {
            Self::EdgeMap => "edge_map",
            Self::Interval => "interval",
            Self::Messages => "messages",
            Self::Gas => "gas",
        }
    }

    /// Returns true if vertex values may be in temporary files.
    pub const fn has_values_on_disk(self) -> bool {
        !matches!(self, Self::EdgeMap)
    }

    /// Returns true if a run uses this model only if it is requested, unless the algorithm has no other.
    pub const fn explicit_only(self) -> bool {
        matches!(self, Self::Messages | Self::Gas)
    }
}

/// Requested execution model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelChoice {
    /// Preferred model of the algorithm if it fits in the budget, otherwise one that fits.
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

/// Location of vertex values during a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ValuePlace {
    /// Memory if the values fit in the budget, otherwise disk if the algorithm supports it.
    #[default]
    Auto,
    /// Memory; a run that does not fit is refused.
    Memory,
    /// Temporary files.
    Disk,
}

crate::params::choices!(ValuePlace: "auto" => Self::Auto, "memory" => Self::Memory, "disk" => Self::Disk);

impl ValuePlace {
    /// Every location.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Memory, Self::Disk];

    /// Returns the name on the command line and in Python.
    pub fn name(self) -> &'static str {
        self.word()
    }
}

/// Precision of the values stored between iterations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// 8 bytes per value.
    #[default]
    Double,
    /// 4 bytes per value.
    Single,
}

crate::params::choices!(Precision: "f64" => Self::Double, "f32" => Self::Single);

/// Lists and tables that an algorithm reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requirements {
    /// Lists of out-neighbors.
    pub out_lists: bool,
    /// Lists of in-neighbors.
    pub in_lists: bool,
    /// Sets of active vertices.
    pub frontiers: bool,
    /// Ranks of vertices, in stores of another order than the original.
    pub ranks: bool,
}

impl Requirements {
    /// Every list and table.
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

    /// Returns true if lists of `direction` are read.
    pub const fn reads(self, direction: Direction) -> bool {
        match direction {
            Direction::Out => self.out_lists,
            Direction::In => self.in_lists,
        }
    }
}

/// Column of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnInfo {
    /// Name; with [`EACH_SOURCE`] in it, there is one column per source, named by the source's original ID.
    pub name: &'static str,
    /// Meaning of a value, with its unit and the meaning of null.
    pub meaning: &'static str,
}

/// Placeholder for the ID of a source in the name of a column.
pub const EACH_SOURCE: &str = "<id>";

impl ColumnInfo {
    /// Returns true if a result may have a column called `name` for it.
    pub fn describes(&self, name: &str) -> bool {
        match self.name.split_once(EACH_SOURCE) {
            Some((before, after)) => name.strip_prefix(before).is_some_and(|rest| rest.ends_with(after)),
            None => name == self.name,
        }
    }
}

/// Result value for the whole graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScalarInfo {
    /// Name.
    pub name: &'static str,
    /// Meaning, with its unit and the meaning of null.
    pub meaning: &'static str,
}

/// Statistic of all values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statistic {
    /// Number of vertices with a value.
    Known,
    /// Sum of all values.
    Sum,
    /// Third of the sum, for items counted at three vertices.
    ThirdOfSum,
    /// Mean of the non-null values.
    Mean,
    /// Maximum.
    Most,
    /// Maximum plus one: the size of a numbering that starts from 0.
    MostAndOne,
    /// Number of vertices with the maximum value.
    CountOfMost,
    /// Number of groups of vertices with the same value.
    Groups,
    /// Number of vertices of the largest group.
    LargestGroup,
}

/// Use of the weights of a weighted store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weights {
    /// Weights always count.
    Used,
    /// Weights count unless [`crate::weights::UNWEIGHTED`] is given.
    ByDefault,
    /// Weights count if [`crate::weights::WEIGHTED`] is given.
    OnRequest,
    /// A weighted variant with different results exists but is not supported: the function in NetworkX has a parameter
    /// `weight`, or edges have couplings and conductances.
    Ignored,
    /// Readers would not expect a weighted variant.
    Meaningless,
}

/// Work of a round (see [`crate::Algorithm::rounds`]) in the model [`Model::EdgeMap`], measured on Kronecker graphs
/// with values in memory (docs/scaling.md).
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// Nanoseconds of a thread per list entry, without waiting for values.
    pub entry: f64,
    /// Number of values of other vertices that a list entry waits for.
    pub waits: f64,
    /// Bytes of such values per vertex.
    pub value_bytes: u64,
    /// Number of passes over the opened lists, starting with an empty cache.
    pub passes: f64,
}

/// Description of an algorithm.
#[derive(Debug)]
pub struct Spec {
    /// Name on the command line and in records.
    pub name: &'static str,
    /// Other names on the command line.
    pub aliases: &'static [&'static str],
    /// Name in Python.
    pub python_name: &'static str,
    /// Summary in one line, for help pages.
    pub summary: &'static str,
    /// Papers that it is based on.
    pub paper: &'static str,
    /// Supported models, the preferred one first.
    pub models: &'static [Model],
    /// Reason for not supporting the model [`Model::Gas`]: no aggregation function combines several changes (Vora, Xu,
    /// Gupta, USENIX ATC 2016, table 1).
    pub not_in_gas: Option<&'static str>,
    /// Parameters supported on Spark by the Python package (`outcrop/spark` there); `None` if it does not run there.
    pub on_spark: Option<&'static [&'static str]>,
    /// Use of weights.
    pub weights: Weights,
    /// Columns of the result, in addition to `node`.
    pub columns: &'static [ColumnInfo],
    /// Result values for the whole graph.
    pub values: &'static [ScalarInfo],
    /// Statistics of its first column, by name.
    pub statistics: &'static [(&'static str, Statistic)],
    /// Parameters with which edges may arrive during a run in the model [`Model::Gas`]; `None` if they may not.
    pub arrivals: Option<&'static [&'static str]>,
    /// Measured work of a round; `None` if it was not measured.
    pub cost: Option<Cost>,
    /// Advice to reduce the memory of a run.
    pub memory_hint: Option<&'static str>,
    /// Definition, guarantees, and differences to other systems, for reference pages: lines are joined, an empty line
    /// ends a paragraph, and options are written as on the command line.
    pub details: &'static str,
    /// Example in Python, as a session of the interpreter with the package imported as `oc`; leading spaces are
    /// ignored.
    pub example: &'static str,
}

impl Spec {
    /// Values shared by most algorithms; each algorithm sets the remaining fields.
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

    /// Returns true if its first column names groups of vertices; the top rows are then the largest groups with their
    /// sizes.
    pub fn names_groups(&self) -> bool {
        self.statistics.iter().any(|(_, statistic)| matches!(statistic, Statistic::Groups))
    }

    /// Returns true if users call it `name`, in any interface.
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
