//! Times of edges: numbers or instants.

use chrono::{DateTime, Datelike, Months, NaiveDate, NaiveDateTime, NaiveTime};
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// Microseconds per second, and per day.
const SECOND: i64 = 1_000_000;
const DAY: i64 = 86_400 * SECOND;

/// Kind of the times of edges, which are 64-bit integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TimeKind {
    /// Numbers in a unit known to the user.
    Number,
    /// Microseconds since the start of 1970 in UTC.
    Instant,
}

/// Unit of integers that count from the start of 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TimeUnit {
    /// Seconds.
    #[serde(rename = "s")]
    Seconds,
    /// Milliseconds.
    #[serde(rename = "ms")]
    Milliseconds,
    /// Microseconds.
    #[serde(rename = "us")]
    Microseconds,
    /// Nanoseconds, rounded down to microseconds.
    #[serde(rename = "ns")]
    Nanoseconds,
}

impl TimeUnit {
    /// Returns the instant at `count` of the unit; `None` if it does not fit in 64 bits.
    pub const fn instant(self, count: i64) -> Option<i64> {
        match self {
            Self::Seconds => count.checked_mul(SECOND),
            Self::Milliseconds => count.checked_mul(1000),
            Self::Microseconds => Some(count),
            Self::Nanoseconds => Some(count.div_euclid(1000)),
        }
    }
}

impl TimeUnit {
    /// Returns the instant at a decimal number of the unit, rounded down to microseconds.
    fn decimal(self, text: &str) -> Option<i64> {
        let (whole, fraction) = text.split_once('.')?;
        if !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let scale = 10_i128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
        let digits = format!("{whole}{fraction}").parse::<i128>().ok()?;
        let (times, parts) = match self {
            Self::Seconds => (1_000_000, 1),
            Self::Milliseconds => (1000, 1),
            Self::Microseconds => (1, 1),
            Self::Nanoseconds => (1, 1000),
        };
        i64::try_from(digits.checked_mul(times)?.div_euclid(scale.checked_mul(parts)?)).ok()
    }
}

impl FromStr for TimeUnit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let units =
            [("s", Self::Seconds), ("ms", Self::Milliseconds), ("us", Self::Microseconds), ("ns", Self::Nanoseconds)];
        let unit = units.into_iter().find(|(name, _)| *name == text);
        unit.map(|(_, unit)| unit).ok_or_else(|| format!("unknown time unit {text:?}; expected s, ms, us or ns"))
    }
}

/// Rule for reading times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimeRule {
    /// Kind of the times.
    pub kind: TimeKind,
    /// Unit of instants given as integers; without it, instants are dates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<TimeUnit>,
}

impl TimeRule {
    /// Returns the rule for integers, which count in `unit` if given.
    pub const fn of_numbers(unit: Option<TimeUnit>) -> Self {
        Self { kind: if unit.is_none() { TimeKind::Number } else { TimeKind::Instant }, unit }
    }

    /// Returns the rule for times that look like `sample`; numbers count in `unit` if given.
    pub fn of_sample(sample: &str, unit: Option<TimeUnit>) -> Self {
        match sample.parse::<i64>() {
            Ok(_) => Self::of_numbers(unit),
            Err(_) => Self { kind: TimeKind::Instant, unit },
        }
    }

    /// Returns the time for an integer.
    pub const fn of_number(self, number: i64) -> Option<i64> {
        match (self.kind, self.unit) {
            (TimeKind::Number, _) => Some(number),
            (TimeKind::Instant, Some(unit)) => unit.instant(number),
            (TimeKind::Instant, None) => None,
        }
    }

    /// Parses a time.
    ///
    /// # Errors
    ///
    /// Returns a text that says what was expected.
    pub fn parse(self, text: &str) -> Result<i64, String> {
        let number = text.parse::<i64>().ok().and_then(|number| self.of_number(number));
        let dated = || Some(text).filter(|_| self.kind == TimeKind::Instant).and_then(instant);
        let found = number.or_else(|| self.unit?.decimal(text)).or_else(dated);
        found.ok_or_else(|| match (self.kind, self.unit) {
            (TimeKind::Number, _) => "expected an integer as the time".to_owned(),
            (TimeKind::Instant, _) if is_date_without_order(text) => {
                "expected a date that starts with the year, such as 2024-01-31, because the order of day and month is ambiguous".to_owned()
            }
            (TimeKind::Instant, None) if text.parse::<i64>().is_ok() => {
                "expected a date as the time; use --time-unit s to read integers as seconds since 1970".to_owned()
            }
            (TimeKind::Instant, None) if text.parse::<f64>().is_ok() => {
                "expected an integer or a date as the time; use --time-unit s for fractional seconds".to_owned()
            }
            (TimeKind::Instant, Some(_)) if text.parse::<i64>().is_ok() => {
                "expected a time that fits 64 bits of microseconds".to_owned()
            }
            (TimeKind::Instant, Some(_)) => "expected a number or a date as the time".to_owned(),
            (TimeKind::Instant, None) => {
                "expected a date as the time, such as 2024-01-31 or 2024-01-31T12:00:00Z".to_owned()
            }
        })
    }
}

