//! `outcrop generate`

use crate::arguments::{GenerateArguments, GenerateOptions, GeneratedGraph};
use crate::output::{count, remark};
use outcrop::{Cancellation, EdgeGenerator, Grid, Kronecker, Result, Uniform};

pub(crate) fn run(arguments: &GenerateArguments, cancellation: &Cancellation) -> Result<()> {
    match &arguments.graph {
        GeneratedGraph::Kronecker { scale, edge_factor, rest } => {
            write(&Kronecker::new(*scale, *edge_factor, rest.seed, rest.weights)?, rest, cancellation)
        }
        GeneratedGraph::Uniform { vertices, edges, rest } => {
            write(&Uniform::new(*vertices, *edges, rest.seed, rest.weights)?, rest, cancellation)
        }
        GeneratedGraph::Grid { rows, columns, rest } => {
            write(&Grid::new(*rows, *columns, rest.seed, rest.weights)?, rest, cancellation)
        }
    }
}

fn write(generator: &dyn EdgeGenerator, options: &GenerateOptions, cancellation: &Cancellation) -> Result<()> {
    let observer = options.progress.progress.observer();
    let edges = outcrop::generate(generator, &options.output, options.overwrite, cancellation, &*observer)?;
    let vertices = count(generator.num_vertices());
    remark(&format!("{}: {} edges among {vertices} vertices", options.output.display(), count(edges)));
    Ok(())
}
