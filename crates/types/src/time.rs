//! Times of edges: numbers, or instants.

use chrono::{DateTime, NaiveDate, NaiveDateTime};
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// Microseconds of a second.
const SECOND: i64 = 1_000_000;

/// Kind of the times of edges, all of which are 64-bit whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TimeKind {
    /// Numbers, in a unit that the user knows.
    Number,
    /// Microseconds since the beginning of 1970 in universal time.
    Instant,
}

/// Unit of whole numbers that count from the beginning of 1970.
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
    /// Nanoseconds, which are rounded down to microseconds.
    #[serde(rename = "ns")]
    Nanoseconds,
}

impl TimeUnit {
    /// The instant at `count` of the unit; `None` where 64 bits do not hold it.
    pub const fn instant(self, count: i64) -> Option<i64> {
        match self {
            Self::Seconds => count.checked_mul(SECOND),
            Self::Milliseconds => count.checked_mul(1000),
            Self::Microseconds => Some(count),
            Self::Nanoseconds => Some(count.div_euclid(1000)),
        }
    }
}

impl FromStr for TimeUnit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let units =
            [("s", Self::Seconds), ("ms", Self::Milliseconds), ("us", Self::Microseconds), ("ns", Self::Nanoseconds)];
        let unit = units.into_iter().find(|(name, _)| *name == text);
        unit.map(|(_, unit)| unit).ok_or_else(|| format!("{text:?} is no unit of time; expected s, ms, us or ns"))
    }
}

/// Rule for reading times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimeRule {
    /// Kind of the times.
    pub kind: TimeKind,
    /// Unit of instants that are whole numbers; without it instants are dates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<TimeUnit>,
}

impl TimeRule {
    /// The rule for whole numbers, which count in `unit` where one is given.
    pub const fn of_numbers(unit: Option<TimeUnit>) -> Self {
        Self { kind: if unit.is_none() { TimeKind::Number } else { TimeKind::Instant }, unit }
    }

    /// The rule for times that look like `sample`, and count in `unit` where they are numbers and one is given.
    pub fn of_sample(sample: &str, unit: Option<TimeUnit>) -> Self {
        match sample.parse::<i64>() {
            Ok(_) => Self::of_numbers(unit),
            Err(_) => Self { kind: TimeKind::Instant, unit },
        }
    }

    /// The time that a whole number says.
    pub const fn of_number(self, number: i64) -> Option<i64> {
        match (self.kind, self.unit) {
            (TimeKind::Number, _) => Some(number),
            (TimeKind::Instant, Some(unit)) => unit.instant(number),
            (TimeKind::Instant, None) => None,
        }
    }

    /// The time that a text says.
    ///
    /// # Errors
    /// A text that says what was expected.
    pub fn parse(self, text: &str) -> Result<i64, String> {
        let number = text.parse::<i64>().ok().and_then(|number| self.of_number(number));
        let found = number.or_else(|| Some(text).filter(|_| self.kind == TimeKind::Instant).and_then(instant));
        found.ok_or_else(|| match (self.kind, self.unit) {
            (TimeKind::Number, _) => "expected a whole number as the time".to_owned(),
            (TimeKind::Instant, Some(_)) => "expected a whole number or a date as the time".to_owned(),
            (TimeKind::Instant, None) => {
                "expected a date as the time, such as 2024-01-31 or 2024-01-31T12:00:00Z".to_owned()
            }
        })
    }
}

impl TimeKind {
    /// The time that is asked for: a number, or a date in universal time where it names no other.
    ///
    /// # Errors
    /// A text that says what was expected.
    pub fn parse(self, text: &str) -> Result<i64, String> {
        TimeRule { kind: self, unit: None }.parse(text).map_err(|expected| format!("found {text:?}, {expected}"))
    }

    /// The length of time that is asked for: a number, or a number of s, min, h, d or w; more than nothing.
    ///
    /// # Errors
    /// A text that says what was expected.
    pub fn parse_length(self, text: &str) -> Result<i64, String> {
        let length = match self {
            Self::Number => text.parse().ok(),
            Self::Instant => length_of(text),
        };
        length.filter(|length| *length > 0).ok_or_else(|| match self {
            Self::Number => format!("found {text:?}, expected a whole number above 0, in the unit of the times"),
            Self::Instant => format!("found {text:?}, expected a whole number of s, min, h, d or w, such as 30d"),
        })
    }

    /// A time as a user reads it.
    pub fn show(self, time: i64) -> String {
        let date = match self {
            Self::Number => None,
            Self::Instant => DateTime::from_timestamp_micros(time),
        };
        let Some(date) = date else { return time.to_string() };
        let whole_day = time.rem_euclid(86_400 * SECOND) == 0;
        let format = if whole_day { "%Y-%m-%d" } else { "%Y-%m-%dT%H:%M:%S%.fZ" };
        date.format(format).to_string()
    }
}

fn length_of(text: &str) -> Option<i64> {
    const UNITS: [(&str, i64); 5] = [("min", 60), ("s", 1), ("h", 3600), ("d", 86_400), ("w", 604_800)];
    let (number, seconds) = UNITS.into_iter().find_map(|(unit, seconds)| Some((text.strip_suffix(unit)?, seconds)))?;
    number.parse::<i64>().ok()?.checked_mul(seconds)?.checked_mul(SECOND)
}

/// The instant that a date says: of ISO 8601, with a time or without, in universal time where no zone is named.
fn instant(text: &str) -> Option<i64> {
    if let Ok(date) = NaiveDate::parse_from_str(text, "%Y-%m-%d") {
        return Some(date.and_hms_opt(0, 0, 0)?.and_utc().timestamp_micros());
    }
    if let Ok(date) = DateTime::parse_from_rfc3339(text) {
        return Some(date.timestamp_micros());
    }
    let formats = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f"];
    let date = formats.iter().find_map(|format| NaiveDateTime::parse_from_str(text, format).ok());
    date.map(|date| date.and_utc().timestamp_micros())
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
    fn times_are_shown_as_they_are_asked_for() {
        for text in ["1970-01-02", "2024-02-29T12:00:00Z", "1969-12-31T23:59:59.500Z"] {
            let time = TimeKind::Instant.parse(text).unwrap();
            assert_eq!(TimeKind::Instant.show(time), text);
        }
        assert_eq!(TimeKind::Number.show(-3), "-3");
        assert_eq!(TimeKind::Instant.parse_length("2w"), Ok(14 * 86_400 * SECOND));
        assert_eq!(TimeKind::Number.parse_length("5"), Ok(5));
        for wrong in ["0d", "-1d", "d", "5", "99999999999999w"] {
            assert!(TimeKind::Instant.parse_length(wrong).is_err(), "{wrong}");
        }
        assert!(TimeKind::Number.parse_length("5d").is_err() && TimeKind::Number.parse_length("0").is_err());
    }
}
