//! Help pages: complete, without repetition, in step with the table of algorithms.

use crate::driver::Folder;
use outcrop::ALGORITHMS;

const COMMANDS: [&str; 10] =
    ["build", "convert", "update", "info", "check", "estimate", "run", "report", "generate", "calibrate"];

/// The long options that a help page lists; what stands behind them is left aside.
fn options(page: &str) -> Vec<String> {
    let (options, _) = page.split_once("\nAlgorithms:").unwrap_or((page, ""));
    let listed = options.lines().map(str::trim_start).filter(|line| line.starts_with('-') && !line.starts_with("- "));
    let long = listed.filter_map(|line| line.split([' ', ',']).find(|word| word.starts_with("--")));
    long.map(str::to_owned).collect()
}

#[test]
fn every_command_has_a_page_that_lists_every_option_once() {
    let folder = Folder::new();
    for command in COMMANDS.into_iter().chain(["generate kronecker", "generate uniform", "generate grid"]) {
        let ran = folder.ok(&format!("{command} --help"));
        assert_eq!(ran.stderr, "", "{command}");
        let mut found = options(&ran.stdout);
        let listed = found.len();
        assert!(found.contains(&"--help".to_owned()), "{command}: {found:?}");
        found.sort();
        found.dedup();
        assert_eq!(found.len(), listed, "{command}: an option is listed twice: {}", ran.stdout);
    }
}

#[test]
fn the_first_page_names_every_command_and_every_exit_code() {
    let folder = Folder::new();
    let page = folder.ok("--help").stdout;
    for command in COMMANDS {
        assert_eq!(page.lines().filter(|line| line.trim_start().starts_with(command)).count(), 1, "{command}: {page}");
    }
    let words: Vec<&str> = page.split(|c: char| !c.is_alphanumeric()).collect();
    for code in ["0", "2", "3", "4", "5", "6", "7", "8", "9", "70", "130"] {
        assert!(words.contains(&code), "{code}: {page}");
    }
    assert!(folder.ok("--version").stdout.starts_with("outcrop "));
    assert!(folder.fails("", 2).contains("Usage: "));
}

#[test]
fn run_and_estimate_list_every_algorithm_and_its_options() {
    let folder = Folder::new();
    for command in ["run", "estimate"] {
        let page = folder.ok(&format!("{command} --help")).stdout;
        let (_, table) = page.split_once("\nAlgorithms:").unwrap();
        let listed = options(&page);
        for row in ALGORITHMS {
            let lines = table.lines().filter(|line| line.split_whitespace().next() == Some(row.name));
            assert_eq!(lines.count(), 1, "{command} {}", row.name);
            for parameter in row.parameters {
                assert!(listed.contains(&format!("--{}", parameter.option())), "{command} --{}", parameter.option());
            }
        }
    }
}

#[test]
fn build_lists_every_option_of_the_design() {
    let page = Folder::new().ok("build --help").stdout;
    let expected = "--undirected --weighted --weight --vertices --ids --num-vertices --order --order-seed --window --dedup --self-loops --memory \
                    --tmp-dir --on-error --max-errors --overwrite --json --threads --progress";
    let listed = options(&page);
    for option in expected.split_whitespace() {
        assert!(listed.contains(&option.to_owned()), "{option}: {page}");
    }
}
