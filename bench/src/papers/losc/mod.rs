//! LOSC (Xu, Wang, Jiang, Cheng, Hua, Feng, Zhang, JPDC 2023).

mod arguments;
mod compact;
mod construction;
mod requests;
mod schedules;
mod times;

pub(crate) use arguments::LoscArguments;

use crate::harness::Harness;
use arguments::LoscTable;
use outcrop::{Cancellation, Result};

pub(crate) fn run(arguments: &LoscArguments, cancellation: &Cancellation) -> Result<()> {
    let harness = Harness::new(&arguments.setup, cancellation);
    harness.print_each(&arguments.tables, |table| {
        Ok(match table {
            LoscTable::Table4 => vec![times::by_model(&harness)?],
            LoscTable::Fig8 => vec![compact::preparation(&harness)?],
            LoscTable::Fig9 => vec![construction::seconds(&harness)?],
            LoscTable::Table5 => vec![construction::cache_misses(&harness)?],
            LoscTable::Fig11 => vec![compact::space_and_traffic(&harness)?],
            LoscTable::Fig12 => schedules::schedules(&harness)?,
            LoscTable::Fig15 => vec![times::threads_and_memory(&harness)?],
        })
    })
}
