//! Dates of records.

use chrono::{DateTime, Utc};
use std::fmt::{Display, Formatter, Result};

/// Date and time in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Date(DateTime<Utc>);

impl Date {
    /// Creates a date from seconds since 1970.
    pub fn of(seconds: u64) -> Self {
        let date = i64::try_from(seconds).ok().and_then(|seconds| DateTime::from_timestamp(seconds, 0));
        // Default: a time after all dates is the last of them.
        Self(date.unwrap_or(DateTime::<Utc>::MAX_UTC))
    }

    /// Returns digits that sort chronologically: `20260131-235959`.
    pub fn stamp(self) -> String {
        self.0.format("%Y%m%d-%H%M%S").to_string()
    }
}

impl Display for Date {
    fn fmt(&self, to: &mut Formatter<'_>) -> Result {
        write!(to, "{}", self.0.format("%Y-%m-%d %H:%M UTC"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_are_dates() {
        let stamps = [0, 951_868_799, 1_795_415_445].map(|seconds| Date::of(seconds).stamp());
        assert_eq!(stamps, ["19700101-000000", "20000229-235959", "20261123-063045"]);
    }
}
