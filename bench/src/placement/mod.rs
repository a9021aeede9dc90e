//! Orders and selections that BASC is compared with: Gorder, partly random orders, random lists or lists by length,
//! and greedy selection as printed in its listing.
//!
//! The product accepts them as data ([`outcrop::GivenOrder`], [`outcrop::GivenSelection`]).

mod gorder;
mod order;
mod selection;

pub(crate) use order::{gorder_of, partly_random};
pub(crate) use selection::Ranking;
