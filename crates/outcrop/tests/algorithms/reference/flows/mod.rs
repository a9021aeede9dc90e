//! Values that flow along edges: ranks, beliefs, heat, products, walks.

pub mod bp;
pub mod fastrp;
pub mod heat;
pub mod pagerank;
pub mod ppr;
pub mod spectral;
pub mod spmv;
pub mod walks;
