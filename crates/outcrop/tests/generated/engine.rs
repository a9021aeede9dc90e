//! The class of the Python package that holds the options of engines.

use crate::function::{INDENT, filled, models_in_words, preset};
use crate::parameter::{Parameter, in_quotes};
use crate::text::for_python;
use outcrop::{ALGORITHMS, Kind, params};

/// The module with the class.
pub(crate) fn module() -> String {
    let fields: String = params::engine::PARAMS.iter().map(field).collect();
    format!(
        "# Generated from the table of algorithms by crates/outcrop/tests/generated: `make generated` rewrites it.\n\
         \"\"\"Execution options.\"\"\"\n\
         \n\
         from __future__ import annotations\n\
         \n\
         from dataclasses import dataclass\n\
         from typing import Literal\n\
         \n\
         from .parameters import Path\n\
         \n\
         \n\
         @dataclass(frozen=True, kw_only=True)\n\
         class Engine:\n\
         {INDENT}\"\"\"Execution options, which change how a run works but not its result.\n\
         \n\
         {INDENT}{}\n\
         \n\
         {INDENT}Examples\n\
         {INDENT}--------\n\
         {INDENT}>>> import outcrop as oc\n\
         {INDENT}>>> g = oc.build([(\"a\", \"b\")], \"letters.outcrop\")\n\
         {INDENT}>>> oc.bfs(g, \"a\", options=oc.Engine(model=\"messages\", delivery=\"async\")).stats[\"model\"]\n\
         {INDENT}'messages'\n\
         {INDENT}\"\"\"\n{fields}",
        filled(ABOUT, INDENT),
    )
}

const ABOUT: &str = "Pass them to an algorithm, or to :func:`outcrop.open` as the default of all runs. An option for certain models selects such a model, \
                     and is refused if the algorithm supports none of them.";

fn field(info: &Parameter) -> String {
    let kind = match info.kind {
        Kind::Word(words) => format!("Literal[{}]", in_quotes(words)),
        Kind::Share => "float | str".to_owned(),
        Kind::Size => "int | str".to_owned(),
        Kind::File => "Path".to_owned(),
        _ => "int".to_owned(),
    };
    let mut text = format!("{}.", info.help);
    if let Some(preset) = preset(info).filter(|preset| !preset.is_empty()) {
        text += &format!(" Default: {preset}.");
    }
    if !info.models.is_empty() {
        text += &format!(" Only in the {}.", models_in_words(info.models));
    }
    if let Some(other) = info.requires {
        text += &format!(" Needs --{other}.");
    }
    let text = filled(&format!("\"\"\"{}\"\"\"", for_python(ALGORITHMS[0], &text)), INDENT);
    format!("\n{INDENT}{}: {kind} | None = None\n{INDENT}{text}\n", info.python_name())
}
