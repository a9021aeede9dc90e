//! Orders and selections with which BASC compares its own: Gorder, partly random orders, lists at random or by length,
//! and greedy selection as its listing prints it.
//!
//! The product takes them as data ([`outcrop::GivenOrder`], [`outcrop::GivenSelection`]).

mod gorder;
mod order;
mod selection;

pub(crate) use order::{gorder_of, partly_random};
pub(crate) use selection::Ranking;
