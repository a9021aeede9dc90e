//! What can be typed about messages.

use clap::{Args, ValueEnum};
use outcrop::{Delivery, LogKind, MessageChoices};

/// How messages are kept and delivered; nothing here is a parameter of an algorithm.
#[derive(Debug, Args)]
pub(crate) struct MessageArguments {
    /// In the model messages: deliver in the next superstep, or where possible in the same [default: sync]
    #[arg(long, value_enum, value_name = "WHEN")]
    delivery: Option<DeliveryOption>,
    /// In the model messages: log lists of vertices that are likely to be active, where pages hold little else [default: on]
    #[arg(long, value_enum, value_name = "ON|OFF")]
    edge_log: Option<Switch>,
    /// In the model messages: compute intervals with few messages together: for measurements [default: on]
    #[arg(long, value_enum, value_name = "ON|OFF")]
    fuse: Option<Switch>,
    /// In the model messages: a log for each interval of vertices, or one for all: for measurements [default: multi]
    #[arg(long, value_enum, value_name = "KIND")]
    log: Option<LogOption>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum DeliveryOption {
    Sync,
    Async,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum LogOption {
    Multi,
    Single,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Switch {
    On,
    Off,
}

impl MessageArguments {
    /// What was typed.
    pub(crate) fn choices(&self) -> MessageChoices {
        MessageChoices {
            delivery: self.delivery.map(|delivery| match delivery {
                DeliveryOption::Sync => Delivery::Synchronous,
                DeliveryOption::Async => Delivery::Asynchronous,
            }),
            log: self.log.map(|log| match log {
                LogOption::Multi => LogKind::Multi,
                LogOption::Single => LogKind::Single,
            }),
            fuse: self.fuse.map(|fuse| fuse == Switch::On),
            edge_log: self.edge_log.map(|edge_log| edge_log == Switch::On),
        }
    }
}
