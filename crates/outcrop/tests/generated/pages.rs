//! The reference pages.

use crate::function::{examples, signature};
use crate::parameter::{self, Parameter};
use crate::text::{for_pages, paragraphs, wrapped};
use outcrop::params::WEIGHT;
use outcrop::{ALGORITHMS, Algorithm, InPython, Kind, Model, ParamInfo, Weights, params};

const WIDTH: usize = 140;
pub(crate) const HEADER: &str =
    "<!-- Generated from the table of algorithms by crates/outcrop/tests/generated: `make generated` rewrites it. -->";

/// The page of one algorithm.
pub(crate) fn page(algorithm: &dyn Algorithm) -> String {
    let spec = algorithm.spec();
    let paragraphs: Vec<_> = paragraphs(spec.details).iter().map(|text| wrapped(&for_pages(text), WIDTH, "")).collect();
    format!(
        "{HEADER}\n\n# {}\n\n{}.\n\n{}\n\n{}\n\n    {}\n\n{}## Result\n\n{}## Python\n\n```python\n{}\n```\n\n```pycon\n{}```\n\n## Paper\n\n\
         {}.\n",
        spec.name,
        wrapped(&for_pages(spec.summary), WIDTH, ""),
        paragraphs.join("\n\n"),
        wrapped(&facts(algorithm), WIDTH, ""),
        command(algorithm),
        parameters(algorithm),
        result(algorithm),
        signature(algorithm).replace(") -> Result:", ") -> Result"),
        examples(algorithm, ""),
        spec.paper,
    )
}

/// Other names, models, and what weights do.
fn facts(algorithm: &dyn Algorithm) -> String {
    let spec = algorithm.spec();
    let models: Vec<_> = spec.models.iter().map(|model| code(model.name())).collect();
    let models = match models.as_slice() {
        [one] => format!("It runs in the model {one}."),
        [first, ..] => {
            format!("It runs in the models {}; the default is {first} if memory suffices.", models.join(", "))
        }
        [] => String::new(),
    };
    let names: Vec<_> = spec.aliases.iter().map(|name| code(name)).collect();
    let names = if names.is_empty() { String::new() } else { format!("Aliases: {}. ", names.join(", ")) };
    let spark = if spec.on_spark.is_some() { " It also runs on [Spark](../spark.md)." } else { "" };
    let repairs = match parameter::repairs(algorithm) {
        true => " After updates, a run can start from the [previous result](../incremental.md).",
        false => "",
    };
    format!("{names}{models} Edge weights are {}. {}{repairs}{spark}", weights(spec.weights), checkpoints(algorithm))
}

/// Models in which its runs have checkpoints.
fn checkpoints(algorithm: &dyn Algorithm) -> String {
    let (spec, models) = (algorithm.spec(), parameter::resuming_models(algorithm));
    let link = "[checkpoints](../checkpoints.md)";
    match models.as_slice() {
        [] => format!("Runs do not support {link}."),
        some if some.len() == spec.models.len() => format!("Runs support {link}."),
        [one] => format!("Runs in the model {} support {link}.", code(one.name())),
        some => format!("Runs in the models {} support {link}.", listed(some)),
    }
}

const fn weights(weights: Weights) -> &'static str {
    match weights {
        Weights::Used => "used",
        Weights::ByDefault => "used unless `--unweighted`",
        Weights::OnRequest => "used with `--weighted`",
        Weights::Ignored | Weights::Meaningless => "ignored",
    }
}

fn command(algorithm: &dyn Algorithm) -> String {
    let needed = algorithm.params().iter().filter(|info| info.needed.is_some());
    let needed: String = needed
        .map(|info| match info.kind {
            Kind::Vector => format!(" --{} {}.csv", info.name, parameter::python_name(algorithm, info)),
            _ => format!(" --{} 1", info.name),
        })
        .collect();
    let name = algorithm.spec().name;
    format!("outcrop run {name} web.outcrop{needed} -o {name}.parquet")
}

fn parameters(algorithm: &dyn Algorithm) -> String {
    let names: Vec<_> = parameter::of_engines(algorithm).map(|info| code(&format!("--{}", info.name))).collect();
    let others =
        wrapped(&format!("[Execution options](README.md#execution-options): {}.", names.join(", ")), WIDTH, "");
    let own = match algorithm.params() {
        [] => "It has no parameters of its own.\n".to_owned(),
        infos => {
            let rows: String = infos.iter().map(|info| row(algorithm, info)).collect();
            format!("| option | in Python | values | default | description |\n|---|---|---|---|---|\n{rows}")
        }
    };
    format!("## Parameters\n\n{own}\n{others}\n\n")
}

