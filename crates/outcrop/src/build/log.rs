//! Budget and record of a build, a conversion or an update.

use crate::memory_size::{MemorySize, memory_record, note_above_limit};
use crate::order::Made;
use outcrop_io::{Disk, IoChoice, ProcessUsage};
use outcrop_report::{BuildCost, BuildRecord, BuiltGraph, FileRecord, InputRecord, Recorder};
use outcrop_store::WorkContext;
use outcrop_store::access::Workers;
use outcrop_types::{MemoryBudget, Observer, Stopwatch, WeightRounding};
use std::path::Path;

/// Tracks a build from start to end.
pub(crate) struct BuildLog<'o> {
    pub(crate) watch: Stopwatch,
    before: ProcessUsage,
    pub(crate) budget: MemoryBudget,
    pub(crate) recorder: Recorder<'o>,
}

impl<'o> BuildLog<'o> {
    pub(crate) fn begin(memory: MemorySize, observer: &'o dyn Observer) -> Self {
        let (memory, recorder) = (memory.bytes(), Recorder::of_phases(observer));
        note_above_limit(memory).iter().for_each(|note| recorder.note(note));
        let budget = MemoryBudget::new(memory);
        Self { watch: Stopwatch::start(), before: ProcessUsage::now(), budget, recorder }
    }

    /// Resources of work on stores.
    pub(crate) fn work<'w>(&'w self, io: IoChoice, workers: &'w Workers) -> WorkContext<'w> {
        WorkContext { storage: &Disk, io, budget: &self.budget, workers, observer: &self.recorder }
    }

    /// Adds a note on rounded weights, if there are any.
    pub(crate) fn report_rounding(&self, rounding: &WeightRounding) {
        if !rounding.is_none() {
            self.recorder.note(&rounding.to_string());
        }
    }

    pub(crate) fn end(self, store: &Path, made: Made) -> BuildRecord {
        let Made { report, order_reason } = made;
        let mut rounding = report.input.rounding();
        rounding.add(report.rounding);
        self.report_rounding(&rounding);
        let Self { watch, before, budget, recorder } = self;
        let phases = recorder.take_phases();
        let (seconds, usage) = (watch.seconds(), ProcessUsage::now());
        let since = |now: Option<u64>, then: Option<u64>| Some(now?.saturating_sub(then?));
        let manifest = report.manifest;
        BuildRecord {
            store: store.display().to_string(),
            graph: BuiltGraph {
                vertices: manifest.graph.vertices,
                edges: manifest.graph.edges,
                directed: manifest.graph.directed,
                weighted: manifest.graph.weighted,
                weight_type: manifest.weights(),
                order: manifest.numbering.order.name().into(),
                order_reason,
                bytes: manifest.bytes(),
            },
            cost: BuildCost {
                seconds,
                user_seconds: usage.user_seconds - before.user_seconds,
                system_seconds: usage.system_seconds - before.system_seconds,
                bytes_read: since(usage.read_bytes, before.read_bytes),
                bytes_written: since(usage.write_bytes, before.write_bytes),
            },
            memory: memory_record(&budget),
            input: InputRecord {
                skipped_lines: report.skipped_lines,
                loops_dropped: report.loops_dropped,
                summary: report.input,
            },
            phases,
            files: manifest.files.into_iter().map(|file| FileRecord { name: file.name, bytes: file.bytes }).collect(),
        }
    }
}
