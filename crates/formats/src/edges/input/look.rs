//! Looks at the start of a text for its format.

use super::origin::{Origin, Place};
use super::stream::{Content, Progress, TextStream};
use crate::edges::foreign::{Recognized, packed, recognize};
use crate::edges::format::EdgeFormat;
use crate::edges::options::EdgeListOptions;
use outcrop_types::{Error, Location, Result, length_from};
use std::io::{Cursor, Read};
use std::sync::Arc;

/// Bytes of a text that tell its format.
pub(crate) const TEXT_HEAD: usize = 64 << 10;

impl Origin {
    /// True if the start of its text says more about its format than its name and first bytes do.
    pub(crate) fn is_in_question(&self, options: &EdgeListOptions) -> bool {
        // A compressed object would be requested twice.
        let twice = self.is_object() && self.content != Content::Plain;
        options.format.is_none() && !twice && self.recognised.is_none_or(EdgeFormat::is_text)
    }

    /// Refuses a file of a format that is not read, by its first bytes.
    pub(crate) fn refuse_foreign(&self, options: &EdgeListOptions) -> Result<()> {
        // Serialized graphs begin with any bytes.
        let any = matches!(options.format.or(self.recognised), Some(EdgeFormat::Sg | EdgeFormat::Wsg));
        match self.foreign.filter(|_| !any) {
            Some(foreign) => Err(foreign.refusal(&self.name)),
            None => Ok(()),
        }
    }

    /// Finds out the format by the start of the text; refuses one that is not read. `progress` is that of the whole input.
    pub(crate) fn look_inside(self, options: &EdgeListOptions, progress: &Arc<Progress>) -> Result<Self> {
        let mut head = vec![0; TEXT_HEAD];
        let (mut origin, whole) = if let Some(object) = self.input_file()?.filter(|_| self.is_object()) {
            let count = object.read_at(&mut head, 0).map_err(|error| Error::io("read", &self.name, error))?;
            head.truncate(count);
            let whole = self.bytes == Some(length_from(count));
            (self, whole)
        } else if let Some(again) = self.again() {
            let whole = fill(&mut head, again, &Arc::default())?.1;
            (self, whole)
        } else {
            let Self { content, recognised, format, mirrored, window, foreign, .. } = self;
            let name = self.name.clone();
            let (mut stream, whole) = fill(&mut head, self, progress)?;
            stream.reader = Box::new(Cursor::new(head.clone()).chain(stream.reader));
            let place = Place::Text(stream);
            let (preface, bytes) = (None, None);
            (Self { name, content, recognised, format, preface, mirrored, bytes, window, foreign, place }, whole)
        };
        if let Some(foreign) = packed(&head).filter(|_| origin.content != Content::Plain) {
            return Err(foreign.refusal(&origin.name));
        }
        match recognize(&origin.name, &head, whole, &options.comments) {
            None => {}
            Some(Recognized::Format(format)) => (origin.recognised, origin.format) = (Some(format), format),
            Some(Recognized::Foreign(foreign)) => return Err(foreign.text_refusal(Location::file(&origin.name))),
        }
        Ok(origin)
    }
}

/// Fills `head` from the start of a text, and cuts it to what there is; true if nothing follows.
fn fill(head: &mut Vec<u8>, origin: Origin, progress: &Arc<Progress>) -> Result<(TextStream, bool)> {
    let mut stream = origin.open_text(progress)?;
    let (mut filled, mut ended) = (0, false);
    while !ended && filled < head.len() {
        let count = stream.read(&mut head[filled..])?;
        ended = count == 0;
        filled += count;
    }
    head.truncate(filled);
    Ok((stream, ended))
}
