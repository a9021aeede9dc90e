//! Updates that are killed and repeated under their names, and runs that go on from the last result: no edge is lost,
//! none comes twice, and the answers are those of runs anew.

use crate::driver::{Dice, Folder, time_of};
use serde_json::Value;
use std::collections::BTreeSet;
use std::time::Duration;

/// What the store has to hold.
struct Model {
    folder: Folder,
    dice: Dice,
    edges: BTreeSet<(u64, u64)>,
    updates: u64,
    killed: u64,
    /// Bound of the time after which an update is killed.
    whole: Duration,
}

impl Model {
    fn new(seed: u64) -> Self {
        let folder = Folder::new();
        let (dice, edges, whole) = (Dice::seeded(seed), BTreeSet::new(), Duration::from_millis(60));
        let mut model = Self { folder, dice, edges, updates: 0, killed: 0, whole };
        while model.edges.len() < 3000 {
            let edge = (model.dice.below(400), model.dice.below(400));
            model.edges.insert(edge);
        }
        model.write("base.txt", &model.edges.iter().copied().collect::<Vec<_>>());
        model.folder.ok("build base.txt g.outcrop");
        model
    }

    fn write(&self, name: &str, edges: &[(u64, u64)]) {
        let lines: String = edges.iter().map(|(source, target)| format!("{source} {target}\n")).collect();
        self.folder.write(name, lines);
    }

    /// Files of the next update: edges that come and that go, often with a vertex that comes.
    fn next(&mut self) -> String {
        self.updates += 1;
        let (mut come, mut gone) = (Vec::new(), Vec::new());
        for _ in 0..1 + self.dice.below(20) {
            let new = self.dice.below(15) == 0;
            let source = if new { 1000 + self.updates } else { self.dice.below(400) };
            let edge = (source, self.dice.below(400));
            if self.edges.insert(edge) {
                come.push(edge);
            }
        }
        for _ in 0..self.dice.below(20) {
            let place = self.dice.below(self.edges.len() as u64) as usize;
            let edge = *self.edges.iter().nth(place).unwrap();
            if !come.contains(&edge) {
                self.edges.remove(&edge);
                gone.push(edge);
            }
        }
        self.write("come.txt", &come);
        self.write("gone.txt", &gone);
        let inputs = [("--add come.txt", come.is_empty()), ("--remove gone.txt", gone.is_empty())];
        let inputs: Vec<_> = inputs.iter().filter(|(_, empty)| !empty).map(|(input, _)| *input).collect();
        let inputs = if inputs.is_empty() { "--add come.txt".to_owned() } else { inputs.join(" ") };
        let merge = ["", "--merge-above never", "--merge"][self.dice.below(3) as usize];
        format!("update g.outcrop {inputs} --id update-{} {merge}", self.updates)
    }

    /// Makes the next update, which is killed up to so often and repeated as it was.
    fn update(&mut self, kills: u64) {
        let update = self.next();
        for _ in 0..kills {
            self.killed += u64::from(self.folder.kill_within(&update, &mut self.whole, &mut self.dice));
        }
        self.folder.ok(&update);
        let info = self.folder.ok("info g.outcrop --json");
        let found = (info.figure("generation"), info.figure("edges"));
        assert_eq!(found, (self.updates, self.edges.len() as u64), "{update}");
    }

    /// The store holds the edges of the model, each once.
    fn check(&self) {
        self.folder.ok("check g.outcrop");
        self.folder.ok("export g.outcrop all.csv --overwrite");
        let text = self.folder.read("all.csv");
        let id = |field: Option<&str>| field.and_then(|id| id.trim().parse::<u64>().ok());
        let edge = |line: &str| {
            let mut fields = line.split([',', ' ', '\t']);
            id(fields.next()).zip(id(fields.next()))
        };
        let mut found: Vec<_> = text.lines().filter_map(edge).collect();
        found.sort_unstable();
        assert!(found.iter().eq(&self.edges), "{} edges, not {}", found.len(), self.edges.len());
        let journal = std::fs::read_dir(self.folder.path("g.outcrop")).unwrap();
        let files = journal.filter(|file| file.as_ref().unwrap().file_name().to_str().unwrap().starts_with("journal-"));
        assert!(files.count() <= 60, "segments are merged");
    }
}

fn kill_updates(updates: u64) {
    let mut model = Model::new(77);
    for number in 0..updates {
        let kills = model.dice.below(4);
        model.update(kills);
        if number % 10 == 9 {
            model.check();
        }
    }
    model.check();
    println!("{updates} updates, {} kills", model.killed);
    assert!(model.killed > 0);
}

fn kill_incremental_runs(rounds: u64) {
    let mut model = Model::new(78);
    let runs = ["wcc g.outcrop", "bfs g.outcrop --source 1", "sssp g.outcrop --source 1"];
    let (mut killed, mut went_on) = (0, 0);
    let kept =
        |number: usize| format!("run {} --incremental last-{number} -o rows.csv --overwrite --json", runs[number]);
    let mut whole = time_of(|| (0..runs.len()).for_each(|number| drop(model.folder.ok(&kept(number))))) / 3;
    for round in 0..rounds {
        model.update(0);
        let number = (round % 3) as usize;
        killed += u64::from(model.folder.kill_within(&kept(number), &mut whole, &mut model.dice));
        let record = model.folder.ok(&kept(number)).json();
        went_on += u64::from(record["incremental"]["fresh"] == Value::Null);
        let rows: Vec<_> = model.folder.read("rows.csv").lines().skip(1).map(str::to_owned).collect();
        assert!(rows == model.folder.rows(runs[number]), "{} after update {}", runs[number], model.updates);
    }
    model.check();
    println!("{rounds} runs, {killed} kills, {went_on} resumed");
    assert!(killed > 0 && went_on > rounds / 2, "{killed} kills, {went_on} of {rounds} resumed");
}

#[test]
fn updates_that_are_killed_and_repeated_are_made_once() {
    kill_updates(12);
}

#[test]
#[ignore = "takes minutes"]
fn a_thousand_killed_updates_are_made_once() {
    kill_updates(700);
}

#[test]
fn runs_that_go_on_and_are_killed_give_what_others_give() {
    kill_incremental_runs(9);
}

#[test]
#[ignore = "takes minutes"]
fn a_thousand_killed_runs_that_go_on_give_what_others_give() {
    kill_incremental_runs(1000);
}