impl TimeKind {
    /// Parses a requested time: a number, or a date, in UTC unless it has a zone.
    ///
    /// # Errors
    ///
    /// Returns a text that says what was expected.
    pub fn parse(self, text: &str) -> Result<i64, String> {
        let found = TimeRule { kind: self, unit: None }.parse(text);
        found.map_err(|expected| match self {
            Self::Instant if text.parse::<f64>().is_ok() => {
                format!("found {text:?}, expected a date such as 2024-01-31 or 2024-01-31T12:00:00Z, because the edges have dates")
            }
            _ => format!("found {text:?}, {expected}"),
        })
    }

    /// Parses a positive duration: a number, or a number of calendar units.
    ///
    /// # Errors
    ///
    /// Returns a text that says what was expected.
    pub fn parse_span(self, text: &str) -> Result<TimeSpan, String> {
        let span = match self {
            Self::Number => text.parse().ok().map(|count| TimeSpan { count, unit: SpanUnit::One }),
            Self::Instant => span_of(text),
        };
        span.filter(|span| span.after(0, 1).is_some_and(|end| end > 0)).ok_or_else(|| match self {
            Self::Number => format!("found {text:?}, expected a positive integer in the unit of the timestamps"),
            Self::Instant => {
                format!(
                    "found {text:?}, expected an integer and a unit (s, min, h, d, w, month or year), such as 30d or 1month"
                )
            }
        })
    }

    /// Formats a time for the user.
    pub fn show(self, time: i64) -> String {
        let date = match self {
            Self::Number => None,
            Self::Instant => DateTime::from_timestamp_micros(time),
        };
        let Some(date) = date else { return time.to_string() };
        let whole_day = time.rem_euclid(DAY) == 0;
        let format = if whole_day { "%Y-%m-%d" } else { "%Y-%m-%dT%H:%M:%S%.fZ" };
        date.format(format).to_string()
    }
}

/// Duration: a number of units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeSpan {
    count: i64,
    unit: SpanUnit,
}

/// Unit of a duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SpanUnit {
    /// The number one, for numeric timestamps.
    One,
    Second,
    Minute,
    Hour,
    Day,
    /// Week, starting on Monday.
    Week,
    Month,
    Year,
}

impl SpanUnit {
    /// Returns the unit called `name`.
    fn named(name: &str) -> Option<Self> {
        // Accept the plural of names that are not abbreviations.
        let name = name.strip_suffix('s').filter(|name| name.len() > 1).unwrap_or(name);
        Some(match name {
            "s" | "sec" | "second" => Self::Second,
            "min" | "minute" => Self::Minute,
            "h" | "hour" => Self::Hour,
            "d" | "day" => Self::Day,
            "w" | "week" => Self::Week,
            "mo" | "month" => Self::Month,
            "y" | "year" => Self::Year,
            _ => return None,
        })
    }

    /// Returns the length of the unit, and true if it is in months; otherwise it is in microseconds, or in the unit of
    /// numeric times.
    const fn length(self) -> (i64, bool) {
        match self {
            Self::One => (1, false),
            Self::Second => (SECOND, false),
            Self::Minute => (60 * SECOND, false),
            Self::Hour => (3600 * SECOND, false),
            Self::Day => (DAY, false),
            Self::Week => (7 * DAY, false),
            Self::Month => (1, true),
            Self::Year => (12, true),
        }
    }
}

impl TimeSpan {
    /// Returns the start of the unit that contains `time`, or of its day if the length is in days. Returns numeric
    /// times unchanged.
    pub fn unit_start(self, time: i64) -> i64 {
        let start = match self.unit.length() {
            (length, false) => {
                // 1970 started on a Thursday, the fourth day of its week.
                let before = if self.unit == SpanUnit::Week { 3 * DAY } else { 0 };
                time.checked_sub((time.rem_euclid(length) + before).rem_euclid(length))
            }
            (_, true) => DateTime::from_timestamp_micros(time).and_then(|at| {
                let month = if self.unit == SpanUnit::Year { 1 } else { at.month() };
                let first = NaiveDate::from_ymd_opt(at.year(), month, 1)?;
                Some(first.and_hms_opt(0, 0, 0)?.and_utc().timestamp_micros())
            }),
        };
        // Default: no unit starts near the first representable instant.
        start.unwrap_or(time)
    }

