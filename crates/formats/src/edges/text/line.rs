//! Parser of blocks of lines: a fast path for plain numbers, and a slow path for everything else, which also reports
//! errors.

use super::blocks::Block;
use super::digits::{number, short_decimal, whole_number};
use super::fields::{Field, Fields, LineError, Split, line_at, shown};
use super::file::TextFile;
use super::syntax::Syntax;
use super::tally::{Oddity, Tally};
use crate::edges::weight::weight_as;
use memchr::memchr;
use outcrop_store::writing::{EdgeBatch, IdBatch, IdKind};
use outcrop_types::{LONGEST_ID, ReadWeight, Result, TimeRule, length_from};

/// Length of the shortest line with an edge: `1 2` and its end; with a weight, `1 2 3`.
const SHORTEST_EDGE: usize = 4;
const SHORTEST_WEIGHTED: usize = 6;

/// Replaces the content of `batch` with the edges of a block.
pub(crate) fn parse_block(block: &Block, file: &TextFile, batch: &mut EdgeBatch) -> Result<Tally> {
    prepare(batch, &file.syntax, block.text().len());
    let mut tally = Tally::default();
    if let Some(offset) = block.overlong_at {
        tally.lines = 1;
        file.bad_line(block.first_line, overlong(offset), &mut tally)?;
        return Ok(tally);
    }
    let EdgeBatch { endpoints, weights, times } = batch;
    match endpoints {
        IdBatch::Integers(ids) => parse_integers(block, file, ids, weights, times, &mut tally)?,
        IdBatch::Texts { bytes, ends } => parse_texts(block, file, bytes, ends, weights, times, &mut tally)?,
    }
    Ok(tally)
}

pub(crate) fn overlong(offset: u64) -> LineError {
    let longest = crate::edges::LONGEST_LINE;
    LineError::at(0, format!("found a line longer than {longest} bytes (starting at byte {offset} of the text)"))
}

fn prepare(batch: &mut EdgeBatch, syntax: &Syntax, bytes: usize) {
    batch.clear();
    let more = syntax.weight.is_some() || syntax.time.is_some();
    let shortest = if more { SHORTEST_WEIGHTED } else { SHORTEST_EDGE };
    let most = (bytes / shortest + 1) << u32::from(syntax.mirror);
    match (&mut batch.endpoints, syntax.ids) {
        (IdBatch::Integers(ids), IdKind::Integer) => ids.reserve_exact(2 * most),
        (IdBatch::Texts { bytes: names, ends }, IdKind::Text) => {
            names.reserve_exact(bytes.min(2 * LONGEST_ID));
            ends.reserve_exact(2 * most);
        }
        (_, kind) => batch.endpoints = IdBatch::empty(kind),
    }
    if syntax.weight.is_some() {
        batch.weights.reserve_exact(most);
    }
    if syntax.time.is_some() {
        batch.times.reserve_exact(most);
    }
}

/// Iterator over the lines of a block, each with its end.
pub(crate) struct Lines<'b> {
    text: &'b [u8],
    at: usize,
    pub(crate) number: u64,
}

impl<'b> Lines<'b> {
    pub(crate) fn of(block: &'b Block) -> Self {
        Self { text: block.text(), at: 0, number: block.first_line }
    }

    /// Returns the next line without its end.
    pub(crate) fn next_line(&mut self) -> &'b [u8] {
        let (line, next) = line_at(self.text, self.at);
        self.pass(next);
        line
    }

    pub(crate) const fn at_end(&self) -> bool {
        self.at >= self.text.len()
    }

    /// Returns the start of the next line.
    pub(crate) const fn position(&self) -> usize {
        self.at
    }

    const fn pass(&mut self, next: usize) {
        self.at = next;
        self.number += 1;
    }
}

