//! Message programs, executed in memory and by engines, against what other methods find.

mod coloring_order;
mod colors;
mod engines;
mod executor;
mod labels;
mod ranks;
mod searches;
mod walks;
