//! Parser of sizes in bytes as written by users: `4GiB`, `500MB`.

/// Units after a number; a single letter is a power of 1024, as in GNU tools.
const UNITS: [(&str, f64); 13] = [
    ("kib", 1024.0),
    ("mib", 1_048_576.0),
    ("gib", 1_073_741_824.0),
    ("tib", 1_099_511_627_776.0),
    ("kb", 1e3),
    ("mb", 1e6),
    ("gb", 1e9),
    ("tb", 1e12),
    ("k", 1024.0),
    ("m", 1_048_576.0),
    ("g", 1_073_741_824.0),
    ("t", 1_099_511_627_776.0),
    ("b", 1.0),
];

/// Parses a fraction such as `30%` or `0.3`, which is at least 0; returns `None` if `text` is not a fraction.
pub fn parse_fraction(text: &str) -> Option<f64> {
    let fraction = match text.trim().strip_suffix('%') {
        Some(percent) => percent.trim().parse::<f64>().ok()? / 100.0,
        None => text.trim().parse().ok()?,
    };
    (fraction >= 0.0 && f64::is_finite(fraction)).then_some(fraction)
}

/// Parses a size such as `100KiB` or `2 MB`; returns `None` if `text` is not a size.
pub fn parse_bytes(text: &str) -> Option<u64> {
    let lower = text.trim().to_ascii_lowercase();
    let (number, unit) =
        UNITS.iter().find_map(|(unit, bytes)| Some((lower.strip_suffix(unit)?, *bytes))).unwrap_or((&lower, 1.0));
    let bytes = number.trim().parse::<f64>().ok()? * unit;
    (bytes.is_finite() && (0.0..1e18).contains(&bytes)).then_some(bytes as u64)
}
