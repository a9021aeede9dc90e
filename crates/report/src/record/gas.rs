//! Record of what a run did with values of edges.

use outcrop_types::GasFigures;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Record of how edges were brought into memory in a run in the model `gas`, and what that took.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GasRecord {
    /// Kind of shards: `static`, `ads`, `ods` or `edge-list`.
    pub shards: Cow<'static, str>,
    /// The share of the edges, from 0 to 1, below which so few are updated that dynamic shards are made.
    pub updated_share: f64,
    /// Bytes of delayed changes above which a shadow iteration takes them up.
    pub delay_buffer: u64,
    /// Seconds of writing shards before the run.
    pub seconds_preparing: f64,
    /// Figures counted.
    #[serde(flatten)]
    pub figures: GasFigures,
}
