//! `outcrop run ALGORITHM EDGES --engine spark`: the command line of the Python package, in the place of this process.

use crate::options::headings::SPARK;
use crate::typed::typed;
use clap::{Args, ValueEnum};
use outcrop::{ALGORITHMS, Cancellation, Error, Result, RunRequest};
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

/// Words before those of the algorithm: `run`, and the algorithm.
const WORDS_BEFORE: usize = 2;
const INSTALL: &str = "; install Python 3.10 or newer, or set OUTCROP_PYTHON";

/// Program that does the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum EngineName {
    /// This machine
    Outcrop,
    /// A cluster with Spark
    Spark,
}

/// Options of runs on Spark, which the Python package takes by the same names.
#[derive(Debug, Args)]
#[command(next_help_heading = SPARK)]
pub(crate) struct SparkOptions {
    /// Run on this machine (outcrop) or on Spark (spark; STORE may be a Parquet path) [default: outcrop]
    #[arg(long, value_enum, value_name = "NAME", hide_possible_values = true)]
    engine: Option<EngineName>,
    /// Spark master: local[2], yarn, spark://..., k8s://...
    #[arg(long, value_name = "URL")]
    master: Option<String>,
    /// Spark setting (repeatable)
    #[arg(long, value_name = "NAME=VALUE")]
    conf: Vec<String>,
    /// Parquet input: edges are undirected
    #[arg(long)]
    undirected: bool,
    /// Parquet input: column of the weights
    #[arg(long, value_name = "COLUMN")]
    weight: Option<String>,
    /// Parquet input: column of the source vertices
    #[arg(long, value_name = "COLUMN")]
    source_column: Option<String>,
    /// Parquet input: column of the target vertices
    #[arg(long, value_name = "COLUMN")]
    target_column: Option<String>,
    /// Parquet file of additional vertices
    #[arg(long, value_name = "PARQUET")]
    vertices: Option<PathBuf>,
}

impl SparkOptions {
    /// True if the run is for Spark.
    ///
    /// # Errors
    /// An option of Spark's for the engine of this machine.
    pub(crate) fn chosen(&self) -> Result<bool> {
        let Self { engine, master, conf, undirected, weight, source_column, target_column, vertices } = self;
        if *engine == Some(EngineName::Spark) {
            return Ok(true);
        }
        let weights = "; a run uses the weights of the store: choose their column with `outcrop build --weight COLUMN`";
        let input = "; for a store, it is an option of `outcrop build`";
        let given = [
            ("--weight", weight.is_some(), weights),
            ("--undirected", *undirected, input),
            ("--source-column", source_column.is_some(), input),
            ("--target-column", target_column.is_some(), input),
            ("--vertices", vertices.is_some(), input),
            ("--master", master.is_some(), ""),
            ("--conf", !conf.is_empty(), ""),
        ];
        match given.into_iter().find(|(_, given, _)| *given) {
            Some((option, _, advice)) => Err(Error::Usage(format!("{option} needs --engine spark{advice}"))),
            None => Ok(false),
        }
    }
}

/// Replaces this process by Python, which takes the words of this command as they were typed: signals, exit codes and
/// output are its own, and it refuses the options that Spark has not. Returns only if that cannot be.
pub(crate) fn run(request: &RunRequest<'_>, cancellation: &Cancellation) -> Result<()> {
    let spec = request.algorithm().spec();
    if spec.on_spark.is_none() {
        let names = ALGORITHMS.iter().map(|algorithm| algorithm.spec()).filter(|spec| spec.on_spark.is_some());
        let names = names.map(|spec| spec.name).collect::<Vec<_>>().join(", ");
        return Err(Error::Usage(format!("`{}` does not run on Spark; supported algorithms: {names}", spec.name)));
    }
    let python = std::env::var_os("OUTCROP_PYTHON").unwrap_or_else(|| "python3".into());
    require_package(&python)?;
    cancellation.check()?;
    let mut command = Command::new(&python);
    command.args(["-m", "outcrop.spark", spec.name]).args(typed().skip(WORDS_BEFORE));
    Err(Error::io("run", &python, command.exec()))
}

/// Imports the package and PySpark, for an error that says what is missing.
fn require_package(python: &OsString) -> Result<()> {
    let imported = Command::new(python).args(["-c", "import outcrop.spark"]).output();
    let output = imported.map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Error::NotFound { path: python.into(), hint: INSTALL },
        _ => Error::io("run", python, error),
    })?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said.trim_end().lines().last().unwrap_or("it ended without a message");
    let advice = "pip install 'outcrop[spark]' for this Python, or set OUTCROP_PYTHON to another one";
    Err(Error::io("import outcrop.spark with", python, std::io::Error::other(format!("{last}; {advice}"))))
}
