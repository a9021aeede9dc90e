//! Options that several commands have.

pub(crate) mod checkpoints;
pub(crate) mod headings;
pub(crate) mod layout;
pub(crate) mod order;
pub(crate) mod output;
pub(crate) mod text;
pub(crate) mod work;
