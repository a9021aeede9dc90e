//! Folders and patterns as inputs: the matching files.

use super::format::EdgeFormat;
use super::options::{EdgeInput, EdgeListOptions};
use crate::remote::{Address, Client, InputPath, Names};
use outcrop_store::is_store;
use outcrop_types::{Error, Location, Result};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;

/// Returns the files that `inputs` match (sorted by name for a folder or pattern), and notes on skipped files.
pub(super) fn expand(
    inputs: &[EdgeInput],
    options: &EdgeListOptions,
    client: &Client,
) -> Result<(Vec<EdgeInput>, Vec<String>)> {
    let (mut files, mut passed_over) = (Vec::new(), Vec::new());
    for input in inputs {
        let EdgeInput::Path(path) = input else {
            files.push(input.clone());
            continue;
        };
        let address = Address::of(path)?;
        let is_folder = address.as_ref().map_or_else(|| path.secret().is_dir(), Address::is_folder);
        // In a web address, `?` starts a query; an existing path on disk is not a pattern.
        let literal = address.as_ref().map_or_else(|| path.secret().exists(), |address| address.scheme.is_web());
        if address.is_none() && !literal && is_query(path.secret()) {
            let advice = "pass a file with its result, or in Python a DuckDB relation: duckdb.sql(...)";
            return Err(Error::Usage(format!("{path} is a query, not a file; {advice}")));
        }
        if is_folder {
            let Names { files: names, mut folders } = names_in(path, client)?;
            refuse_table(path, &folders, client)?;
            if is_store(path.secret()) {
                let advice = "use `outcrop convert` to copy it, or `outcrop export` to write its edges to a file";
                return Err(Error::Usage(format!("{path} is a store, not an edge file; {advice}")));
            }
            let (taken, passed): (Vec<_>, Vec<_>) = names.into_iter().partition(is_data);
            folders.retain(is_data);
            files.extend(edge_files(path, &taken, &folders, options)?.into_iter().map(EdgeInput::Path));
            passed_over.extend(passed.iter().map(|name| path.join(name).to_string()));
        } else if let Some(pattern) = pattern_of(path.secret()).filter(|_| !literal) {
            files.extend(matching(path, &pattern, client)?.into_iter().map(EdgeInput::Path));
        } else if address.is_none() && !literal && path.secret().to_string_lossy().contains('[') {
            return Err(Error::Usage(format!("{path} does not exist; a pattern can have * and ? only, no brackets")));
        } else {
            files.push(input.clone());
        }
    }
    Ok((files, passed_over))
}

/// Refuses a table of Delta Lake, Hudi or Iceberg, whose folder contains files of deleted rows. On disk, `folder` may
/// be one of its partitions or its data folder.
fn refuse_table(folder: &InputPath, folders: &[OsString], client: &Client) -> Result<()> {
    let has = |name: &str| folders.iter().any(|found| found == name);
    let is_iceberg = || -> Result<bool> {
        let metadata = if has("metadata") { names_in(&folder.join("metadata/"), client)?.files } else { Vec::new() };
        Ok(metadata.iter().any(|name| name.to_string_lossy().ends_with(".metadata.json")))
    };
    let table = match () {
        () if has("_delta_log") => "a Delta Lake table",
        () if has(".hoodie") => "a Hudi table",
        () if is_iceberg()? => "an Iceberg table",
        () => {
            let is_part = |name: &OsStr| name == "data" || name.to_string_lossy().contains('=');
            let parent = folder.secret().parent().filter(|_| folder.secret().file_name().is_some_and(is_part));
            let Some(parent) = parent.filter(|_| !matches!(Address::of(folder), Ok(Some(_)))) else { return Ok(()) };
            let parent = InputPath::from(if parent == Path::new("") { Path::new(".") } else { parent });
            return refuse_table(&parent, &names_in(&parent, client)?.folders, client);
        }
    };
    let advice = "its folder also has files of deleted rows; export the table to Parquet, for example with DuckDB";
    Err(Error::bad_input(Location::file(folder.to_string()), format!("found {table}, expected edge files; {advice}")))
}

/// Returns true for SQL, which users of DuckDB may expect to work.
fn is_query(path: &Path) -> bool {
    let text = path.to_string_lossy();
    let mut words = text.split_whitespace();
    let verb =
        words.next().is_some_and(|word| ["select", "from", "with"].iter().any(|verb| word.eq_ignore_ascii_case(verb)));
    verb && words.next().is_some()
}

/// Returns true unless a file of a folder is a marker of the program that wrote it, such as `_SUCCESS` or `.part.crc`.
fn is_data(name: &OsString) -> bool {
    !name.to_string_lossy().starts_with(['.', '_'])
}

