//! Memory of a run or a build.

use outcrop_types::MemoryPlan;
use serde::{Deserialize, Serialize};

/// Memory of a run or a build, in bytes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MemoryRecord {
    /// Peak resident memory of the process.
    pub peak_rss: u64,
    /// The budget.
    #[serde(rename = "memory_budget")]
    pub budget: u64,
    /// Peak total reservation.
    #[serde(rename = "memory_peak")]
    pub peak: u64,
    /// Peak reservation per purpose.
    #[serde(rename = "memory")]
    pub by_purpose: MemoryPlan,
}
