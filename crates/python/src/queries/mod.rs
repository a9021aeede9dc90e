//! Questions about vertices, and their answers.

mod ids;
mod stream;
mod sweep;

pub(crate) use ids::Ids;
pub(crate) use stream::{AnswerStream, batches};
pub(crate) use sweep::{Lists, Sweep};