/// Returns the names in a folder, sorted.
fn names_in(folder: &InputPath, client: &Client) -> Result<Names> {
    if let Some(address) = Address::of(folder)? {
        return client.list(&address);
    }
    let folder = folder.secret();
    let failed = |source| Error::io("read", folder, source);
    let mut names = Names::default();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name();
        if entry.path().is_dir() { names.folders.push(name) } else { names.files.push(name) }
    }
    names.files.sort();
    names.folders.sort();
    Ok(names)
}

/// Returns the edge files among `names`; all names must be edge files or their companions.
fn edge_files(
    folder: &InputPath,
    files: &[OsString],
    folders: &[OsString],
    options: &EdgeListOptions,
) -> Result<Vec<InputPath>> {
    let shown = |names: &[OsString]| names.iter().map(|name| name.to_string_lossy().into_owned()).collect::<Vec<_>>();
    let (names, folders) = (shown(files), shown(folders));
    let companion = |name: &str| {
        let stem = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(name);
        let stem = stem.strip_suffix(".v").or_else(|| stem.strip_suffix(".properties"));
        stem.is_some_and(|stem| ["", ".gz", ".zst"].iter().any(|end| names.contains(&format!("{stem}.e{end}"))))
    };
    let known = |name: &str| options.format.is_some() || EdgeFormat::of_extension(name).is_some();
    let unknown = names.iter().filter(|name| !companion(name) && !known(name));
    let others: Vec<&str> = unknown.map(String::as_str).collect();
    if let Some(first) = folders.first() {
        let (found, all) = (if folders.len() == 1 { "subfolder" } else { "subfolders" }, folders.join(", "));
        let advice = format!("pass the subfolders themselves, such as {}", folder.join(first));
        return Err(Error::Usage(format!("{folder} has the {found} {all}, which would not be read; {advice}")));
    }
    if !others.is_empty() {
        let have = if others.len() == 1 { "has" } else { "have" };
        let advice = "use --format, list the files, or use a pattern such as '*.csv'";
        let message = format!("{} {have} no known extension of edge files; {advice}", others.join(", "));
        return Err(Error::Usage(format!("{folder}: {message}")));
    }
    let edges = files.iter().zip(&names).filter(|(_, shown)| !companion(shown));
    let files: Vec<_> = edges.map(|(name, _)| folder.join(name)).collect();
    if files.is_empty() {
        return Err(Error::Usage(format!("{folder} has no edge files")));
    }
    Ok(files)
}

/// Returns the characters of the last path component if it is a pattern.
fn pattern_of(path: &Path) -> Option<Vec<char>> {
    let name = path.file_name()?.to_string_lossy();
    name.contains(['*', '?']).then(|| name.chars().collect())
}

/// Returns the files that match the pattern in the last path component.
fn matching(path: &InputPath, pattern: &[char], client: &Client) -> Result<Vec<InputPath>> {
    let folder = path.secret().parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let hidden = pattern.first() == Some(&'.');
    let folder = InputPath::from(folder);
    let Names { files, folders } = names_in(&folder, client)?;
    refuse_table(&folder, &folders, client)?;
    // A folder on disk may have the name of a file; it is then refused by name.
    let shown = |name: &OsString| name.to_string_lossy().chars().collect::<Vec<_>>();
    let mut names: Vec<_> = files.into_iter().chain(folders).collect();
    names.retain(|name| hidden || shown(name).first() != Some(&'.'));
    names.sort();
    let found = names.into_iter().filter(|name| matches(pattern, &shown(name)));
    let files: Vec<_> = found.map(|name| path.secret().with_file_name(name).into()).collect();
    if files.is_empty() {
        return Err(Error::Usage(format!("no file matches {path}")));
    }
    Ok(files)
}

/// Returns true if `name` matches `pattern`: `*` is any text, `?` any character.
fn matches(pattern: &[char], name: &[char]) -> bool {
    let (mut at, mut place, mut star) = (0, 0, None);
    while place < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, place));
                at += 1;
            }
            Some(sign) if *sign == '?' || *sign == name[place] => (at, place) = (at + 1, place + 1),
            _ => {
                // Let the last star match one more character.
                let Some((star_at, taken)) = star else { return false };
                star = Some((star_at, taken + 1));
                (at, place) = (star_at + 1, taken + 1);
            }
        }
    }
    pattern.iter().skip(at).all(|sign| *sign == '*')
}

#[cfg(test)]
mod tests {
    use super::*;
    use outcrop_types::MemoryBudget;

    fn expanded(folder: &Path, names: &[&str]) -> Result<Vec<String>> {
        let inputs: Vec<_> = names.iter().map(|name| folder.join(name).into()).collect();
        let (files, _) = expand(&inputs, &EdgeListOptions::default(), &Client::new(&MemoryBudget::new(1 << 20)))?;
        let name = |input: &EdgeInput| match input {
            EdgeInput::Path(path) => path.secret().strip_prefix(folder).unwrap().display().to_string(),
            EdgeInput::StandardInput => "-".to_owned(),
        };
        Ok(files.iter().map(name).collect())
    }

