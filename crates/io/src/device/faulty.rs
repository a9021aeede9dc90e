//! Device wrapper that injects faults.

use super::contract::{Backend, Device, ReadRequest, ReadSource, Reader};
use outcrop_types::{Error, Result};
use rustix::io::Errno;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Fault of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The device reports an I/O error.
    Error,
    /// The file ends inside the request.
    Short,
    /// The bit with this number is flipped, counted from the lowest bit of the first byte, modulo the request's number
    /// of bits.
    FlipBit(u64),
}

/// Fault and the number of the affected request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlannedFault {
    /// Number of the read request, counted from 0 over all readers of the device.
    pub request: u64,
    /// Fault of the request.
    pub fault: Fault,
}

/// Device that injects planned faults.
pub struct FaultyDevice {
    inner: Arc<dyn Device>,
    plan: Arc<Plan>,
}

struct Plan {
    faults: Vec<PlannedFault>,
    requests: AtomicU64,
}

impl FaultyDevice {
    /// Wraps `inner` with the faults of `plan`.
    pub fn new(inner: Arc<dyn Device>, plan: impl IntoIterator<Item = PlannedFault>) -> Self {
        let plan = Plan { faults: plan.into_iter().collect(), requests: AtomicU64::new(0) };
        Self { inner, plan: Arc::new(plan) }
    }

    /// Returns the number of requests so far.
    pub fn requests(&self) -> u64 {
        self.plan.requests.load(Relaxed)
    }
}

impl Device for FaultyDevice {
    fn path(&self) -> &Path {
        self.inner.path()
    }

    fn len(&self) -> u64 {
        self.inner.len()
    }

    fn alignment(&self) -> u64 {
        self.inner.alignment()
    }

    fn backend(&self) -> Backend {
        self.inner.backend()
    }

    fn reader(&self, buffer_bytes: usize) -> Result<Box<dyn Reader>> {
        let inner = self.inner.reader(buffer_bytes)?;
        Ok(Box::new(FaultyReader { inner, device: Arc::clone(&self.inner), plan: Arc::clone(&self.plan) }))
    }
}

struct FaultyReader {
    inner: Box<dyn Reader>,
    device: Arc<dyn Device>,
    plan: Arc<Plan>,
}

impl Reader for FaultyReader {
    fn read_many(&mut self, depth: usize, source: &mut dyn ReadSource) -> Result<Duration> {
        let path = self.device.path();
        self.inner.read_many(depth, &mut FaultySource { source, path, plan: &self.plan, in_flight: Vec::new() })
    }
}

struct FaultySource<'a> {
    source: &'a mut dyn ReadSource,
    path: &'a Path,
    plan: &'a Plan,
    /// Token of the caller and the fault; the index is the token passed to the wrapped device.
    in_flight: Vec<Option<(u64, Option<Fault>)>>,
}

impl ReadSource for FaultySource<'_> {
    fn next(&mut self) -> Result<Option<ReadRequest>> {
        let Some(mut request) = self.source.next()? else { return Ok(None) };
        let number = self.plan.requests.fetch_add(1, Relaxed);
        let fault = self.plan.faults.iter().find(|planned| planned.request == number).map(|planned| planned.fault);
        let position = self.in_flight.iter().position(Option::is_none).unwrap_or(self.in_flight.len());
        if position == self.in_flight.len() {
            self.in_flight.push(None);
        }
        self.in_flight[position] = Some((request.token, fault));
        request.token = position as u64;
        Ok(Some(request))
    }

    fn ready(&mut self, token: u64, bytes: &[u8]) -> Result<()> {
        let Some((token, fault)) = self.in_flight.get_mut(token as usize).and_then(Option::take) else {
            return Err(Error::io("read", self.path, Errno::IO.into()));
        };
        match fault {
            None => self.source.ready(token, bytes),
            Some(Fault::Error) => Err(Error::io("read", self.path, Errno::IO.into())),
            Some(Fault::Short) => Err(Error::corrupt(self.path, "it ends within a request (injected fault)")),
            Some(Fault::FlipBit(bit)) => self.source.ready(token, &flipped(bytes, bit)),
        }
    }
}

fn flipped(bytes: &[u8], bit: u64) -> Vec<u8> {
    let mut damaged = bytes.to_vec();
    if !damaged.is_empty() {
        let bit = bit as usize % (damaged.len() * 8);
        damaged[bit / 8] ^= 1 << (bit % 8);
    }
    damaged
}
