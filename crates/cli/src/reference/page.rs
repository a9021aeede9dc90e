//! The lists of options in `docs/cli.md`: `make generated` rewrites them.

use super::{arguments, command_line, help, parts, root as repository};
use clap::{Arg, Command};
use std::fs;

const PAGE: &str = "docs/cli.md";
/// Environment variable: if set, the page is rewritten instead of compared.
const WRITE: &str = "OUTCROP_WRITE_GENERATED";
/// Line before a generated list, with the name of the command.
const BEGIN: (&str, &str) = ("<!-- options of ", ": generated from the command line by `make generated` -->\n");
const END: &str = "<!-- end -->\n";

/// The usage of a command and a table of its arguments.
fn list(root: &Command, name: &str) -> String {
    let parts = parts(root, name);
    let usage = |part: &&Command| (*part).clone().render_usage().to_string().replace(" wcc", " ALGORITHM");
    let usage: String = parts.iter().map(usage).collect::<Vec<_>>().join("\n");
    let usage: String =
        usage.lines().map(|line| format!("    {}\n", line.trim_start_matches("Usage:").trim())).collect();
    let (mut groups, mut seen) = (Vec::<(_, String)>::new(), Vec::new());
    for argument in parts.into_iter().flat_map(arguments) {
        if seen.contains(&argument.get_id()) {
            continue;
        }
        seen.push(argument.get_id());
        let heading = argument.get_help_heading();
        match groups.iter_mut().find(|(known, _)| *known == heading) {
            Some((_, rows)) => *rows += &row(argument),
            None => groups.push((heading, row(argument))),
        }
    }
    let title = |heading: Option<&str>| heading.map_or_else(String::new, |text| format!("| **{text}** | | |\n"));
    let rows: String = groups.into_iter().map(|(heading, rows)| title(heading) + &rows).collect();
    format!("{usage}\n| option | default | description |\n|---|---|---|\n{rows}")
}

/// Name, default and effect of an argument.
fn row(argument: &Arg) -> String {
    let value = argument.get_value_names().filter(|_| argument.get_action().takes_values());
    let value = value.map_or_else(String::new, |names| names.join(" "));
    let name = match (argument.get_short(), argument.get_long()) {
        (_, None) => format!("`{value}`"),
        (None, Some(long)) => format!("`{}`", format!("--{long} {value}").trim()),
        (Some(short), Some(long)) => format!("`-{short}`, `{}`", format!("--{long} {value}").trim()),
    };
    let text = help(argument);
    let (effect, brackets) = text.strip_suffix(']').and_then(|text| text.rsplit_once(" [")).unwrap_or((&text, ""));
    let (limits, stated) = brackets.split_once("default: ").unwrap_or((brackets, ""));
    let given = argument.get_default_values().iter().filter(|_| argument.get_action().takes_values());
    let default = given.map(|value| value.to_string_lossy().into_owned()).next().unwrap_or_else(|| stated.to_owned());
    let default = if default.is_empty() || default.contains(' ') { default } else { format!("`{default}`") };
    let is_shown =
        argument.get_action().takes_values() && (!argument.is_hide_possible_values_set() || !limits.is_empty());
    let words = argument.get_possible_values().into_iter().filter(|_| is_shown).map(|word| match word.get_help() {
        Some(meaning) => format!("`{}` ({meaning})", word.get_name()),
        None => format!("`{}`", word.get_name()),
    });
    let words = words.collect::<Vec<_>>().join(", ");
    let effect = match (words.as_str(), limits.trim_end_matches("; ")) {
        ("", "") => effect.to_owned(),
        ("", limits) => format!("{effect} ({limits})"),
        (words, _) => format!("{effect}. Values: {words}"),
    };
    let escaped = |text: &str| text.replace('|', "\\|").replace('<', "&lt;");
    format!("| {name} | {} | {} |\n", escaped(&default), escaped(&effect))
}

/// The page with its lists as the command line has them.
fn rewritten(page: &str, root: &Command) -> String {
    let mut parts = page.split(BEGIN.0);
    let mut text = parts.next().unwrap().to_owned();
    for part in parts {
        let (name, rest) = part.split_once(BEGIN.1).unwrap_or_else(|| panic!("no end of the line: {part}"));
        let (_, rest) = rest.split_once(END).unwrap_or_else(|| panic!("no {END} after {name}"));
        text += &format!("{}{name}{}\n{}\n{END}{rest}", BEGIN.0, BEGIN.1, list(root, name));
    }
    text
}

#[test]
fn the_page_has_all_options_as_the_command_line_has_them() {
    let (path, command) = (repository().join(PAGE), command_line());
    let page = fs::read_to_string(&path).unwrap();
    for name in command.get_subcommands().map(Command::get_name).filter(|name| *name != "help") {
        assert_eq!(page.matches(&format!("{}{name}{}", BEGIN.0, BEGIN.1)).count(), 1, "{PAGE} has no list of {name}");
    }
    let text = rewritten(&page, &command);
    if std::env::var_os(WRITE).is_some() {
        return fs::write(&path, text).unwrap();
    }
    assert!(page == text, "{PAGE} is not as the command line is: run `make generated`");
}
