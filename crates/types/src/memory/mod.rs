//! Memory: the budget, and allocations that the system may refuse although the budget allows them.

mod allocation_refusals;
mod budget;
mod part;
mod plan;
mod reclaim;
mod values;

pub use allocation_refusals::{check_refused_allocations, filled, make_room, report_refused_allocation, with_room_for};
pub use budget::{MemoryBudget, Reservation};
pub use part::BudgetPart;
pub use plan::{MemoryNeed, MemoryPlan, Purpose};
pub use reclaim::Reclaim;
pub use values::VertexValues;
