//! Parameters that functions have, and their types.

use outcrop::engine::Shape;
use outcrop::params::WEIGHT;
use outcrop::{Algorithm, Args, InPython, Kind, Model, ParamInfo, Preset, RunRequest, params};

/// A parameter of the table.
pub(crate) type Parameter = &'static ParamInfo;

/// Names in Python that are not those of the table: (algorithm, name, name in Python).
const RENAMED: [(&str, &str, &str); 3] =
    [("bc", "samples", "k"), ("bp", "vector", "priors"), ("heat", "vector", "start")];

/// Parameters that may be given without their names, in this order; all others only by name.
const POSITIONAL: [(&str, &[&str]); 18] = [
    ("bfs", &["source"]),
    ("sssp", &["source"]),
    ("path", &["source", "target"]),
    ("k-shortest-paths", &["source", "target"]),
    ("pagerank", &["alpha", "personalization", "max-iter", "tol"]),
    ("ppr", &["source", "alpha", "tol"]),
    ("radii", &["sources", "seed"]),
    ("apsp", &["source"]),
    ("bc", &["samples", "unnormalized"]),
    ("eigenvector", &["max-iter", "tol"]),
    ("katz", &["alpha", "beta", "max-iter", "tol"]),
    ("hits", &["max-iter", "tol"]),
    ("spmv", &["vector"]),
    ("similarity", &["source"]),
    ("cdlp", &["max-iter"]),
    ("bp", &["vector", "coupling"]),
    ("heat", &["vector", "iterations"]),
    ("walks", &["source"]),
];

/// All parameters, those of the algorithm first.
pub(crate) fn all(algorithm: &dyn Algorithm) -> impl Iterator<Item = Parameter> {
    algorithm.params().iter().chain(params::engine::PARAMS).copied()
}

/// Those that may be given without their names, and those that may not.
pub(crate) fn of_function(algorithm: &dyn Algorithm) -> (Vec<Parameter>, Vec<Parameter>) {
    let name = algorithm.spec().name;
    let positional = POSITIONAL.iter().find(|(of, _)| *of == name).map_or(&[][..], |(_, names)| names);
    let find = |name: &&str| algorithm.params().iter().find(|info| info.name == *name).copied().unwrap();
    let own = algorithm.params().iter().filter(|info| !positional.contains(&info.name));
    (positional.iter().map(find).collect(), own.copied().collect())
}

/// Options of the engines that make a difference.
pub(crate) fn of_engines(algorithm: &dyn Algorithm) -> impl Iterator<Item = Parameter> {
    params::engine::PARAMS.iter().copied().filter(|info| counts(algorithm, info))
}

/// Models in which runs have checkpoints.
pub(crate) fn resuming_models(algorithm: &dyn Algorithm) -> Vec<Model> {
    let (spec, args) = (algorithm.spec(), Args::new(algorithm.spec().name, algorithm.params()));
    let resumes =
        |model: &Model| matches!(algorithm.plan(*model, &Shape::SMALLEST, &args), Ok(Some(plan)) if plan.resumes);
    spec.models.iter().copied().filter(resumes).collect()
}

/// True if its runs can go on from the last result.
pub(crate) fn repairs(algorithm: &dyn Algorithm) -> bool {
    let (spec, args) = (algorithm.spec(), Args::new(algorithm.spec().name, algorithm.params()));
    let shape = Shape { incremental: true, ..Shape::SMALLEST };
    let repairs = |model: &Model| matches!(algorithm.plan(*model, &shape, &args), Ok(Some(plan)) if plan.repairs);
    spec.models.iter().any(repairs)
}

/// True if it makes a difference: words do where there is a choice.
pub(crate) fn counts(algorithm: &dyn Algorithm, info: Parameter) -> bool {
    match info.kind {
        Kind::Word(_) => words(algorithm, info).iter().filter(|word| **word != "auto").count() > 1,
        Kind::File => accepts(algorithm, info, "file"),
        _ => match all(algorithm).find(|other| Some(other.name) == info.requires) {
            Some(other) => counts(algorithm, other),
            None => algorithm.spec().models.iter().any(|model| info.counts_in(*model)),
        },
    }
}

/// The words that it may have.
pub(crate) fn words(algorithm: &dyn Algorithm, info: Parameter) -> Vec<&'static str> {
    let Kind::Word(words) = info.kind else { return Vec::new() };
    words.iter().filter(|word| accepts(algorithm, info, word)).copied().collect()
}

/// True if `value` is not refused in all models, whatever else is given.
fn accepts(algorithm: &dyn Algorithm, info: Parameter, value: &str) -> bool {
    let plain = RunRequest::of(algorithm).with(info.name, value).unwrap();
    let is_optional = |other: &&&ParamInfo| matches!((other.kind, other.preset), (Kind::Number(_), Preset::None(_)));
    let optional = algorithm.params().iter().filter(is_optional);
    let with = optional.map(|other| plain.clone().with(other.name, 0.5).unwrap());
    let requests: Vec<_> = [plain.clone()].into_iter().chain(with).collect();
    let in_model = |model: &Model| {
        requests.iter().any(|request| match info.name {
            "model" => request.validate().is_ok(),
            _ => request.clone().with("model", model.name()).unwrap().validate().is_ok(),
        })
    };
    algorithm.spec().models.iter().any(in_model)
}

/// The models that it counts in, of those that the algorithm is written in; none where it counts in all.
pub(crate) fn only_in(algorithm: &dyn Algorithm, info: Parameter) -> Option<Vec<Model>> {
    let models = algorithm.spec().models;
    let counting: Vec<_> = models.iter().filter(|model| info.counts_in(**model)).copied().collect();
    (counting.len() < models.len()).then_some(counting)
}

