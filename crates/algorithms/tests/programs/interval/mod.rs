//! Programs of the interval engine on lists in memory, against the same algorithms on edge maps.

mod products;
mod searches;
