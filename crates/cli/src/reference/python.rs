//! The keywords of the Python package, which are the options of the command line.

use super::{arguments, command_line, parts, root};
use clap::Arg;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// Relation of a function of the Python package to a command.
#[derive(Clone, Copy, PartialEq)]
enum Function {
    /// A function of the package.
    Plain,
    /// A method of an open graph, whose settings are those of `open`.
    Method,
    /// A method that returns a table in place of [`WRITTEN`].
    Question,
}

/// Commands, and the module and name of the function that does the same.
const FUNCTIONS: [(&str, &str, &str, Function); 12] = [
    ("build", "core/building", "build", Function::Plain),
    ("update", "core/updating", "update", Function::Plain),
    ("generate", "core/generators", "generate", Function::Plain),
    ("convert", "core/graph/copies", "convert", Function::Method),
    ("export", "core/graph/exports", "export", Function::Method),
    ("salvage", "core/graph/exports", "salvage", Function::Method),
    ("cache", "core/graph/upkeep", "cache", Function::Method),
    ("profile", "core/graph/upkeep", "profile", Function::Method),
    ("neighbors", "core/graph/queries", "neighbors", Function::Question),
    ("degree", "core/graph/queries", "degree", Function::Question),
    ("subgraph", "core/graph/neighborhoods", "ego", Function::Question),
    ("sample", "core/graph/neighborhoods", "sample_neighbors", Function::Question),
];

/// Options for the output of a question.
const WRITTEN: [&str; 2] = ["format", "overwrite"];

/// Options, of one command or all, without a keyword of the same name and default, and the reason.
const OTHERWISE: [(&str, &str); 26] = [
    ("build order", "\"auto\" is in the signature"),
    ("build weight-type", "\"auto\" is in the signature"),
    ("build weighted", "weight=True"),
    ("cache remove", "the method `remove_cache`"),
    ("cache size", "\"20%\" is in the signature"),
    ("checkpoint-dir", "`checkpoint`"),
    ("checkpoint-every", "ten minutes"),
    ("directed", "None: as the input states"),
    ("explain", "for terminals"),
    ("fanouts", "has a default"),
    ("ids-from", "an argument"),
    ("json", "records are returned"),
    ("neighbors direction", "the method `in_neighbors`"),
    ("output", "an argument, or a table is returned"),
    ("placement", "for measurements"),
    ("profile overwrite", "no report"),
    ("progress", "None: notes only"),
    ("report", "of results"),
    ("source-column", "`source`"),
    ("subgraph radius", "`ego` has 1, `subgraph` has none"),
    ("target-column", "`target`"),
    ("timed", "time=True"),
    ("undirected", "directed=False"),
    ("unweighted", "weights=False"),
    ("update io", "auto"),
    ("wait", "seconds in `update`; graphs of the same process stay open"),
];

/// The parameters of a function, with their defaults.
fn signature(module: &str, name: &str) -> BTreeMap<String, String> {
    let path = root().join(format!("crates/python/python/outcrop/{module}.py"));
    let text = fs::read_to_string(path).unwrap();
    // Overloads come before the function.
    let (_, rest) = text.rsplit_once(&format!("def {name}(")).unwrap_or_else(|| panic!("{module}.py has no {name}"));
    let (inside, _) = rest.split_once(") ->").unwrap();
    let (mut parts, mut depth) = (vec![String::new()], 0);
    for char in inside.chars() {
        depth += i32::from(char == '[') - i32::from(char == ']');
        match char {
            ',' if depth == 0 => parts.push(String::new()),
            char => parts.last_mut().unwrap().push(char),
        }
    }
    let parameter = |part: &String| {
        let (name, rest) = part.split_once(':')?;
        let default = rest.rsplit_once(" = ").map_or("", |(_, default)| default);
        Some((name.trim().to_owned(), default.trim().to_owned()))
    };
    parts.iter().filter_map(parameter).collect()
}

/// The default of an option, as Python writes it.
fn default(argument: &Arg) -> String {
    let given = argument.get_default_values().first().map(|value| value.to_string_lossy().into_owned());
    match given {
        _ if !argument.get_action().takes_values() => "False".to_owned(),
        Some(number) if number.parse::<f64>().is_ok() => number,
        Some(word) => format!("{word:?}"),
        None => "None".to_owned(),
    }
}

#[test]
fn functions_have_the_options_of_commands_as_keywords() {
    let root = command_line();
    let (mut differing, mut used) = (Vec::new(), BTreeSet::new());
    for (command, module, function, kind) in FUNCTIONS {
        let mut parameters = signature(module, function);
        if kind != Function::Plain {
            parameters.extend(signature("core/graph/opening", "open"));
        }
        for argument in parts(&root, command).into_iter().flat_map(arguments) {
            let Some(option) = argument.get_long() else { continue };
            let (name, own, default) = (option.replace('-', "_"), format!("{command} {option}"), default(argument));
            if let Some((listed, _)) = OTHERWISE.iter().find(|(listed, _)| *listed == option || *listed == own) {
                used.insert(*listed);
            } else if parameters.get(&name) != Some(&default)
                && !(kind == Function::Question && WRITTEN.contains(&option))
            {
                differing.push(format!("--{own} {default}, in Python {:?}", parameters.get(&name)));
            }
        }
    }
    let unused: Vec<_> = OTHERWISE.iter().filter(|(listed, _)| !used.contains(listed)).collect();
    assert!(differing.is_empty() && unused.is_empty(), "{differing:#?}, {unused:?}");
}
