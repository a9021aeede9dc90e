//! The functions of the Python package, in the style of its formatter.

use crate::parameter::{self, Parameter, repairs, resuming_models};
use crate::text::{for_python, paragraphs, wrapped};
use outcrop::params::WEIGHT;
use outcrop::{ALGORITHMS, Algorithm, InPython, Kind, Model, Preset, ScalarInfo, Weights};

pub(crate) const WIDTH: usize = 120;
pub(crate) const INDENT: &str = "    ";
/// Typed dictionaries of options in `core/run_options.py`, each with the options of the one before: of all algorithms,
/// of those with checkpoints, of those that run on Spark, and of those that start from a previous result.
const OPTIONS: [&str; 4] = ["RunOptions", "ResumableOptions", "SparkOptions", "IncrementalOptions"];

/// The module with all functions.
pub(crate) fn module() -> String {
    let functions: String = ALGORITHMS.iter().map(|algorithm| format!("\n\n{}", function(*algorithm))).collect();
    let mut options = OPTIONS.to_vec();
    options.retain(|name| functions.contains(&format!("[{name}]")));
    options.sort_unstable();
    format!(
        "# Generated from the table of algorithms by crates/outcrop/tests/generated: `make generated` rewrites it.\n\
         \"\"\"Algorithms, named as in NetworkX. All but walks and paths return a row per vertex, by ascending ID.\"\"\"\n\
         \n\
         from __future__ import annotations\n\
         \n\
         from collections.abc import Iterable\n\
         from typing import TYPE_CHECKING, Literal\n\
         \n\
         from .core.graph import AnyGraph, run_on\n\
         from .core.parameters import Node, Path, Vector, Weights\n\
         from .core.run_options import {}, lists_options\n\
         from .core.tables.result import Result\n\
         \n\
         if TYPE_CHECKING:\n\
         {INDENT}from typing_extensions import Unpack\n\
         {functions}",
        options.join(", ")
    )
}

fn function(algorithm: &dyn Algorithm) -> String {
    format!("@lists_options\n{}\n{}{}", definition(algorithm), docstring(algorithm), body(algorithm))
}

/// The function's first lines, to the colon.
fn definition(algorithm: &dyn Algorithm) -> String {
    let shared = format!("**options: Unpack[{}]", shared_options(algorithm));
    head(algorithm, "AnyGraph", &[&shared])
}

/// The same with all options, for readers.
pub(crate) fn signature(algorithm: &dyn Algorithm) -> String {
    let mut options = vec!["options: Engine | None = None"];
    if !resuming_models(algorithm).is_empty() {
        options.extend(["checkpoint: Path | None = None", "resume: bool = False"]);
    }
    if repairs(algorithm) {
        options.push("incremental: Path | None = None");
    }
    if algorithm.spec().on_spark.is_some() {
        options.extend(["engine: Literal[\"outcrop\", \"spark\"] | None = None", "spark: SparkSession | None = None"]);
    }
    head(algorithm, "Graph", &options)
}

fn head(algorithm: &dyn Algorithm, graph: &str, options: &[&str]) -> String {
    let (positional, by_name) = parameter::of_function(algorithm);
    let argument = |info: &Parameter| {
        let (name, kind) = (parameter::python_name(algorithm, info), parameter::python_type(algorithm, info));
        match parameter::default(algorithm, info) {
            Some(value) => format!("{name}: {kind} = {value}"),
            None => format!("{name}: {kind}"),
        }
    };
    // Python has no bare star before two.
    let star =
        if by_name.is_empty() && options.iter().all(|option| option.starts_with("**")) { None } else { Some("*") };
    let arguments = [format!("graph: {graph} | Path")].into_iter().chain(positional.iter().map(argument));
    let arguments = arguments.chain(star.map(str::to_owned)).chain(by_name.iter().map(argument));
    let arguments: Vec<_> = arguments.chain(options.iter().map(|option| (*option).to_owned())).collect();
    call(&format!("def {}(", algorithm.spec().python_name), &arguments, ") -> Result:", "")
}

/// The typed dictionary of the algorithm's options.
fn shared_options(algorithm: &dyn Algorithm) -> &'static str {
    let has = [!resuming_models(algorithm).is_empty(), algorithm.spec().on_spark.is_some(), repairs(algorithm)];
    let count = has.iter().take_while(|has| **has).count();
    let name = algorithm.spec().name;
    assert!(!has[count..].contains(&true), "{name} needs a typed dictionary of its own in core/run_options.py");
    OPTIONS[count]
}

fn body(algorithm: &dyn Algorithm) -> String {
    let (positional, by_name) = parameter::of_function(algorithm);
    let argument = |info: &Parameter| format!("{}={}", info.python_name(), parameter::python_name(algorithm, info));
    let name = ["graph".to_owned(), format!("{:?}", algorithm.spec().name)];
    let arguments = name.into_iter().chain(positional.iter().chain(&by_name).map(argument));
    let arguments: Vec<_> = arguments.chain(["**options".to_owned()]).collect();
    call(&format!("{INDENT}return run_on("), &arguments, ")", INDENT) + "\n"
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

/// The docstring: `lists_options` adds what is the same for all algorithms.
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
        let supported = format!("Supported in the {}.", models_in_words(&resuming));
        all += &entry("checkpoint : path, optional", &supported);
    }
    text += &section("Parameters", &all);
    text += &section("Returns", &entry("Result", &returned(algorithm)));
    let raised = raised(algorithm);
    if !raised.is_empty() {
        text += &section("Raises", &raised);
    }
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

/// Errors, without a lack of memory if there is no more to say of it.
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
    if let Some(hint) = algorithm.spec().memory_hint {
        let budget = format!("If the memory budget is too small; `minimum` is the smallest sufficient budget; {hint}.");
        text += &entry("BudgetError", &for_python(algorithm, &budget));
    }
    text
}

/// The lines of the example, behind `indent`.
pub(crate) fn examples(algorithm: &dyn Algorithm, indent: &str) -> String {
    let lines = algorithm.spec().example.trim().lines().map(str::trim);
    [">>> import outcrop as oc"].into_iter().chain(lines).map(|line| format!("{indent}{line}\n")).collect()
}
