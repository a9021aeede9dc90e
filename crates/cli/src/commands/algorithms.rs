//! `outcrop algorithms`

use crate::options::output::JsonOption;
use crate::output::{json, print};
use clap::Args;
use outcrop::{ALGORITHMS, Algorithm, ParamInfo, Preset, Result};
use serde_json::{Value, json as object};

#[derive(Debug, Args)]
pub(crate) struct AlgorithmsArguments {
    #[command(flatten)]
    pub(crate) output: JsonOption,
}

pub(crate) fn run(arguments: &AlgorithmsArguments) -> Result<()> {
    if arguments.output.json {
        return print(&json(&ALGORITHMS.iter().map(|algorithm| described(*algorithm)).collect::<Vec<_>>())?);
    }
    // Default: there is no algorithm, and no line.
    let width = ALGORITHMS.iter().map(|algorithm| algorithm.spec().name.len()).max().unwrap_or_default();
    let lines = ALGORITHMS.iter().map(|algorithm| {
        let spec = algorithm.spec();
        let aliases = if spec.aliases.is_empty() { String::new() } else { format!(" [{}]", spec.aliases.join(", ")) };
        format!("{:<width$}  {}{aliases}", spec.name, spec.summary)
    });
    print(&lines.collect::<Vec<_>>().join("\n"))?;
    print("\nFor the options of an algorithm: outcrop run ALGORITHM --help")
}

/// Description of an algorithm, as JSON.
fn described(algorithm: &dyn Algorithm) -> Value {
    let spec = algorithm.spec();
    let pairs = |pairs: Vec<(&'static str, &'static str)>| {
        pairs.into_iter().map(|(name, meaning)| object!({"name": name, "meaning": meaning})).collect::<Vec<_>>()
    };
    object!({
        "name": spec.name,
        "aliases": spec.aliases,
        "python_name": spec.python_name,
        "summary": spec.summary,
        "paper": spec.paper,
        "models": spec.models.iter().map(|model| model.name()).collect::<Vec<_>>(),
        "on_spark": spec.on_spark,
        "parameters": algorithm.params().iter().map(|info| of_parameter(info)).collect::<Vec<_>>(),
        "columns": pairs(spec.columns.iter().map(|column| (column.name, column.meaning)).collect()),
        "values": pairs(spec.values.iter().map(|value| (value.name, value.meaning)).collect()),
    })
}

fn of_parameter(info: &ParamInfo) -> Value {
    let preset = match info.preset {
        Preset::None(_) => Value::Null,
        Preset::Flag(flag) => object!(flag),
        Preset::Count(count) => object!(count),
        Preset::Number(number) => object!(number),
        Preset::Word(word) => object!(word),
    };
    object!({
        "name": info.name,
        "help": info.help,
        "expected": info.kind.expected(),
        "default": preset,
        "models": info.models.iter().map(|model| model.name()).collect::<Vec<_>>(),
    })
}
