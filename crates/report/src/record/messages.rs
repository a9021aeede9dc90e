//! Record of a run's messages.

use outcrop_types::MessageFigures;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Record of logs, sorting and the edge log of a run in the model `messages`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct MessageRecord {
    /// Delivery of messages: `sync` or `async`.
    pub delivery: Cow<'static, str>,
    /// Kind of message log: `multi` or `single`.
    pub log: Cow<'static, str>,
    /// True if small logs of neighboring intervals were computed together.
    pub fuse: bool,
    /// True if the lists of vertices that were likely to be active were logged.
    pub edge_log: bool,
    /// Counters.
    #[serde(flatten)]
    pub figures: MessageFigures,
}
