//! Algorithm to run, with its arguments.

use outcrop_algorithms::models::MessageWork;
use outcrop_algorithms::params::engine::{ARRIVALS, ARRIVE_AFTER, DELIVERY, LAYOUT, MODEL, SCHEDULE, VALUES};
use outcrop_algorithms::params::{Arg, Args};
use outcrop_algorithms::weights::WEIGHTED;
use outcrop_algorithms::{
    ALGORITHMS, Algorithm, Model, ModelChoice, ModelWork, Shape, Spec, ValuePlace, Weights, find_algorithm,
};
use outcrop_engine::schedule::Schedule;
use outcrop_messages::Delivery;
use outcrop_messages::log::LogBackend;
use outcrop_store::layout::LayoutKind;
use outcrop_types::{Error, Result};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Algorithm with its arguments and those of the engines; missing arguments have default values.
#[derive(Clone)]
pub struct RunRequest<'a> {
    algorithm: &'a dyn Algorithm,
    args: Args,
    message_log: Option<&'a dyn LogBackend>,
    checkpoints: Option<CheckpointOptions>,
    incremental: Option<PathBuf>,
    /// Number of rows to reserve memory for.
    top_rows: Option<usize>,
}

/// Options for checkpoints of a run or a build, from which it resumes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckpointOptions {
    /// Folder of the checkpoint, for this run or build only; created if its parent exists.
    pub folder: PathBuf,
    /// Time between checkpoints, which are written at the end of a round and while a build reads its input. The time is
    /// longer if writing a checkpoint takes more than a fiftieth of it.
    pub every: Duration,
    /// True to resume from an existing checkpoint.
    pub resume: bool,
}

impl CheckpointOptions {
    /// Creates options for checkpoints in `folder` every ten minutes.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), every: Duration::from_secs(600), resume: false }
    }
}

impl fmt::Debug for RunRequest<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:?}", self.args)
    }
}

/// Model of a run, and location of its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ExecutionPlan {
    pub(crate) model: Model,
    /// True if vertex values are in temporary files.
    pub(crate) on_disk: bool,
}

/// Edges that arrive during a planned run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ArrivingEdges {
    /// Edge file between existing vertices, in any input format of a build.
    pub(crate) file: PathBuf,
    /// Iteration after which they arrive; 0 is right after initialization.
    pub(crate) after: u32,
}

impl RunRequest<'static> {
    /// Creates a request for the algorithm called `name` with default parameters.
    ///
    /// # Errors
    /// Returns [`Error::Usage`] with the known algorithms if `name` is unknown.
    pub fn new(name: &str) -> Result<Self> {
        let algorithm = find_algorithm(name).ok_or_else(|| {
            let names: Vec<_> = ALGORITHMS.iter().map(|algorithm| algorithm.spec().name).collect();
            Error::Usage(format!("unknown algorithm {name:?}; expected one of {}", names.join(", ")))
        })?;
        Ok(Self::of(algorithm))
    }
}

impl<'a> RunRequest<'a> {
    /// Creates a request for an algorithm, which may be user-defined, with default parameters.
    pub fn of(algorithm: &'a dyn Algorithm) -> Self {
        Self {
            algorithm,
            args: Args::new(algorithm.spec().name, algorithm.params()),
            message_log: None,
            checkpoints: None,
            incremental: None,
            top_rows: None,
        }
    }

    /// Sets the parameter that is called `name` on the command line.
    ///
    /// # Errors
    /// Returns [`Error::Usage`] if the algorithm does not support the parameter or the value is invalid.
    pub fn with(mut self, name: &str, value: impl Into<Arg>) -> Result<Self> {
        self.args.set(name, value)?;
        Ok(self)
    }

    /// Replaces the multi-log of the model `messages` with another log, for comparison.
    #[must_use]
    pub const fn with_message_log(mut self, log: &'a dyn LogBackend) -> Self {
        self.message_log = Some(log);
        self
    }

