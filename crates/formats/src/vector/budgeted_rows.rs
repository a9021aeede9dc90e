//! Rows in memory that is reserved from the budget before it is allocated.

use super::node::NodeKey;
use outcrop_types::{MemoryBudget, Purpose, Reservation, Result, index_from, length_from};

const ROW: u64 = size_of::<(NodeKey, f64)>() as u64;

/// Initial capacity, in rows.
const FIRST_ROWS: u64 = 1024;

/// Granularity of reservations for texts, in bytes.
const TEXT_PIECE: u64 = 64 << 10;

/// Overhead of the allocator per small allocation, in bytes.
const ALLOCATION: u64 = 16;

/// Growing list of weighted nodes.
#[derive(Debug)]
pub(super) struct BudgetedRows {
    budget: MemoryBudget,
    rows: Vec<(NodeKey, f64)>,
    rows_held: Option<Reservation>,
    texts_held: Vec<Reservation>,
    text_bytes_left: u64,
}

impl BudgetedRows {
    pub(super) const fn new(budget: MemoryBudget) -> Self {
        Self { budget, rows: Vec::new(), rows_held: None, texts_held: Vec::new(), text_bytes_left: 0 }
    }

    pub(super) fn rows(&self) -> &[(NodeKey, f64)] {
        &self.rows
    }

    pub(super) fn push(&mut self, key: NodeKey, weight: f64) -> Result<()> {
        if let NodeKey::Text(text) = &key {
            self.pay_for_text(length_from(text.capacity()) + ALLOCATION)?;
        }
        if self.rows.len() == self.rows.capacity() {
            self.grow()?;
        }
        self.rows.push((key, weight));
        Ok(())
    }

    /// Releases unused memory.
    pub(super) fn complete(mut self) -> Self {
        self.rows.shrink_to_fit();
        if let Some(held) = &mut self.rows_held {
            held.shrink_to(length_from(self.rows.len()) * ROW);
        }
        self
    }

    /// Doubles the capacity; while the rows are moved, both allocations are reserved.
    fn grow(&mut self) -> Result<()> {
        let present = length_from(self.rows.len());
        let room = (2 * present).max(FIRST_ROWS);
        let held = self.budget.reserve(room * ROW, Purpose::InputBuffers)?;
        self.rows.reserve_exact(index_from(room - present));
        self.rows_held = Some(held);
        Ok(())
    }

    fn pay_for_text(&mut self, bytes: u64) -> Result<()> {
        if self.text_bytes_left < bytes {
            let piece = bytes.max(TEXT_PIECE);
            self.texts_held.push(self.budget.reserve(piece, Purpose::InputBuffers)?);
            self.text_bytes_left = piece;
        }
        self.text_bytes_left -= bytes;
        Ok(())
    }
}
