//! The functions of the Python package, in the style of its formatter.

use crate::parameter::{self, Parameter, repairs, resuming_models};
use crate::text::{for_python, paragraphs, wrapped};
use outcrop::params::WEIGHT;
use outcrop::{ALGORITHMS, Algorithm, InPython, Kind, Model, Preset, ScalarInfo, Weights};

pub(crate) const WIDTH: usize = 120;
pub(crate) const INDENT: &str = "    ";

/// The module with all functions.
pub(crate) fn module() -> String {
    let functions: String = ALGORITHMS.iter().map(|algorithm| format!("\n\n{}", function(*algorithm))).collect();
    let types = ["Node", "Path", "Vector", "Weights"];
    let used: Vec<_> = types.into_iter().filter(|name| functions.contains(&format!(": {name}"))).collect();
    format!(
        "# Generated from the table of algorithms by crates/outcrop/tests/generated: `make generated` rewrites it.\n\
         \"\"\"Algorithms, named as in NetworkX. All except random walks return one row per vertex in ascending ID order.\"\"\"\n\
         \n\
         from __future__ import annotations\n\
         \n\
         from collections.abc import Iterable\n\
         from typing import TYPE_CHECKING, Literal\n\
         \n\
         from .core.engine import Engine\n\
         from .core.graph import Graph, run_on\n\
         from .core.parameters import {}\n\
         from .core.tables.result import Result\n\
         \n\
         if TYPE_CHECKING:\n\
         {INDENT}from pyspark.sql import SparkSession\n\
         {functions}",
        used.join(", ")
    )
}

fn function(algorithm: &dyn Algorithm) -> String {
    format!("{}\n{}{}", signature(algorithm), docstring(algorithm), body(algorithm))
}

/// The function's first lines, to the colon.
pub(crate) fn signature(algorithm: &dyn Algorithm) -> String {
    let (positional, by_name) = parameter::of_function(algorithm);
    let argument = |info: &Parameter| {
        let (name, kind) = (parameter::python_name(algorithm, info), parameter::python_type(algorithm, info));
        match parameter::default(algorithm, info) {
            Some(value) => format!("{name}: {kind} = {value}"),
            None => format!("{name}: {kind}"),
        }
    };
    let arguments = ["graph: Graph | Path".to_owned()].into_iter().chain(positional.iter().map(argument));
    let arguments = arguments.chain(["*".to_owned()]).chain(by_name.iter().map(argument));
    let arguments = arguments.chain(["options: Engine | None = None".to_owned()]);
    let saved = ["checkpoint: Path | None = None", "resume: bool = False"];
    let saved = saved.into_iter().filter(|_| !resuming_models(algorithm).is_empty()).map(str::to_owned);
    let kept = ["incremental: Path | None = None".to_owned()].into_iter().filter(|_| repairs(algorithm));
    let spread = ["engine: Literal[\"outcrop\", \"spark\"] | None = None", "spark: SparkSession | None = None"];
    let arguments: Vec<_> = arguments.chain(saved).chain(kept).chain(on_spark(algorithm, spread)).collect();
    call(&format!("def {}(", algorithm.spec().python_name), &arguments, ") -> Result:", "")
}

fn body(algorithm: &dyn Algorithm) -> String {
    let (positional, by_name) = parameter::of_function(algorithm);
    let argument = |info: &Parameter| format!("{}={}", info.python_name(), parameter::python_name(algorithm, info));
    let name = ["graph".to_owned(), format!("{:?}", algorithm.spec().name)];
    let arguments = name.into_iter().chain(positional.iter().chain(&by_name).map(argument));
    let arguments = arguments.chain(["options=options".to_owned()]);
    let saved = ["checkpoint=checkpoint", "resume=resume"].into_iter();
    let saved = saved.filter(|_| !resuming_models(algorithm).is_empty()).map(str::to_owned);
    let kept = ["incremental=incremental".to_owned()].into_iter().filter(|_| repairs(algorithm));
    let spread = on_spark(algorithm, ["engine=engine", "spark=spark"]);
    let arguments: Vec<_> = arguments.chain(saved).chain(kept).chain(spread).collect();
    call(&format!("{INDENT}return run_on("), &arguments, ")", INDENT) + "\n"
}

