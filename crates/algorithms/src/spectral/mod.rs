//! Centralities by eigenvectors and singular vectors of the adjacency matrix, and by walks.

mod eigenvector;
mod hits;
mod iteration;
mod katz;
mod product;

pub use eigenvector::Eigenvector;
pub use hits::Hits;
pub use katz::Katz;