    /// Enables checkpoints, which [`crate::RunResult::remove_checkpoint`] removes.
    #[must_use]
    pub fn with_checkpoints(mut self, checkpoints: CheckpointOptions) -> Self {
        self.checkpoints = Some(checkpoints);
        self
    }

    /// Starts from the previous result in `folder` and stores the new one there.
    #[must_use]
    pub fn with_incremental(mut self, folder: impl Into<PathBuf>) -> Self {
        self.incremental = Some(folder.into());
        self
    }

    /// Reserves memory for a later query of the `count` largest rows.
    #[must_use]
    pub fn with_top(mut self, count: usize) -> Self {
        self.top_rows = Some(count);
        self
    }

    pub(crate) const fn top_rows(&self) -> Option<usize> {
        self.top_rows
    }

    pub(crate) fn incremental(&self) -> Option<&Path> {
        self.incremental.as_deref()
    }

    pub(crate) const fn checkpoints(&self) -> Option<&CheckpointOptions> {
        self.checkpoints.as_ref()
    }

    pub(crate) const fn message_log(&self) -> Option<&'a dyn LogBackend> {
        self.message_log
    }

    /// Returns the arguments.
    pub const fn args(&self) -> &Args {
        &self.args
    }

    /// Returns the arguments for modification.
    pub const fn args_mut(&mut self) -> &mut Args {
        &mut self.args
    }

    /// Returns the algorithm.
    pub const fn algorithm(&self) -> &'a dyn Algorithm {
        self.algorithm
    }

    pub(crate) fn spec(&self) -> &'static Spec {
        self.algorithm.spec()
    }

    /// Returns true if the run uses the weights of a weighted store.
    pub(crate) fn weights_count(&self) -> Result<bool> {
        self.spec().weights.count(&self.args)
    }

    /// Checks that the store `has` weights if the request requires them.
    ///
    /// # Errors
    /// Returns [`Error::Usage`] with instructions for adding weights.
    pub(crate) fn require_weights(&self, has: bool) -> Result<()> {
        match self.spec().weights {
            Weights::OnRequest if !has && self.weights_count()? => refuse(format!(
                "--{} needs edge weights, and the store has none; build it with --weighted or --weight COLUMN",
                WEIGHTED.info.name
            )),
            _ => Ok(()),
        }
    }

    pub(crate) fn layout(&self) -> Result<Option<LayoutKind>> {
        self.args.get(&LAYOUT)
    }

    pub(crate) fn schedule(&self) -> Result<Schedule> {
        self.args.get(&SCHEDULE)
    }

    /// Returns the requested model, if any.
    fn model(&self) -> Result<Option<Model>> {
        Ok(match self.args.get(&MODEL)? {
            ModelChoice::Auto => None,
            ModelChoice::Only(model) => Some(model),
        })
    }

    pub(crate) fn arrivals(&self) -> Result<Option<ArrivingEdges>> {
        let after = self.args.get(&ARRIVE_AFTER)?;
        Ok(self.args.get(&ARRIVALS)?.map(|file| ArrivingEdges { file, after }))
    }

    /// Checks that the arguments are compatible with each other, and that an execution plan exists.
    ///
    /// # Errors
    /// Returns [`Error::Usage`] with the name of the parameter.
    pub fn validate(&self) -> Result<()> {
        self.args.validate()?;
        self.algorithm.validate(&self.args)?;
        self.validate_arrivals()?;
        self.validate_model()?;
        self.validate_incremental()?;
        self.validate_delivery()?;
        self.validate_execution()
    }

    /// Checks that the result does not depend on the delivery time of messages.
    fn validate_delivery(&self) -> Result<()> {
        if self.args.get(&DELIVERY)? == Delivery::Synchronous {
            return Ok(());
        }
        match self.algorithm.plan(Model::Messages, &Shape::SMALLEST, &self.args)?.map(|plan| plan.work) {
            Some(ModelWork::Messages(MessageWork { synchronous: Some(reason), .. }, _)) => {
                refuse(format!("`{}` does not support --delivery async: {reason}", self.spec().name))
            }
            _ => Ok(()),
        }
    }

    /// Checks that required arguments are present. A run needs them, an estimate does not.
    ///
    /// # Errors
    /// Returns [`Error::Usage`] with the name of the parameter.
    pub fn require(&self) -> Result<()> {
        self.args.require()
    }

    /// Checks that the algorithm has a program in the requested model, natively or by an option.
    fn validate_model(&self) -> Result<()> {
        let Spec { name, models, not_in_gas, .. } = self.spec();
        let options: Vec<_> = models.iter().map(|model| format!("--model {}", model.name())).collect();
        let options = options.join(" or ");
        let is_written = |model: &Model| models.contains(model);
        let asked = self.model()?;
        let foreign =
            self.args.given().find(|(info, _)| !info.models.is_empty() && !info.models.iter().any(is_written));
        let gas = asked == Some(Model::Gas) || foreign.is_some_and(|(info, _)| info.models == [Model::Gas]);
        if let Some(reason) = not_in_gas.filter(|_| gas) {
            return refuse(format!(
                "`{name}` does not support --model {}: {reason}, so there is no aggregation function for changes (Vora, Xu, Gupta, USENIX ATC 2016, table 1); use {options}",
                Model::Gas.name(),
            ));
        }
        if let Some((info, _)) = foreign {
            let model = info.models.first().map_or("", |model| model.name());
            return refuse(format!("--{} needs --model {model}, which `{name}` does not support", info.name));
        }
        match asked.filter(|model| !is_written(model)) {
            Some(model) => {
                let wanted = model.name();
                refuse(format!("`{name}` does not support --model {wanted}; use {options}"))
            }
            None => Ok(()),
        }
    }

    /// Checks that the run supports arriving edges.
    fn validate_arrivals(&self) -> Result<()> {
        if self.args.get(&ARRIVALS)?.is_none() {
            return Ok(());
        }
        let takes = self.spec().arrivals.is_some_and(|needed| needed.iter().all(|name| self.args.is_given(name)));
        if !takes {
            let all = ALGORITHMS.iter().map(|algorithm| algorithm.spec());
            let shown = |needed: &[&str]| needed.iter().map(|name| format!(" --{name}")).collect::<String>();
            let all = all.filter_map(|spec| Some(format!("{}{}", spec.name, shown(spec.arrivals?))));
            return refuse(format!(
                "--arrivals needs {}; for other algorithms, add the edges with `outcrop update` first",
                any_of(all)
            ));
        }
        match self.model()? {
            None | Some(Model::Gas) => Ok(()),
            Some(_) => refuse("--arrivals needs --model gas".to_owned()),
        }
    }

    /// Checks that the run supports an incremental start.
    fn validate_incremental(&self) -> Result<()> {
        if self.incremental.is_none() {
            return Ok(());
        }
        if self.checkpoints.is_some() {
            return refuse("--incremental cannot be combined with --checkpoint-dir".to_owned());
        }
        if !self.execution_plans()?.is_empty() {
            return Ok(());
        }
        let can_run = |request: &RunRequest<'_>| request.execution_plans().is_ok_and(|plans| !plans.is_empty());
        let without = |name| RunRequest { args: self.args.without(name), ..self.clone() };
        if let Some((info, _)) = self.args.given().find(|(info, _)| can_run(&without(info.name))) {
            return refuse(format!("--incremental cannot be combined with --{}", info.name));
        }
        let all = ALGORITHMS.iter().map(|algorithm| RunRequest::of(*algorithm).with_incremental(""));
        let all = all.filter(can_run).map(|request| request.spec().name.to_owned());
        refuse(format!("--incremental needs {}, not `{}` (docs/incremental.md)", any_of(all), self.spec().name))
    }

    fn validate_execution(&self) -> Result<()> {
        if !self.execution_plans()?.is_empty() {
            return Ok(());
        }
        let by_disk = self.args.get(&VALUES)? == ValuePlace::Disk;
        let (because, name) = (if by_disk { ", which --values disk needs" } else { "" }, self.spec().name);
        let mut models = self.models()?;
        if by_disk {
            let would = |model| {
                self.untaken_in(model).is_some()
                    // Default: a model whose plan fails is not offered.
                    || self.can_run(ExecutionPlan { model, on_disk: true }).unwrap_or(false)
            };
            models.retain(|model| model.has_values_on_disk() && would(*model));
        }
        // If several models reject an argument, reports the natural one of the candidates.
        if self.model()?.is_none() {
            models.retain(|model| !model.explicit_only());
        }
        refuse(match models.last().and_then(|model| Some((model.name(), self.untaken_in(*model)?))) {
            Some((model, option)) => {
                let supported = self.models()?.into_iter().filter(|model| self.untaken_in(*model).is_none());
                let remedy = match any_of(supported.map(|model| model.name().to_owned())) {
                    models if models.is_empty() => format!("omit --{option}"),
                    models => format!("use --model {models} or omit --{option}"),
                };
                format!("`{name}` does not support --{option} with --model {model}{because}; {remedy}")
            }
            None => {
                let models = Model::ALL.into_iter().filter(|model| model.has_values_on_disk());
                let models = any_of(models.map(|model| model.name().to_owned()));
                format!("`{name}` cannot keep values on disk; --values disk needs --model {models}")
            }
        })
    }

    /// Returns all execution plans in order of preference: natural model, other models, then values on disk.
    pub(crate) fn execution_plans(&self) -> Result<Vec<ExecutionPlan>> {
        let (models, values) = (self.models_to_try()?, self.args.get(&VALUES)?);
        let mut plans = Vec::new();
        for (on_disk, unwanted) in [(false, ValuePlace::Disk), (true, ValuePlace::Memory)] {
            for model in models.iter().filter(|_| values != unwanted) {
                let plan = ExecutionPlan { model: *model, on_disk };
                if self.can_run(plan)? {
                    plans.push(plan);
                }
            }
        }
        Ok(plans)
    }

    /// Returns true if there is a program for `plan`, independent of the graph.
    fn can_run(&self, plan: ExecutionPlan) -> Result<bool> {
        let incremental = self.incremental.is_some();
        let shape = Shape { on_disk: plan.on_disk, incremental, ..Shape::SMALLEST };
        let has_program = || {
            let plan = self.algorithm.plan(plan.model, &shape, &self.args)?;
            Ok(plan.is_some_and(|plan| plan.repairs || !incremental))
        };
        if plan.on_disk && !plan.model.has_values_on_disk() { Ok(false) } else { has_program() }
    }

    /// Returns the models that support the given arguments. The models `messages`, which is slower if messages can be
    /// combined immediately, and `gas`, which moves edge values in addition to lists, are included only if requested,
    /// or if no other model supports values on disk.
    fn models_to_try(&self) -> Result<Vec<Model>> {
        let mut models = self.models()?;
        models.retain(|model| self.untaken_in(*model).is_none());
        let has_other_on_disk = self.spec().models.contains(&Model::Interval);
        if self.model()?.is_none() && has_other_on_disk && models.iter().any(|model| !model.explicit_only()) {
            models.retain(|model| !model.explicit_only());
        }
        Ok(models)
    }

    /// Returns the requested models for which the algorithm has a program.
    fn models(&self) -> Result<Vec<Model>> {
        let asked = self.model()?;
        let models = self.spec().models.iter().copied();
        Ok(models.filter(|model| asked.is_none_or(|asked| asked == *model)).collect())
    }

    /// Returns the given option that `model` does not support, if any.
    fn untaken_in(&self, model: Model) -> Option<&'static str> {
        self.args.given().map(|(info, _)| info).find(|info| !info.counts_in(model)).map(|info| info.name)
    }
}

/// Returns the names as a list with `or` before the last.
fn any_of(names: impl Iterator<Item = String>) -> String {
    let names: Vec<_> = names.collect();
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => names.concat(),
    }
}

fn refuse(message: String) -> Result<()> {
    Err(Error::Usage(message))
}

#[cfg(test)]
mod tests;
