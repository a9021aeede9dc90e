//! The budget is hard, and the estimate is the least that it can be.

use crate::graph::{Ids, StoreKind};
use crate::setup::{Cache, Memory, Setup};
use crate::shapes;
use outcrop::{CacheSize, Error, Estimate, Graph, IterationRecord, MemoryPlan, MemorySize, Observer, OpenOptions};
use outcrop::{Personalization, Purpose, RunRecord, RunRequest};
use outcrop_store::Component;
use std::path::Path;
use std::sync::Arc;

fn bytes_of(plan: &MemoryPlan, purpose: Purpose) -> u64 {
    plan.needs().iter().find(|need| need.purpose == purpose).map_or(0, |need| need.bytes)
}

/// Reservations stayed within the budget, and each purpose took what the estimate had said, with two exceptions: rows of results
/// are handed out after the record was made; and each direction counts the buffers of a reader that it needs only while it is
/// opened, one after the other. Weights of a personalisation are no part of the plan.
pub fn assert_record(record: &RunRecord, estimate: &Estimate, budget: u64, setup: Setup) {
    assert_eq!(record.memory_budget, budget);
    assert!(record.memory_peak <= budget, "{} of {budget}", record.memory_peak);
    for purpose in [Purpose::Index, Purpose::Degrees, Purpose::Frontier, Purpose::IdMap] {
        assert_eq!(bytes_of(&record.memory, purpose), bytes_of(&estimate.plan, purpose), "{purpose:?}");
    }
    let values = bytes_of(&record.memory, Purpose::VertexValues) - bytes_of(&estimate.plan, Purpose::VertexValues);
    assert!(values == 0 || record.parameters.contains_key("personalization"));
    let buffers = bytes_of(&estimate.plan, Purpose::IoBuffers) - bytes_of(&record.memory, Purpose::IoBuffers);
    assert!([0, Component::READER_BYTES].contains(&buffers), "{buffers}");
    let cache = bytes_of(&record.memory, Purpose::PageCache);
    let most = budget - estimate.minimum;
    assert!(cache <= most, "{cache} of {most}");
    assert!(setup.cache == Cache::Rest || cache == 0, "one page is not enough for a table and a page");
}

/// Counts iterations.
#[derive(Default)]
struct Never;

impl Observer for Never {
    fn iteration(&self, record: &IterationRecord) {
        panic!("no iteration may begin: {record:?}");
    }
}

/// With a byte less than the estimate the run is refused before it begins, and the refusal names the estimate.
pub fn assert_refused_below(estimate: &Estimate, store: &Path, setup: Setup, request: &RunRequest) {
    let memory = MemorySize::Bytes(estimate.minimum - 1);
    let options = OpenOptions { memory, observer: Arc::new(Never), ..setup.options() };
    let error = Graph::open(store, options).unwrap().run(request).err().unwrap();
    let Error::BudgetTooSmall { budget, plan, retry: None } = error else { panic!("{error}") };
    assert_eq!((budget, plan.total()), (estimate.minimum - 1, estimate.minimum));
    for purpose in Purpose::ALL {
        assert_eq!(bytes_of(&plan, purpose), bytes_of(&estimate.plan, purpose));
    }
}
