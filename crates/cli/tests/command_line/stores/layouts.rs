//! How lists are laid out: the options of `build`, what `info` says of them, and what is refused.

use crate::driver::{Folder, contents};
use serde_json::{Value, json};

fn folder_with_edges() -> Folder {
    let folder = Folder::new();
    folder.ok("generate kronecker --scale 10 --edge-factor 16 -o edges.bin");
    folder
}

/// What `info` says of both directions once the store is built with `options`.
fn built(folder: &Folder, options: &str) -> Vec<Value> {
    folder.ok(&format!("build edges.bin g.outcrop --overwrite {options}"));
    folder.ok("check g.outcrop");
    folder.ok("info g.outcrop --json").json()["layouts"].as_array().unwrap().clone()
}

fn settings(layouts: &[Value]) -> &Value {
    assert_eq!(layouts.len(), 2);
    assert!(layouts.iter().all(|layout| layout["layout"] == "chunked"));
    assert_eq!(layouts[0]["chunks"]["settings"], layouts[1]["chunks"]["settings"]);
    &layouts[0]["chunks"]["settings"]
}

#[test]
fn the_layout_is_what_was_asked_for() {
    let folder = folder_with_edges();
    let words: [(&str, &str, Value); 9] = [
        ("", "codec", json!("runs")),
        ("", "index", json!("compact")),
        ("", "mini_degree", json!(2)),
        ("", "combine", json!(true)),
        ("--layout chunked", "straddle", json!(false)),
        ("--codec raw32", "codec", json!("raw32")),
        ("--codec alternating", "codec", json!("alternating")),
        ("", "placement", json!("ascending")),
        ("--placement reordered", "placement", json!("reordered")),
    ];
    for (options, key, value) in words {
        assert_eq!(settings(&built(&folder, options))[key], value, "{options}");
    }
    let sizes = |options: &str| -> Vec<u64> {
        let layouts = built(&folder, options);
        settings(&layouts)["levels"].as_array().unwrap().iter().map(|l| l["chunk_bytes"].as_u64().unwrap()).collect()
    };
    assert_eq!(sizes(""), [4 << 10, 32 << 10, 256 << 10, 2 << 20]);
    let layouts = built(&folder, "--layout csr");
    assert!(layouts.len() == 2 && layouts.iter().all(|layout| layout["layout"] == "csr" && layout["intervals"] == 1));
    for (options, codec) in [("", "runs"), ("--codec packed", "packed"), ("--codec alternating", "alternating")] {
        let layouts = built(&folder, &format!("--layout compact {options}"));
        assert!(layouts.len() == 2 && layouts.iter().all(|layout| layout["layout"] == "compact"), "{options}");
        assert!(layouts.iter().all(|layout| layout["codec"] == codec), "{options}");
    }
}

#[test]
fn what_info_says_of_chunks_adds_up() {
    let folder = folder_with_edges();
    for options in ["", "--codec raw32 --placement reordered"] {
        for layout in built(&folder, options) {
            let chunks = &layout["chunks"];
            let levels = chunks["levels"].as_array().unwrap();
            let sum = |key: &str| levels.iter().map(|level| level[key].as_u64().unwrap()).sum::<u64>();
            assert_eq!(sum("arcs") + chunks["mini_entries"].as_u64().unwrap(), layout["arcs"].as_u64().unwrap());
            assert_eq!(sum("lists"), chunks["located"].as_u64().unwrap());
            assert!(layout["bytes_per_arc"].as_f64().unwrap() > 0.0 && layout["index_bytes"].as_u64().unwrap() > 0);
        }
        let text = folder.ok("info g.outcrop").stdout;
        for part in ["chunked      out lists", "chunked      in lists", "chunks of 4.00 KiB", "% unused"] {
            assert!(text.contains(part), "{text}");
        }
    }
    for (codec, options) in [("runs", ""), ("alternating", "--codec alternating")] {
        for layout in built(&folder, &format!("--layout compact {options}")) {
            assert!(layout["bytes_per_arc"].as_f64().unwrap() < 4.0 && layout["index_bytes"].as_u64().unwrap() > 0);
            // At least a byte for each vertex, and less than two u32.
            assert!((1024..8 * 1024).contains(&layout["stored_index_bytes"].as_u64().unwrap()), "{layout}");
        }
        let text = folder.ok("info g.outcrop").stdout;
        assert!(text.contains("compact      out lists") && text.contains(&format!("neighbor codec {codec}")), "{text}");
    }
    for (options, intervals, shown) in
        [("", 1, "1 interval and 1 shard\n"), ("--intervals 5", 5, "5 intervals and 5 shards\n")]
    {
        let layouts = built(&folder, &format!("--layout sliding {options}"));
        let [shards] = &*layouts else { panic!("{layouts:?}") };
        assert!(shards["layout"] == "sliding" && shards["intervals"] == intervals, "{shards}");
        assert!(shards["bytes_per_arc"].as_f64().unwrap() < 4.0, "{shards}");
        let text = folder.ok("info g.outcrop").stdout;
        assert!(text.contains("sliding      out and in lists") && text.contains(shown), "{text}");
        let ran = folder.run("cache g.outcrop --size 10% --keep");
        assert!(ran.code == Some(2) && ran.stderr.contains("the layout sliding does not support pinned lists, because it reads whole shards; use `outcrop convert` to change the layout"), "{ran:?}");
    }
    built(&folder, "--layout csr");
    assert!(folder.ok("info g.outcrop").stdout.contains("csr          out lists"));
}

