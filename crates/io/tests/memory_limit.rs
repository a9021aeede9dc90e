//! A process whose address space is limited. By itself, as the limit holds for all tests of a process.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "what this test sets up must work")]

use outcrop_io::HugePageAllocator;
use outcrop_types::{Cancellation, Error, MemoryBudget, Purpose};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

#[global_allocator]
static ALLOCATOR: HugePageAllocator = HugePageAllocator;

/// The size of the address space, in bytes.
fn address_space() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let size = status.lines().find_map(|line| line.strip_prefix("VmSize:")).unwrap();
    size.split_whitespace().next().unwrap().parse::<u64>().unwrap() << 10
}

/// Without the reserve the process was aborted: "memory allocation of 1000 bytes failed".
#[test]
fn small_allocations_beyond_a_limit_end_the_work_and_not_the_process() {
    HugePageAllocator::allocate_reserve().unwrap();
    let (cancellation, budget) = (Cancellation::new(), MemoryBudget::new(u64::MAX));
    let before = getrlimit(Resource::As);
    let limit = address_space() + (8 << 20);
    setrlimit(Resource::As, Rlimit { current: Some(limit), ..before }).unwrap();
    let large = budget.reserve(64 << 20, Purpose::HeldLists).unwrap_err();
    assert!(matches!(large, Error::OutOfMemory { purpose: Some(Purpose::HeldLists), .. }), "{large}");
    cancellation.check().unwrap();
    let mut held: Vec<Vec<u8>> = Vec::new();
    let refused = loop {
        match cancellation.check() {
            Ok(()) => held.push(vec![1; 1000]),
            Err(error) => break error,
        }
    };
    assert!(matches!(refused, Error::OutOfMemory { bytes: 1.., purpose: None }), "{refused}");
    assert!(budget.reserve(1, Purpose::Index).is_err());
    // Until the memory is free again.
    drop(held);
    setrlimit(Resource::As, before).unwrap();
    HugePageAllocator::allocate_reserve().unwrap();
    cancellation.check().unwrap();
}
