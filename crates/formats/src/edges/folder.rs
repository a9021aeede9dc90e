//! Folders and patterns as inputs: the files that they stand for.

use super::format::EdgeFormat;
use super::options::{EdgeInput, EdgeListOptions};
use crate::remote::{Address, Client, InputPath, Names};
use outcrop_types::{Error, Result};
use std::ffi::OsString;
use std::fs;
use std::path::Path;

/// The files that `inputs` stand for: of a folder and of a pattern, those in it in the order of their names. What was passed over is told
/// in the second part.
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
        // Behind the `?` of a web address is a query, and what is there on disk is no pattern.
        let literal = address.as_ref().map_or_else(|| path.secret().exists(), |address| address.scheme.is_web());
        if address.is_none() && !literal && is_query(path.secret()) {
            let advice = "pass a file with its result, or in Python a DuckDB relation: duckdb.sql(...)";
            return Err(Error::Usage(format!("{path} is a query, not a file; {advice}")));
        }
        if is_folder {
            let Names { files: names, mut folders } = names_in(path, client)?;
            let (taken, passed): (Vec<_>, Vec<_>) = names.into_iter().partition(is_data);
            folders.retain(is_data);
            files.extend(edge_files(path, &taken, &folders, options)?.into_iter().map(EdgeInput::Path));
            passed_over.extend(passed.iter().map(|name| path.join(name).to_string()));
        } else if let Some(pattern) = pattern_of(path.secret()).filter(|_| !literal) {
            files.extend(matching(path, &pattern, client)?.into_iter().map(EdgeInput::Path));
        } else {
            files.push(input.clone());
        }
    }
    Ok((files, passed_over))
}

/// True of SQL, which users of DuckDB may expect to be run.
fn is_query(path: &Path) -> bool {
    let text = path.to_string_lossy();
    let mut words = text.split_whitespace();
    let verb =
        words.next().is_some_and(|word| ["select", "from", "with"].iter().any(|verb| word.eq_ignore_ascii_case(verb)));
    verb && words.next().is_some()
}

/// True if a file of a folder is no mark of a program that wrote it, such as `_SUCCESS` or `.part.crc`.
fn is_data(name: &OsString) -> bool {
    !name.to_string_lossy().starts_with(['.', '_'])
}

/// The names in a folder, sorted.
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

/// The files of edges among `names`; all must be such, or files beside them.
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
    let mut others: Vec<&str> = unknown.chain(&folders).map(String::as_str).collect();
    others.sort_unstable();
    if !others.is_empty() {
        let message =
            "have no known extension of edge files; use --format, list the files, or use a pattern such as '*.csv'";
        return Err(Error::Usage(format!("{folder}: {} {message}", others.join(", "))));
    }
    let edges = files.iter().zip(&names).filter(|(_, shown)| !companion(shown));
    let files: Vec<_> = edges.map(|(name, _)| folder.join(name)).collect();
    if files.is_empty() {
        return Err(Error::Usage(format!("{folder} has no edge files")));
    }
    Ok(files)
}

/// The characters of the last part of a path that is a pattern.
fn pattern_of(path: &Path) -> Option<Vec<char>> {
    let name = path.file_name()?.to_string_lossy();
    name.contains(['*', '?']).then(|| name.chars().collect())
}

/// The files that a pattern in the last part of a path stands for.
fn matching(path: &InputPath, pattern: &[char], client: &Client) -> Result<Vec<InputPath>> {
    let folder = path.secret().parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let hidden = pattern.first() == Some(&'.');
    let Names { files, folders } = names_in(&folder.into(), client)?;
    // A folder on disk may be called as files are, and is refused by its name.
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

/// True if `name` is as `pattern` says: `*` is any text, `?` any character.
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
                // The last star takes one character more.
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
        fs::create_dir(path.join("empty")).unwrap();
        assert!(expanded(path, &["empty"]).unwrap_err().to_string().ends_with("empty has no edge files"));
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