    /// Returns the time that is `times` times this duration after `time`; for months, the same day, or the last day of
    /// the month. Returns `None` if there is no such time.
    pub fn after(self, time: i64, times: i64) -> Option<i64> {
        let (length, months) = self.unit.length();
        let count = self.count.checked_mul(length)?.checked_mul(times)?;
        if !months {
            return time.checked_add(count);
        }
        let months = Months::new(u32::try_from(count).ok()?);
        Some(DateTime::from_timestamp_micros(time)?.checked_add_months(months)?.timestamp_micros())
    }
}

fn span_of(text: &str) -> Option<TimeSpan> {
    let digits = text.find(|char: char| !char.is_ascii_digit())?;
    let (count, unit) = text.split_at(digits);
    Some(TimeSpan { count: count.parse().ok()?, unit: SpanUnit::named(unit.trim())? })
}

/// Formats of dates with the name of the month and a zone that do not start with the year.
const NAMED_MONTHS: [&str; 2] = ["%a %b %d %H:%M:%S %z %Y", "%d/%b/%Y:%H:%M:%S %z"];

/// The same formats without a zone.
const NAMED_MONTHS_IN_UTC: [&str; 4] =
    ["%a %b %d %H:%M:%S %Y", "%d %b %Y %H:%M:%S", "%d %b %Y %H:%M", "%b %d, %Y %H:%M:%S"];

/// Returns true if the year has four digits: `24` in `31 Dec 24` is not a year.
fn has_century(date: &impl Datelike) -> bool {
    date.year() > 999
}

/// Parses a date with year, month and day as digits, or with the name of the month, with an optional time, in UTC
/// unless it has a zone.
fn instant(text: &str) -> Option<i64> {
    let text = text.trim();
    if let Ok(date) = DateTime::parse_from_rfc3339(text).or_else(|_| DateTime::parse_from_rfc2822(text)) {
        return Some(date.timestamp_micros());
    }
    if let Some(date) = NAMED_MONTHS.iter().find_map(|format| DateTime::parse_from_str(text, format).ok()) {
        return has_century(&date).then(|| date.timestamp_micros());
    }
    if let Some(date) = NAMED_MONTHS_IN_UTC.iter().find_map(|format| NaiveDateTime::parse_from_str(text, format).ok()) {
        return has_century(&date).then(|| date.and_utc().timestamp_micros());
    }
    let year = text.trim_start_matches(['+', '-']).bytes().take_while(u8::is_ascii_digit).count();
    let formats = if year >= 4 { &["%Y-%m-%d"][..] } else { &["%d %b %Y", "%b %d, %Y"] };
    if let Some(date) = formats.iter().find_map(|format| NaiveDate::parse_from_str(text, format).ok()) {
        return (year >= 4 || has_century(&date)).then(|| date.and_time(NaiveTime::MIN).and_utc().timestamp_micros());
    }
    let separator = *text.as_bytes().get(4).filter(|byte| matches!(byte, b'-' | b'/' | b'.'))?;
    if !text.as_bytes()[..4].iter().all(u8::is_ascii_digit) {
        return None;
    }
    let format = ["%Y", "%m", "%d"].join(char::from(separator).encode_utf8(&mut [0; 4]));
    let (date, rest) = NaiveDate::parse_and_remainder(text, &format).ok()?;
    let rest = match rest.strip_prefix(['T', 't', ' ']) {
        Some(rest) => rest.trim_start().replacen(',', ".", 1),
        None if rest.is_empty() => return Some(date.and_time(NaiveTime::MIN).and_utc().timestamp_micros()),
        None => return None,
    };
    let formats = ["%I:%M:%S%.f %p", "%I:%M %p", "%H:%M:%S%.f", "%H:%M"];
    let (time, zone) = formats.iter().find_map(|format| NaiveTime::parse_and_remainder(&rest, format).ok())?;
    let local = date.and_time(time).and_utc().timestamp_micros();
    local.checked_sub(zone_seconds(zone.trim_start())?.checked_mul(SECOND)?)
}

