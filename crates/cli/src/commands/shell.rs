//! `outcrop completions` and `outcrop man`: what shells and manuals know of the command line.

use crate::arguments::{Arguments, CompletionsArguments, ManArguments};
use crate::output::{remark, say};
use clap::{Command, CommandFactory};
use outcrop::{Error, Result};

pub(crate) fn completions(arguments: &CompletionsArguments) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "outcrop", &mut script);
    say(String::from_utf8_lossy(&script).trim_end())
}

pub(crate) fn man(arguments: &ManArguments) -> Result<()> {
    let ManArguments { folder, overwrite } = arguments;
    std::fs::create_dir_all(folder).map_err(|error| Error::io("make", folder, error))?;
    let mut command = Arguments::command().disable_help_subcommand(true);
    command.build();
    let mut pages = Vec::new();
    collect(&command, "outcrop", &mut pages)?;
    let count = pages.len();
    for (name, page) in pages {
        let path = folder.join(name);
        outcrop::write_report(&page, outcrop::create_output(&path, *overwrite)?)?;
    }
    remark(&format!("{count} manual pages in {}", folder.display()));
    Ok(())
}

/// The pages of `command`, which is called `name`, and of the commands in it.
fn collect(command: &Command, name: &str, pages: &mut Vec<(String, String)>) -> Result<()> {
    let mut page = Vec::new();
    let rendered = clap_mangen::Man::new(command.clone()).title(name).render(&mut page);
    rendered.map_err(|error| Error::io("make", "a manual page", error))?;
    pages.push((format!("{name}.1"), String::from_utf8_lossy(&page).into_owned()));
    let mut commands = command.get_subcommands().filter(|command| !command.is_hide_set());
    commands.try_for_each(|command| collect(command, &format!("{name}-{}", command.get_name()), pages))
}