    #[test]
    fn folders_and_patterns_are_their_files_in_the_order_of_names() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        fs::create_dir(path.join("d")).unwrap();
        for name in
            ["d/b.csv.gz", "d/a.csv", "d/_SUCCESS", "d/.b.crc", "d/g.e", "d/g.v", "d/g.properties", "x1.dat", "x2.dat"]
        {
            fs::write(path.join(name), "").unwrap();
        }
        assert_eq!(expanded(path, &["d"]).unwrap(), ["d/a.csv", "d/b.csv.gz", "d/g.e"]);
        assert_eq!(
            expanded(path, &["d/*.csv*", "x?.dat", "x1.dat"]).unwrap(),
            ["d/a.csv", "d/b.csv.gz", "x1.dat", "x2.dat", "x1.dat"]
        );
        let error = expanded(path, &["d/*.tsv"]).unwrap_err().to_string();
        assert!(error.starts_with("no file matches") && error.ends_with("d/*.tsv"), "{error}");
        fs::write(path.join("d/notes.pdf"), "").unwrap();
        fs::write(path.join("d/h.v"), "").unwrap();
        let error = expanded(path, &["d"]).unwrap_err().to_string();
        assert!(error.contains("h.v, notes.pdf have no known extension of edge files"), "{error}");
        fs::remove_file(path.join("d/h.v")).unwrap();
        let error = expanded(path, &["d"]).unwrap_err().to_string();
        assert!(error.contains("d: notes.pdf has no known extension"), "{error}");
        let error = expanded(path, &["x[12].dat"]).unwrap_err().to_string();
        assert!(error.ends_with("x[12].dat does not exist; a pattern can have * and ? only, no brackets"), "{error}");
        for (name, found) in
            [("d/y=1", "has the subfolder y=1, which"), ("d/y=2", "has the subfolders y=1, y=2, which")]
        {
            fs::create_dir(path.join(name)).unwrap();
            let error = expanded(path, &["d"]).unwrap_err().to_string();
            assert!(
                error.contains(found)
                    && error.ends_with(
                        "pass the subfolders themselves, such as D/y=1"
                            .replace('D', &path.join("d").display().to_string())
                            .as_str()
                    ),
                "{error}"
            );
        }
        fs::create_dir(path.join("empty")).unwrap();
        assert!(expanded(path, &["empty"]).unwrap_err().to_string().ends_with("empty has no edge files"));
    }

    #[test]
    fn tables_that_keep_deleted_rows_are_refused_by_name() {
        for (mark, name) in [
            ("_delta_log/0.json", "found a Delta Lake table"),
            (".hoodie/hoodie.properties", "found a Hudi table"),
            ("metadata/v1.metadata.json", "found an Iceberg table"),
        ] {
            let folder = tempfile::tempdir().unwrap();
            for file in ["t/a.csv", "t/data/b.csv", "t/y=1/m=2/c.csv", "t/other/d.csv", &format!("t/{mark}")] {
                let path = folder.path().join(file);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, "1,2\n").unwrap();
            }
            for path in ["t", "t/*.csv", "t/data", "t/y=1/m=2", "t/y=1/m=2/?.csv"] {
                let error = expanded(folder.path(), &[path]).unwrap_err();
                assert!(error.exit_code() == 3 && error.to_string().contains(name), "{path}: {error}");
            }
            // A path given by the user is read whatever its name is.
            assert_eq!(expanded(folder.path(), &["t/a.csv", "t/other"]).unwrap(), ["t/a.csv", "t/other/d.csv"]);
        }
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("t/metadata")).unwrap();
        fs::write(folder.path().join("t/a.csv"), "").unwrap();
        assert_eq!(expanded(folder.path(), &["t/*.csv"]).unwrap(), ["t/a.csv"]);
    }

    #[test]
    fn patterns_are_those_of_a_slow_reader() {
        fn slow(pattern: &[char], name: &[char]) -> bool {
            match (pattern.split_first(), name.split_first()) {
                (None, None) => true,
                (Some(('*', rest)), _) => {
                    slow(rest, name) || name.split_first().is_some_and(|(_, name)| slow(pattern, name))
                }
                (Some((sign, rest)), Some((letter, name))) => (*sign == '?' || sign == letter) && slow(rest, name),
                _ => false,
            }
        }
        let texts: Vec<Vec<char>> = (0..4u32.pow(5))
            .map(|mut number| {
                let mut text = Vec::new();
                while number > 0 {
                    text.push(['a', 'b', '*', '?'][(number % 4) as usize]);
                    number /= 4;
                }
                text
            })
            .collect();
        let names: Vec<_> = texts.iter().filter(|text| text.iter().all(|sign| sign.is_alphabetic())).collect();
        for pattern in &texts {
            for name in &names {
                assert_eq!(matches(pattern, name), slow(pattern, name), "{pattern:?} {name:?}");
            }
        }
    }
}
