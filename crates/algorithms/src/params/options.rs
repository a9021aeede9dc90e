//! Options of the engines, derived from the arguments of a run.

use super::args::Args;
use super::engine::{DELAY_BUFFER, DELIVERY, EDGE_LOG, FUSE, SHARDS, Switch, UPDATED_SHARE};
use outcrop_gas::GasOptions;
use outcrop_messages::MessageOptions;
use outcrop_types::Result;

/// Returns the options for the engine of the model [`crate::Model::Messages`].
///
/// # Errors
///
/// Returns [`outcrop_types::Error::Internal`].
pub fn message_options(args: &Args) -> Result<MessageOptions> {
    Ok(MessageOptions {
        delivery: args.get(&DELIVERY)?,
        fuse: args.get(&FUSE)? == Switch::On,
        edge_log: args.get(&EDGE_LOG)? == Switch::On,
    })
}

/// Returns the options for the engine of the model [`crate::Model::Gas`]; with `exact_steps`, there are no delays
/// unless requested.
///
/// # Errors
///
/// Returns [`outcrop_types::Error::Internal`].
pub fn gas_options(args: &Args, exact_steps: bool) -> Result<GasOptions> {
    let usual = if exact_steps { 0 } else { GasOptions::default().delay_bytes };
    Ok(GasOptions {
        shards: args.get(&SHARDS)?,
        updated_share: args.get(&UPDATED_SHARE)?,
        delay_bytes: args.get(&DELAY_BUFFER)?.unwrap_or(usual),
    })
}
