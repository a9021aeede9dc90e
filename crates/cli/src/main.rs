//! The `outcrop` command.
#![forbid(unsafe_code)]

use outcrop::HugePageAllocator;
use std::process::ExitCode;

/// Vertex values are read in random order, which is slow with small pages.
#[global_allocator]
static ALLOCATOR: HugePageAllocator = HugePageAllocator;

fn main() -> ExitCode {
    outcrop_cli::run(std::env::args_os()).into()
}
