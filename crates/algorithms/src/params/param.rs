//! A parameter, and all that is said of it.

use super::arg::FromArg;
use super::choice::Choice;
use super::kind::Kind;
use crate::spec::Model;
use std::marker::PhantomData;

/// A value that a parameter has where none is given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Preset {
    /// No default; the text describes an absent value on help pages, and is empty if the parameter is optional.
    None(&'static str),
    /// Yes or no.
    Flag(bool),
    /// A whole number.
    Count(u64),
    /// A number.
    Number(f64),
    /// A word.
    Word(&'static str),
}

/// A part of a help page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Parameters of the algorithm.
    Algorithm,
    /// Parameters that affect the execution of a run, but not its answer.
    Advanced,
}

/// Form of a parameter in Python.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InPython {
    /// Argument of the same name, with underscores.
    Plainly,
    /// Argument of this name with the opposite meaning, for a flag.
    Inverse(&'static str),
    /// Argument [`WEIGHT`] for a flag about weights: that word if weights count, else `None`.
    Weight {
        /// True if the flag makes weights count.
        counts: bool,
    },
}

/// Python argument that selects edge weights, as in NetworkX, and its value if weights count.
pub const WEIGHT: &str = "weight";

/// A parameter, whatever the type of its value.
#[derive(Debug)]
pub struct ParamInfo {
    /// The option of the command line, without dashes; in Python and in records with underscores.
    pub name: &'static str,
    /// Placeholder of its value on help pages.
    pub placeholder: &'static str,
    /// The values that it takes.
    pub kind: Kind,
    /// Its value where none is given.
    pub preset: Preset,
    /// Its effect, in a sentence or more without the last full stop.
    pub help: &'static str,
    /// The part of the help page where it stands.
    pub group: Group,
    /// The models in which it counts; none for all.
    pub models: &'static [Model],
    /// Other parameters that cannot be given with it, and in place of which it has its preset.
    pub excludes: &'static [&'static str],
    /// Another parameter without which it means nothing.
    pub requires: Option<&'static str>,
    /// Description of it, where no run can do without.
    pub needed: Option<&'static str>,
    /// Its form in Python.
    pub in_python: InPython,
}

impl ParamInfo {
    /// The name in Python and in the files of records.
    pub fn python_name(&self) -> String {
        let name = match self.in_python {
            InPython::Plainly => self.name,
            InPython::Inverse(name) => name,
            InPython::Weight { .. } => WEIGHT,
        };
        name.replace('-', "_")
    }

    /// True if it counts in `model`.
    pub fn counts_in(&self, model: Model) -> bool {
        self.models.is_empty() || self.models.contains(&model)
    }
}

/// A parameter with values of type `T`, by which they are read: see [`super::Args::get`].
#[derive(Debug)]
pub struct Param<T> {
    /// Description of the parameter without the type of its value.
    pub info: ParamInfo,
    value: PhantomData<fn() -> T>,
}

impl<T: FromArg> Param<T> {
    /// A parameter of the algorithm, in all models.
    pub const fn new(name: &'static str, kind: Kind, preset: Preset, help: &'static str) -> Self {
        let info = ParamInfo {
            name,
            placeholder: kind.placeholder(),
            kind,
            preset,
            help,
            group: Group::Algorithm,
            models: &[],
            excludes: &[],
            requires: None,
            needed: None,
            in_python: InPython::Plainly,
        };
        Self { info, value: PhantomData }
    }

    /// A parameter that is one of the words of `T`, in all models; `preset` where none is given.
    pub const fn word(name: &'static str, preset: &'static str, help: &'static str) -> Self
    where
        T: Choice,
    {
        Self::new(name, Kind::Word(T::WORDS), Preset::Word(preset), help)
    }

    /// Sets another placeholder.
    #[must_use]
    pub const fn shown_as(mut self, placeholder: &'static str) -> Self {
        self.info.placeholder = placeholder;
        self
    }

    /// Moves the parameter to [`Group::Advanced`].
    #[must_use]
    pub const fn advanced(mut self) -> Self {
        self.info.group = Group::Advanced;
        self
    }

    /// Restricts the parameter to `models`.
    #[must_use]
    pub const fn only_in(mut self, models: &'static [Model]) -> Self {
        self.info.models = models;
        self
    }

    /// Excludes any of the parameters `others`.
    #[must_use]
    pub const fn excludes(mut self, others: &'static [&'static str]) -> Self {
        self.info.excludes = others;
        self
    }

    /// Requires the parameter `other`.
    #[must_use]
    pub const fn requires(mut self, other: &'static str) -> Self {
        self.info.requires = Some(other);
        self
    }

    /// Makes the parameter mandatory in every run; `what` describes it.
    #[must_use]
    pub const fn needed(mut self, what: &'static str) -> Self {
        self.info.needed = Some(what);
        self
    }

    /// Sets a different form in Python.
    #[must_use]
    pub const fn in_python(mut self, how: InPython) -> Self {
        self.info.in_python = how;
        self
    }
}
