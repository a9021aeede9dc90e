//! `outcrop completions` and `outcrop man`: shell completions and manual pages.

use crate::options::output::OverwriteOption;
use crate::output::{info, print};
use clap::{Args, Command};
use outcrop::{Error, Result};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(
    after_help = "Example, for bash:\n  outcrop completions bash > ~/.local/share/bash-completion/completions/outcrop"
)]
pub(crate) struct CompletionsArguments {
    /// Shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  outcrop man ~/.local/share/man/man1")]
pub(crate) struct ManArguments {
    /// Folder for the pages, created if missing
    pub(crate) folder: PathBuf,
    #[command(flatten)]
    pub(crate) overwrite: OverwriteOption,
}

pub(crate) fn completions(arguments: &CompletionsArguments, mut command: Command) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "outcrop", &mut script);
    print(String::from_utf8_lossy(&script).trim_end())
}

pub(crate) fn man(arguments: &ManArguments, command: Command) -> Result<()> {
    let ManArguments { folder, overwrite } = arguments;
    outcrop::require_own_place(folder)?;
    std::fs::create_dir_all(folder).map_err(|error| Error::io("create", folder, error))?;
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let mut pages = Vec::new();
    collect(&command, "outcrop", &mut pages)?;
    let count = pages.len();
    for (name, page) in pages {
        let path = folder.join(name);
        outcrop::write_report(&page, outcrop::create_output(&path, overwrite.overwrite)?)?;
    }
    info(&format!("wrote {count} manual pages to {}", folder.display()));
    Ok(())
}

/// The pages of `command`, which is called `name`, and of the commands in it.
fn collect(command: &Command, name: &str, pages: &mut Vec<(String, String)>) -> Result<()> {
    let mut page = Vec::new();
    let rendered = clap_mangen::Man::new(command.clone()).title(name).render(&mut page);
    rendered.map_err(|error| Error::io("write", "a manual page", error))?;
    pages.push((format!("{name}.1"), String::from_utf8_lossy(&page).into_owned()));
    let mut commands = command.get_subcommands().filter(|command| !command.is_hide_set());
    commands.try_for_each(|command| collect(command, &format!("{name}-{}", command.get_name()), pages))
}
