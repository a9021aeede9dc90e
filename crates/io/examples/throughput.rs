//! Speed of one reader on a file: `throughput FILE [uring|pread|buffered|mmap]`. Drop the system's caches first.
#![allow(clippy::print_stdout, reason = "an example shows its figures")]

use outcrop_io::{IoChoice, ReadRequest, ReadSource, Reader, open_device};
use outcrop_types::{Error, Result, Stopwatch};
use std::path::Path;

/// Blocks at positions that a function gives.
struct Blocks<F> {
    position: F,
    block: usize,
    left: u64,
    sum: u64,
}

impl<F: FnMut() -> u64> ReadSource for Blocks<F> {
    fn next(&mut self) -> Result<Option<ReadRequest>> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let offset = (self.position)() * self.block as u64;
        Ok(Some(ReadRequest { offset, length: self.block, token: 0 }))
    }

    fn ready(&mut self, _token: u64, bytes: &[u8]) -> Result<()> {
        self.sum += u64::from(bytes[0]);
        Ok(())
    }
}

fn measure(
    reader: &mut dyn Reader,
    name: &str,
    block: usize,
    depth: usize,
    count: u64,
    position: impl FnMut() -> u64,
) -> Result<()> {
    let watch = Stopwatch::start();
    let waited = reader.read_many(depth, &mut Blocks { position, block, left: count, sum: 0 })?;
    let seconds = watch.seconds();
    let bytes = count as f64 * block as f64;
    println!(
        "{name}: {:.2} GB/s, {:.0} requests/s, {:.0}% of the time waiting",
        bytes / seconds / 1e9,
        count as f64 / seconds,
        100.0 * waited.as_secs_f64() / seconds
    );
    Ok(())
}

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or_else(|| Error::Usage("which file?".to_owned()))?;
    let choice: IoChoice = arguments.next().unwrap_or_else(|| "auto".to_owned()).parse()?;
    let device = open_device(Path::new(&path), choice, &mut |note| println!("{note}"))?;
    println!("{} by {}", path, device.backend());
    let mut reader = device.reader(4 << 20)?;
    let mut next = 0;
    let whole = device.len() / (256 << 10);
    measure(reader.as_mut(), "sequential 256 KiB, depth 16", 256 << 10, 16, whole, || {
        next += 1;
        next - 1
    })?;
    let units = device.len() / 4096;
    for depth in [1, 32, 128, 256] {
        let mut state = 88_172_645_463_325_252u64;
        let count = if depth == 1 { 10_000 } else { 100_000 };
        measure(reader.as_mut(), &format!("random 4 KiB, depth {depth}"), 4096, depth, count, || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % units
        })?;
    }
    Ok(())
}
