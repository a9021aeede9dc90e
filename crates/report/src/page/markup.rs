//! Generation of markup that is both HTML and XML: all external text passes through [`escape`].

/// Escapes text for an element or a quoted attribute. Control characters that XML does not permit become a replacement
/// character.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\n' | '\t' => escaped.push(' '),
            // Bidirectional control characters would let a name disguise the adjacent text.
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            control if control.is_control() => escaped.push('\u{fffd}'),
            other => escaped.push(other),
        }
    }
    escaped
}

/// Returns an element around plain text; `tag` may include attributes.
pub(super) fn element(tag: &str, text: &str) -> String {
    let name = tag.split(' ').next().unwrap_or(tag);
    format!("<{tag}>{}</{name}>", escape(text))
}

/// Returns a tooltip for an SVG element.
pub(super) fn tooltip(text: &str) -> String {
    element("title", text)
}

/// Returns a table of plain texts.
pub(super) fn table(header: &[String], rows: &[Vec<String>]) -> String {
    let cells = |tag: &str, row: &[String]| row.iter().map(|cell| element(tag, cell)).collect::<String>();
    let rows: String = rows.iter().map(|row| format!("<tr>{}</tr>\n", cells("td", row))).collect();
    let header = cells("th scope=\"col\"", header);
    format!("<div class=\"wide\"><table><thead><tr>{header}</tr></thead>\n<tbody>{rows}</tbody></table></div>")
}

/// Returns a collapsed section.
pub(super) fn details(summary: &str, inside: &str) -> String {
    format!("<details>{}{inside}</details>\n", element("summary", summary))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_hostile_survives() {
        assert_eq!(escape("<b a=\"1\" c='2'>&"), "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;");
        assert_eq!(escape("a\u{0}b\u{202e}c\nd"), "a\u{fffd}b\u{fffd}c d");
        assert_eq!(element("td class=\"x\"", "</td>"), "<td class=\"x\">&lt;/td&gt;</td>");
    }
}
