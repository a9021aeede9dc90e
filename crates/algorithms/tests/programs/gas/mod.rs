//! Programs on values of edges, interpreted and by engines, against what other methods find.

mod arrivals;
mod beliefs;
mod engines;
mod heat;
mod ranks;
mod searches;
