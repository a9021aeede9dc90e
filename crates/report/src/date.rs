//! Dates of records.

use std::fmt::{Display, Formatter, Result};

/// A date and time, in universal time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Date {
    year: u64,
    month: u64,
    day: u64,
    second_of_day: u64,
}

impl Date {
    /// A time as seconds since 1970.
    pub const fn of(seconds: u64) -> Self {
        let (days, second_of_day) = (seconds / 86_400, seconds % 86_400);
        // Civil days from a year that begins in March (Hinnant, chrono-compatible low-level date algorithms).
        let shifted = days + 719_468;
        let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
        let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
        let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
        let year = era * 400 + year_of_era + if month <= 2 { 1 } else { 0 };
        Self { year, month, day, second_of_day }
    }

    const fn time(self) -> [u64; 3] {
        [self.second_of_day / 3600, self.second_of_day / 60 % 60, self.second_of_day % 60]
    }

    /// Digits that sort as the times do: `20260131-235959`.
    pub fn stamp(self) -> String {
        let [hour, minute, second] = self.time();
        format!("{:04}{:02}{:02}-{hour:02}{minute:02}{second:02}", self.year, self.month, self.day)
    }
}

impl Display for Date {
    fn fmt(&self, to: &mut Formatter<'_>) -> Result {
        let [hour, minute, _] = self.time();
        write!(to, "{}-{:02}-{:02} {hour:02}:{minute:02} UTC", self.year, self.month, self.day)
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
