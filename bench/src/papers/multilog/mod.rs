//! MultiLogVC (Matam, Hashemi, Annavaram, 2021).

mod activity;
mod arguments;
mod pages;
mod requests;
mod times;

pub(crate) use arguments::MultilogArguments;

use arguments::MultilogTable;
use outcrop::{Cancellation, Result};
use requests::Multilog;

pub(crate) fn run(arguments: &MultilogArguments, cancellation: &Cancellation) -> Result<()> {
    let multilog = Multilog::new(arguments, cancellation);
    multilog.harness.print_each(&arguments.tables, |table| {
        Ok(vec![match table {
            MultilogTable::Fig2 => activity::shrinking(&multilog)?,
            MultilogTable::Fig3 => pages::thin(&multilog)?,
            MultilogTable::Fig5 => activity::search(&multilog)?,
            MultilogTable::Fig6 => times::all(&multilog)?,
            MultilogTable::Fig7 => activity::by_superstep(&multilog)?,
            MultilogTable::Fig8 => times::single_log(&multilog)?,
            MultilogTable::Fig9 => pages::predicted(&multilog)?,
            MultilogTable::Fig10 => times::memory(&multilog)?,
        }])
    })
}