/// Returns the UTC offset of a zone in seconds: `Z`, `UTC`, `+01:00`, `+0100`, `+01`.
fn zone_seconds(zone: &str) -> Option<i64> {
    if matches!(zone, "" | "Z" | "z" | "UTC" | "GMT") {
        return Some(0);
    }
    let (sign, digits) = match zone.split_at_checked(1)? {
        ("+", digits) => (1, digits.replacen(':', "", 1)),
        ("-", digits) => (-1, digits.replacen(':', "", 1)),
        _ => return None,
    };
    if !matches!(digits.len(), 2 | 4) || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (hours, minutes) = digits.split_at(2);
    // Default: a zone of whole hours has no minutes.
    let (hours, minutes) = (hours.parse::<i64>().ok()?, minutes.parse::<i64>().unwrap_or(0));
    (hours < 24 && minutes < 60).then_some(sign * (hours * 3600 + minutes * 60))
}

/// Returns true for dates such as 01/02/2024, in which either the day or the month may be first.
fn is_date_without_order(text: &str) -> bool {
    // Default: the date is the whole text if nothing follows it.
    let date = text.trim().split([' ', 'T']).next().unwrap_or(text);
    let parts: Vec<&str> = date.split(['/', '.', '-']).collect();
    let digits = |part: &&str| (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    parts.len() == 3 && parts.iter().all(digits) && parts[0].len() <= 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_numbers_are_read() {
        let day = 86_400 * SECOND;
        let instants = TimeRule { kind: TimeKind::Instant, unit: None };
        assert_eq!(instants.parse("1970-01-02"), Ok(day));
        assert_eq!(instants.parse("1970-01-02 00:00:01"), Ok(day + SECOND));
        assert_eq!(instants.parse("1970-01-02 00:01"), Ok(day + 60 * SECOND));
        assert_eq!(instants.parse("1970-01-02T01:00:00+01:00"), Ok(day));
        assert_eq!(instants.parse("1969-12-31T23:59:59.5Z"), Ok(-SECOND / 2));
        assert!(instants.parse("12").is_err() && instants.parse("1970-13-01").is_err());
        let seconds = TimeRule { unit: Some(TimeUnit::Seconds), ..instants };
        assert_eq!(seconds.parse("86400"), Ok(day));
        assert!(seconds.parse(&i64::MAX.to_string()).is_err(), "it does not fit 64 bits");
        assert_eq!(TimeUnit::Nanoseconds.instant(-1), Some(-1));
        let numbers = TimeRule::of_sample("-7", None);
        assert_eq!((numbers.kind, numbers.parse("-7")), (TimeKind::Number, Ok(-7)));
        assert!(numbers.parse("1970-01-02").is_err());
        assert_eq!(TimeRule::of_sample("2020-01-01", None).kind, TimeKind::Instant);
    }

    #[test]
    fn dates_have_many_shapes() {
        let instants = TimeRule { kind: TimeKind::Instant, unit: None };
        let noon = instants.parse("2024-01-31T12:34:00Z").unwrap();
        for text in [
            "2024-01-31 12:34",
            "2024-01-31T12:34",
            "2024-01-31T12:34Z",
            "2024-01-31 12:34:00Z",
            "2024-01-31 12:34 UTC",
            "2024-01-31 12:34:00 GMT",
            "2024/01/31 12:34",
            "2024/1/31 12:34:00",
            "2024.01.31 12:34",
            "2024-01-31T13:34+01:00",
            "2024-01-31T13:34:00+0100",
            "2024-01-31 13:34:00.000 +01",
            "2024-01-31 07:04:00-05:30",
            "2024-01-31t12:34z",
            "2024-01-31 12:34:00,000",
            "2024-01-31 12:34 PM",
            "2024-01-31 12:34:00 pm",
            "Wed, 31 Jan 2024 12:34:00 +0000",
            "Wed Jan 31 12:34:00 +0000 2024",
            "31/Jan/2024:13:34:00 +0100",
            "31 Jan 2024 12:34",
            "Jan 31, 2024 12:34:00",
            " 2024-01-31 12:34 ",
        ] {
            assert_eq!(instants.parse(text), Ok(noon), "{text}");
        }
        for text in ["2024/01/31", "2024.1.31", "31 Jan 2024", "Jan 31, 2024"] {
            assert_eq!(instants.parse(text), instants.parse("2024-01-31"), "{text}");
        }
        assert_eq!(instants.parse("2024-01-31 12:34:00.123456789"), Ok(noon + 123_456));
        for text in ["01/02/2024", "31.01.2024", "1-2-24", "31/01/2024 12:34"] {
            assert!(instants.parse(text).unwrap_err().contains("expected a date that starts with the year, such as 2024-01-31, because the order of day and month is ambiguous"), "{text}");
        }
        for text in [
            "2024-01-31 12:34 CET",
            "2024-01-31 25:00",
            "2024-02-30",
            "2024-01-31x",
            "2024-01-31 12",
            "2024/01-31",
            "24-01-31x",
            "2024-01-31 12:34+1",
            "2024-01-31 12:34+25:00",
            "",
            "2024",
        ] {
            assert!(instants.parse(text).is_err(), "{text}");
        }
        let unit = |unit| TimeRule { unit: Some(unit), ..instants };
        assert_eq!(unit(TimeUnit::Seconds).parse("1.5"), Ok(SECOND + SECOND / 2));
        assert_eq!(unit(TimeUnit::Seconds).parse("-0.25"), Ok(-SECOND / 4));
        assert_eq!(unit(TimeUnit::Milliseconds).parse("1.0009"), Ok(1000));
        assert_eq!(unit(TimeUnit::Nanoseconds).parse("1999.9"), Ok(1));
        assert!(instants.parse("1.5").unwrap_err().contains("--time-unit"));
        assert!(unit(TimeUnit::Seconds).parse("1.x").is_err() && unit(TimeUnit::Seconds).parse(".").is_err());
    }

    #[test]
    fn times_are_shown_as_they_are_asked_for() {
        for text in ["1970-01-02", "2024-02-29T12:00:00Z", "1969-12-31T23:59:59.500Z"] {
            let time = TimeKind::Instant.parse(text).unwrap();
            assert_eq!(TimeKind::Instant.show(time), text);
        }
        assert_eq!(TimeKind::Number.show(-3), "-3");
    }

    #[test]
    fn lengths_are_units_of_the_calendar() {
        let instant = |text| TimeKind::Instant.parse(text).unwrap();
        let cases = [
            ("1s", "2024-02-29T13:14:15Z", "2024-02-29T13:14:16Z"),
            ("90min", "2024-02-29T13:14:00Z", "2024-02-29T14:44:00Z"),
            ("1 hour", "2024-02-29T13:00:00Z", "2024-02-29T14:00:00Z"),
            ("1day", "2024-02-29", "2024-03-01"),
            ("30d", "2024-02-29", "2024-03-30"),
            ("30 days", "2024-02-29", "2024-03-30"),
            ("1week", "2024-02-26", "2024-03-04"),
            ("2w", "2024-02-26", "2024-03-11"),
            ("1month", "2024-02-01", "2024-03-01"),
            ("3months", "2024-02-01", "2024-05-01"),
            ("1year", "2024-01-01", "2025-01-01"),
            ("2y", "2024-01-01", "2026-01-01"),
        ];
        for (text, start, end) in cases {
            let span = TimeKind::Instant.parse_span(text).unwrap();
            let found = span.unit_start(instant("2024-02-29T13:14:15.5Z"));
            let shown = TimeKind::Instant.show(found);
            assert_eq!((shown.as_str(), span.after(found, 1)), (start, Some(instant(end))), "{text}");
            assert_eq!(span.unit_start(instant(start)), instant(start), "{text}");
        }
        let month = TimeKind::Instant.parse_span("1month").unwrap();
        assert_eq!(month.after(instant("2023-10-31"), 4), Some(instant("2024-02-29")));
        assert_eq!(month.unit_start(instant("1969-12-31T23:00:00Z")), instant("1969-12-01"));
        let week = TimeKind::Instant.parse_span("1w").unwrap();
        assert_eq!(week.unit_start(instant("1969-12-28")), instant("1969-12-22"));
        let five = TimeKind::Number.parse_span("5").unwrap();
        assert_eq!((five.unit_start(-7), five.after(-7, 2)), (-7, Some(3)));
        for wrong in
            ["0d", "-1d", "d", "5", "0 months", "99999999999999w", "99999999999months", "1 s s", "3ss", "1fortnight"]
        {
            assert!(TimeKind::Instant.parse_span(wrong).is_err(), "{wrong}");
        }
        for wrong in ["5d", "0", "-3"] {
            assert!(TimeKind::Number.parse_span(wrong).is_err(), "{wrong}");
        }
        for time in [i64::MIN, i64::MAX] {
            for (text, _, _) in cases {
                let span = TimeKind::Instant.parse_span(text).unwrap();
                assert!(span.unit_start(time) <= time, "{text}");
                assert!(span.after(time, 1).is_none_or(|end| end > time), "{text}");
            }
        }
    }
}
