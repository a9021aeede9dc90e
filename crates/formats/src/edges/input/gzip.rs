//! Consecutive members of a gzip file, up to its end or to zero padding.

use flate2::bufread::GzDecoder;
use std::io::{self, BufRead, Read};

/// First byte of a member.
const MAGIC: u8 = 0x1f;

/// Text of all members.
pub(super) struct GzipMembers<R>(Option<GzDecoder<R>>);

impl<R: BufRead> GzipMembers<R> {
    pub(super) fn new(raw: R) -> Self {
        Self(Some(GzDecoder::new(raw)))
    }
}

impl<R: BufRead> Read for GzipMembers<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.0 {
            let count = member.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            self.0 = self.0.take().map(GzDecoder::into_inner).map(next_member).transpose()?.flatten();
        }
        Ok(0)
    }
}

/// Returns the member after any zeros; `None` at the end.
fn next_member<R: BufRead>(mut raw: R) -> io::Result<Option<GzDecoder<R>>> {
    loop {
        let bytes = raw.fill_buf()?;
        if bytes.is_empty() {
            return Ok(None);
        }
        let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
        let all = zeros == bytes.len();
        if bytes.get(zeros).is_some_and(|first| *first != MAGIC) {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "other bytes follow its end"));
        }
        raw.consume(zeros);
        if !all {
            return Ok(Some(GzDecoder::new(raw)));
        }
    }
}
