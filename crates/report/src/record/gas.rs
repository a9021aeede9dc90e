//! Record of a run's edge values.

use outcrop_types::GasFigures;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Record of the shards of a run in the model `gas`, and their costs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GasRecord {
    /// Kind of shards: `static`, `ads`, `ods` or `edge-list`.
    pub shards: Cow<'static, str>,
    /// Dynamic shards are created if less than this share of the edges, from 0 to 1, is updated.
    pub updated_share: f64,
    /// A shadow iteration runs if the delayed changes exceed this number of bytes.
    pub delay_buffer: u64,
    /// Seconds for writing shards before the run.
    pub seconds_preparing: f64,
    /// Counters.
    #[serde(flatten)]
    pub figures: GasFigures,
}