fn parse_integers(
    block: &Block,
    file: &TextFile,
    ids: &mut Vec<u64>,
    weights: &mut Vec<f64>,
    times: &mut Vec<i64>,
    tally: &mut Tally,
) -> Result<()> {
    let mut lines = Lines::of(block);
    let short_way = FastPath::of(&file.syntax, lines.text);
    let mirror = file.syntax.mirror;
    let mut push = |ends: [u64; 2], weight: Option<f64>, time: Option<i64>| {
        ids.extend_from_slice(&ends);
        weights.extend(weight);
        times.extend(time);
        if mirror && ends[0] != ends[1] {
            ids.extend_from_slice(&[ends[1], ends[0]]);
            weights.extend(weight);
            times.extend(time);
        }
    };
    while !lines.at_end() {
        let number = lines.number;
        if let Some(edge) = short_way.as_ref().and_then(|way| way.edge(lines.text, lines.at))
            && let Ok(weight) = edge.weight.map(|exact| Weight::of(exact, &file.syntax)).transpose()
        {
            push(edge.ends, weight.map(|weight| weight.counted(file, number, tally)), edge.time);
            tally.edges += 1;
            lines.pass(edge.next);
            continue;
        }
        let line = lines.next_line();
        match integer_edge(line, &file.syntax) {
            Ok(Some((ends, Row { source, target, weight, time, fits }))) => {
                if let Some(padded) = [source, target].iter().find(|id| is_padded(id)) {
                    file.odd_line(Oddity::Padded, number, &padded.text, tally);
                }
                if !fits {
                    file.odd_line(Oddity::Width, number, line, tally);
                }
                push(ends, weight.map(|weight| weight.counted(file, number, tally)), time);
                tally.edges += 1;
            }
            Ok(None) => file.quiet_line(number, line, is_edge_behind_a_sign(line, &file.syntax), tally),
            Err(wrong) => file.bad_line(number, wrong, tally)?,
        }
    }
    tally.lines = lines.number - block.first_line;
    Ok(())
}

fn parse_texts(
    block: &Block,
    file: &TextFile,
    bytes: &mut Vec<u8>,
    ends: &mut Vec<usize>,
    weights: &mut Vec<f64>,
    times: &mut Vec<i64>,
    tally: &mut Tally,
) -> Result<()> {
    let mut lines = Lines::of(block);
    while !lines.at_end() {
        let number = lines.number;
        let line = lines.next_line();
        match text_edge(line, &file.syntax) {
            Ok(Some(row)) => {
                file.odd_names(number, &[&row.source.text, &row.target.text], tally);
                if !row.fits {
                    file.odd_line(Oddity::Width, number, line, tally);
                }
                if begins_like_a_comment(line) {
                    file.odd_line(Oddity::CommentSign, number, line, tally);
                }
                if file.syntax.quotes_header(line) {
                    file.odd_line(Oddity::QuotedHeader, number, line, tally);
                }
                let mirrored = file.syntax.mirror && row.source.text != row.target.text;
                let names = [&row.source, &row.target, &row.target, &row.source];
                for name in &names[..if mirrored { 4 } else { 2 }] {
                    bytes.extend_from_slice(&name.text);
                    ends.push(bytes.len());
                }
                if let Some(weight) = row.weight.map(|weight| weight.counted(file, number, tally)) {
                    weights.extend(std::iter::repeat_n(weight, if mirrored { 2 } else { 1 }));
                }
                if let Some(time) = row.time {
                    times.extend(std::iter::repeat_n(time, if mirrored { 2 } else { 1 }));
                }
                tally.edges += 1;
            }
            Ok(None) => file.quiet_line(number, line, true, tally),
            Err(wrong) => file.bad_line(number, wrong, tally)?,
        }
    }
    tally.lines = lines.number - block.first_line;
    Ok(())
}

/// Fast path for lines of `u v` or `u v w`, optionally followed by an integer time, in this order: parses without
/// splitting into fields.
struct FastPath {
    tag: Option<u8>,
    separators: [u8; 2],
    runs: bool,
    weighted: bool,
    time: Option<TimeRule>,
    smallest: u64,
    largest: u64,
    /// Number of fields after those that are read, without and with trailing empty ones, if known.
    further: Option<(usize, usize)>,
}

struct ShortEdge {
    ends: [u64; 2],
    weight: Option<f64>,
    time: Option<i64>,
    next: usize,
}

impl FastPath {
    fn of(syntax: &Syntax, text: &[u8]) -> Option<Self> {
        let first = usize::from(syntax.tag.is_some());
        let in_order = !syntax.decimal_comma
            && syntax.source == first
            && syntax.target == first + 1
            && syntax.weight.is_none_or(|place| place == first + 2)
            && syntax.time.is_none_or(|(place, _)| place == first + 2 + usize::from(syntax.weight.is_some()));
        let (separators, runs) = match syntax.split {
            Split::Blanks => ([b' ', b'\t'], true),
            Split::At(byte) => ([byte, byte], false),
        };
        let Syntax { tag, smallest, largest, .. } = *syntax;
        let (weighted, time) = (syntax.weight.is_some(), syntax.time.map(|(_, rule)| rule));
        let read = syntax.last() + 1;
        let further = syntax.width.map(|(least, most)| (least.saturating_sub(read), most.saturating_sub(read)));
        let way = Self { tag, separators, runs, weighted, time, smallest, largest, further };
        (in_order && memchr(0, text).is_none()).then_some(way)
    }

