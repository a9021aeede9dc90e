//! Opening of files and streams, with detection of their format by their first bytes.

use super::file::InputFile;
use super::gzip::GzipMembers;
use super::stream::{Content, Progress, READ_AHEAD, Tap, TextStream, open_file};
use super::zstd_frames::{self, Frame};
use crate::edges::foreign::{Foreign, packed};
use crate::edges::format::EdgeFormat;
use crate::edges::options::EdgeInput;
use crate::edges::text::Preface;
use crate::remote::{Address, Client, Object};
use outcrop_types::{Error, Location, Result};
use std::fs::File;
use std::io::{self, BufReader, Cursor, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Window that every zstd decoder must allow, in bytes: frames after the first one of a stream may use it.
const USUAL_WINDOW: u64 = 8 << 20;

/// Largest supported decompression window, in bytes.
const LARGEST_WINDOW: u64 = 1 << 31;

/// Bytes of a file that are examined to detect its format.
const HEAD: u64 = 512;

const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD_SKIPPABLE: &[u8] = &[0x2a, 0x4d, 0x18];

/// Returns the compression that the first bytes of a file show.
fn content_of(head: &[u8]) -> Content {
    let skippable = head.get(1..).is_some_and(|rest| rest.starts_with(ZSTD_SKIPPABLE)) && head[0] >> 4 == 5;
    match head {
        _ if head.starts_with(GZIP) => Content::Gzip,
        _ if head.starts_with(zstd_frames::MAGIC) || skippable => Content::Zstd,
        _ => Content::Plain,
    }
}

pub(super) enum Place {
    File(PathBuf),
    Object(Object),
    Stream(Box<dyn Read + Send>),
    /// Decompressed stream, from its start.
    Text(TextStream),
    /// Stream whose format is being detected.
    Opened,
}

/// Pending input whose format was detected.
pub(crate) struct Origin {
    pub(crate) name: String,
    pub(crate) content: Content,
    /// Format that its name and first bytes show, if any.
    pub(crate) recognized: Option<EdgeFormat>,
    /// Format used to read it.
    pub(crate) format: EdgeFormat,
    /// Statements at its start, if the format has them.
    pub(crate) preface: Option<Preface>,
    /// True if each line of a text without such statements is read in both directions.
    pub(crate) mirrored: bool,
    /// Length on disk; `None` if it is not a regular file.
    pub(crate) bytes: Option<u64>,
    /// Memory needed for decompression, in bytes.
    pub(crate) window: u64,
    /// Unsupported format that its first bytes show.
    pub(crate) foreign: Option<Foreign>,
    pub(super) place: Place,
}

impl Origin {
    /// Examines the first bytes of an input.
    pub(crate) fn inspect(input: &EdgeInput, client: &Client) -> Result<Self> {
        match input {
            EdgeInput::Path(path) => match Address::of(path)? {
                Some(address) => Self::of_object(&address, client),
                None => Self::of_file(path.secret()),
            },
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

    fn of_object(address: &Address, client: &Client) -> Result<Self> {
        let (object, head) = client.open(address)?;
        let bytes = object.bytes;
        Self::new(address.name.clone(), &head, Place::Object(object), Some(bytes))
    }

    /// Examines the first bytes of a stream.
    pub(crate) fn of_reader(name: &str, mut reader: Box<dyn Read + Send>) -> Result<Self> {
        let head = read_head(&mut reader, Path::new(name))?;
        let whole = Cursor::new(head.clone()).chain(reader);
        Self::new(name.to_owned(), &head, Place::Stream(Box::new(whole)), None)
    }

    fn new(name: String, head: &[u8], place: Place, bytes: Option<u64>) -> Result<Self> {
        let content = content_of(head);
        check_extension(&name, content, head)?;
        let recognized = EdgeFormat::recognize(&name, head);
        let window = decompression_window(content, &name, head, &place)?;
        let format = recognized.unwrap_or(EdgeFormat::EdgeList);
        let foreign = packed(head);
        let (preface, mirrored) = (None, false);
        Ok(Self { name, content, recognized, format, preface, mirrored, bytes, window, foreign, place })
    }

    /// Returns the same input at `place`.
    fn at(&self, place: Place) -> Self {
        let Self { content, recognized, format, mirrored, bytes, window, foreign, .. } = *self;
        let (name, preface) = (self.name.clone(), self.preface.clone());
        Self { name, content, recognized, format, preface, mirrored, bytes, window, foreign, place }
    }

    /// Reopens the same file; returns `None` for an input that can be read only once.
    pub(crate) fn again(&self) -> Option<Self> {
        match &self.place {
            Place::File(path) => Some(self.at(Place::File(path.clone()))),
            Place::Object(object) => Some(self.at(Place::Object(object.clone()))),
            Place::Stream(_) | Place::Text(_) | Place::Opened => None,
        }
    }

    /// Opens the text of an input that can be read only once; [`Origin::put_back`] restores it.
    pub(super) fn take_text(&mut self, progress: &Arc<Progress>) -> Result<TextStream> {
        let place = std::mem::replace(&mut self.place, Place::Opened);
        self.at(place).open_text(progress)
    }

    /// Restores a text whose start `head` was read.
    pub(super) fn put_back(&mut self, mut stream: TextStream, head: Vec<u8>) {
        stream.reader = Box::new(Cursor::new(head).chain(stream.reader));
        (self.place, self.bytes) = (Place::Text(stream), None);
    }

    /// Sets the format and reads the statements before the edges. `progress` belongs to the whole input.
    pub(crate) fn read_preface(mut self, format: EdgeFormat, progress: &Arc<Progress>) -> Result<Self> {
        self.format = format;
        if !format.has_preface() {
            return Ok(self);
        }
        let mut head = Vec::new();
        if let Some(again) = self.again() {
            self.preface = Preface::read(format, &mut again.open_text(&Arc::default())?, &mut head)?;
            return Ok(self);
        }
        let mut stream = self.take_text(progress)?;
        self.preface = Preface::read(format, &mut stream, &mut head)?;
        self.put_back(stream, head);
        Ok(self)
    }

    /// Returns the length and the modification time, which identify the version of a file; `None` for an input that can
    /// be read only once.
    pub(crate) fn version(&self) -> Result<Option<String>> {
        Ok(match &self.place {
            Place::File(path) => Some(outcrop_store::file_version(path)?),
            Place::Object(object) => Some(format!("{} bytes, {}", object.bytes, object.version)),
            Place::Stream(_) | Place::Text(_) | Place::Opened => None,
        })
    }

    /// Returns a note on an object without a version, whose changes cannot be detected.
    pub(crate) fn doubt(&self) -> Option<String> {
        let Place::Object(object) = &self.place else { return None };
        (!object.is_versioned).then(|| {
            let name = &self.name;
            format!(
                "{name} has no ETag and no modification time, so changes while it is read are detected by length only"
            )
        })
    }

    /// Returns the path of a file.
    pub(crate) fn path(&self) -> Option<&Path> {
        if let Place::File(path) = &self.place { Some(path) } else { None }
    }

    /// Returns true if it is an object of an object store.
    pub(crate) const fn is_object(&self) -> bool {
        matches!(self.place, Place::Object(_))
    }

    /// Reopens the file on disk; returns `None` for other inputs.
    pub(crate) fn file(&self) -> Result<Option<File>> {
        self.path().map(open_file).transpose()
    }

    /// Reopens the file or object for random access; returns `None` for an input that can be read only once.
    pub(crate) fn input_file(&self) -> Result<Option<InputFile>> {
        if let Place::Object(object) = &self.place {
            return Ok(Some(InputFile::Object(object.parts(&[]))));
        }
        Ok(self.file()?.map(|file| InputFile::Disk(file.into())))
    }

    /// Returns the memory of read-ahead and decompression for sequential reading, in bytes.
    pub(crate) fn stream_bytes(&self) -> u64 {
        let ahead = if let Place::Object(object) = &self.place { object.stream_bytes() } else { 0 };
        self.window + ahead
    }

    /// Returns the raw bytes from the start.
    pub(crate) fn open(self, progress: &Arc<Progress>) -> Result<Tap> {
        let raw: Box<dyn Read + Send> = match self.place {
            Place::File(path) => Box::new(open_file(&path)?),
            Place::Object(object) => Box::new(object.stream()),
            Place::Stream(reader) => reader,
            Place::Text(_) | Place::Opened => {
                return Err(Error::internal("an open stream cannot be reopened as raw bytes"));
            }
        };
        Ok(Tap { inner: BufReader::with_capacity(READ_AHEAD, raw), progress: Arc::clone(progress) })
    }

    /// Returns the decompressed text from the start, without a byte order mark.
    pub(crate) fn open_text(self, progress: &Arc<Progress>) -> Result<TextStream> {
        if let Place::Text(stream) = self.place {
            return Ok(stream);
        }
        let (name, content, window) = (self.name.clone(), self.content, self.window);
        let tap = self.open(progress)?;
        let reader: Box<dyn Read + Send> = match content {
            Content::Gzip => Box::new(GzipMembers::new(tap)),
            Content::Zstd => Box::new(zstd_decoder(tap, window).map_err(|e| Error::io("decompress", &name, e))?),
            Content::Plain => Box::new(tap),
        };
        TextStream { reader, content, name, progress: Arc::clone(progress) }.without_mark()
    }
}

/// Reads the first bytes of a file: enough to detect its format and to size a zstd window.
fn read_head(reader: &mut dyn Read, path: &Path) -> Result<Vec<u8>> {
    let mut head = Vec::new();
    reader.take(HEAD).read_to_end(&mut head).map_err(|source| Error::io("read", path, source))?;
    Ok(head)
}

/// Refuses a file that was truncated within its magic number: it would look like a text, but its name shows a
/// compression.
fn check_extension(name: &str, content: Content, head: &[u8]) -> Result<()> {
    let (expected, magic) = match PathBuf::from(name).extension().and_then(|e| e.to_str()) {
        Some("gz") => ("gzip data", GZIP),
        Some("zst") => ("zstd data", zstd_frames::MAGIC),
        _ => return Ok(()),
    };
    if content != Content::Plain || head.len() >= magic.len() {
        return Ok(());
    }
    let found = if head.is_empty() { "an empty file" } else { "other bytes" };
    Err(Error::bad_input(Location::file(name), format!("found {found}, expected {expected}; is the file truncated?")))
}

/// Returns the maximum memory needed for decompression, in bytes: the largest window of all frames of a file, or of the
/// first frame of a stream.
fn decompression_window(content: Content, name: &str, head: &[u8], place: &Place) -> Result<u64> {
    let window = match (content, place) {
        (Content::Plain | Content::Gzip, _) => return Ok(0),
        (Content::Zstd, Place::File(path)) => {
            let mut file = open_file(path)?;
            zstd_frames::largest_window(&mut file).map_err(|source| Error::io("read", path, source))?
        }
        (Content::Zstd, _) => Frame::of(head).map_or(0, |frame| frame.window),
    };
    if window > LARGEST_WINDOW {
        let message = format!("found a zstd frame with a window of {window} bytes, expected at most {LARGEST_WINDOW}");
        return Err(Error::bad_input(Location::file(name), message));
    }
    Ok(window.max(1 << 20))
}

fn zstd_decoder(tap: Tap, window: u64) -> io::Result<zstd::stream::read::Decoder<'static, Tap>> {
    let mut decoder = zstd::stream::read::Decoder::with_buffer(tap)?;
    let largest = window.max(USUAL_WINDOW).next_power_of_two().ilog2();
    decoder.window_log_max(largest.min(31))?;
    Ok(decoder)
}
