//! Client of builds without the feature `remote`: it refuses all requests.

use super::{Address, Names, Object};
use outcrop_types::{Error, MemoryBudget, Result};

/// Reader of objects.
pub(crate) struct Client;

impl Client {
    pub(crate) fn new(_budget: &MemoryBudget) -> Self {
        Self
    }

    #[expect(clippy::unused_self, reason = "the client that reads needs itself")]
    pub(crate) fn open(&self, address: &Address) -> Result<(Object, Vec<u8>)> {
        Err(refused(address))
    }

    #[expect(clippy::unused_self, reason = "the client that reads needs itself")]
    pub(crate) fn list(&self, address: &Address) -> Result<Names> {
        Err(refused(address))
    }
}

fn refused(address: &Address) -> Error {
    let message = "this build of outcrop has no object storage; install the Python package, whose `outcrop` command has it, or build with \
                   `--features remote`";
    Error::Usage(format!("{}: {message}", address.name))
}