    /// Returns the edge on the line at `at`, if the fast path applies.
    #[inline]
    fn edge(&self, text: &[u8], mut at: usize) -> Option<ShortEdge> {
        if let Some(tag) = self.tag {
            if *text.get(at)? != tag {
                return None;
            }
            at = self.pass_separator(text, at + 1)?;
        }
        let (source, end) = plain_number(text, at)?;
        let (target, end) = plain_number(text, self.pass_separator(text, end)?)?;
        if source.max(target) > self.largest || source.min(target) < self.smallest {
            return None;
        }
        let (weight, end) = if self.weighted {
            let (weight, end) = short_decimal(text, self.pass_separator(text, end)?)?;
            (Some(weight), end)
        } else {
            (None, end)
        };
        let (time, end) = match self.time {
            None => (None, end),
            Some(rule) => {
                let (count, end) = number(text, self.pass_separator(text, end)?)?;
                (Some(rule.of_number(i64::try_from(count).ok()?)?), end)
            }
        };
        Some(ShortEdge { ends: [source, target], weight, time, next: self.line_end(text, end)? })
    }

    #[inline]
    fn is_separator(&self, byte: u8) -> bool {
        byte == self.separators[0] || byte == self.separators[1]
    }

    #[inline]
    fn pass_separator(&self, text: &[u8], mut at: usize) -> Option<usize> {
        if !self.is_separator(*text.get(at)?) {
            return None;
        }
        at += 1;
        while self.runs && text.get(at).is_some_and(|byte| self.is_separator(*byte)) {
            at += 1;
        }
        Some(at)
    }

    /// Returns the start of the next line, after unread columns; `None` if their number differs from that of other
    /// lines.
    #[inline]
    fn line_end(&self, text: &[u8], at: usize) -> Option<usize> {
        let complete = self.further.is_none_or(|(least, _)| least == 0);
        match text.get(at) {
            None => complete.then_some(at),
            Some(b'\n') => complete.then_some(at + 1),
            Some(b'\r') => (complete && text.get(at + 1) == Some(&b'\n')).then_some(at + 2),
            Some(byte) if self.is_separator(*byte) => {
                let (line, next) = line_at(text, at);
                (memchr(b'\r', line).is_none() && self.has_further(line)).then_some(next)
            }
            Some(_) => None,
        }
    }

    /// Returns true if the rest of a line, starting at a separator, has the same number of fields as other lines.
    #[inline]
    fn has_further(&self, rest: &[u8]) -> bool {
        let Some((least, most)) = self.further else { return true };
        let blank = |byte: &u8| self.is_separator(*byte);
        if self.runs {
            let words = rest.windows(2).filter(|pair| blank(&pair[0]) && !blank(&pair[1])).count();
            return (least..=most).contains(&words) && memchr(b'"', rest).is_none();
        }
        rest.iter().filter(|byte| blank(byte)).count() == most && memchr(b'"', rest).is_none()
    }
}

/// Returns an integer without leading zeros, and its end.
#[inline]
fn plain_number(text: &[u8], at: usize) -> Option<(u64, usize)> {
    let (value, end) = number(text, at)?;
    (text[at] != b'0' || end - at == 1).then_some((value, end))
}

struct Row<'l> {
    source: Field<'l>,
    target: Field<'l>,
    weight: Option<Weight>,
    time: Option<i64>,
    /// True if the line has the same number of fields as others.
    fits: bool,
}

/// Weight as written on the line, and as stored.
#[derive(Clone, Copy)]
struct Weight {
    exact: ReadWeight,
    stored: f64,
}

impl Weight {
    #[inline]
    fn of(exact: impl Into<ReadWeight>, syntax: &Syntax) -> Result<Self, String> {
        let exact = exact.into();
        Ok(Self { exact, stored: weight_as(syntax.weight_type, exact.nearest)? })
    }

    /// Returns the stored weight, and counts it if it was rounded.
    fn counted(self, file: &TextFile, line: u64, tally: &mut Tally) -> f64 {
        tally.rounding.note(self.exact, self.stored, || file.place(line));
        self.stored
    }
}

