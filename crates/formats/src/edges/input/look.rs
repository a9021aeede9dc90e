//! Detection of the format of a text from its start.

use super::origin::Origin;
use super::stream::{Content, Progress, TextStream};
use crate::edges::foreign::{Recognized, packed, packed_twice, recognize};
use crate::edges::format::EdgeFormat;
use crate::edges::options::EdgeListOptions;
use outcrop_types::{Error, Location, Result, length_from};
use std::sync::Arc;

/// Bytes of a text that are examined to detect its format.
pub(crate) const TEXT_HEAD: usize = 64 << 10;

impl Origin {
    /// Returns true if the start of the text can determine the format better than the name and first bytes do.
    pub(crate) fn is_in_question(&self, options: &EdgeListOptions) -> bool {
        // Examining a compressed object would request it twice.
        let twice = self.is_object() && self.content != Content::Plain;
        options.format.is_none() && !twice && self.recognized.is_none_or(EdgeFormat::is_text)
    }

    /// Refuses a file of an unsupported format, detected by its first bytes.
    pub(crate) fn refuse_foreign(&self, options: &EdgeListOptions) -> Result<()> {
        // Serialized graphs can start with any bytes.
        let any = matches!(options.format.or(self.recognized), Some(EdgeFormat::Sg | EdgeFormat::Wsg));
        match self.foreign.filter(|_| !any) {
            Some(foreign) => Err(foreign.refusal(&self.name)),
            None => Ok(()),
        }
    }

    /// Detects the format from the start of the text; refuses an unsupported one. `progress` belongs to the whole
    /// input.
    pub(crate) fn look_inside(self, options: &EdgeListOptions, progress: &Arc<Progress>) -> Result<Self> {
        let mut head = vec![0; TEXT_HEAD];
        let mut origin = self;
        let whole = if let Some(object) = origin.input_file()?.filter(|_| origin.is_object()) {
            let count = object.read_at(&mut head, 0).map_err(|error| Error::io("read", &origin.name, error))?;
            head.truncate(count);
            origin.bytes == Some(length_from(count))
        } else if let Some(again) = origin.again() {
            fill(&mut head, &mut again.open_text(&Arc::default())?)?
        } else {
            let mut stream = origin.take_text(progress)?;
            let whole = fill(&mut head, &mut stream)?;
            origin.put_back(stream, head.clone());
            whole
        };
        if let Some(foreign) =
            packed(&head).or_else(|| packed_twice(&head)).filter(|_| origin.content != Content::Plain)
        {
            return Err(foreign.refusal(&origin.name));
        }
        match recognize(&head, whole, &options.comments) {
            None => {}
            Some(Recognized::Format(format)) => (origin.recognized, origin.format) = (Some(format), format),
            Some(Recognized::Foreign(foreign)) => return Err(foreign.refusal(&origin.name)),
            Some(Recognized::Doubtful(foreign)) => return Err(foreign.text_refusal(Location::file(&origin.name))),
        }
        Ok(origin)
    }
}

/// Fills `head` from the start of a text and truncates it to the bytes read; returns true if nothing follows.
fn fill(head: &mut Vec<u8>, stream: &mut TextStream) -> Result<bool> {
    let (mut filled, mut ended) = (0, false);
    while !ended && filled < head.len() {
        let count = stream.read(&mut head[filled..])?;
        ended = count == 0;
        filled += count;
    }
    head.truncate(filled);
    Ok(ended)
}
