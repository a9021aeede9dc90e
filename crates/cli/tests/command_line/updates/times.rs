//! Windows of edges with times give the answers of stores that are built of those edges alone, whatever came and went.

use crate::driver::{Dice, Folder};
use std::fmt::Write as _;

/// An edge as it was given: its ends, its weight, and the day of its time.
#[derive(Clone, Copy, PartialEq)]
struct Event {
    ends: (u64, u64),
    weight: u64,
    day: u64,
}

/// Builds, and how a day and the length of one are written.
const BUILDS: [(&str, Days); 5] = [
    ("", Days::Dates),
    ("--weighted --undirected --dedup sum", Days::Numbers),
    ("--weighted --layout compact --order random", Days::Seconds),
    ("--undirected --layout csr --ids string", Days::Dates),
    ("--ids dense --dedup first --order original", Days::Seconds),
];

const VERTICES: u64 = 60;

#[derive(Clone, Copy, PartialEq)]
enum Days {
    Numbers,
    Seconds,
    Dates,
}

impl Days {
    fn written(self, day: u64) -> String {
        match self {
            Self::Numbers => day.to_string(),
            Self::Seconds => (day * 86_400 + 7).to_string(),
            Self::Dates => format!("1970-{:02}-{:02}T12:00:00+01:00", day / 28 + 1, day % 28 + 1),
        }
    }

    /// The begin of a day, as it is asked for.
    fn asked(self, day: u64) -> String {
        match self {
            Self::Numbers => day.to_string(),
            Self::Seconds => format!("1970-01-{:02}", day + 1),
            Self::Dates => format!("1970-{:02}-{:02}", day / 28 + 1, day % 28 + 1),
        }
    }

    const fn options(self) -> &'static str {
        if matches!(self, Self::Seconds) { "--time-unit s" } else { "" }
    }
}

fn events(dice: &mut Dice, count: u64, vertices: u64) -> Vec<Event> {
    let event = |dice: &mut Dice| {
        let ends = (dice.below(vertices), dice.below(vertices) * dice.below(vertices) / vertices);
        Event { ends, weight: dice.below(9) + 1, day: dice.below(28) }
    };
    (0..count).map(|_| event(dice)).collect()
}

fn lines(events: &[Event], (build, days): (&str, Days), timed: bool) -> String {
    let name = |id: u64| if build.contains("string") { format!("v{id}") } else { id.to_string() };
    events.iter().fold(String::new(), |mut text, event| {
        write!(text, "{},{}", name(event.ends.0), name(event.ends.1)).unwrap();
        if build.contains("--weighted") {
            write!(text, ",{}", event.weight).unwrap();
        }
        if timed {
            write!(text, ",{}", days.written(event.day)).unwrap();
        }
        text.push('\n');
        text
    })
}

/// Removes every event of an edge of `gone`.
fn forget(events: &mut Vec<Event>, gone: &[Event], undirected: bool) {
    let same = |one: &Event, (source, target): (u64, u64)| {
        one.ends == (source, target) || undirected && one.ends == (target, source)
    };
    events.retain(|event| !gone.iter().any(|gone| same(event, gone.ends)));
}

