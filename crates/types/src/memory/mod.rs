//! Memory: the budget, and allocations that the system may refuse although the budget allows them.

mod budget;
mod part;
mod plan;
mod reclaim;
mod system;
mod values;

pub use budget::{MemoryBudget, Reservation};
pub use part::BudgetPart;
pub use plan::{MemoryNeed, MemoryPlan, Purpose};
pub use reclaim::Reclaim;
pub use system::{check_refused, filled, make_room, tell_refused, with_room_for};
pub use values::VertexValues;
