//! Iterations, and shadow iterations between them.

mod run;
mod shadow;
mod turn;
mod vertex_values;
mod workspace;

pub(super) use run::{MOST_SETS, Run};
pub(super) use vertex_values::VertexFiles;