/// Texts on the parameters that lead to Spark, for an algorithm that is there.
fn on_spark(algorithm: &dyn Algorithm, texts: [&'static str; 2]) -> impl Iterator<Item = String> {
    texts.into_iter().filter(|_| algorithm.spec().on_spark.is_some()).map(str::to_owned)
}

/// Something with arguments, behind `indent`: on one line, with all arguments on the next, or each on its own.
fn call(before: &str, arguments: &[String], after: &str, indent: &str) -> String {
    let line = arguments.join(", ");
    let whole = format!("{before}{line}{after}");
    let inner = format!("{indent}{INDENT}{line}");
    if whole.chars().count() <= WIDTH {
        whole
    } else if inner.chars().count() <= WIDTH {
        format!("{before}\n{inner}\n{indent}{after}")
    } else {
        let lines: String = arguments.iter().map(|argument| format!("{indent}{INDENT}{argument},\n")).collect();
        format!("{before}\n{lines}{indent}{after}")
    }
}

fn docstring(algorithm: &dyn Algorithm) -> String {
    let spec = algorithm.spec();
    let mut text = format!("{INDENT}\"\"\"{}.\n", for_python(algorithm, spec.summary));
    for paragraph in paragraphs(spec.details) {
        text += &format!("\n{INDENT}{}\n", filled(&for_python(algorithm, &paragraph), INDENT));
    }
    let (positional, by_name) = parameter::of_function(algorithm);
    let parameters: String = positional.iter().chain(&by_name).map(|info| described(algorithm, info)).collect();
    let mut all = entry("graph : Graph or path", graph(algorithm)) + &parameters;
    all += &entry("options : Engine, optional", &options(algorithm));
    let resuming = resuming_models(algorithm);
    if !resuming.is_empty() {
        let models = models_in_words(&resuming);
        let saved = format!(
            "Folder for checkpoints, written every ten minutes and removed once the result is written or all its values are read. Supported in the {models}."
        );
        all += &entry("checkpoint : path, optional", &saved);
        all += &entry("resume : bool, default False", "Resume from the checkpoint in that folder, if there is one.");
    }
    if repairs(algorithm) {
        let kept = "Folder with the previous result: the run starts from it, for example after :func:`outcrop.update`, and stores its own result there. The \
                    result is the same as without it.";
        all += &entry("incremental : path, optional", kept);
    }
    if algorithm.spec().on_spark.is_some() {
        all += &entry(
            "engine : {\"outcrop\", \"spark\"}, optional",
            "Run on this machine or on Spark. Default: the kind of the graph.",
        );
        let session = "Session for ``engine=\"spark\"``. Each call exports the edges to it; use :func:`outcrop.spark.open` to export them once for several calls.";
        all += &entry("spark : SparkSession, optional", session);
    }
    text += &section("Parameters", &all);
    text += &section("Returns", &entry("Result", &returned(algorithm)));
    text += &section("Raises", &raised(algorithm));
    text += &section("Examples", &examples(algorithm, INDENT));
    text + &format!("{INDENT}\"\"\"\n")
}

pub(crate) fn filled(text: &str, indent: &str) -> String {
    wrapped(text, WIDTH, indent)
}

fn section(title: &str, text: &str) -> String {
    format!("\n{INDENT}{title}\n{INDENT}{}\n{text}", "-".repeat(title.len()))
}

/// Something with what it is, a level deeper.
fn entry(head: &str, text: &str) -> String {
    let indent = INDENT.repeat(2);
    format!("{INDENT}{head}\n{indent}{}\n", filled(text, &indent))
}

fn graph(algorithm: &dyn Algorithm) -> &'static str {
    match algorithm.spec().weights {
        Weights::Used => "Graph, or the path of a store; its weights are used.",
        Weights::ByDefault => "Graph, or the path of a store; its weights are used unless ``weight=None``.",
        Weights::OnRequest => "Graph, or the path of a store; its weights are used with ``weight=\"weight\"``.",
        Weights::Ignored => "Graph, or the path of a store; its weights are ignored.",
        Weights::Meaningless => "Graph, or the path of a store.",
    }
}

/// The options of engines that make a difference, by name.
fn options(algorithm: &dyn Algorithm) -> String {
    let names: Vec<_> = parameter::of_engines(algorithm).map(|info| format!("``{}``", info.python_name())).collect();
    format!("Execution options that do not change the result: {}.", names.join(", "))
}

/// A parameter: its type, and what there is to say of it.
fn described(algorithm: &dyn Algorithm, info: &Parameter) -> String {
    let name = parameter::python_name(algorithm, info);
    let default = parameter::default(algorithm, info);
    let kind = parameter::type_in_words(algorithm, info);
    let optional = match default.as_deref() {
        None => String::new(),
        Some("None") => ", optional".to_owned(),
        Some(value) => format!(", default {value}"),
    };
    entry(&format!("{name} : {kind}{optional}"), &explained(algorithm, info, default.as_deref()))
}

