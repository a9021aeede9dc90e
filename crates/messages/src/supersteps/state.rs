//! State of a run: what a program works with, and how far it has come.

use crate::engine::MessageEngine;
use crate::lists::{Batch, ChangedGraph, EdgeLog, EdgeLogFigures, KnownDegrees};
use crate::log::{GroupSpace, LogFigures, MessageLog};
use crate::memory::Shares;
use crate::outbox::Mutation;
use crate::program::{MessageProgram, Superstep, TOTALS};
use crate::records::RecordLog;
use outcrop_engine::State;
use outcrop_types::{BitSet, MessageFigures, Result, VertexRange};

/// A program under way.
pub(crate) struct MessageRun<'r, 'g, P: MessageProgram> {
    pub engine: &'r MessageEngine<'g>,
    pub program: &'r P,
    pub shares: Shares,
    pub log: MessageLog<P::Message>,
    pub records: Option<RecordLog<P::Record>>,
    pub graph: Option<ChangedGraph<'g>>,
    /// Vertices that are active now; of those that were sent messages only once these are loaded.
    pub active: BitSet,
    /// Vertices that are active in the next superstep without a message.
    pub next: BitSet,
    /// Vertices that were active in the superstep before.
    pub before: BitSet,
    /// Vertices that are to be computed with their lists.
    pub wanted: BitSet,
}

impl<P: MessageProgram> MessageRun<'_, '_, P> {
    /// Shows what a superstep begins with, besides values. Lists that were logged are read again.
    pub(crate) fn visit(&mut self, step: &mut Superstep, state: &mut State<'_>) -> Result<()> {
        state.number(&mut step.number)?;
        state.number(&mut step.vertices)?;
        state.number(&mut step.totals)?;
        state.members(&mut self.active)?;
        state.members(&mut self.before)?;
        self.log.visit(state, self.program)?;
        self.records.iter().try_for_each(|records| records.visit(state))?;
        self.program.visit(state)
    }
}

/// Some vertices of a group, with their messages if there are any.
pub(crate) struct Grouped<M> {
    pub range: VertexRange,
    pub space: GroupSpace<M>,
    pub messages: bool,
}

/// Progress of a run, and what it works with.
pub(crate) struct Progress<'g, P: MessageProgram> {
    pub spaces: Vec<GroupSpace<P::Message>>,
    pub edge_log: Option<EdgeLog<'g>>,
    pub known: KnownDegrees,
    pub batch: Batch,
    pub step: Superstep,
    pub figures: MessageFigures,
    /// Vertices that received their messages in this superstep, and list entries that were loaded.
    pub received: u64,
    pub entries: u64,
    totals: [f64; TOTALS],
    pub mutations: Vec<Mutation>,
}

impl<'g, P: MessageProgram> Progress<'g, P> {
    /// Before the first superstep.
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

    /// Figures of the run so far, whose log has these.
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

    /// Groups of so many intervals each were chosen.
    pub(crate) fn note_groups(&mut self, intervals: impl Iterator<Item = usize>) {
        for intervals in intervals {
            self.figures.groups += 1;
            self.figures.fused += intervals as u64 - 1;
        }
    }

    pub(crate) fn take_mutations(&mut self) -> Vec<Mutation> {
        std::mem::take(&mut self.mutations)
    }

    /// The graph has changed: lists that were logged are not what they were.
    pub(crate) fn forget_logged(&mut self) {
        self.edge_log.iter_mut().for_each(EdgeLog::forget);
    }

    /// The next superstep begins; the one that has ended.
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
