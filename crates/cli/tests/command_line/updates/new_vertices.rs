//! Updates with new vertices do not rewrite the store, and give the answers of a store that is built afresh.

use crate::driver::{Dice, Folder};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// How stores are built; the IDs of new vertices of the last one are greater than all others.
const BUILDS: [&str; 9] = [
    "",
    "--weighted --layout csr --order degree",
    "--weighted --undirected --layout compact --order random --ids string",
    "--undirected --ids dense",
    "--weighted --layout sliding",
    "--placement reordered --ids string",
    "--undirected --layout csr --order pagerank --ids dense",
    "--weighted --layout compact --codec alternating --dedup sum",
    "--layout chunked",
];

/// Runs whose results do not depend on the numbers of the vertices; `SOURCE` is one of them.
const RUNS: [&str; 16] = [
    "wcc STORE",
    "bfs STORE --source SOURCE",
    "kcore STORE",
    "triangles STORE",
    "lcc STORE",
    "scc STORE",
    "sssp STORE --source SOURCE",
    "mis STORE",
    "coloring STORE",
    "cdlp STORE",
    "wcc STORE --model gas",
    "bfs STORE --source SOURCE --model interval --values disk",
    "sssp STORE --source SOURCE --model interval",
    "bfs STORE --source SOURCE --schedule sweep",
    "wcc STORE --page-cache 0 --schedule select",
    "apsp STORE --source SOURCE",
];

const INCREMENTAL: [&str; 3] = ["wcc STORE", "bfs STORE --source SOURCE", "sssp STORE --source SOURCE"];

struct Graph {
    folder: Folder,
    dice: Dice,
    build: &'static str,
    edges: BTreeMap<(u64, u64), u64>,
    /// Vertices stay when their edges are removed.
    vertices: BTreeSet<u64>,
}

impl Graph {
    fn new(build: &'static str, seed: u64) -> Self {
        let (folder, dice) = (Folder::new(), Dice::seeded(seed));
        let mut graph = Self { folder, dice, build, edges: BTreeMap::new(), vertices: BTreeSet::new() };
        while graph.edges.len() < 400 {
            let edge = (graph.dice.below(100) * 3, graph.dice.below(100) * 3);
            graph.insert(edge);
        }
        graph.write();
        graph.fresh("g.outcrop");
        graph
    }

    fn has(&self, option: &str) -> bool {
        self.build.contains(option)
    }

    /// Inserts the edge, if it is new; returns its line.
    fn insert(&mut self, (one, other): (u64, u64)) -> Option<String> {
        let edge = if self.has("undirected") { (one.min(other), one.max(other)) } else { (one, other) };
        let weight = self.dice.below(9) + 1;
        if self.edges.contains_key(&edge) {
            return None;
        }
        self.edges.insert(edge, weight);
        self.vertices.extend([edge.0, edge.1]);
        if self.has("dense") {
            let end = self.vertices.last().map_or(0, |last| last + 1);
            self.vertices.extend(0..end);
        }
        Some(self.line(edge, weight))
    }

    /// Names sort differently from numbers.
    fn name(&self, vertex: u64) -> String {
        match () {
            () if self.has("string") => format!("v{}-{vertex}", vertex * 7919 % 1009),
            () if self.has("dense") => vertex.to_string(),
            () => (vertex * 1_000_003 + 5).to_string(),
        }
    }

    fn line(&self, (source, target): (u64, u64), weight: u64) -> String {
        format!("{}\t{}\t{weight}\n", self.name(source), self.name(target))
    }

    fn write(&self) {
        let edges: String = self.edges.iter().map(|(edge, weight)| self.line(*edge, *weight)).collect();
        self.folder.write("edges.tsv", edges);
        let vertices = self.vertices.iter().fold(String::new(), |mut text, vertex| {
            writeln!(text, "{}", self.name(*vertex)).unwrap();
            text
        });
        self.folder.write("vertices.txt", vertices);
    }

    fn fresh(&self, store: &str) {
        self.folder.ok(&format!("build edges.tsv {store} --vertices vertices.txt --overwrite {}", self.build));
    }

    /// Inserts edges of old and new vertices, and removes some, also those of vertices that came before.
    fn update(&mut self, merge: &str) -> Value {
        let (mut come, mut gone) = (String::new(), String::new());
        let removed: Vec<_> = (0..6).map(|_| self.dice.below(self.edges.len() as u64) as usize).collect();
        let recent = self.edges.keys().filter(|(source, target)| source % 3 + target % 3 > 0).step_by(2);
        let random = removed.iter().filter_map(|place| self.edges.keys().nth(*place));
        let removed: BTreeSet<_> = random.chain(recent).copied().collect();
        for edge in removed {
            self.edges.remove(&edge);
            gone += &self.line(edge, 1);
        }
        for _ in 0..8 {
            // Between the old ones, and after them.
            let appended = self.has("--layout chunked");
            let (first, count) = if appended { (self.vertices.last().unwrap() + 1, 5) } else { (0, 330) };
            let new = |dice: &mut Dice| first + dice.below(count);
            let old = |dice: &mut Dice| dice.below(100) * 3;
            let edge = match self.dice.below(3) {
                0 => (old(&mut self.dice), old(&mut self.dice)),
                1 => (new(&mut self.dice), old(&mut self.dice)),
                _ => (new(&mut self.dice), new(&mut self.dice)),
            };
            come += &self.insert(edge).unwrap_or_default();
        }
        self.folder.write("come.tsv", come);
        self.folder.write("gone.tsv", gone);
        self.folder.ok(&format!("update g.outcrop --add come.tsv --remove gone.tsv {merge} --json")).json()
    }