fn explained(algorithm: &dyn Algorithm, info: &Parameter, default: Option<&str>) -> String {
    let help = match (info.in_python, info.help.split_at_checked(1)) {
        (InPython::Inverse(_), Some((first, rest))) => format!("If False: {}{rest}", first.to_lowercase()),
        (InPython::Weight { counts }, Some((first, rest))) => {
            let when = if counts { format!("{WEIGHT:?}") } else { "None".to_owned() };
            format!("If {when}: {}{rest}", first.to_lowercase())
        }
        _ => info.help.to_owned(),
    };
    let range = match info.kind {
        Kind::Number(bounds) | Kind::NumberOrAuto(bounds) => format!(" ({})", bounds.range()),
        Kind::Count(least, most) if most < u64::from(u32::MAX) => format!(" ({least} to {most})"),
        _ => String::new(),
    };
    let mut text = format!("{help}{range}.");
    match info.kind {
        Kind::Vector => {
            text += " Also accepted: one number per vertex by ascending ID, a mapping from IDs to numbers, or a pair of IDs and numbers.";
        }
        Kind::NodeWeights => text += " Also accepted: a mapping from IDs to weights.",
        _ => {}
    }
    if default == Some("None") && !matches!(info.preset, Preset::None("") | Preset::Flag(_)) {
        text += &format!(" Default: {}.", preset(info).unwrap_or_default());
    }
    if let Some(models) = parameter::only_in(algorithm, info) {
        text += &format!(" Only in the {}.", models_in_words(&models));
    }
    let excludes = parameter::excludes(algorithm, info);
    if !excludes.is_empty() {
        let others: Vec<_> = excludes.iter().map(|name| format!("--{name}")).collect();
        text += &format!(" Cannot be combined with {}.", others.join(" or "));
    }
    if let Some(other) = info.requires {
        text += &format!(" Needs --{other}.");
    }
    for_python(algorithm, &text)
}

/// The preset: words are texts in Python.
pub(crate) fn preset(info: &Parameter) -> Option<String> {
    match info.preset {
        Preset::Word(word) => Some(format!("`{word:?}`")),
        _ => parameter::preset(info),
    }
}

pub(crate) fn models_in_words(models: &[Model]) -> String {
    let names: Vec<_> = models.iter().map(|model| format!("`{:?}`", model.name())).collect();
    match names.split_last() {
        Some((last, [])) => format!("model {last}"),
        Some((last, others)) => format!("models {} and {last}", others.join(", ")),
        None => String::new(),
    }
}

fn returned(algorithm: &dyn Algorithm) -> String {
    let spec = algorithm.spec();
    let columns = spec.columns.iter().map(|column| format!("Column `{}`: {}.", column.name, column.meaning));
    let mut sentences: Vec<_> = columns.collect();
    let is_it = |value: &&ScalarInfo| value.name == spec.name;
    for value in spec.values.iter().filter(is_it) {
        sentences.push(format!("Its `value` (or `int(result)`) is {}.", value.meaning));
    }
    let others = spec.values.iter().filter(|value| !is_it(value));
    let others: Vec<_> = others.map(|value| format!("`{}` ({})", value.name, value.meaning)).collect();
    if !others.is_empty() {
        sentences.push(format!("`stats[\"values\"]` has {}.", others.join(", ")));
    }
    for_python(algorithm, &sentences.join(" "))
}

fn raised(algorithm: &dyn Algorithm) -> String {
    let has = |name: &str| algorithm.params().iter().any(|info| info.name == name);
    let mut text = String::new();
    if has("tol") && has("max-iter") {
        text += &entry(
            "NotConvergedError",
            "If the run does not converge; ``result`` has the values of the last iteration.",
        );
    }
    if algorithm.params().iter().any(|info| info.kind == Kind::Vector) {
        let wrong = "If the vector has the wrong length, a duplicate ID or an unknown ID.";
        text += &entry("BadInputError", wrong);
    }
    let hint = algorithm.spec().memory_hint.map(|hint| format!("; {hint}")).unwrap_or_default();
    let budget = format!("If the memory budget is too small; `minimum` is the smallest sufficient budget{hint}.");
    text + &entry("BudgetError", &for_python(algorithm, &budget))
}

/// The lines of the example, behind `indent`.
pub(crate) fn examples(algorithm: &dyn Algorithm, indent: &str) -> String {
    let lines = algorithm.spec().example.trim().lines().map(str::trim);
    [">>> import outcrop as oc"].into_iter().chain(lines).map(|line| format!("{indent}{line}\n")).collect()
}
