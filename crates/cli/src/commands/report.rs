//! `outcrop report`

use crate::options::output::OverwriteOption;
use crate::output::{info, is_same_file};
use clap::Args;
use outcrop::{Error, Location, Record, Result};
use std::io::Read;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub(crate) struct ReportArguments {
    /// Record written by `outcrop run`, `build` or `profile` with --json; - for standard input
    #[arg(value_name = "RECORD.json")]
    pub(crate) record: PathBuf,
    /// Output file [default: the record with extension .html]
    #[arg(short, long, value_name = "FILE.html")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) overwrite: OverwriteOption,
}

/// No record is longer: 10,000 iterations take a twentieth of it.
const LONGEST: u64 = 64 << 20;

pub(crate) fn run(arguments: &ReportArguments) -> Result<()> {
    let piped = arguments.record.as_os_str() == "-";
    let output = match (&arguments.output, piped) {
        (Some(output), _) => output.clone(),
        (None, false) => arguments.record.with_extension("html"),
        (None, true) => return Err(Error::Usage("a record on standard input needs -o FILE.html".to_owned())),
    };
    refuse_itself(&arguments.record, &output)?;
    let file = outcrop::create_output(&output, arguments.overwrite.overwrite)?;
    let (text, name) = if piped { read_stdin()? } else { read_file(&arguments.record)? };
    let page = Record::from_json(&text, &name)?.to_html();
    outcrop::write_report(&page, file)?;
    info(&format!("{}: report of {name}", output.display()));
    Ok(())
}

/// A record that is called `.html` is not replaced by its page, whatever else may be.
fn refuse_itself(record: &Path, output: &Path) -> Result<()> {
    if record != output && !is_same_file(record, output) {
        return Ok(());
    }
    Err(Error::Usage(format!(
        "the report would overwrite its record {}; choose another name with -o",
        record.display()
    )))
}

fn read_file(path: &Path) -> Result<(String, String)> {
    let failed = |source: std::io::Error| match source.kind() {
        std::io::ErrorKind::NotFound => Error::NotFound { path: path.into(), hint: "" },
        _ => Error::io("read", path, source),
    };
    let file = std::fs::File::open(path).map_err(failed)?;
    read(file, path.display().to_string(), failed)
}

fn read_stdin() -> Result<(String, String)> {
    let failed = |source| Error::io("read", "standard input", source);
    read(std::io::stdin().lock(), "standard input".to_owned(), failed)
}

fn read(from: impl Read, name: String, failed: impl Fn(std::io::Error) -> Error) -> Result<(String, String)> {
    let mut bytes = Vec::new();
    from.take(LONGEST + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > LONGEST {
        return Err(Error::bad_input(Location::file(name), "the file is too long for a record; the limit is 64 MiB"));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok((text, name)),
        Err(_) => Err(Error::bad_input(Location::file(name), "the file is not UTF-8; expected a record in JSON")),
    }
}
