//! Reading by one worker: takes morsels, packs resident lists, and keeps requests for the others in flight.

use outcrop_io::{ReadRequest, ReadSource};
use outcrop_types::{Cancellation, Error, Result, index_from, length_from};
use std::collections::VecDeque;
use std::ops::Range;

/// Reads of one worker.
pub(crate) trait WorkerReads: ReadSource {
    /// Finishes after the last read.
    ///
    /// # Errors
    ///
    /// Returns the errors of the visitor.
    fn finish(self) -> Result<()>;
}

/// Planning and decoding of one worker's requests, implemented by each layout.
pub(crate) trait ReadPlan {
    /// Contents of one request.
    type Request;

    /// Takes a morsel, packs its resident lists and plans requests for the others; returns false if there are no
    /// morsels left.
    ///
    /// # Errors
    ///
    /// Returns an error if resident lists are damaged or the visitor fails.
    fn plan(&mut self, planned: &mut VecDeque<Self::Request>) -> Result<bool>;

    /// Returns the byte range of a request in the file.
    fn bytes(&self, request: &Self::Request) -> Range<u64>;

    /// Decodes a completed request.
    ///
    /// # Errors
    ///
    /// Returns an error if the data is damaged or the visitor fails.
    fn unpack(&mut self, request: Self::Request, bytes: &[u8]) -> Result<()>;

    /// Finishes the work.
    ///
    /// # Errors
    ///
    /// Returns the errors of the visitor.
    fn finish(self) -> Result<()>;
}

/// Requests of one worker, planned and in flight.
pub(crate) struct ReadTask<'a, P: ReadPlan> {
    plan: P,
    cancellation: &'a Cancellation,
    planned: VecDeque<P::Request>,
    in_flight: Vec<Option<P::Request>>,
    vacant: Vec<usize>,
}

impl<'a, P: ReadPlan> ReadTask<'a, P> {
    /// Creates a task for the requests of `plan`.
    pub(crate) const fn new(plan: P, cancellation: &'a Cancellation) -> Self {
        Self { plan, cancellation, planned: VecDeque::new(), in_flight: Vec::new(), vacant: Vec::new() }
    }

    fn launch(&mut self, request: P::Request) -> ReadRequest {
        let Range { start, end } = self.plan.bytes(&request);
        let slot = self.vacant.pop().unwrap_or(self.in_flight.len());
        match self.in_flight.get_mut(slot) {
            Some(vacant) => *vacant = Some(request),
            None => self.in_flight.push(Some(request)),
        }
        ReadRequest { offset: start, length: index_from(end - start), token: length_from(slot) }
    }
}

impl<P: ReadPlan> ReadSource for ReadTask<'_, P> {
    fn next(&mut self) -> Result<Option<ReadRequest>> {
        while self.planned.is_empty() {
            self.cancellation.check()?;
            if !self.plan.plan(&mut self.planned)? {
                return Ok(None);
            }
        }
        Ok(self.planned.pop_front().map(|request| self.launch(request)))
    }

    fn ready(&mut self, token: u64, bytes: &[u8]) -> Result<()> {
        let slot = index_from(token);
        let request = self.in_flight.get_mut(slot).and_then(Option::take);
        let request = request.ok_or_else(|| Error::internal(format!("unknown request number {token}")))?;
        self.vacant.push(slot);
        self.plan.unpack(request, bytes)
    }
}

impl<P: ReadPlan> WorkerReads for ReadTask<'_, P> {
    fn finish(self) -> Result<()> {
        self.plan.finish()
    }
}
