//! Record of what a run did with messages.

use outcrop_types::MessageFigures;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Record of what logs, sorting and the edge log of a run in the model `messages` did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct MessageRecord {
    /// Delivery of messages: `sync` or `async`.
    pub delivery: Cow<'static, str>,
    /// Kind of log that kept messages: `multi` or `single`.
    pub log: Cow<'static, str>,
    /// True if small logs of neighboring intervals were computed together.
    pub fuse: bool,
    /// True if lists of vertices that were likely to be active were logged.
    pub edge_log: bool,
    /// Figures counted.
    #[serde(flatten)]
    pub figures: MessageFigures,
}
