//! How adjacency lies on disk.

pub mod csr;
