//! Share of one worker in the reading: takes morsels, packs what is resident, keeps requests for the rest in flight.

use outcrop_io::{ReadRequest, ReadSource};
use outcrop_types::{Cancellation, Error, Result, index_from, length_from};
use std::collections::VecDeque;
use std::ops::Range;

/// Reads of one worker.
pub trait WorkerReads: ReadSource {
    /// Ends them: the last has come.
    ///
    /// # Errors
    /// Those of the visitor.
    fn finish(self) -> Result<()>;
}

/// Planning and unpacking of one worker's requests: what a layout makes of morsels.
pub trait ReadPlan {
    /// Contents of one request.
    type Request;

    /// Takes a morsel, packs what is resident of it and plans requests for the rest; false where none is left.
    ///
    /// # Errors
    /// Resident lists that are damaged; those of the visitor.
    fn plan(&mut self, planned: &mut VecDeque<Self::Request>) -> Result<bool>;

    /// The bytes of the file that a request brings.
    fn bytes(&self, request: &Self::Request) -> Range<u64>;

    /// Unpacks a request that has come.
    ///
    /// # Errors
    /// It is damaged; those of the visitor.
    fn unpack(&mut self, request: Self::Request, bytes: &[u8]) -> Result<()>;

    /// Ends the work.
    ///
    /// # Errors
    /// Those of the visitor.
    fn finish(self) -> Result<()>;
}

/// Requests of one worker, planned and in flight.
pub struct ReadTask<'a, P: ReadPlan> {
    plan: P,
    cancellation: &'a Cancellation,
    planned: VecDeque<P::Request>,
    in_flight: Vec<Option<P::Request>>,
    vacant: Vec<usize>,
}

impl<'a, P: ReadPlan> ReadTask<'a, P> {
    /// The requests of `plan`.
    pub const fn new(plan: P, cancellation: &'a Cancellation) -> Self {
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
