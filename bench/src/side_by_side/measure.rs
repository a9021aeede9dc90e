//! Measures one run of a program.

use super::isolation::{MemoryGroup, drop_page_cache};
use super::peers::Peer;
use outcrop::{Cancellation, Error, Result, Stopwatch};
use outcrop_io::wait_for;
use serde::Serialize;
use std::ffi::OsString;
use std::io::Read;
use std::process::{Command, ExitStatus, Stdio};

/// Cost of a run.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Cost {
    /// Relevant seconds: as printed by the program, or else of the whole process.
    pub(super) seconds: f64,
    /// Seconds of the whole process.
    pub(super) wall_seconds: f64,
    /// Seconds of processor time, in the program and in the kernel.
    pub(super) cpu_seconds: f64,
    /// Bytes read from disk; `None` if not reported.
    pub(super) bytes_read: Option<f64>,
    /// Peak resident memory, in bytes; at least that of this program.
    pub(super) peak_rss: f64,
    /// Peak memory of the control group, in bytes; `None` without one.
    pub(super) peak_group: Option<f64>,
}

/// Runs a program, in a separate control group if it has a memory limit.
///
/// # Errors
/// Returns an error if the program cannot be started, fails, or does not print the expected figures, if the user lacks
/// the permission to isolate it, or on interruption.
pub(super) fn measure(peer: &Peer, warm: bool, cancellation: &Cancellation) -> Result<Cost> {
    let group = peer.limit()?.map(MemoryGroup::create).transpose()?;
    let prefix: Vec<OsString> = group.iter().flat_map(MemoryGroup::prefix).collect();
    let words: Vec<OsString> = prefix.into_iter().chain(peer.command.iter().map(OsString::from)).collect();
    if !warm {
        drop_page_cache()?;
        // Read here, the program file counts neither for the group nor for the bytes read; a program in the search
        // path is not read.
        _ = peer.command.first().map(std::fs::read);
    }
    let failed = |error| Error::io("run", &peer.name, error);
    let (mut output, input) = std::io::pipe().map_err(failed)?;
    let watch = Stopwatch::start();
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).stdin(Stdio::null()).stdout(input.try_clone().map_err(failed)?).stderr(input);
    let child = command.spawn().map_err(failed)?;
    // The command holds the other end of the pipe.
    drop(command);
    let mut bytes = Vec::new();
    output.read_to_end(&mut bytes).map_err(failed)?;
    let (status, usage) = wait_for(child).map_err(failed)?;
    let wall_seconds = watch.seconds();
    cancellation.check()?;
    let printed = String::from_utf8_lossy(&bytes);
    require_success(peer, status, &printed)?;
    let told = |figure: &Option<_>| figure.as_ref().map(|figure| find(peer, figure, &printed)).transpose();
    Ok(Cost {
        seconds: told(&peer.seconds)?.unwrap_or(wall_seconds),
        wall_seconds,
        cpu_seconds: usage.user_seconds + usage.system_seconds,
        bytes_read: told(&peer.bytes_read)?.or(usage.read_bytes.map(|bytes| bytes as f64)),
        peak_rss: usage.peak_rss_bytes as f64,
        peak_group: group.and_then(|group| group.peak()).map(|bytes| bytes as f64),
    })
}

fn find(peer: &Peer, figure: &super::peers::Figure, printed: &str) -> Result<f64> {
    figure.find(printed).ok_or_else(|| {
        let message = format!("{} did not print what {figure:?} looks for; it printed:\n{}", peer.name, tail(printed));
        Error::Usage(message)
    })
}

fn require_success(peer: &Peer, status: ExitStatus, printed: &str) -> Result<()> {
    if status.success() {
        return Ok(());
    }
    let hint = if peer.memory_limit.is_some() { "; does memory_limit hold what it needs?" } else { "" };
    Err(Error::Usage(format!("{} ended with {status}{hint}\n{}", peer.command.join(" "), tail(printed))))
}

/// Returns the last lines.
fn tail(printed: &str) -> String {
    let lines: Vec<_> = printed.lines().collect();
    lines[lines.len().saturating_sub(20)..].join("\n")
}
