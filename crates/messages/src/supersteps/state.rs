//! State and progress of a run.

use crate::engine::MessageEngine;
use crate::lists::{Batch, ChangedGraph, EdgeLog, EdgeLogFigures, EdgeWords, KnownDegrees};
use crate::log::{GroupSpace, LogFigures, MessageLog};
use crate::memory::Shares;
use crate::outbox::Mutation;
use crate::program::{MessageProgram, Superstep, TOTALS};
use crate::records::RecordLog;
use outcrop_engine::State;
use outcrop_types::{BitSet, MessageFigures, Result, VertexRange};

/// Running program.
pub(crate) struct MessageRun<'r, 'g, P: MessageProgram> {
    pub engine: &'r MessageEngine<'g>,
    pub program: &'r P,
    pub shares: Shares,
    pub log: MessageLog<P::Message>,
    pub records: Option<RecordLog<P::Record>>,
    pub edge_words: Option<EdgeWords>,
    pub graph: Option<ChangedGraph<'g>>,
    /// Vertices active in this superstep; message receivers are added when their messages are loaded.
    pub active: BitSet,
    /// Vertices active in the next superstep even without a message.
    pub next: BitSet,
    /// Vertices active in the previous superstep.
    pub before: BitSet,
    /// Vertices to compute with their lists.
    pub wanted: BitSet,
}

impl<P: MessageProgram> MessageRun<'_, '_, P> {
    /// Serializes the state at the start of a superstep, without values. Lists in the edge log are read again after a
    /// resume.
    pub(crate) fn visit(&mut self, step: &mut Superstep, state: &mut State<'_>) -> Result<()> {
        state.number(&mut step.number)?;
        state.number(&mut step.vertices)?;
        state.number(&mut step.totals)?;
        state.members(&mut self.active)?;
        state.members(&mut self.before)?;
        self.log.visit(state, self.program)?;
        self.records.iter().try_for_each(|records| records.visit(state))?;
        self.edge_words.iter().try_for_each(|words| words.visit(state))?;
        self.program.visit(state)
    }
}

/// Vertices of a group, with their messages, if any.
pub(crate) struct Grouped<M> {
    pub range: VertexRange,
    pub space: GroupSpace<M>,
    pub messages: bool,
}

/// Progress of a run, and its working memory.
pub(crate) struct Progress<'g, P: MessageProgram> {
    pub spaces: Vec<GroupSpace<P::Message>>,
    pub edge_log: Option<EdgeLog<'g>>,
    pub known: KnownDegrees,
    pub batch: Batch,
    pub step: Superstep,
    pub figures: MessageFigures,
    /// Number of vertices that received messages in this superstep, and number of loaded list entries.
    pub received: u64,
    pub entries: u64,
    totals: [f64; TOTALS],
    pub mutations: Vec<Mutation>,
}

impl<'g, P: MessageProgram> Progress<'g, P> {
    /// Creates the progress before the first superstep.
    pub(crate) fn new(vertices: u32, spaces: Vec<GroupSpace<P::Message>>, edge_log: Option<EdgeLog<'g>>) -> Self {
        Self {
            spaces,
            edge_log,
            known: KnownDegrees::default(),
            batch: Batch::default(),
            step: Superstep { number: 0, vertices, totals: [0.0; TOTALS] },
            figures: MessageFigures::default(),
            received: 0,
            entries: 0,
            totals: [0.0; TOTALS],
            mutations: Vec::new(),
        }
    }

    /// Returns the figures of the run so far, with the given log figures.
    pub(crate) fn figures(&self, log: LogFigures) -> MessageFigures {
        let edge_log = self.edge_log.as_ref().map_or_else(EdgeLogFigures::default, |log| log.figures);
        MessageFigures {
            sent: log.sent,
            delivered: log.delivered,
            log_bytes_written: log.bytes_written,
            log_bytes_read: log.bytes_read,
            logged_lists: edge_log.logged,
            lists_from_log: edge_log.served,
            edge_log_bytes_written: edge_log.bytes_written,
            edge_log_bytes_read: edge_log.bytes_read,
            ..self.figures
        }
    }

    /// Counts groups, with the number of intervals of each.
    pub(crate) fn note_groups(&mut self, intervals: impl Iterator<Item = usize>) {
        for intervals in intervals {
            self.figures.groups += 1;
            self.figures.fused += intervals as u64 - 1;
        }
    }

    pub(crate) fn take_mutations(&mut self) -> Vec<Mutation> {
        std::mem::take(&mut self.mutations)
    }

    /// Discards logged lists, because the graph changed.
    pub(crate) fn forget_logged(&mut self) {
        self.edge_log.iter_mut().for_each(EdgeLog::forget);
    }

    /// Starts the next superstep; returns the one that ended.
    pub(crate) fn end_superstep(&mut self) -> Result<Superstep> {
        self.edge_log.as_mut().map_or(Ok(()), EdgeLog::turn)?;
        (self.received, self.entries) = (0, 0);
        let ended = Superstep { totals: std::mem::take(&mut self.totals), ..self.step };
        self.step = Superstep { number: ended.number.saturating_add(1), ..ended };
        Ok(ended)
    }

    pub(crate) fn add(&mut self, totals: [f64; TOTALS]) {
        self.totals.iter_mut().zip(totals).for_each(|(total, more)| *total += more);
    }
}