/// Returns the requested fields of a line; `None` for a line without data.
fn row<'l>(line: &'l [u8], syntax: &Syntax) -> Result<Option<Row<'l>>, LineError> {
    check_bytes(line)?;
    if syntax.passes_over(line) {
        return Ok(None);
    }
    let (mut source, mut target, mut weight, mut time) = (None, None, None, None);
    let last = syntax.last();
    let mut found = 0;
    let mut fields = Fields::new(line, syntax.split);
    for (place, field) in fields.by_ref().take(last + 1).enumerate() {
        let field = field?;
        found = place + 1;
        if let Some((_, rule)) = syntax.time.filter(|(of_time, _)| *of_time == place) {
            time = Some(parse_time(&field, rule)?);
        }
        match (place, syntax.tag) {
            (0, Some(tag)) => check_tag(&field, tag)?,
            _ if place == syntax.source => source = Some(field),
            _ if place == syntax.target => target = Some(field),
            _ if syntax.weight == Some(place) => weight = Some(parse_weight(&field, syntax)?),
            _ => {}
        }
    }
    match (source, target) {
        (Some(source), Some(target))
            if weight.is_some() == syntax.weight.is_some() && time.is_some() == syntax.time.is_some() =>
        {
            let fits = syntax.width.is_none() || {
                let (filled, all) = lengths(fields.map_while(Result::ok));
                syntax.fits(if filled == 0 { found } else { found + filled }, found + all)
            };
            Ok(Some(Row { source, target, weight, time, fits }))
        }
        _ => Err(too_few(line, found, last + 1, syntax)),
    }
}

/// Returns the number of fields, without and with trailing empty ones.
pub(crate) fn lengths<'l>(fields: impl Iterator<Item = Field<'l>>) -> (usize, usize) {
    fields
        .enumerate()
        .fold((0, 0), |(filled, _), (place, field)| (if field.text.is_empty() { filled } else { place + 1 }, place + 1))
}

/// Returns true if a line starts like a comment of another language, which may also be an ID.
pub(crate) fn begins_like_a_comment(line: &[u8]) -> bool {
    [&b"//"[..], b"/*", b"-- ", b"; ", b"! "].iter().any(|sign| line.starts_with(sign))
}

/// Refuses bytes that are not text, and lines that end in a carriage return only.
pub(crate) fn check_bytes(line: &[u8]) -> Result<(), LineError> {
    if let Some(position) = memchr(0, line) {
        return Err(LineError::at(position, "found a NUL byte, expected text; is this a binary file?"));
    }
    match memchr(b'\r', line) {
        Some(position) => Err(LineError::at(position, "found a carriage return inside a line, expected a line feed")),
        None => Ok(()),
    }
}

/// Refuses lines that are not tagged as edges.
fn check_tag(field: &Field<'_>, tag: u8) -> Result<(), LineError> {
    if *field.text == [tag] {
        return Ok(());
    }
    let expected = char::from(tag);
    let message = format!("found {}, expected a line that starts with `{expected}`", shown(&field.text));
    Err(LineError::at(field.position, message))
}

fn too_few(line: &[u8], found: usize, expected: usize, syntax: &Syntax) -> LineError {
    let fields = if found == 1 { "field" } else { "fields" };
    let missing = |place: usize| found == place.max(1);
    let what = match (syntax.weight, &syntax.time) {
        (Some(place), _) if missing(place) => format!("a weight in field {}", place + 1),
        (_, Some((place, _))) if missing(*place) => format!("a time in field {}", place + 1),
        _ => format!("{expected} fields separated by {}", syntax.split.name()),
    };
    let sign =
        line.iter().find(|byte| byte.is_ascii_punctuation() && !b"_.\"'#%".contains(byte)).map(|sign| *sign as char);
    let advice = match sign.filter(|_| found == 1 && syntax.split == Split::Blanks) {
        _ if !syntax.guessed || found > 1 => String::new(),
        Some(sign @ ('-' | '+')) => format!("; if `{sign}` separates the IDs, replace it by a blank"),
        Some(sign) => format!("; if `{sign}` separates the IDs, use --separator '{sign}'"),
        None => "; if the line is not an edge, drop it or use --on-error skip".to_owned(),
    };
    LineError::at(line.trim_ascii_end().len(), format!("found {found} {fields}, expected {what}{advice}"))
}

fn parse_time(field: &Field<'_>, rule: TimeRule) -> Result<i64, LineError> {
    let text = std::str::from_utf8(&field.text).map_err(|_| "expected a time".to_owned());
    text.and_then(|text| rule.parse(text))
        .map_err(|expected| LineError::at(field.position, format!("found {}, {expected}", shown(&field.text))))
}

