//! Opens inputs: tells what they hold by their first bytes, takes compression off, counts what is consumed.

use super::{EdgeFormat, EdgeInput};
use flate2::bufread::MultiGzDecoder;
use outcrop_types::{Error, Location, Result, length_from};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Bytes that are read ahead of the decompression.
pub(crate) const READ_AHEAD: usize = 128 << 10;

/// The window that every zstd decoder must allow, in bytes: frames that ask for more are paid for from the budget.
const USUAL_WINDOW: u64 = 8 << 20;

const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
const ZSTD_SKIPPABLE: &[u8] = &[0x2a, 0x4d, 0x18];
pub(crate) const BINARY: &[u8] = b"OUTCROPE";

/// The compression of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    Plain,
    Gzip,
    Zstd,
}

impl Content {
    fn of(head: &[u8]) -> Self {
        let skippable = head.get(1..).is_some_and(|rest| rest.starts_with(ZSTD_SKIPPABLE)) && head[0] >> 4 == 5;
        match head {
            _ if head.starts_with(GZIP) => Self::Gzip,
            _ if head.starts_with(ZSTD) || skippable => Self::Zstd,
            _ => Self::Plain,
        }
    }

    /// Its name; `None` where there is no compression.
    pub(crate) const fn name(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Gzip => Some("gzip"),
            Self::Zstd => Some("zstd"),
        }
    }
}

enum Place {
    File(PathBuf),
    Stream(Box<dyn Read + Send>),
}

/// An input that was looked at and waits to be read.
pub(crate) struct Origin {
    pub(crate) name: String,
    pub(crate) content: Content,
    /// The format that its name and first bytes show, where they show one.
    pub(crate) recognised: Option<EdgeFormat>,
    /// Length on disk; `None` for what is no regular file.
    pub(crate) bytes: Option<u64>,
    /// Memory that decompression takes, in bytes.
    pub(crate) window: u64,
    place: Place,
}

impl Origin {
    /// Looks at the first bytes of an input.
    pub(crate) fn inspect(input: &EdgeInput) -> Result<Self> {
        match input {
            EdgeInput::Path(path) => Self::of_file(path),
            EdgeInput::StandardInput => Self::of_reader("standard input", Box::new(io::stdin())),
        }
    }

    fn of_file(path: &Path) -> Result<Self> {
        let mut file = open_file(path)?;
        let metadata = file.metadata().map_err(|source| Error::io("inspect", path, source))?;
        let name = path.display().to_string();
        if metadata.is_dir() {
            return Err(Error::io("read", path, ErrorKind::IsADirectory.into()));
        }
        if !metadata.is_file() {
            return Self::of_reader(&name, Box::new(file));
        }
        let head = read_head(&mut file, path)?;
        Self::new(name, &head, Place::File(path.to_owned()), Some(metadata.len()))
    }

    /// Looks at the first bytes of a stream.
    pub(crate) fn of_reader(name: &str, mut reader: Box<dyn Read + Send>) -> Result<Self> {
        let head = read_head(&mut reader, Path::new(name))?;
        let whole = Cursor::new(head.clone()).chain(reader);
        Self::new(name.to_owned(), &head, Place::Stream(Box::new(whole)), None)
    }

    fn new(name: String, head: &[u8], place: Place, bytes: Option<u64>) -> Result<Self> {
        let content = Content::of(head);
        check_extension(&name, content, head)?;
        let recognised = EdgeFormat::recognise(&name, head);
        let window = if content == Content::Zstd { zstd_window(head) } else { 0 };
        Ok(Self { name, content, recognised, bytes, window, place })
    }

    /// The same file once more; `None` for what can be read only once.
    pub(crate) fn again(&self) -> Option<Self> {
        let Self { content, recognised, bytes, window, .. } = *self;
        let Place::File(path) = &self.place else { return None };
        let place = Place::File(path.clone());
        Some(Self { name: self.name.clone(), content, recognised, bytes, window, place })
    }

    /// The file, opened once more; `None` for what can be read only once.
    pub(crate) fn file(&self) -> Result<Option<File>> {
        match &self.place {
            Place::File(path) => open_file(path).map(Some),
            Place::Stream(_) => Ok(None),
        }
    }

    /// The raw bytes from the start.
    pub(crate) fn open(self, progress: &Arc<Progress>) -> Result<Tap> {
        let raw: Box<dyn Read + Send> = match self.place {
            Place::File(path) => Box::new(open_file(&path)?),
            Place::Stream(reader) => reader,
        };
        Ok(Tap { inner: BufReader::with_capacity(READ_AHEAD, raw), progress: Arc::clone(progress) })
    }

