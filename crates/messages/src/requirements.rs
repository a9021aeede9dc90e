//! Requirements on an engine.

use outcrop_engine::Directions;

/// Time at which messages are delivered (section V.F).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Delivery {
    /// Delivery in the superstep after the one in which messages are sent.
    #[default]
    Synchronous,
    /// Delivery in the same superstep to vertices of intervals that are computed later, else in the next. What a vertex
    /// sees depends on the intervals, and so on memory, but not on threads: for programs whose answer is independent of
    /// delivery time.
    Asynchronous,
}

/// Requirements of a program on the engine.
#[derive(Clone, Copy, Debug)]
pub struct MessageRequirements {
    /// Vertices of the graph.
    pub vertices: u32,
    /// Vertices that the program may add.
    pub spare_vertices: u32,
    /// True if values live on disk.
    pub on_disk: bool,
    /// Lists that [`super::MessageProgram::compute`] sees.
    pub sides: Directions,
    /// Against which lists of a vertex messages come to it: at most about one a superstep for each entry.
    pub along: Directions,
    /// True if edges have a direction.
    pub directed: bool,
    /// True if programs look at weights.
    pub weighted: bool,
    /// Bytes of a value.
    pub value_bytes: u64,
    /// Bytes of a message.
    pub message_bytes: u64,
    /// True if messages to a vertex are combined.
    pub combines: bool,
    /// True if the program changes the graph.
    pub changes: bool,
    /// Keys of records, and bytes of one; `(0, 0)` where there are none.
    pub records: (u32, u64),
}

/// Options for keeping and delivering messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageOptions {
    /// Time at which messages are delivered.
    pub delivery: Delivery,
    /// True if small logs of neighboring intervals are computed together (section V.A.2).
    pub fuse: bool,
    /// True if lists of vertices that are likely to be active are logged (section V.C).
    pub edge_log: bool,
}

impl Default for MessageOptions {
    fn default() -> Self {
        Self { delivery: Delivery::Synchronous, fuse: true, edge_log: true }
    }
}
