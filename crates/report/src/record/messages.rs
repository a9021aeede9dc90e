//! What a run did with messages.

use outcrop_types::MessageFigures;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// What logs, sorting and the edge log of a run in the model `messages` did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct MessageRecord {
    /// When messages were delivered: `sync` or `async`.
    pub delivery: Cow<'static, str>,
    /// How messages were kept: `multi` or `single`.
    pub log: Cow<'static, str>,
    /// Whether small logs of neighbouring intervals were computed together.
    pub fuse: bool,
    /// Whether lists of vertices that were likely to be active were logged.
    pub edge_log: bool,
    /// What was counted.
    #[serde(flatten)]
    pub figures: MessageFigures,
}