    /// The text from the start, decompressed.
    pub(crate) fn open_text(self, progress: &Arc<Progress>) -> Result<TextStream> {
        let (name, content, window) = (self.name.clone(), self.content, self.window);
        let tap = self.open(progress)?;
        let reader: Box<dyn Read + Send> = match content {
            Content::Gzip => Box::new(MultiGzDecoder::new(tap)),
            Content::Zstd => Box::new(zstd_decoder(tap, window).map_err(|e| Error::io("decompress", &name, e))?),
            Content::Plain => Box::new(tap),
        };
        Ok(TextStream { reader, content, name, progress: Arc::clone(progress) })
    }
}

fn open_file(path: &Path) -> Result<File> {
    File::open(path).map_err(|source| match source.kind() {
        ErrorKind::NotFound => Error::NotFound { path: path.to_owned(), hint: "" },
        _ => Error::io("open", path, source),
    })
}

/// As many bytes as recognise a format and size a zstd window.
fn read_head(reader: &mut dyn Read, path: &Path) -> Result<Vec<u8>> {
    let mut head = Vec::new();
    reader.take(18).read_to_end(&mut head).map_err(|source| Error::io("read", path, source))?;
    Ok(head)
}

/// A file cut inside its magic number would look like a text: its name tells otherwise.
fn check_extension(name: &str, content: Content, head: &[u8]) -> Result<()> {
    let (expected, magic) = match PathBuf::from(name).extension().and_then(|e| e.to_str()) {
        Some("gz") => ("gzip data", GZIP),
        Some("zst") => ("zstd data", ZSTD),
        _ => return Ok(()),
    };
    if content != Content::Plain || head.len() >= magic.len() {
        return Ok(());
    }
    let found = if head.is_empty() { "an empty file" } else { "other bytes" };
    Err(Error::bad_input(Location::file(name), format!("found {found}, expected {expected}; is the file cut off?")))
}

/// The window that the first frame asks for (RFC 8878, 3.1.1.1).
fn zstd_window(head: &[u8]) -> u64 {
    let single_segment = head.get(4).is_none_or(|descriptor| descriptor & 0x20 != 0);
    match head.get(5) {
        Some(window) if !single_segment && head.starts_with(ZSTD) => {
            let base = 1u64 << (10 + (window >> 3));
            base + base / 8 * u64::from(window & 7)
        }
        _ => 1 << 20,
    }
}

fn zstd_decoder(tap: Tap, window: u64) -> io::Result<zstd::stream::read::Decoder<'static, Tap>> {
    let mut decoder = zstd::stream::read::Decoder::with_buffer(tap)?;
    let largest = window.max(USUAL_WINDOW).next_power_of_two().ilog2();
    decoder.window_log_max(largest.min(31))?;
    Ok(decoder)
}

/// How far the reading of all inputs has come; shared with whoever shows it.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    done: AtomicU64,
    failed: AtomicBool,
}

impl Progress {
    pub(crate) fn done(&self) -> u64 {
        self.done.load(Relaxed)
    }

    pub(crate) fn add(&self, bytes: usize) {
        self.done.fetch_add(length_from(bytes), Relaxed);
    }

    fn note<T>(&self, outcome: io::Result<T>) -> io::Result<T> {
        if outcome.as_ref().is_err_and(|error| error.kind() != ErrorKind::Interrupted) {
            self.failed.store(true, Relaxed);
        }
        outcome
    }
}

/// Raw bytes whose consumption is counted, and whose failures are told apart from those of decompression.
pub(crate) struct Tap {
    inner: BufReader<Box<dyn Read + Send>>,
    progress: Arc<Progress>,
}

impl Read for Tap {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.progress.note(self.inner.read(buffer))?;
        self.progress.add(count);
        Ok(count)
    }
}

impl BufRead for Tap {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.progress.note(self.inner.fill_buf())
    }

    fn consume(&mut self, amount: usize) {
        self.progress.add(amount);
        self.inner.consume(amount);
    }
}

/// A text without its compression.
pub(crate) struct TextStream {
    reader: Box<dyn Read + Send>,
    content: Content,
    pub(crate) name: String,
    progress: Arc<Progress>,
}

impl TextStream {
    /// Fills the start of `buffer`; 0 at the end of the text.
    pub(crate) fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        loop {
            match self.reader.read(buffer) {
                Ok(count) => return Ok(count),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(self.failure(error)),
            }
        }
    }

    fn failure(&self, error: io::Error) -> Error {
        if self.progress.failed.load(Relaxed) {
            return Error::io("read", &self.name, error);
        }
        let method = self.content.name().unwrap_or("text");
        let message = match error.kind() {
            ErrorKind::UnexpectedEof => format!("the {method} data ends in the middle; the file was cut off"),
            _ => format!("the {method} data is damaged: {error}"),
        };
        Error::bad_input(Location::file(&self.name), message)
    }
}
