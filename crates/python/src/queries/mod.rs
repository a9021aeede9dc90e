//! Questions about vertices, and their answers.

mod stream;
mod sweep;

pub(crate) use stream::{AnswerStream, batches};
pub(crate) use sweep::{Lists, Sweep};
