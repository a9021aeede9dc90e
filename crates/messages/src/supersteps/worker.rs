//! Output of one worker's vertices, on its way to the logs.

use crate::log::LogWriter;
use crate::outbox::{Mutation, Outbox};
use crate::program::{MessageProgram, TOTALS};
use crate::records::RecordWriter;
use outcrop_types::{Error, Result, VertexId};

/// Output of one worker in a superstep: messages, records, totals and graph changes.
pub(crate) struct WorkerOutbox<'w, P: MessageProgram> {
    program: &'w P,
    messages: LogWriter<'w, P::Message>,
    records: Option<RecordWriter<'w, P::Record>>,
    totals: [f64; TOTALS],
    mutations: Vec<Mutation>,
    /// `true` if the program may change the graph.
    changes: bool,
    failed: Option<Error>,
}

impl<'w, P: MessageProgram> WorkerOutbox<'w, P> {
    /// Creates an outbox without output.
    pub(crate) const fn new(
        program: &'w P,
        messages: LogWriter<'w, P::Message>,
        records: Option<RecordWriter<'w, P::Record>>,
        changes: bool,
    ) -> Self {
        Self { program, messages, records, totals: [0.0; TOTALS], mutations: Vec::new(), changes, failed: None }
    }

    /// Returns the contributions since the last call.
    pub(crate) const fn take_totals(&mut self) -> [f64; TOTALS] {
        std::mem::replace(&mut self.totals, [0.0; TOTALS])
    }

    /// Returns true after a failure, so that the worker can stop.
    pub(crate) const fn has_failed(&self) -> bool {
        self.failed.is_some()
    }

    /// Returns the requested mutations.
    ///
    /// # Errors
    /// Returns the first failure.
    pub(crate) fn finish(self) -> Result<Vec<Mutation>> {
        self.failed.map_or(Ok(self.mutations), Err)
    }

    fn fail(&mut self, message: &str) {
        self.failed.get_or_insert_with(|| Error::Usage(message.to_owned()));
    }
}

impl<P: MessageProgram> Outbox<P::Message, P::Record> for WorkerOutbox<'_, P> {
    #[inline]
    fn send(&mut self, to: &[VertexId], message: P::Message) {
        self.messages.send(to, message, self.program);
    }

    fn contribute(&mut self, number: usize, amount: f64) {
        if let Some(total) = self.totals.get_mut(number) {
            *total += amount;
        }
    }

    fn record(&mut self, key: u32, record: P::Record) {
        match &mut self.records {
            Some(records) => records.record(key, record),
            None => self.fail("the engine was not created for records"),
        }
    }

    fn change(&mut self, mutation: Mutation) {
        match self.changes {
            true => self.mutations.push(mutation),
            false => self.fail("the engine was not created for programs that change the graph"),
        }
    }
}