fn row(algorithm: &dyn Algorithm, info: &Parameter) -> String {
    let models = match parameter::only_in(algorithm, info) {
        Some(models) => format!(". Only in {}", listed(&models)),
        None => String::new(),
    };
    let excludes = parameter::excludes(algorithm, info);
    let excludes: String = excludes.iter().map(|other| format!(". Cannot be combined with --{other}")).collect();
    let requires = info.requires.map(|other| format!(". Needs --{other}")).unwrap_or_default();
    let help = for_pages(&format!("{}{models}{excludes}{requires}", info.help));
    cells(&[option(info), in_python(algorithm, info), values(info), preset(info), help])
}

fn option(info: &ParamInfo) -> String {
    match info.kind {
        Kind::Flag => code(&format!("--{}", info.name)),
        _ => code(&format!("--{} {}", info.name, info.placeholder)),
    }
}

fn in_python(algorithm: &dyn Algorithm, info: &Parameter) -> String {
    let name = parameter::python_name(algorithm, info);
    code(&match info.in_python {
        InPython::Plainly => name,
        InPython::Inverse(_) => name + "=False",
        InPython::Weight { counts: true } => format!("{name}={WEIGHT:?}"),
        InPython::Weight { counts: false } => name + "=None",
    })
}

fn values(info: &ParamInfo) -> String {
    match info.kind {
        Kind::Flag => String::new(),
        Kind::Word(words) => words.iter().map(|word| code(word)).collect::<Vec<_>>().join(", "),
        kind => kind.expected(),
    }
}

fn preset(info: &Parameter) -> String {
    match (info.needed, info.kind) {
        (Some(_), _) => "required".to_owned(),
        (None, Kind::Word(_)) if matches!(info.preset, outcrop::Preset::Word(_)) => {
            parameter::preset(info).map(|word| code(&word)).unwrap_or_default()
        }
        _ => for_pages(&parameter::preset(info).unwrap_or_default()),
    }
}

fn result(algorithm: &dyn Algorithm) -> String {
    let spec = algorithm.spec();
    let rows: String =
        spec.columns.iter().map(|column| cells(&[code(column.name), for_pages(column.meaning)])).collect();
    let values: String = spec.values.iter().map(|value| cells(&[code(value.name), for_pages(value.meaning)])).collect();
    let values = match values.as_str() {
        "" => values,
        rows => format!("| value of the graph | description |\n|---|---|\n{rows}\n"),
    };
    format!("| column | description |\n|---|---|\n{rows}\n{values}")
}

/// The table of all algorithms, and that of the options that they share.
pub(crate) fn index() -> String {
    let algorithms: String = ALGORITHMS
        .iter()
        .map(|algorithm| {
            let spec = algorithm.spec();
            let link = format!("[{}]({}.md)", code(spec.name), spec.name);
            let summary = for_pages(spec.summary);
            let weighted = match spec.weights {
                Weights::Ignored | Weights::Meaningless => "",
                counting => weights(counting),
            };
            cells(&[link, code(spec.python_name), summary, listed(spec.models), weighted.to_owned()])
        })
        .collect();
    let options: String = params::engine::PARAMS
        .iter()
        .map(|info| {
            let requires = info.requires.map(|other| format!(". Needs --{other}")).unwrap_or_default();
            let models = if info.models.is_empty() { "all".to_owned() } else { listed(info.models) };
            let help = for_pages(&format!("{}{requires}", info.help));
            cells(&[option(info), values(info), preset(info), models, help])
        })
        .collect();
    format!(
        "{HEADER}\n\n# Algorithms\n\n| algorithm | in Python | description | models | edge weights |\n|---|---|---|---|---|\n{algorithms}\n\
         `outcrop run NAME STORE` runs an algorithm; `outcrop run NAME --help` lists its options.\n\n\
         ## Execution options\n\n{}\n\n| option | values | default | models | description |\n|---|---|---|---|---|\n{options}\n{}",
        wrapped(ENGINES, WIDTH, ""),
        include_str!("increments.md")
    )
}

const ENGINES: &str = "Execution options change how a run works, but not its result. An option for certain models selects such a model, and \
                       is refused if the algorithm supports none of them.";

fn listed(models: &[Model]) -> String {
    models.iter().map(|model| code(model.name())).collect::<Vec<_>>().join(", ")
}

pub(crate) fn code(text: &str) -> String {
    format!("`{text}`")
}

/// A row of a table.
pub(crate) fn cells(texts: &[String]) -> String {
    let texts: Vec<_> = texts.iter().map(|text| text.replace('|', "\\|")).collect();
    format!("| {} |\n", texts.join(" | "))
}
