//! Parameter and its description.

use super::arg::FromArg;
use super::choice::Choice;
use super::kind::Kind;
use crate::spec::Model;
use std::marker::PhantomData;

/// Default of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Preset {
    /// No default; the text describes an absent value on help pages, and is empty if the parameter is optional.
    None(&'static str),
    /// A boolean.
    Flag(bool),
    /// An integer.
    Count(u64),
    /// A number.
    Number(f64),
    /// A word.
    Word(&'static str),
}

/// Section of a help page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Parameters of the algorithm.
    Algorithm,
    /// Parameters that affect the execution of a run, but not its result.
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

/// Parameter, independent of the type of its value.
#[derive(Debug)]
pub struct ParamInfo {
    /// Option of the command line, without dashes; with underscores in Python and in records.
    pub name: &'static str,
    /// Placeholder of its value on help pages.
    pub placeholder: &'static str,
    /// Kind of its values.
    pub kind: Kind,
    /// Default.
    pub preset: Preset,
    /// Its effect, in one or more sentences without the last full stop.
    pub help: &'static str,
    /// Section of the help page.
    pub group: Group,
    /// Models that use it; empty for all.
    pub models: &'static [Model],
    /// Parameters that cannot be combined with it; its default does not apply if one of them is given.
    pub excludes: &'static [&'static str],
    /// Parameter that it requires.
    pub requires: Option<&'static str>,
    /// Description, if every run requires it.
    pub needed: Option<&'static str>,
    /// Form in Python.
    pub in_python: InPython,
}

impl ParamInfo {
    /// Returns the name in Python and in record files.
    pub fn python_name(&self) -> String {
        let name = match self.in_python {
            InPython::Plainly => self.name,
            InPython::Inverse(name) => name,
            InPython::Weight { .. } => WEIGHT,
        };
        name.replace('-', "_")
    }

    /// Returns true if `model` uses it.
    pub fn counts_in(&self, model: Model) -> bool {
        self.models.is_empty() || self.models.contains(&model)
    }
}

/// Parameter with values of type `T`: see [`super::Args::get`].
#[derive(Debug)]
pub struct Param<T> {
    /// Description of the parameter, independent of the type of its value.
    pub info: ParamInfo,
    value: PhantomData<fn() -> T>,
}

impl<T: FromArg> Param<T> {
    /// Creates a parameter of the algorithm, in all models.
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

    /// Creates a parameter with the words of `T` as values, in all models; `preset` is the default.
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
