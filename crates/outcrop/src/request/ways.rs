//! The ways in which a request can be run: a model, with the values of vertices in memory or on disk.

use super::RunRequest;
use outcrop_algorithms::registry::{Algorithm, Model};
use outcrop_types::{Error, Result};
use std::str::FromStr;

/// Where the values of vertices are kept during a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ValuePlace {
    /// In memory where the budget holds them, else on disk where the algorithm can have them there.
    #[default]
    Auto,
    /// In memory; a run that does not fit is refused.
    Memory,
    /// In temporary files.
    Disk,
}

impl ValuePlace {
    /// All places.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Memory, Self::Disk];

    /// The name on the command line and in Python.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Memory => "memory",
            Self::Disk => "disk",
        }
    }
}

impl FromStr for ValuePlace {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let names = || Self::ALL.map(Self::name).join(", ");
        let unknown = || Error::Usage(format!("values are kept in one of {}, not {text:?}", names()));
        Self::ALL.into_iter().find(|place| place.name() == text).ok_or_else(unknown)
    }
}

/// A way to run a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Way {
    pub(crate) model: Model,
    /// Whether the values of vertices are in temporary files.
    pub(crate) on_disk: bool,
}

/// Whether the program of `algorithm` in `model` can have the values of vertices on disk. Walks have none.
const fn has_values_on_disk(algorithm: Algorithm, model: Model) -> bool {
    match model {
        Model::EdgeMap => false,
        Model::Interval | Model::Gas => true,
        Model::Messages => !matches!(algorithm, Algorithm::Walks),
    }
}

/// Whether an algorithm that is written in other models too only runs in `model` where that is asked for.
const fn is_only_asked_for(model: Model) -> bool {
    matches!(model, Model::Messages | Model::Gas)
}

impl RunRequest {
    /// All ways in which the request can be run, the one to prefer first: in the natural model, in others, with values on disk.
    pub(crate) fn ways(&self) -> Vec<Way> {
        let models = self.models_to_try();
        let in_memory = models.iter().filter(|_| self.values != ValuePlace::Disk);
        let on_disk = models
            .iter()
            .filter(|model| has_values_on_disk(self.algorithm, **model) && self.values != ValuePlace::Memory);
        let held = in_memory.map(|model| Way { model: *model, on_disk: false });
        held.chain(on_disk.map(|model| Way { model: *model, on_disk: true })).collect()
    }

    /// The models that take what is given. The models of messages, which costs more where messages can be merged at once, and of values on
    /// edges, which moves these besides lists, are only among others where they are asked for.
    fn models_to_try(&self) -> Vec<Model> {
        let mut models: Vec<_> = self.models().filter(|model| self.untaken_in(*model).is_none()).collect();
        if self.model.is_none() && models.iter().any(|model| !is_only_asked_for(*model)) {
            models.retain(|model| !is_only_asked_for(*model));
        }
        models
    }

    /// The models that are asked for and that the algorithm is written in.
    fn models(&self) -> impl Iterator<Item = Model> {
        let models = self.algorithm.specification().models.iter().copied();
        models.filter(|model| self.model.is_none_or(|wanted| wanted == *model))
    }

    /// The option that is given and that the algorithm does not take in `model`.
    fn untaken_in(&self, model: Model) -> Option<&'static str> {
        let untaken = |parameter| !self.algorithm.takes_in(model, parameter);
        let parameter = self.given().into_iter().map(|(parameter, _)| parameter).find(|p| untaken(*p));
        let messages = self.messages.given().filter(|_| model != Model::Messages);
        let gas = self.gas.given().filter(|_| model != Model::Gas);
        parameter.map(|parameter| parameter.option()).or(messages).or(gas)
    }

    /// Makes sure that there is a way to run the request.
    ///
    /// # Errors
    /// [`Error::Usage`] saying which option stands against which.
    pub(super) fn validate_ways(&self) -> Result<()> {
        let row = self.algorithm.specification();
        if let Some(model) = self.model.filter(|model| !row.models.contains(model)) {
            let names: Vec<_> = row.models.iter().map(|model| model.name()).collect();
            let (name, wanted, names) = (row.name, model.name(), names.join(", "));
            return Err(Error::Usage(format!("{name} is not written in the model {wanted}; it is in {names}")));
        }
        if !self.ways().is_empty() {
            return Ok(());
        }
        let by_disk = self.values == ValuePlace::Disk;
        let models = self.models().filter(|model| !by_disk || has_values_on_disk(self.algorithm, *model));
        let (because, name) = (if by_disk { ", as --values disk asks for" } else { "" }, row.name);
        // Of several models that do not take something, the natural one of those that come into question.
        let models: Vec<_> = models.filter(|model| self.model.is_some() || !is_only_asked_for(*model)).collect();
        Err(Error::Usage(match models.last().and_then(|model| Some((model.name(), self.untaken_in(*model)?))) {
            Some((model, option)) => format!("{name} takes no --{option} in the model {model}{because}"),
            None => format!("{name} has no values on disk: --values disk is of the models interval, messages and gas"),
        }))
    }
}