/// Those of the algorithm without which it can be given only.
pub(crate) fn excludes(algorithm: &dyn Algorithm, info: Parameter) -> Vec<&'static str> {
    let is_own = |name: &&&str| algorithm.params().iter().any(|other| other.name == **name);
    info.excludes.iter().filter(is_own).copied().collect()
}

/// The argument's name.
pub(crate) fn python_name(algorithm: &dyn Algorithm, info: Parameter) -> String {
    let name = algorithm.spec().name;
    let renamed = RENAMED.iter().find(|(of, known, _)| (*of, *known) == (name, info.name));
    renamed.map_or_else(|| info.python_name(), |(_, _, name)| (*name).to_owned())
}

/// The argument's default: none where it has to be given, `None` where giving the preset could conflict with something
/// else.
pub(crate) fn default(algorithm: &dyn Algorithm, info: Parameter) -> Option<String> {
    let alone = excludes(algorithm, info).is_empty() && info.requires.is_none() && only_in(algorithm, info).is_none();
    match info.preset {
        Preset::None(_) if info.needed.is_some() => None,
        Preset::Flag(flag) => Some(match info.in_python {
            InPython::Weight { counts } if counts == flag => format!("{WEIGHT:?}"),
            InPython::Weight { .. } => "None".to_owned(),
            InPython::Plainly | InPython::Inverse(_) if flag == (info.in_python == InPython::Plainly) => {
                "True".to_owned()
            }
            InPython::Plainly | InPython::Inverse(_) => "False".to_owned(),
        }),
        Preset::Word(word) if alone => Some(format!("{word:?}")),
        Preset::Count(count) if alone => Some(count.to_string()),
        Preset::Number(number) if alone => Some(format!("{number:?}")),
        _ => Some("None".to_owned()),
    }
}

/// The argument's type.
pub(crate) fn python_type(algorithm: &dyn Algorithm, info: Parameter) -> String {
    let plain = match info.kind {
        Kind::Flag if is_weight(info) => return format!("Literal[{WEIGHT:?}] | None"),
        Kind::Flag => "bool".to_owned(),
        Kind::Count(..) => "int".to_owned(),
        Kind::Number(_) => "float".to_owned(),
        Kind::NumberOrAuto(_) => "float | Literal[\"auto\"]".to_owned(),
        Kind::Word(_) => format!("Literal[{}]", quoted(algorithm, info)),
        Kind::Id => "Node".to_owned(),
        Kind::Ids => "Node | Iterable[Node]".to_owned(),
        Kind::NodeWeights => "Weights".to_owned(),
        Kind::Vector => "Vector".to_owned(),
        Kind::Share => "float | str".to_owned(),
        Kind::Size => "int | str".to_owned(),
        Kind::File => "Path".to_owned(),
    };
    if default(algorithm, info).as_deref() == Some("None") { plain + " | None" } else { plain }
}

/// The argument's type, for readers.
pub(crate) fn type_in_words(algorithm: &dyn Algorithm, info: Parameter) -> String {
    match info.kind {
        Kind::NumberOrAuto(_) => "float or \"auto\"".to_owned(),
        Kind::Word(_) => format!("{{{}}}", quoted(algorithm, info)),
        Kind::Id => "int or str".to_owned(),
        Kind::Ids => "int, str, or several".to_owned(),
        Kind::NodeWeights => "mapping or path".to_owned(),
        Kind::Vector => "array, list, mapping, (ids, values), or path".to_owned(),
        Kind::Share => "float or str".to_owned(),
        Kind::Size => "int or str".to_owned(),
        Kind::File => "path".to_owned(),
        Kind::Flag if is_weight(info) => {
            let or_none = if default(algorithm, info).as_deref() == Some("None") { "" } else { " or None" };
            format!("{{{WEIGHT:?}}}{or_none}")
        }
        Kind::Flag => "bool".to_owned(),
        Kind::Count(..) => "int".to_owned(),
        Kind::Number(_) => "float".to_owned(),
    }
}

const fn is_weight(info: Parameter) -> bool {
    matches!(info.in_python, InPython::Weight { .. })
}

/// The words that functions take.
fn quoted(algorithm: &dyn Algorithm, info: Parameter) -> String {
    in_quotes(&words(algorithm, info))
}

/// Words as texts of Python.
pub(crate) fn in_quotes(words: &[&str]) -> String {
    words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(", ")
}

/// Its preset in words; none where there is nothing to be said.
pub(crate) fn preset(info: Parameter) -> Option<String> {
    Some(match info.preset {
        Preset::None("") | Preset::Flag(_) => return None,
        Preset::None(meaning) => meaning.to_owned(),
        Preset::Count(count) => count.to_string(),
        Preset::Number(number) if number.abs() < 1e-3 && number != 0.0 => format!("{number:e}"),
        Preset::Number(number) => number.to_string(),
        Preset::Word(word) => word.to_owned(),
    })
}

#[test]
fn every_exception_is_of_a_parameter() {
    let exists = |algorithm: &str, name: &str| {
        let algorithm = outcrop::find_algorithm(algorithm).unwrap();
        assert!(algorithm.params().iter().any(|info| info.name == name), "{name}");
    };
    RENAMED.iter().for_each(|(algorithm, name, _)| exists(algorithm, name));
    POSITIONAL.iter().for_each(|(algorithm, names)| names.iter().for_each(|name| exists(algorithm, name)));
}
