//! Files that are made from the table of algorithms: the functions of the Python package, the reference pages, and the
//! page on memory. Committed ones must be as they would be made; `make generated` makes them.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, its helpers included")]

mod engine;
mod function;
mod memory;
mod pages;
mod parameter;
mod text;

use outcrop::ALGORITHMS;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// With this in the environment, files are written and not compared.
const WRITE: &str = "OUTCROP_WRITE_GENERATED";
const PAGES: &str = "docs/algorithms";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

/// All files, by their paths from the root of the repository.
fn files() -> BTreeMap<String, String> {
    let pages = ALGORITHMS.iter().map(|algorithm| {
        let path = format!("{PAGES}/{}.md", algorithm.spec().name);
        (path, pages::page(*algorithm))
    });
    let others = [
        (format!("{PAGES}/README.md"), pages::index()),
        ("docs/memory.md".to_owned(), memory::page()),
        ("crates/python/python/outcrop/algorithms.py".to_owned(), function::module()),
        ("crates/python/python/outcrop/core/engine.py".to_owned(), engine::module()),
    ];
    pages.chain(others).collect()
}

#[test]
fn committed_files_are_what_the_table_of_algorithms_makes() {
    let (root, files) = (root(), files());
    let write = std::env::var_os(WRITE).is_some();
    if write {
        fs::create_dir_all(root.join(PAGES)).unwrap();
    }
    let mut stale: Vec<_> = files
        .iter()
        .filter(|(path, text)| fs::read_to_string(root.join(path)).ok().as_ref() != Some(text))
        .map(|(path, _)| path.clone())
        .collect();
    for path in stale.iter().filter(|_| write) {
        fs::write(root.join(path), &files[path]).unwrap();
    }
    if write {
        stale.clear();
    }
    // Pages of algorithms that there were.
    for entry in fs::read_dir(root.join(PAGES)).unwrap() {
        let path = format!("{PAGES}/{}", entry.unwrap().file_name().to_str().unwrap());
        match files.contains_key(&path) {
            true => {}
            false if write => fs::remove_file(root.join(path)).unwrap(),
            false => stale.push(path),
        }
    }
    assert!(stale.is_empty(), "{} are not as the table of algorithms says: run `make generated`", stale.join(", "));
}

#[test]
fn every_algorithm_is_explained_and_has_an_example() {
    for algorithm in ALGORITHMS {
        let spec = algorithm.spec();
        assert!(
            !spec.details.is_empty() && spec.example.contains(&format!("oc.{}(", spec.python_name)),
            "{}",
            spec.name
        );
    }
}

/// Exports of the package are listed by hand, and complete.
#[test]
fn the_python_package_exports_every_algorithm() {
    let module = fs::read_to_string(root().join("crates/python/python/outcrop/__init__.py")).unwrap();
    for algorithm in ALGORITHMS {
        let name = algorithm.spec().python_name;
        for line in [format!("    {name},\n"), format!("    \"{name}\",\n")] {
            assert!(module.contains(&line), "__init__.py does not import and export {name}");
        }
    }
}

#[test]
fn algorithms_on_spark_have_the_parameters_of_its_functions() {
    let folder = root().join("crates/python/python/outcrop/spark/algorithms");
    let texts = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    let text: String = texts.map(|path| fs::read_to_string(path).unwrap()).collect();
    for algorithm in ALGORITHMS {
        let spec = algorithm.spec();
        let head = text
            .split_once(&format!("\ndef {}(", spec.name))
            .map(|(_, rest)| rest.split_once(") -> DataFrame").unwrap().0);
        let named = |head: &str| {
            let names = head.split([',', '\n', ' ']).filter_map(|word| word.strip_suffix(':'));
            names.filter(|name| *name != "work").map(str::to_owned).collect::<BTreeSet<_>>()
        };
        let info = |name: &&str| algorithm.params().iter().find(|info| info.name == *name).unwrap();
        let params = |names: &[&str]| {
            names.iter().map(|name| parameter::python_name(*algorithm, info(name))).collect::<BTreeSet<_>>()
        };
        assert_eq!(head.map(named), spec.on_spark.map(params), "{}", spec.name);
    }
}
