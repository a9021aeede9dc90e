//! Arguments of a run: values of parameters, given or default.

use super::arg::{Arg, FromArg};
use super::engine::{FOR_MEASUREMENTS, PARAMS};
use super::kind::Kind;
use super::param::{InPython, Param, ParamInfo, Preset, WEIGHT};
use crate::spec::Model;
use outcrop_types::{Error, Result, counted, length_from};
use std::collections::BTreeMap;

/// Arguments of a run. Undeclared parameters can be neither set nor read.
#[derive(Clone, Debug)]
pub struct Args {
    /// Name of the algorithm, for messages.
    algorithm: &'static str,
    own: &'static [&'static ParamInfo],
    given: BTreeMap<&'static str, Arg>,
}

impl Args {
    /// Creates empty arguments of an `algorithm` with its `own` parameters.
    pub const fn new(algorithm: &'static str, own: &'static [&'static ParamInfo]) -> Self {
        Self { algorithm, own, given: BTreeMap::new() }
    }

    fn declared(&self) -> impl Iterator<Item = &'static ParamInfo> + use<> {
        self.own.iter().chain(PARAMS).chain(FOR_MEASUREMENTS).copied()
    }

    /// Returns the parameter that the command line calls `name`.
    fn find(&self, name: &str) -> Option<&'static ParamInfo> {
        self.declared().find(|info| info.name == name)
    }

    /// Sets the parameter `name`, with dashes, to `arg`.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Usage`] if the algorithm does not have the parameter, or if the value is invalid.
    pub fn set(&mut self, name: &str, arg: impl Into<Arg>) -> Result<()> {
        let untaken = || Error::Usage(format!("`{}` has no option --{name}", self.algorithm));
        let info = self.find(name).ok_or_else(untaken)?;
        let arg = arg.into();
        let shown = match &arg {
            Arg::Text(text) => format!("{text:?}"),
            Arg::Count(count) => count.to_string(),
            Arg::Number(number) => number.to_string(),
            Arg::Flag(flag) => flag.to_string(),
            Arg::Ids(ids) => counted(length_from(ids.len()), "ID"),
            _ => "this".to_owned(),
        };
        let unexpected = || {
            let expected = match info.kind {
                // The description of the kind leaves out limits that are rarely reached.
                Kind::Count(least, most) if shown.trim_matches('"').bytes().all(|byte| byte.is_ascii_digit()) => {
                    format!("an integer from {least} to {most}")
                }
                kind => kind.expected(),
            };
            Error::Usage(format!("--{name} must be {expected}, not {shown}"))
        };
        match info.kind.admit(arg).ok_or_else(unexpected)? {
            // A flag that is not given is false.
            Arg::Flag(false) => _ = self.given.remove(info.name),
            Arg::Ids(ids) if ids.is_empty() => _ = self.given.remove(info.name),
            arg => _ = self.given.insert(info.name, arg),
        }
        Ok(())
    }

    /// Same as [`Args::set`] with the name in Python, where an absent [`WEIGHT`] is a flag with the value false.
    ///
    /// # Errors
    ///
    /// Returns an error under the same conditions as [`Args::set`].
    pub fn set_in_python(&mut self, name: &str, arg: impl Into<Arg>) -> Result<()> {
        let Some(info) = self.declared().find(|info| info.python_name() == name) else {
            return Err(Error::Usage(format!("`{}` has no parameter {name}", self.algorithm)));
        };
        match (info.in_python, arg.into()) {
            (InPython::Inverse(_), Arg::Flag(flag)) => self.set(info.name, !flag),
            (InPython::Weight { counts }, Arg::Flag(weight)) => self.set(info.name, weight == counts),
            (InPython::Weight { counts }, Arg::Text(text)) if text == WEIGHT => self.set(info.name, counts),
            (InPython::Weight { .. }, Arg::Text(text)) => Err(Error::Usage(format!(
                "{WEIGHT} must be {WEIGHT:?} (use the weights of the store) or None, not {text:?}"
            ))),
            (_, arg) => self.set(info.name, arg),
        }
    }

    /// Returns these arguments with the default of `name`.
    #[must_use]
    pub fn without(&self, name: &str) -> Self {
        let mut others = self.clone();
        _ = others.given.remove(name);
        others
    }

    /// Returns true if `name` is given.
    pub fn is_given(&self, name: &str) -> bool {
        self.given.contains_key(name)
    }

    /// Returns the given parameters, those of the algorithm first.
    pub fn given(&self) -> impl Iterator<Item = (&'static ParamInfo, &Arg)> {
        self.declared().filter_map(|info| Some((info, self.given.get(info.name)?)))
    }

    /// Returns the value of `param`: the given one, otherwise the default.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Internal`] if the algorithm does not declare it, or if a required value is neither given nor
    /// has a default.
    pub fn get<T: FromArg>(&self, param: &Param<T>) -> Result<T> {
        let info = &param.info;
        let name = info.name;
        if !self.declared().any(|declared| std::ptr::eq(declared, info)) {
            return Err(Error::internal(format!("`{}` reads --{name}, which it does not declare", self.algorithm)));
        }
        let preset = preset_of(info);
        let value = T::from_arg(self.given.get(name).or(preset.as_ref()));
        value.ok_or_else(|| Error::internal(format!("`{}` needs a value for --{name} and has none", self.algorithm)))
    }

    /// Checks combinations of arguments.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Usage`] with two arguments that exclude each other, or one that requires another.
    pub fn validate(&self) -> Result<()> {
        for (info, _) in self.given() {
            if let Some(other) = info.excludes.iter().find(|other| self.is_given(other)) {
                return Err(Error::Usage(format!("--{} cannot be combined with --{other}", info.name)));
            }
            if let Some(other) = info.requires.filter(|other| !self.is_given(other)) {
                return Err(Error::Usage(format!("--{} needs --{other}", info.name)));
            }
        }
        Ok(())
    }

    /// Checks that required arguments are given; estimates do not need them.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Usage`] with the parameter.
    pub fn require(&self) -> Result<()> {
        let missing = self.own.iter().filter(|info| !self.is_given(info.name));
        match missing.filter_map(|info| Some((info.name, info.needed?))).next() {
            Some((name, what)) => Err(Error::Usage(format!("`{}` needs --{name}{what}", self.algorithm))),
            None => Ok(()),
        }
    }

    /// Returns the values of the algorithm's own parameters in `model`, given or default, by name.
    pub fn resolved(&self, model: Model) -> Vec<(&'static str, Arg)> {
        let own = self.own.iter().filter(|info| info.counts_in(model));
        let resolved = own.filter_map(|info| {
            let in_place = info.excludes.iter().any(|other| self.is_given(other));
            let alone = info.requires.is_some_and(|other| !self.is_given(other));
            let preset = if in_place || alone { None } else { preset_of(info) };
            Some((info.name, self.given.get(info.name).cloned().or(preset)?))
        });
        resolved.collect()
    }
}

fn preset_of(info: &ParamInfo) -> Option<Arg> {
    match info.preset {
        Preset::None(_) => None,
        Preset::Flag(flag) => Some(Arg::Flag(flag)),
        Preset::Count(count) => Some(Arg::Count(count)),
        Preset::Number(number) => Some(Arg::Number(number)),
        Preset::Word(word) => Some(Arg::Word(word)),
    }
}