    /// What is known of a graph by its answers.
    fn answers(&self, store: &str) -> Vec<(String, Vec<String>)> {
        let source = self.name(0);
        let named = |text: &str| text.replace("STORE", store).replace("SOURCE", &source);
        let runs = RUNS.iter().map(|run| ((*run).to_owned(), self.folder.rows(&named(run))));
        // Sums of floating-point numbers depend on the order of the lists.
        let ranks = ["pagerank STORE --iterations 20", "pagerank STORE --iterations 20 --model messages"];
        let ranks = ranks.iter().map(|run| {
            let rounded = self.folder.rows(&named(run)).into_iter().map(|row| {
                let (node, rank) = row.split_once(',').unwrap();
                format!("{node},{:.9}", rank.parse::<f64>().unwrap())
            });
            ((*run).to_owned(), rounded.collect())
        });
        let newest = self.name(*self.vertices.last().unwrap());
        let questions = [
            "degree STORE".to_owned(),
            format!("neighbors STORE SOURCE {newest} --direction both"),
            format!("subgraph STORE {newest} SOURCE"),
        ];
        let questions = questions.iter().map(|question| {
            let text = self.folder.ok(&named(question)).stdout;
            (question.clone(), text.lines().map(str::to_owned).collect())
        });
        let mut answers: Vec<_> = runs.chain(ranks).chain(questions).collect();
        self.folder.ok(&format!("export {store} all.tsv --overwrite"));
        answers.push(("export".to_owned(), self.folder.read("all.tsv").lines().map(str::to_owned).collect()));
        let info = self.folder.ok(&format!("info {store} --json")).json();
        answers.push(("info".to_owned(), ["vertices", "edges"].map(|name| info[name].to_string()).to_vec()));
        answers
    }

    fn assert_same(&self, store: &str, expected: &[(String, Vec<String>)], what: &str) {
        self.folder.ok(&format!("check {store}"));
        for ((question, found), (_, expected)) in self.answers(store).iter().zip(expected) {
            assert!(found == expected, "{question} of {store} ({}), {what}:\n{found:?}\n{expected:?}", self.build);
        }
    }

    fn assert_incremental(&self, what: &str) {
        let source = self.name(0);
        for (number, run) in INCREMENTAL.iter().enumerate() {
            let named = |store: &str| run.replace("STORE", store).replace("SOURCE", &source);
            let (found, expected) = (named("g.outcrop"), self.folder.rows(&named("fresh.outcrop")));
            let found = self.folder.rows(&format!("{found} --incremental last-{number}"));
            assert!(found == expected, "{run} goes on ({}), {what}", self.build);
        }
    }
}

#[test]
fn any_sequence_of_updates_with_new_vertices_answers_as_a_fresh_build() {
    for (number, build) in BUILDS.iter().enumerate() {
        let mut graph = Graph::new(build, 100 + number as u64);
        if !graph.has("sliding") {
            graph.folder.ok("cache g.outcrop --size 40% --keep");
        }
        for step in 0..3 {
            let merge = ["--merge-above never", "--merge-above 50%", "--merge"][graph.dice.below(3) as usize];
            let merge = if step == 0 { "--merge-above never" } else { merge };
            let before = graph.vertices.len() as u64;
            let record = graph.update(merge);
            let what = format!("step {step} {merge}: {record}");
            let new = graph.vertices.len() as u64 - before;
            assert_eq!(
                (&record["new_vertices"], &record["merged"]),
                (&new.into(), &(merge == "--merge").into()),
                "{what}"
            );
            graph.write();
            graph.fresh("fresh.outcrop");
            let expected = graph.answers("fresh.outcrop");
            graph.assert_same("g.outcrop", &expected, &what);
            graph.assert_incremental(&what);
            if step == 1 {
                for (number, options) in
                    ["", "--order original", "--layout csr --order degree", "--layout sliding"].iter().enumerate()
                {
                    let store = format!("c{number}.outcrop");
                    graph.folder.ok(&format!("convert g.outcrop {store} --overwrite {options}"));
                    graph.assert_same(&store, &expected, &what);
                }
            }
        }
    }
}

#[test]
fn new_vertices_are_written_beside_the_lists_until_they_are_many() {
    let folder = Folder::new();
    folder.ok("generate kronecker --scale 12 -o edges.bin");
    folder.ok("build edges.bin g.outcrop");
    let info = || folder.ok("info g.outcrop --json").json();
    let before = info();
    folder.write("few.tsv", "1 1000001\n1000002 1000003\n");
    let record = folder.ok("update g.outcrop --add few.tsv --json").json();
    assert_eq!((&record["new_vertices"], &record["merged"]), (&3.into(), &false.into()), "{record}");
    assert_eq!((&info()["uuid"], &info()["updates"]["new_vertices"]), (&before["uuid"], &3.into()));
    assert!(folder.ok("info g.outcrop").stdout.contains("3 vertices added"));
    // More than 1% of the vertices: point queries load all new IDs.
    let many: String = (0..200).map(|number| format!("1 {}\n", 2_000_000 + number)).collect();
    folder.write("many.tsv", many);
    let record = folder.ok("update g.outcrop --add many.tsv --json").json();
    assert_eq!((&record["new_vertices"], &record["merged"]), (&200.into(), &true.into()), "{record}");
    assert_eq!(info()["updates"], Value::Null);
    folder.ok("check g.outcrop");
}