#[test]
fn chunks_are_smaller_than_csr_on_disk_and_in_the_index() {
    let folder = folder_with_edges();
    let [chunked, csr] = ["", "--layout csr"].map(|options| built(&folder, options)[0].clone());
    for key in ["bytes_per_arc", "index_bytes_per_vertex"] {
        assert!(chunked[key].as_f64().unwrap() < csr[key].as_f64().unwrap(), "{key}: {chunked} {csr}");
    }
}

#[test]
fn layouts_that_make_no_sense_are_refused() {
    let folder = folder_with_edges();
    let bad = ["--layout pages", "--codec zip", "--placement random", "--page-size 4KiB", "--intervals 3"];
    let of_chunks = ["--codec packed", "--placement reordered"];
    let with_csr = of_chunks.iter().map(|option| format!("--layout csr {option}"));
    let of_others = of_chunks.iter().skip(1).chain(&["--codec raw32", "--page-size 4KiB"]);
    let with_compact = of_others.map(|option| format!("--layout compact {option}"));
    for options in bad.iter().map(|options| (*options).to_owned()).chain(with_csr).chain(with_compact) {
        let message = folder.fails(&format!("build edges.bin g.outcrop {options}"), 2);
        assert!(message.contains("error") || message.starts_with("outcrop: "), "{options}: {message}");
        assert_eq!(folder.names(), ["edges.bin"], "{options}");
    }
    let message = folder.fails("build edges.bin g.outcrop --layout csr --codec packed", 2);
    assert_eq!(message, "outcrop: --codec needs --layout chunked or compact\n");
    let message = folder.fails("build edges.bin g.outcrop --layout compact --placement reordered", 2);
    assert_eq!(message, "outcrop: --placement needs --layout chunked\n");
}

/// Stores of 1, 2, 8 and 16 threads, in memory and beyond it, have the same bytes but for checksums, which depend on
/// the identity: the first 8 bytes of units, whose lengths are multiples of 512.
#[test]
fn stores_do_not_depend_on_threads() {
    let folder = Folder::new();
    folder.ok("generate kronecker --scale 16 --edge-factor 16 --weights 1..99 -o edges.bin");
    folder.ok("generate kronecker --scale 12 --edge-factor 8 -o few.el");
    let text: String = folder.read("few.el").lines().map(|line| format!("a{}\n", line.replace(' ', " b"))).collect();
    folder.write("texts.el", text);
    for build in [
        "edges.bin --weighted --dedup first --memory 48MiB",
        "edges.bin --weighted --dedup keep --memory 1GiB --order original",
        "edges.bin --dedup keep --undirected --memory 48MiB --layout csr",
        "texts.el --memory 52MiB",
        "texts.el --memory 1GiB --layout compact",
    ] {
        let store = |threads: u32| {
            folder.ok(&format!("build {build} g.outcrop --overwrite -t {threads}"));
            let mut files = contents(&folder.path("g.outcrop"));
            files.remove("manifest.json");
            files
        };
        let expected = store(1);
        for threads in [2, 8, 16] {
            let found = store(threads);
            assert!(found.keys().eq(expected.keys()));
            for (name, bytes) in &found {
                let (other, journal) = (&expected[name], name.starts_with("journal"));
                let differs = |(place, (one, other)): (usize, (&u8, &u8))| one != other && place % 512 >= 8;
                let differs = bytes.iter().zip(other).enumerate().find(|at| differs(*at)).map(|(place, _)| place);
                assert!(
                    bytes.len() == other.len() && (journal || differs.is_none()),
                    "{build} -t {threads}: {name} at {differs:?}"
                );
            }
        }
    }
}