fn parse_weight(field: &Field<'_>, syntax: &Syntax) -> Result<Weight, LineError> {
    let text = std::str::from_utf8(&field.text).ok();
    let number = || match syntax.decimal_comma {
        false => text?.parse::<ReadWeight>().ok(),
        true => text.filter(|text| !text.contains('.'))?.replacen(',', ".", 1).parse().ok(),
    };
    match number().filter(|weight| weight.nearest.is_finite()) {
        Some(exact) => Weight::of(exact, syntax).map_err(|wrong| LineError::at(field.position, wrong)),
        None => {
            let with_comma = text.filter(|text| text.contains(','));
            let with_point = with_comma.and_then(|text| text.replacen(',', ".", 1).parse::<ReadWeight>().ok());
            let comma = match with_point {
                _ if syntax.decimal_comma => " with a decimal comma as in the first lines",
                Some(_) => "; write decimals with a point",
                None => "",
            };
            let message = format!("found {}, expected a finite number as weight{comma}", shown(&field.text));
            Err(LineError::at(field.position, message))
        }
    }
}

fn integer_edge<'l>(line: &'l [u8], syntax: &Syntax) -> Result<Option<([u64; 2], Row<'l>)>, LineError> {
    let Some(row) = row(line, syntax)? else { return Ok(None) };
    Ok(Some(([parse_id(&row.source, syntax)?, parse_id(&row.target, syntax)?], row)))
}

/// Returns true if an integer has leading zeros.
pub(crate) fn is_padded(id: &Field<'_>) -> bool {
    id.text.len() > 1 && id.text.starts_with(b"0")
}

/// Returns true if a line would be an edge without the comment character in front.
fn is_edge_behind_a_sign(line: &[u8], syntax: &Syntax) -> bool {
    line.get(1..).is_some_and(|rest| matches!(integer_edge(rest, syntax), Ok(Some(_))))
}

fn text_edge<'l>(line: &'l [u8], syntax: &Syntax) -> Result<Option<Row<'l>>, LineError> {
    let row = row(line, syntax)?;
    if let Some(row) = &row {
        check_name(&row.source)?;
        check_name(&row.target)?;
    }
    Ok(row)
}

pub(crate) fn parse_id(field: &Field<'_>, syntax: &Syntax) -> Result<u64, LineError> {
    let Syntax { smallest, largest, .. } = *syntax;
    whole_number(&field.text).filter(|id| (smallest..=largest).contains(id)).ok_or_else(|| {
        let mut message = format!("found {}, expected an integer from {smallest} to {largest}", shown(&field.text));
        if syntax.guessed {
            message += advice_on_id(&field.text);
        }
        LineError::at(field.position, message)
    })
}

/// Returns advice for a field that is not an integer.
fn advice_on_id(id: &[u8]) -> &'static str {
    let text = std::str::from_utf8(id).unwrap_or("");
    let footer = ["(", "total", "sum", "rows", "end"];
    match () {
        () if whole_number(id).is_some() => "",
        () if begins_like_a_comment(&[id, b" "].concat()) || b"#%".iter().any(|sign| id.starts_with(&[*sign])) => {
            "; if the line is a comment, use --comments with its first character, or drop the line"
        }
        () if text.parse::<f64>().is_ok_and(f64::is_finite) => "; write IDs without sign, point or exponent",
        () if text.is_empty() || matches!(Oddity::of_name(id), Some(Oddity::Null)) => {
            "; if the value is missing, drop the line or use --on-error skip"
        }
        () if footer.iter().any(|word| text.to_ascii_lowercase().starts_with(word)) => {
            "; if the line is a footer, drop it or use --on-error skip"
        }
        () if matches!(Oddity::of_name(id), Some(Oddity::Invisible)) => "; drop its invisible characters",
        () => "; if IDs are names, use --ids string",
    }
}

pub(crate) fn check_name(field: &Field<'_>) -> Result<(), LineError> {
    if field.text.is_empty() {
        return Err(LineError::at(field.position, "found nothing, expected an ID"));
    }
    if field.text.len() > LONGEST_ID {
        let length = length_from(field.text.len());
        return Err(LineError::at(
            field.position,
            format!("found an ID of {length} bytes, expected at most {LONGEST_ID}"),
        ));
    }
    match std::str::from_utf8(&field.text) {
        Ok(_) => Ok(()),
        Err(error) => {
            let position = field.position + error.valid_up_to();
            let byte = field.text[error.valid_up_to()];
            Err(LineError::at(position, format!("found the byte 0x{byte:02x}, expected text in UTF-8")))
        }
    }
}

/// Returns the field of a line that is its ID; `None` for a line without data.
pub(crate) fn first_field<'l>(line: &'l [u8], syntax: &Syntax) -> Result<Option<Field<'l>>, LineError> {
    check_bytes(line)?;
    if syntax.passes_over(line) {
        return Ok(None);
    }
    let mut found = 0;
    for field in Fields::new(line, syntax.split) {
        let field = field?;
        if found == syntax.source {
            return Ok(Some(field));
        }
        found += 1;
    }
    Err(too_few(line, found, syntax.source + 1, syntax))
}
