//! Formatting of numbers in texts.

/// Formats an integer with a comma after each group of three digits: `12,345`.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a number of things: `1 vertex`, `2,000 edges`. `thing` is the singular.
pub fn counted(number: u64, thing: &str) -> String {
    let mut text = thousands(number);
    text.push(' ');
    match (number, thing.strip_suffix('y')) {
        (1, _) => text.push_str(thing),
        (_, Some(stem)) => text.extend([stem, "ies"]),
        (_, None) if thing == "vertex" => text.push_str("vertices"),
        (_, None) if thing.ends_with("ch") => text.extend([thing, "es"]),
        (_, None) => text.extend([thing, "s"]),
    }
    text
}

/// Formats a number, with an exponent if it would have many digits.
pub fn short_number(number: f64) -> String {
    let plain = number.to_string();
    if plain.len() > LONGEST { format!("{number:e}") } else { plain }
}

/// Maximum number of displayed digits.
const LONGEST: usize = 20;

#[cfg(test)]
mod tests {
    use super::{counted, short_number};

    #[test]
    fn one_thing_has_no_plural() {
        let cases = [(0, "edge", "0 edges"), (1, "entry", "1 entry"), (12_345_678, "entry", "12,345,678 entries")];
        let vertices = [(1, "vertex", "1 vertex"), (1000, "vertex", "1,000 vertices"), (999, "line", "999 lines")];
        for (number, thing, text) in cases.into_iter().chain(vertices) {
            assert_eq!(counted(number, thing), text);
        }
        let shown = [256.0, 0.1, 1e308, -1e-300].map(short_number);
        assert_eq!(shown, ["256", "0.1", "1e308", "-1e-300"]);
    }
}
