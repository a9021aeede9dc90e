//! Windows of the frames of zstd data (RFC 8878, 3.1.1): the memory needed for decompression.

use std::io::{self, ErrorKind, Read, Seek, SeekFrom};

/// First bytes of a frame.
pub(crate) const MAGIC: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// Maximum length of a frame header, including its magic number.
pub(crate) const LONGEST_HEADER: usize = 18;

/// Returns the largest window of any frame of a file, in bytes, from the headers of its frames and blocks. The scan
/// ends at the first bytes that are not a frame, which the decoder then refuses.
///
/// # Errors
///
/// Returns an error if reading fails.
pub(crate) fn largest_window(file: &mut (impl Read + Seek)) -> io::Result<u64> {
    let (mut at, mut largest) = (0u64, 0);
    loop {
        let mut head = [0; LONGEST_HEADER];
        let count = read_at(file, at, &mut head)?;
        let head = &head[..count];
        at = if let Some(skipped) = skippable(head) {
            at.saturating_add(skipped)
        } else if let Some(frame) = Frame::of(head) {
            largest = largest.max(frame.window);
            match behind_blocks(file, at + frame.header)? {
                Some(end) => end + frame.checksum,
                None => return Ok(largest),
            }
        } else {
            return Ok(largest);
        };
    }
}

/// Returns the end of the last block of a frame whose first block is at `at`; `None` if there is no block.
fn behind_blocks(file: &mut (impl Read + Seek), mut at: u64) -> io::Result<Option<u64>> {
    loop {
        let mut header = [0; 4];
        if read_at(file, at, &mut header[..3])? < 3 {
            return Ok(None);
        }
        let header = u32::from_le_bytes(header);
        let size = match header >> 1 & 3 {
            1 => 1,
            0 | 2 => u64::from(header >> 3),
            _ => return Ok(None),
        };
        at = at.saturating_add(3 + size);
        if header & 1 == 1 {
            return Ok(Some(at));
        }
    }
}

/// Fills `buffer` from `at`; returns the number of bytes, which is short only at the end of the file.
fn read_at(file: &mut (impl Read + Seek), at: u64, buffer: &mut [u8]) -> io::Result<usize> {
    file.seek(SeekFrom::Start(at))?;
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Returns the length of a skippable frame.
fn skippable(head: &[u8]) -> Option<u64> {
    let (magic, rest) = head.split_first_chunk::<4>()?;
    let magic = u32::from_le_bytes(*magic);
    let size = rest.first_chunk::<4>()?;
    (magic & 0xffff_fff0 == 0x184d_2a50).then(|| 8 + u64::from(u32::from_le_bytes(*size)))
}

/// Header of a frame.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    /// Length including the magic number.
    header: u64,
    /// Window, in bytes.
    pub(crate) window: u64,
    /// Bytes of the checksum after the last block.
    checksum: u64,
}

impl Frame {
    /// Parses the header at the start of `head`; returns `None` if it is absent or incomplete.
    pub(crate) fn of(head: &[u8]) -> Option<Self> {
        let rest = head.strip_prefix(MAGIC)?;
        let descriptor = *rest.first()?;
        let single_segment = descriptor & 0x20 != 0;
        let dictionary = [0, 1, 2, 4][usize::from(descriptor & 3)];
        let size_bytes = match descriptor >> 6 {
            0 => usize::from(single_segment),
            1 => 2,
            2 => 4,
            _ => 8,
        };
        let size_at = 1 + usize::from(!single_segment) + dictionary;
        let size = rest.get(size_at..size_at + size_bytes)?;
        let window = if single_segment {
            let content = size.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte));
            content + if size_bytes == 2 { 256 } else { 0 }
        } else {
            let window = *rest.get(1)?;
            let base = 1u64 << (10 + (window >> 3));
            base + base / 8 * u64::from(window & 7)
        };
        let header = (MAGIC.len() + size_at + size_bytes) as u64;
        Some(Self { header, window, checksum: if descriptor & 4 == 0 { 0 } else { 4 } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Cursor, Write};

    fn frame(bytes: usize, window_log: u32, sized: bool, checksum: bool) -> Vec<u8> {
        let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
        encoder.window_log(window_log).unwrap();
        encoder.include_checksum(checksum).unwrap();
        if sized {
            encoder.set_pledged_src_size(Some(bytes as u64)).unwrap();
        }
        encoder.write_all(&b"1 2\n".repeat(bytes / 4)).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn the_largest_window_of_all_frames_is_found() {
        let skippable = [&[0x53, 0x2a, 0x4d, 0x18, 5, 0, 0, 0][..], b"12345"].concat();
        let small = frame(4000, 17, false, false);
        for (big, expected) in [
            (frame(1 << 20, 27, false, true), 1 << 27),
            (frame(1 << 20, 22, false, false), 1 << 22),
            // In a single segment, the window is the content.
            (frame(3 << 20, 27, true, true), 3 << 20),
            (frame(300, 20, true, false), 300),
        ] {
            let expected = if expected < 1 << 17 { 1 << 17 } else { expected };
            for parts in [[&small, &skippable, &big], [&big, &small, &skippable], [&skippable, &big, &small]] {
                let all = parts.into_iter().flatten().copied().collect::<Vec<u8>>();
                assert_eq!(largest_window(&mut Cursor::new(&all)).unwrap(), expected);
                for length in 0..all.len().min(500) {
                    assert!(largest_window(&mut Cursor::new(&all[..length])).unwrap() <= expected);
                }
            }
        }
    }
}
