//! How messages are kept and delivered, as it is asked for.

use super::RunRequest;
use outcrop_algorithms::registry::Model;
use outcrop_engine::messages::{Delivery, LogKind, MessageOptions};
use outcrop_types::{Error, Result};

/// Choices of the model [`Model::Messages`]; what is not given is at its default. All but the delivery are for measurements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MessageChoices {
    /// When messages are delivered; in the next superstep.
    pub delivery: Option<Delivery>,
    /// How they are kept between supersteps; in a log for each interval of vertices.
    pub log: Option<LogKind>,
    /// Whether small logs of neighbouring intervals are computed together; they are.
    pub fuse: Option<bool>,
    /// Whether lists of vertices that are likely to be active are logged; they are.
    pub edge_log: Option<bool>,
}

impl MessageChoices {
    /// The first option that is given.
    pub(super) fn given(&self) -> Option<&'static str> {
        let given = [
            (self.delivery.is_some(), "delivery"),
            (self.log.is_some(), "log"),
            (self.fuse.is_some(), "fuse"),
            (self.edge_log.is_some(), "edge-log"),
        ];
        given.into_iter().find_map(|(given, option)| given.then_some(option))
    }

    /// What an engine is told.
    pub(crate) fn options(&self) -> MessageOptions {
        let usual = MessageOptions::default();
        MessageOptions {
            delivery: self.delivery.unwrap_or(usual.delivery),
            log: self.log.unwrap_or(usual.log),
            fuse: self.fuse.unwrap_or(usual.fuse),
            edge_log: self.edge_log.unwrap_or(usual.edge_log),
        }
    }
}

/// The word for a delivery on the command line, in Python and in records.
pub(crate) const fn delivery_name(delivery: Delivery) -> &'static str {
    match delivery {
        Delivery::Synchronous => "sync",
        Delivery::Asynchronous => "async",
    }
}

/// The word for a kind of logs, likewise.
pub(crate) const fn log_name(log: LogKind) -> &'static str {
    match log {
        LogKind::Multi => "multi",
        LogKind::Single => "single",
    }
}

impl RunRequest {
    /// Makes sure that the algorithm and the model take the choices about messages.
    ///
    /// # Errors
    /// [`Error::Usage`] naming the option.
    pub(super) fn validate_messages(&self) -> Result<()> {
        let row = self.algorithm.specification();
        let Some(option) = self.messages.given() else { return Ok(()) };
        if !row.models.contains(&Model::Messages) {
            return Err(Error::Usage(format!(
                "{} takes no --{option}, which is of the model {}",
                row.name,
                Model::Messages.name()
            )));
        }
        match (self.messages.delivery, self.algorithm.needs_synchronous_delivery(self.delta.is_some())) {
            (Some(Delivery::Asynchronous), Some(reason)) => {
                Err(Error::Usage(format!("{} takes no --delivery async: {reason}", row.name)))
            }
            _ => Ok(()),
        }
    }
}
