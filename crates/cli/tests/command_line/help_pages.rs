//! Help pages: complete, without repetition, in step with the table of algorithms.

use crate::driver::Folder;
use outcrop::{ALGORITHMS, params};

const COMMANDS: [&str; 20] = [
    "build",
    "convert",
    "export",
    "update",
    "info",
    "profile",
    "runs",
    "check",
    "salvage",
    "estimate",
    "run",
    "neighbors",
    "degree",
    "subgraph",
    "sample",
    "serve",
    "algorithms",
    "report",
    "generate",
    "calibrate",
];

/// The long options that a help page lists; what stands behind them is left aside.
fn options(page: &str) -> Vec<String> {
    let listed = page.lines().map(str::trim_start).filter(|line| line.starts_with('-') && !line.starts_with("- "));
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
        assert_eq!(
            page.lines().filter(|line| line.split_whitespace().next() == Some(command)).count(),
            1,
            "{command}: {page}"
        );
    }
    let words: Vec<&str> = page.split(|c: char| !c.is_alphanumeric()).collect();
    for code in ["0", "2", "3", "4", "5", "6", "7", "8", "9", "10", "70", "130"] {
        assert!(words.contains(&code), "{code}: {page}");
    }
    assert!(folder.ok("--version").stdout.starts_with("outcrop "));
    assert!(folder.fails("", 2).contains("Usage: "));
}

/// Options that are listed with `--help`, and with `--help-all` those in the group for other models and measurements
/// too.
#[test]
fn run_and_estimate_have_a_page_for_every_algorithm_with_its_options_and_no_others() {
    let folder = Folder::new();
    for command in ["run", "estimate"] {
        let table = folder.ok(&format!("{command} --help")).stdout;
        for algorithm in ALGORITHMS {
            let spec = algorithm.spec();
            let lines = table.lines().filter(|line| line.split_whitespace().next() == Some(spec.name));
            assert_eq!(lines.count(), 1, "{command} {}", spec.name);
            let page = folder.ok(&format!("{command} {} --help", spec.name)).stdout;
            let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(words(&page).starts_with(&words(spec.summary)) && page.contains("Example:"), "{page}");
            let own: Vec<String> = algorithm.params().iter().map(|info| format!("--{}", info.name)).collect();
            let (_, rest) = page.split_once("\nAlgorithm:").unwrap_or(("", ""));
            let (listed, _) = rest.split_once("\n\n").unwrap_or((rest, ""));
            assert_eq!(options(listed), own, "{command} {}", spec.name);
            assert!(!page.contains("\nAdvanced:"), "{page}");
            let all = options(&folder.ok(&format!("{command} {} --help-all", spec.name)).stdout);
            for info in params::engine::PARAMS {
                let counts = info.models.is_empty() || info.models.iter().any(|model| spec.models.contains(model));
                assert_eq!(
                    all.contains(&format!("--{}", info.name)),
                    counts,
                    "{command} {} --{}",
                    spec.name,
                    info.name
                );
            }
            for alias in spec.aliases.iter().chain([&spec.python_name]) {
                assert_eq!(folder.ok(&format!("{command} {alias} --help")).stdout, page, "{alias}");
            }
        }
    }
}

#[test]
fn names_and_options_that_are_nearly_right_are_suggested() {
    let folder = Folder::new();
    assert!(folder.fails("run sssp g.outcrop --method belman-ford", 2).contains("'bellman-ford'"));
    let refused = folder.fails("run pagerank g.outcrop --alpha 1.5", 2);
    assert_eq!(refused, "outcrop: --alpha must be a number at least 0 and below 1, not \"1.5\"\n");
}

#[test]
fn shells_complete_commands_and_options_and_manuals_have_a_page_for_each() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = folder.ok(&format!("completions {shell}")).stdout;
        assert!(script.contains("pagerank") && script.contains("personalization"), "{shell}: {script}");
    }
    folder.ok("man pages");
    let page = folder.read("pages/outcrop-run-pagerank.1");
    assert!(page.contains("alpha") && page.contains("stationary distribution of a random walk"), "{page}");
    assert!(folder.read("pages/outcrop.1").contains("outcrop"));
    assert!(folder.fails("man pages", 2).contains("--overwrite"));
    folder.ok("man pages --overwrite");
}

#[test]
fn algorithms_are_listed_and_described() {
    let folder = Folder::new();
    let list = folder.ok("algorithms").stdout;
    let described: serde_json::Value = serde_json::from_str(&folder.ok("algorithms --json").stdout).unwrap();
    for (algorithm, described) in ALGORITHMS.iter().zip(described.as_array().unwrap()) {
        let spec = algorithm.spec();
        assert!(list.contains(spec.summary), "{list}");
        assert_eq!((&described["name"], &described["summary"]), (&spec.name.into(), &spec.summary.into()));
        assert_eq!(described["parameters"].as_array().unwrap().len(), algorithm.params().len());
    }
}
