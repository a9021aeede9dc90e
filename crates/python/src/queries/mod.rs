//! Questions about vertices, and their answers.

mod ids;
mod stream;

pub(crate) use ids::Ids;
pub(crate) use stream::{AnswerStream, batches};
