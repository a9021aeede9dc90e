//! Formats of answers, and their choice by the client.

use super::body::AnswerWriter;
use super::parameters::Parameters;
use super::refusal::Refusal;
use arrow_ipc::writer::StreamWriter;
use hyper::StatusCode;
use hyper::header::{ACCEPT, HeaderMap};
use outcrop::{Answer, Error, Result, TableFormat};
use std::io;

/// Format of an answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Format {
    Json,
    JsonLines,
    Csv,
    Tsv,
    Arrow,
}

/// Formats with their names and media types.
const FORMATS: [(Format, &str, &str); 5] = [
    (Format::Json, "json", "application/json"),
    (Format::JsonLines, "jsonl", "application/x-ndjson"),
    (Format::Csv, "csv", "text/csv"),
    (Format::Tsv, "tsv", "text/tab-separated-values"),
    (Format::Arrow, "arrow", "application/vnd.apache.arrow.stream"),
];

impl Format {
    /// Returns the format of the parameter `format`, or else the first supported one of the header `Accept`.
    pub(super) fn choose(parameters: &Parameters, headers: &HeaderMap) -> Result<Self, Refusal> {
        match parameters.text("format") {
            Some(name) => Self::named(name),
            None => Self::accepted(headers),
        }
    }

    fn named(name: &str) -> Result<Self, Refusal> {
        let found = FORMATS.iter().find(|(_, known, _)| *known == name);
        let refusal = || Refusal::bad(format!("`format` must be json, jsonl, csv, tsv or arrow, not {name:?}"));
        found.map(|(format, ..)| *format).ok_or_else(refusal)
    }

    fn accepted(headers: &HeaderMap) -> Result<Self, Refusal> {
        let accept = headers.get_all(ACCEPT).iter().map(|value| String::from_utf8_lossy(value.as_bytes()));
        let accept = accept.collect::<Vec<_>>().join(",").to_ascii_lowercase();
        let ranges = accept.split(',').map(str::trim).filter(|range| !range.is_empty());
        let (refused, accepted): (Vec<_>, Vec<_>) = ranges.map(MediaRange::parse).partition(|range| range.is_refused);
        if refused.is_empty() && accepted.is_empty() {
            return Ok(Self::Json);
        }
        let is_refused = |media| refused.iter().any(|range| range.contains(media));
        let in_range =
            |range: &MediaRange| FORMATS.iter().find(|(.., media)| range.contains(media) && !is_refused(media));
        let types = FORMATS.map(|(.., media)| media).join(", ");
        let refusal = || Refusal::new(StatusCode::NOT_ACCEPTABLE, format!("`Accept` has none of {types}"));
        accepted.iter().find_map(in_range).map(|(format, ..)| *format).ok_or_else(refusal)
    }

    pub(super) fn media_type(self) -> &'static str {
        let found = FORMATS.iter().find(|(format, ..)| *format == self);
        found.map_or("application/octet-stream", |(.., media)| media)
    }

    /// Writes `answer`.
    ///
    /// # Errors
    /// Returns the errors of [`Answer::for_each_batch`], or an error if the client does not read.
    pub(super) fn write(self, answer: Answer, writer: &AnswerWriter) -> Result<()> {
        let text = match self {
            Self::Arrow => None,
            Self::Json | Self::JsonLines => Some(TableFormat::JsonLines),
            Self::Csv => Some(TableFormat::Csv),
            Self::Tsv => Some(TableFormat::Tsv),
        };
        match text {
            Some(format) => answer.write_to(Box::new(writer.clone()), format)?,
            None => write_arrow(answer, writer)?,
        }
        writer.finish().map_err(failed)
    }
}

/// Media range of the header `Accept`.
struct MediaRange<'a> {
    range: &'a str,
    /// True if its quality is 0.
    is_refused: bool,
}

impl<'a> MediaRange<'a> {
    fn parse(text: &'a str) -> Self {
        let mut parts = text.split(';').map(str::trim);
        // Default: a range that contains no type.
        let range = parts.next().unwrap_or_default();
        let is_refused = parts.filter_map(|part| part.strip_prefix("q=")).any(|quality| quality.parse() == Ok(0.0));
        Self { range, is_refused }
    }

    fn contains(&self, media: &str) -> bool {
        let group = self.range.strip_suffix('*').filter(|group| group.ends_with('/'));
        self.range == "*/*" || self.range == media || group.is_some_and(|group| media.starts_with(group))
    }
}

fn write_arrow(answer: Answer, writer: &AnswerWriter) -> Result<()> {
    let arrow = |error| failed(io::Error::other(error));
    let mut stream = StreamWriter::try_new(writer.clone(), answer.schema()).map_err(arrow)?;
    answer.for_each_batch(|batch| stream.write(batch).map_err(arrow))?;
    stream.finish().map_err(arrow)
}

fn failed(error: io::Error) -> Error {
    Error::io("write", "a response", error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::header::HeaderValue;

    #[test]
    fn the_first_supported_media_type_is_taken() {
        let accept = |text| Format::accepted(&HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static(text))]));
        for (text, format) in [
            ("*/*", Format::Json),
            ("text/html, application/vnd.apache.arrow.stream;q=0.9, */*", Format::Arrow),
            ("Text/CSV", Format::Csv),
            ("application/x-ndjson", Format::JsonLines),
            ("", Format::Json),
            (" ,", Format::Json),
            ("text/*, */*;q=0.1", Format::Csv),
            ("text/csv;q=0, text/*", Format::Tsv),
            ("text/csv;q=0.0, application/json; q=0.5", Format::Json),
        ] {
            assert_eq!(accept(text).unwrap(), format, "{text}");
        }
        assert_eq!(Format::accepted(&HeaderMap::new()).unwrap(), Format::Json);
        for text in ["image/png", "text/csv;q=0", "*/*;q=0", "application/json; charset=utf-8; Q=0.000", "text"] {
            assert_eq!(accept(text).unwrap_err().status, StatusCode::NOT_ACCEPTABLE, "{text}");
        }
        assert!(Format::named("xls").unwrap_err().message.contains("not \"xls\""));
    }
}
