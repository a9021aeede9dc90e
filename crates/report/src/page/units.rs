//! Formatting of numbers, rounded and exact.

pub(super) use outcrop_types::thousands as count;

/// Unit of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Count,
    Bytes,
    Seconds,
    Number,
}

impl Unit {
    /// Returns the number in a few characters.
    pub(super) fn short(self, number: f64) -> String {
        match self {
            Self::Count => short_count(number),
            Self::Bytes => scaled(number, 1024.0, &["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"], " "),
            Self::Seconds => seconds(number),
            Self::Number => plain(number),
        }
    }
}

/// Number with its unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Quantity {
    Count(u64),
    Bytes(u64),
    Seconds(f64),
    Number(f64),
}

impl Quantity {
    pub(super) const fn unit(self) -> Unit {
        match self {
            Self::Count(_) => Unit::Count,
            Self::Bytes(_) => Unit::Bytes,
            Self::Seconds(_) => Unit::Seconds,
            Self::Number(_) => Unit::Number,
        }
    }

    /// Returns the value to draw: at least 0 and finite.
    pub(super) fn drawn(self) -> f64 {
        let number = match self {
            Self::Count(number) | Self::Bytes(number) => number as f64,
            Self::Seconds(number) | Self::Number(number) => number,
        };
        if number.is_finite() { number.clamp(0.0, 1e300) } else { 0.0 }
    }

    /// Returns a text of a few characters.
    pub(super) fn short(self) -> String {
        match self {
            Self::Count(number) => count(number),
            Self::Number(number) => plain(number),
            _ => self.unit().short(self.drawn()),
        }
    }

    /// Returns all digits.
    pub(super) fn exact(self) -> String {
        match self {
            Self::Count(number) => count(number),
            Self::Bytes(1) => "1 byte".to_owned(),
            Self::Bytes(number) => format!("{} bytes", count(number)),
            Self::Seconds(number) => format!("{number} s"),
            Self::Number(number) => format!("{number:e}"),
        }
    }

    /// Returns the short and the exact text, or one of them if both are equal.
    pub(super) fn both(self) -> String {
        let (short, exact) = (self.short(), self.exact());
        let bare = matches!(self, Self::Bytes(bytes) if bytes < 1024);
        if short == exact || bare { exact } else { format!("{short} ({exact})") }
    }
}

/// Returns a part relative to a whole: `40% of the lists`, `3 times the lists`.
pub(super) fn compared(part: f64, whole: f64, name: &str) -> String {
    let of = if part / whole >= 2.0 { "" } else { " of" };
    format!("{}{of} {name}", share(part, whole))
}

/// Returns a fraction of a whole: in percent up to twice the whole, then as a multiple.
pub(super) fn share(part: f64, whole: f64) -> String {
    match part / whole {
        ratio if !ratio.is_finite() => "–".to_owned(),
        ratio if ratio >= 2.0 => format!("{} times", digits(ratio)),
        ratio if ratio > 0.0 && ratio < 0.0005 => "below 0.1%".to_owned(),
        ratio => format!("{}%", digits(ratio * 100.0)),
    }
}

fn short_count(number: f64) -> String {
    scaled(number, 1000.0, &["", "k", "M", "G", "T", "P", "E"], "")
}

fn scaled(number: f64, step: f64, units: &[&str], space: &str) -> String {
    let mut rest = number;
    let mut place = 0;
    // Numbers that would round to a whole step use the next unit.
    while rest >= step - 0.5 && place + 1 < units.len() {
        rest /= step;
        place += 1;
    }
    format!("{}{space}{}", digits(rest), units.get(place).unwrap_or(&""))
}

/// Returns three significant digits.
fn digits(number: f64) -> String {
    let text = match number {
        number if number >= 1e6 => return format!("{number:.2e}"),
        number if number >= 99.95 => return format!("{number:.0}"),
        number if number >= 9.995 => format!("{number:.1}"),
        number if number >= 0.0995 => format!("{number:.2}"),
        number => format!("{number:.4}"),
    };
    if !text.contains('.') {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn seconds(number: f64) -> String {
    match number {
        number if number <= 0.0 => "0 s".to_owned(),
        number if number < 0.999_5e-3 => format!("{} µs", digits(number * 1e6)),
        number if number < 0.999_5 => format!("{} ms", digits(number * 1e3)),
        number if number < 119.95 => format!("{} s", digits(number)),
        number if number < 2.0 * 3600.0 => format!("{} min", digits(number / 60.0)),
        number => format!("{} h", digits(number / 3600.0)),
    }
}

fn plain(number: f64) -> String {
    let size = number.abs();
    match size {
        0.0 => "0".to_owned(),
        size if !(1e-3..1e6).contains(&size) => {
            let text = format!("{number:.2e}");
            text.replace(".00e", "e")
        }
        size if number < 0.0 => format!("-{}", digits(size)),
        size => digits(size),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let bytes = |number| Quantity::Bytes(number).short();
        assert_eq!(
            [0, 1023, 1024, 1536, 100 << 20, 3 << 30].map(bytes),
            ["0 B", "1023 B", "1 KiB", "1.5 KiB", "100 MiB", "3 GiB"]
        );
        let time = |number| Unit::Seconds.short(number);
        assert_eq!(
            [0.0, 4.5e-5, 0.0123, 0.9999, 1.0, 75.0, 600.0, 9000.0].map(time),
            ["0 s", "45 µs", "12.3 ms", "1 s", "1 s", "75 s", "10 min", "2.5 h"]
        );
        let short = |number| Unit::Count.short(number);
        assert_eq!([0.0, 999.0, 999.6, 1e3, 1.05e6, 2e18].map(short), ["0", "999", "1k", "1k", "1.05M", "2E"]);
        let number = |number| Unit::Number.short(number);
        assert_eq!([0.0, 1e-6, 0.85, 1.5e9, -2.5].map(number), ["0", "1e-6", "0.85", "1.50e9", "-2.5"]);
    }

    #[test]
    fn numbers_are_exact() {
        assert_eq!(Quantity::Count(u64::MAX).exact(), "18,446,744,073,709,551,615");
        assert_eq!(Quantity::Bytes(1536).both(), "1.5 KiB (1,536 bytes)");
        assert_eq!((Quantity::Bytes(12).both(), Quantity::Count(12).both()), ("12 bytes".into(), "12".into()));
        assert_eq!((share(1.0, 4.0), share(1.0, 0.0)), ("25%".into(), "–".into()));
        assert_eq!(compared(1.0, 4.0, "the lists"), "25% of the lists");
        assert_eq!(compared(12.0, 4.0, "the lists"), "3 times the lists");
    }
}