/// Compares windows of `g.outcrop` with stores of their edges.
fn assert_windows(folder: &Folder, events: &[Event], way: (&str, Days), dice: &mut Dice) {
    for _ in 0..2 {
        let start = dice.below(26);
        let end = start + 1 + dice.below(27 - start);
        let inside: Vec<Event> = events.iter().filter(|event| (start..end).contains(&event.day)).copied().collect();
        let between = format!("--between {} {}", way.1.asked(start), way.1.asked(end));
        if inside.is_empty() {
            assert!(folder.fails(&format!("run wcc g.outcrop {between}"), 2).contains("has no edges from"));
            continue;
        }
        folder.write("inside.csv", lines(&inside, way, false));
        // Dense ids would bring in vertices without edges.
        let build = way.0.replace("--ids dense", "");
        folder.ok(&format!("build inside.csv inside.outcrop --overwrite {build}"));
        let source = lines(&inside[..1], (way.0, Days::Numbers), false);
        let sssp = format!("sssp --source {}", source.split(',').next().unwrap());
        for run in ["wcc", "kcore", "pagerank --iterations 5 --precision f64", &sssp] {
            let (name, options) = run.split_once(' ').unwrap_or((run, ""));
            let expected = folder.rows(&format!("{name} inside.outcrop {options}"));
            let found = folder.rows(&format!("{name} g.outcrop {options} {between}"));
            let close = |one: &String, other: &String| match (one.rsplit_once(','), other.rsplit_once(',')) {
                (Some((id, value)), Some((same, near))) if name == "pagerank" => {
                    let (value, near): (f64, f64) = (value.parse().unwrap(), near.parse().unwrap());
                    id == same && (value - near).abs() <= 1e-12
                }
                _ => one == other,
            };
            let same =
                expected.len() == found.len() && expected.iter().zip(&found).all(|(one, other)| close(one, other));
            assert!(same, "{run} {between} {way:?}: {expected:?} {found:?}", way = way.0);
        }
    }
}

#[test]
fn windows_are_the_graphs_of_their_edges() {
    let mut dice = Dice::seeded(18);
    for way in BUILDS {
        let (folder, undirected) = (Folder::new(), way.0.contains("undirected"));
        let mut known = events(&mut dice, 400, VERTICES);
        folder.write("edges.csv", lines(&known, way, true));
        folder.ok(&format!("build edges.csv g.outcrop --timed {} {}", way.0, way.1.options()));
        assert_windows(&folder, &known, way, &mut dice);
        for round in 0..3 {
            // The last update brings vertices, and thus writes the store anew.
            let added = events(&mut dice, 30, if round == 2 { 2 * VERTICES } else { VERTICES });
            let gone: Vec<Event> = (0..10).map(|_| known[dice.below(known.len() as u64) as usize]).collect();
            forget(&mut known, &gone, undirected);
            known.extend(&added);
            folder.write("add.csv", lines(&added, way, true));
            folder.write("gone.csv", lines(&gone, way, false));
            folder.ok("update g.outcrop --remove gone.csv --add add.csv --merge-above never");
            folder.ok("check g.outcrop");
            assert_windows(&folder, &known, way, &mut dice);
        }
        folder.ok("update g.outcrop --merge");
        assert_windows(&folder, &known, way, &mut dice);
        folder.ok("convert g.outcrop other.outcrop --layout chunked --order degree");
        std::fs::remove_dir_all(folder.path("g.outcrop")).unwrap();
        std::fs::rename(folder.path("other.outcrop"), folder.path("g.outcrop")).unwrap();
        folder.ok("check g.outcrop");
        assert_windows(&folder, &known, way, &mut dice);
        assert!(!folder.names().iter().any(|name| name.contains(".tmp-")), "{:?}", folder.names());
    }
}

