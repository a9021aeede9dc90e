//! Requirements of a program, and options.

use outcrop_engine::Directions;

/// Delivery time of messages (section V.F).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Delivery {
    /// Delivery in the next superstep.
    #[default]
    Synchronous,
    /// Delivery in the same superstep to intervals that are computed later, otherwise in the next. Intervals are
    /// smaller and not computed together. The messages that a vertex sees depend on the intervals, and so on memory,
    /// but not on threads. Suits programs whose result is independent of delivery time and reached sooner with earlier
    /// messages.
    Asynchronous,
}

/// Requirements of a program on the engine.
#[derive(Clone, Copy, Debug)]
pub struct MessageRequirements {
    /// Number of vertices of the graph.
    pub vertices: u32,
    /// Number of vertices that the program may add.
    pub spare_vertices: u32,
    /// `true` if values are on disk.
    pub on_disk: bool,
    /// Lists that [`super::MessageProgram::compute`] reads.
    pub sides: Directions,
    /// Lists of a vertex against which it receives messages: at most about one per entry and superstep.
    pub along: Directions,
    /// `true` if the graph is directed.
    pub directed: bool,
    /// `true` if programs read weights.
    pub weighted: bool,
    /// Bytes per value.
    pub value_bytes: u64,
    /// Bytes per message.
    pub message_bytes: u64,
    /// Maximum number of messages per entry of the lists of `along` and superstep.
    pub messages_per_entry: u64,
    /// Number of mutable words per entry of the lists of `sides`.
    pub edge_words: u64,
    /// `true` if messages to a vertex are combined.
    pub combines: bool,
    /// `true` if the program changes the graph.
    pub changes: bool,
    /// Number of record keys, and bytes per record; `(0, 0)` without records.
    pub records: (u32, u64),
}

/// Options for storing and delivering messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageOptions {
    /// Delivery time of messages.
    pub delivery: Delivery,
    /// `true` to compute small logs of neighboring intervals together (section V.A.2), with synchronous delivery.
    pub fuse: bool,
    /// `true` to log the lists of vertices that are likely to be active (section V.C).
    pub edge_log: bool,
}

impl Default for MessageOptions {
    fn default() -> Self {
        Self { delivery: Delivery::Synchronous, fuse: true, edge_log: true }
    }
}
