//! Runs on Spark: what the command hands on to Python, and what it refuses. The package's own tests run Spark.

use crate::driver::{Folder, Ran, interrupt, not_tested};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

/// A package in the place of the real one, which says what it was given and waits until it is interrupted if told to.
/// Whoever reads the line may interrupt at once, so the line too is written where interruptions are waited for.
const PACKAGE: &str = "import sys, time\ntry:\n  print(*sys.argv[1:], sep='|', flush=True)\n  time.sleep(600 * ('wait' in sys.argv))\n\
                       except KeyboardInterrupt: sys.exit(130)\nsys.exit(6)\n";

fn with_package() -> Option<Folder> {
    if Command::new("python3").arg("--version").output().is_err() {
        not_tested("runs on Spark: there is no python3");
        return None;
    }
    let folder = Folder::new();
    std::fs::create_dir_all(folder.path("package/outcrop/spark")).unwrap();
    folder.write("package/outcrop/__init__.py", "");
    folder.write("package/outcrop/spark/__init__.py", "");
    folder.write("package/outcrop/spark/__main__.py", PACKAGE);
    Some(folder)
}

/// The command beside a Python that finds this package and no other.
fn command(folder: &Folder, arguments: &str) -> Command {
    let mut command = folder.command(arguments);
    command.env("PYTHONPATH", folder.path("package")).env_remove("OUTCROP_PYTHON");
    command
}

#[test]
fn python_gets_the_words_as_they_are_typed_and_its_exit_code_counts() {
    let Some(folder) = with_package() else { return };
    let words = "hdfs:///web/edges --engine spark --master local[2] --conf a=b --undirected --alpha=0.5 -o ranks.parquet --json";
    let ran = Ran::of(command(&folder, &format!("run pr {words}")).output().unwrap());
    let expected = format!("pagerank|{}\n", words.replace(' ', "|"));
    assert_eq!((ran.code, ran.stdout, ran.stderr.as_str()), (Some(6), expected, ""));
    assert_eq!(folder.names(), ["package"]);
}

#[test]
fn an_interruption_is_for_python() {
    let Some(folder) = with_package() else { return };
    let mut child = command(&folder, "run wcc wait --engine spark").stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "wcc|wait|--engine|spark");
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[test]
fn what_is_missing_is_named() {
    let Some(folder) = with_package() else { return };
    let fails = |python: &str| {
        let ran = Ran::of(command(&folder, "run wcc e --engine spark").env("OUTCROP_PYTHON", python).output().unwrap());
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(9), ""), "{ran:?}");
        ran.stderr
    };
    let message = fails("no-such-python");
    assert_eq!(
        message,
        "outcrop: no-such-python does not exist; install Python 3.10 or newer, or set OUTCROP_PYTHON\n"
    );
    folder.write("package/outcrop/spark/__init__.py", "raise ImportError('PySpark is not there')");
    let message = fails("python3");
    let parts = ["cannot import outcrop.spark with python3: ", "PySpark is not there; pip install 'outcrop[spark]'"];
    assert!(parts.iter().all(|part| message.contains(part)) && message.lines().count() == 1, "{message}");
}

#[test]
fn options_of_spark_are_refused_without_it_and_algorithms_that_it_has_not() {
    let folder = Folder::new();
    let cases = [
        (
            "run kcore g --engine spark",
            "`kcore` does not run on Spark; supported algorithms: bfs, sssp, wcc, pagerank, ",
        ),
        ("run wcc g --engine flink", "flink"),
        ("run wcc g --master local", "--master needs --engine spark"),
        ("run wcc g --engine outcrop --master local", "--master needs --engine spark"),
        (
            "run wcc g --engine outcrop --undirected",
            "--undirected needs --engine spark; for a store, it is an option of `outcrop build`",
        ),
        ("run pagerank g --engine spark --alpha 2", "--alpha must be a number at least 0 and below 1"),
        ("run bfs g --engine spark", "`bfs` needs --source"),
    ];
    for (arguments, part) in cases {
        let message = folder.fails(arguments, 2);
        assert!(message.contains(part), "outcrop {arguments}: {message}");
    }
}
