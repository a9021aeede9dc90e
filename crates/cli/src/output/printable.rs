//! Texts that a terminal shows and does not obey.

use std::borrow::Cow;
use std::io::{self, Write};

/// True of characters that change what a terminal does, or the order in which it shows others; lines and tabs are none.
fn is_hostile(sign: char) -> bool {
    let is_layout = matches!(sign, '\n' | '\t');
    let reorders = matches!(sign, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    sign.is_control() && !is_layout || reorders
}

/// `text` with escapes as in Rust (`\u{1b}`) in place of control characters.
pub(super) fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hostile) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for sign in text.chars() {
        if is_hostile(sign) { shown.extend(sign.escape_default()) } else { shown.push(sign) }
    }
    Cow::Owned(shown)
}

/// JSON text with its own escapes in place of control characters, which it allows beyond U+001F.
pub(super) fn printable_json(text: &str) -> String {
    let escaped = |sign: char| if is_hostile(sign) { format!("\\u{:04x}", u32::from(sign)) } else { sign.to_string() };
    text.chars().map(escaped).collect()
}

/// A stream of UTF-8 to a terminal, with escapes in place of control characters; other bytes are replaced.
pub(super) struct Printable<W> {
    terminal: W,
    /// The begin of a character that is not complete yet.
    begun: Vec<u8>,
}

impl<W: Write> Printable<W> {
    pub(super) const fn over(terminal: W) -> Self {
        Self { terminal, begun: Vec::new() }
    }
}

impl<W: Write> Write for Printable<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.begun.extend_from_slice(bytes);
        let complete = match std::str::from_utf8(&self.begun) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => self.begun.len(),
        };
        let text = String::from_utf8_lossy(&self.begun[..complete]);
        self.terminal.write_all(printable(&text).as_bytes())?;
        self.begun.drain(..complete);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.terminal.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "a\u{1b}[31mb\r\u{7}\u{7f}\u{9b}2J\u{202e}c\tü\u{1f600}\n";
    const SHOWN: &str = "a\\u{1b}[31mb\\r\\u{7}\\u{7f}\\u{9b}2J\\u{202e}c\tü\u{1f600}\n";

    #[test]
    fn control_characters_are_escaped_and_nothing_else() {
        assert_eq!(printable(HOSTILE), SHOWN);
        assert!(matches!(printable("a\tü\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn json_stays_json() {
        let text = serde_json::to_string(HOSTILE).unwrap();
        let shown = printable_json(&text);
        assert!(!shown.contains(is_hostile));
        assert_eq!(serde_json::from_str::<String>(&shown).unwrap(), HOSTILE);
    }

    #[test]
    fn a_stream_is_escaped_wherever_it_is_cut() {
        for size in 1..7 {
            let mut stream = Printable::over(Vec::new());
            HOSTILE.as_bytes().chunks(size).for_each(|piece| stream.write_all(piece).unwrap());
            assert_eq!(String::from_utf8(stream.terminal).unwrap(), SHOWN);
        }
        let mut stream = Printable::over(Vec::new());
        stream.write_all(b"a\x9b\xffb").unwrap();
        assert_eq!(String::from_utf8(stream.terminal).unwrap(), "a\u{fffd}\u{fffd}b");
    }
}
