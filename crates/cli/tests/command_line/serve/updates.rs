//! Updates of a store that is served.

use super::client::Server;
use crate::driver::Folder;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

#[test]
fn updates_pass_between_queries_and_answers_are_of_the_new_generation() {
    let folder = Folder::new();
    folder.write("edges.el", "1 2\n2 3\n3 4\n");
    folder.write("new.el", "1 9\n");
    folder.write("newer.el", "1 4\n");
    folder.ok("build edges.el a.outcrop --directed");
    let server = Server::start(&folder, "a.outcrop --threads 2");
    let neighbors = |generation: &str| {
        let answer = server.get("/neighbors?id=1&format=csv");
        assert_eq!((answer.status, answer.header("outcrop-generation")), (200, Some(generation)), "{answer:?}");
        answer.text().to_owned()
    };
    assert_eq!(neighbors("0"), "node,neighbor\n1,2\n");
    // An idle server reads the new generation; without --wait, a merge does not wait for it.
    folder.ok("update a.outcrop --add new.el --merge-above never");
    assert_eq!(neighbors("1"), "node,neighbor\n1,2\n1,9\n");
    // A server under load.
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while !stop.load(Relaxed) {
                    let answer = server.get("/neighbors?id=1&format=csv");
                    // The merge took more than five seconds.
                    if answer.status == 503 {
                        continue;
                    }
                    let generation = answer.header("outcrop-generation").unwrap_or("none").to_owned();
                    let rows = answer.text().lines().count() - 1;
                    assert!(matches!((&*generation, rows), ("1", 2) | ("2", 3)), "{answer:?}");
                }
            });
        }
        let updated = folder.run("update a.outcrop --add newer.el --merge --wait 60s");
        stop.store(true, Relaxed);
        assert_eq!(updated.code, Some(0), "{updated:?}");
    });
    assert_eq!(neighbors("2"), "node,neighbor\n1,2\n1,4\n1,9\n");
    folder.ok("build edges.el a.outcrop --directed --overwrite --wait 60s");
    assert_eq!(neighbors("0"), "node,neighbor\n1,2\n");
}

#[test]
fn a_store_that_is_deleted_is_missing_until_another_one_is_built() {
    let folder = Folder::new();
    folder.write("edges.el", "1 2\n2 3\n");
    folder.write("others.el", "1 7\n7 8\n");
    folder.ok("build edges.el a.outcrop --directed");
    let server = Server::start(&folder, "a.outcrop --threads 2");
    assert_eq!(server.get("/neighbors?id=1&format=csv").text(), "node,neighbor\n1,2\n");
    std::fs::remove_dir_all(folder.path("a.outcrop")).unwrap();
    let missing = server.get("/neighbors?id=1");
    assert_eq!((missing.status, missing.header("retry-after")), (503, Some("1")), "{missing:?}");
    assert!(missing.text().contains("a.outcrop does not exist"), "{}", missing.text());
    folder.ok("build others.el a.outcrop --directed");
    assert_eq!(server.get("/neighbors?id=1&format=csv").text(), "node,neighbor\n1,7\n");
    // Without a query in between.
    std::fs::remove_dir_all(folder.path("a.outcrop")).unwrap();
    folder.ok("build edges.el a.outcrop --directed");
    assert_eq!(server.get("/neighbors?id=1&format=csv").text(), "node,neighbor\n1,2\n");
}
