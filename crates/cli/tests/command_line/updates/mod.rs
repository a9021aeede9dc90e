//! Graphs over time: edges that come and go, windows of edges with times, and results that go on.

mod edges;
mod histories;
mod new_vertices;
mod results;
mod times;
