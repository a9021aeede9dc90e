//! Diameter, radius and eccentricities, against a search from every vertex, and on real graphs against what others have
//! published.

mod graphs;
#[expect(clippy::print_stdout, clippy::print_stderr, reason = "tests tell what is not there, and what searches took")]
mod real;
mod small;