#[test]
fn a_series_of_windows_is_a_folder_of_results() {
    let folder = Folder::new();
    folder.write("edges.csv", "from,to,at\n1,2,2024-01-01T01:00:00\n2,3,2024-01-02\n3,1,2024-01-09\n");
    folder.ok("build edges.csv g.outcrop --time at");
    let info = folder.ok("info g.outcrop --json").json();
    assert_eq!(info["times"]["from"], "2024-01-01T01:00:00Z");
    assert_eq!((&info["times"]["kind"], &info["times"]["edges"]), (&"instant".into(), &3.into()));
    let ran = folder.ok("run wcc g.outcrop --window 2d --step 1d -o windows --json");
    assert_eq!(ran.stdout.lines().count(), 4, "{}", ran.stdout);
    assert!(ran.stdout.lines().next().unwrap().contains(r#""window":{"start":"2024-01-01","end":"2024-01-03""#));
    assert!(ran.stderr.contains("5 without edges were skipped"), "{}", ran.stderr);
    let names = crate::driver::names_in(&folder.path("windows"));
    assert_eq!(names, ["2024-01-01.parquet", "2024-01-02.parquet", "2024-01-08.parquet", "2024-01-09.parquet"]);
    assert!(
        folder
            .fails("run wcc g.outcrop --window 2d -o windows", 2)
            .contains("already exists; choose another name, or use --overwrite")
    );
    folder.ok("run wcc g.outcrop --window 2d -o windows --overwrite");
    folder.fails("run cdlp g.outcrop --window 2d -o refused --memory 9MiB --page-cache 8MiB", 4);
    assert!(!folder.path("refused").exists());
}

#[test]
fn a_series_replaces_the_files_of_the_one_before_and_no_others() {
    let folder = Folder::new();
    let names = || crate::driver::names_in(&folder.path("windows"));
    folder.write("edges.csv", "1,2,1\n2,3,5\n3,1,9\n");
    folder.ok("build edges.csv g.outcrop --timed");
    folder.ok("run wcc g.outcrop --window 2 -o windows");
    folder.ok("run wcc g.outcrop --between 0 9 -o windows/7.parquet");
    folder.write("windows/3.parquet", "not of outcrop");
    assert_eq!(names(), ["1.parquet", "3.parquet", "5.parquet", "7.parquet", "9.parquet"]);
    // The file that exists is that of the last window: nothing is computed before it is noticed.
    std::fs::remove_file(folder.path("windows/1.parquet")).unwrap();
    std::fs::remove_file(folder.path("windows/5.parquet")).unwrap();
    assert!(folder.fails("run wcc g.outcrop --window 2 -o windows", 2).contains("windows/9.parquet already exists"));
    assert_eq!(names(), ["3.parquet", "7.parquet", "9.parquet"]);
    folder.ok("run wcc g.outcrop --window 4 -o windows --overwrite");
    folder.write("gone.csv", "2,3\n3,1\n");
    folder.ok("update g.outcrop --remove gone.csv");
    let ran = folder.ok("run wcc g.outcrop --window 3 -o windows --overwrite");
    assert!(
        ran.stderr.contains("1 window in windows; 2 without edges were skipped; removed 2 files"),
        "{}",
        ran.stderr
    );
    assert_eq!(names(), ["1.parquet", "3.parquet", "7.parquet"]);
    assert_eq!(folder.read("windows/3.parquet"), "not of outcrop");
}

#[test]
fn windows_without_edges_are_stepped_over_without_a_folder_for_each() {
    let folder = Folder::new();
    folder.write("edges.csv", "1,2,0\n2,3,400000\n3,1,400001\n");
    folder.ok("build edges.csv g.outcrop --timed");
    let ran = folder.ok("run wcc g.outcrop --window 2 --step 1 -o windows");
    assert!(ran.stderr.contains("399,998 without edges were skipped"), "{}", ran.stderr);
    let names = crate::driver::names_in(&folder.path("windows"));
    assert_eq!(names, ["0.parquet", "399999.parquet", "400000.parquet", "400001.parquet"]);
}

#[test]
fn windows_begin_at_units_of_the_calendar_or_at_the_first_edge() {
    let folder = Folder::new();
    folder.write("edges.csv", "1,2,2024-01-09 10:15\n2,3,2024-02-29T23:59:59\n3,1,2024-03-01\n3,4,2024-05-01\n");
    folder.ok("build edges.csv g.outcrop --timed");
    let cases: [(&str, &[&str]); 5] = [
        ("1month", &["2024-01-01", "2024-02-01", "2024-03-01", "2024-05-01"]),
        ("30d", &["2024-01-09", "2024-02-08", "2024-04-08"]),
        ("1week", &["2024-01-08", "2024-02-26", "2024-04-29"]),
        ("1year", &["2024-01-01"]),
        ("6h", &["2024-01-09T10-00-00Z", "2024-02-29T22-00-00Z", "2024-04-30T22-00-00Z"]),
    ];
    for (length, starts) in cases {
        folder.ok(&format!("run wcc g.outcrop --window {length} -o {length}"));
        let names = crate::driver::names_in(&folder.path(length));
        assert!(
            names.iter().map(|name| name.trim_end_matches(".parquet")).eq(starts.iter().copied()),
            "{length} {names:?}"
        );
    }
    folder.write("numbers.csv", "1,2,-7\n2,3,3\n3,1,4\n");
    folder.ok("build numbers.csv n.outcrop --timed");
    folder.ok("run wcc n.outcrop --window 5 -o numbers");
    assert_eq!(crate::driver::names_in(&folder.path("numbers")), ["-7.parquet", "3.parquet"]);
    assert_eq!(folder.rows("wcc n.outcrop --between -7 4"), ["1,1", "2,1", "3,1"]);
    assert_eq!(folder.rows("wcc n.outcrop --between -8 -6"), ["1,1", "2,1"]);
}

#[test]
fn windows_are_in_the_history_of_the_store() {
    let folder = Folder::new();
    folder.write("edges.csv", "1,2,5\n2,3,9\n");
    folder.ok("build edges.csv g.outcrop --timed");
    folder.ok("run wcc g.outcrop");
    folder.ok("run wcc g.outcrop --between -5 7");
    folder.fails("run bfs g.outcrop --source 1 --between 5 9 --memory 64KiB --page-cache 64KiB", 4);
    folder.ok("run wcc g.outcrop --window 4 -o windows");
    let listed = folder.ok("runs g.outcrop").stdout;
    let shown: Vec<_> =
        listed.lines().skip(1).map(|line| line.split_once("--between ").map(|(_, window)| window)).collect();
    assert_eq!(shown, [None, Some("-5 7"), Some("5 9"), Some("9 13")], "{listed}");
    let runs = folder.ok("runs g.outcrop --json").json();
    assert_eq!(runs["runs"][1]["between"], serde_json::json!(["-5", "7"]));
}

#[test]
fn times_that_make_no_sense_are_refused() {
    let folder = Folder::new();
    folder.write("edges.csv", "1,2,5\n2,3,9\n");
    folder.write("dates.csv", "1,2,2024-01-01\n2,3,yesterday\n");
    folder.write("short.csv", "1,2,5\n2,3\n");
    folder.ok("build edges.csv g.outcrop --timed");
    folder.ok("build edges.csv plain.outcrop");
    folder.write("days.csv", "1,2,2024-01-01\n");
    folder.ok("build days.csv d.outcrop --timed");
    let cases = [
        ("build dates.csv h.outcrop --timed", 3, "dates.csv:2:5: found `yesterday`, expected a date as the time"),
        ("build short.csv h.outcrop --timed", 3, "short.csv:2: found lines with different numbers of fields"),
        ("build edges.csv h.outcrop --timed --time-unit days", 2, "; expected s, ms, us or ns"),
        ("run wcc g.outcrop --between 5 5", 2, "the end 5 of the time window is not after its start 5"),
        ("run wcc g.outcrop --between 2024-01-01 2024-02-01", 2, "expected an integer as the time"),
        ("run wcc d.outcrop --between 5 7", 2, "found \"5\", expected a date such as 2024-01-31"),
        ("run wcc g.outcrop --between 100 200", 2, "the graph has no edges with 100 <= time < 200"),
        (
            "run wcc plain.outcrop --between 1 2",
            2,
            "the edges have no timestamps; choose their column when building, with --time COLUMN",
        ),
        ("run wcc g.outcrop --window 0 -o w", 2, ", expected a positive integer in the unit of the timestamps"),
        ("run wcc g.outcrop --window 1month -o w", 2, ", expected a positive integer in the unit of the timestamps"),
        ("run wcc g.outcrop --window 2", 2, "--output"),
        ("run wcc g.outcrop --window 2 -o w.csv", 2, "must be a folder"),
        ("run wcc g.outcrop --between 1 9 --checkpoint-dir c", 2, "cannot be used with"),
        ("run wcc g.outcrop --between 1 9 --incremental c", 2, "cannot be used with"),
        ("update g.outcrop --add plain.txt", 3, "plain.txt:1"),
        (
            "update plain.outcrop --add edges.csv --time 3",
            2,
            "the inserted edges have timestamps, but the store has none",
        ),
    ];
    folder.write("plain.txt", "3,4\n");
    let names = folder.names();
    for (arguments, code, part) in cases {
        let message = folder.fails(arguments, code);
        assert!(message.contains(part), "outcrop {arguments}: {message}");
        assert_eq!(folder.names(), names, "outcrop {arguments}");
    }
}

#[test]
fn numbers_are_added_to_dates_in_a_unit_of_their_own() {
    let folder = Folder::new();
    folder.write("days.csv", "1,2,2024-01-01\n");
    folder.write("seconds.csv", "2,3,1704153600\n");
    folder.write("untimed.csv", "source,target\n5,6\n");
    folder.ok("build days.csv g.outcrop --timed");
    for (command, found) in [
        (
            "update g.outcrop --add seconds.csv",
            "seconds.csv:1:5: found `1704153600`, expected a date as the time; use --time-unit s",
        ),
        ("update g.outcrop --add untimed.csv", "found only source, target, expected source, target and time columns"),
    ] {
        let message = folder.fails(command, 3);
        assert!(message.contains(found), "{message}");
    }
    folder.ok("update g.outcrop --add seconds.csv --time-unit s");
    assert_eq!(folder.rows("wcc g.outcrop --between 2024-01-02 2024-01-03"), ["2,2", "3,2"]);
    folder.write("millis.csv", "1,2,1704067200000\n");
    folder.ok("build millis.csv m.outcrop --timed --time-unit ms");
    folder.ok("update m.outcrop --add seconds.csv --time-unit s");
    folder.write("more.csv", "3,4,1704240000000\n4,5,2024-01-04\n");
    folder.ok("update m.outcrop --add more.csv");
    assert_eq!(folder.rows("wcc m.outcrop --between 2024-01-02 2024-01-05"), ["2,2", "3,2", "4,2", "5,2"]);
    folder.ok("check m.outcrop");
}

#[test]
fn an_update_with_a_name_is_made_once() {
    let folder = Folder::new();
    folder.write("edges.txt", "1 2\n2 3\n");
    folder.write("add.txt", "3 1\n");
    folder.write("nothing.txt", "1 2\n");
    folder.ok("build edges.txt g.outcrop --dedup first");
    folder.ok("update g.outcrop --add nothing.txt --id empty");
    let record = folder.ok("update g.outcrop --add add.txt --id monday --json").json();
    assert_eq!((&record["added"], &record["generation"]), (&1.into(), &2.into()));
    let record = folder.ok("update g.outcrop --add add.txt --id monday --if-generation 1 --json").json();
    assert_eq!((&record["added"], &record["made_before"], &record["generation"]), (&0.into(), &2.into(), &2.into()));
    let ran = folder.ok("update g.outcrop --remove nothing.txt --id empty");
    assert!(ran.stderr.contains("which was applied as generation 1"), "{}", ran.stderr);
    folder.ok("update g.outcrop --merge");
    folder.ok("check g.outcrop");
    assert_eq!(folder.ok("update g.outcrop --add add.txt --id monday --json").json()["made_before"], 2);
    assert_eq!(folder.ok("info g.outcrop --json").json()["generation"], 2);
    assert_eq!(folder.rows("wcc g.outcrop"), ["1,1", "2,1", "3,1"]);
}

#[test]
fn windows_without_the_source_are_skipped() {
    let folder = Folder::new();
    folder.write("edges.csv", "1,2,0\n2,3,1\n3,4,10\n1,4,20\n");
    folder.ok("build edges.csv g.outcrop --timed");
    let exported = folder.ok("export g.outcrop all.csv").stderr;
    assert!(exported.contains("timestamps of the edges are not exported"), "{exported}");
    let ran = folder.ok("run bfs g.outcrop --source 1 --window 10 -o windows");
    assert!(ran.stderr.contains("10: skipped: vertex \"1\" has no edges in this window"), "{}", ran.stderr);
    assert_eq!(crate::driver::names_in(&folder.path("windows")), ["0.parquet", "20.parquet"]);
    let refused = folder.fails("run bfs g.outcrop --source 1 --between 10 20", 2);
    assert!(refused.contains("vertex \"1\" has no edges with 10 <= time < 20"), "{refused}");
    let refused = folder.fails("run bfs g.outcrop --source 9 --window 10 -o others", 2);
    assert!(refused.contains("the graph has no vertex 9"), "{refused}");
}
