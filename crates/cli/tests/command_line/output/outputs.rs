//! What comes out: result files in every format, JSON records, progress.

use crate::driver::{Folder, RUNS};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef};
use outcrop::ALGORITHMS;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::Value;
use std::fs::File;

/// Sparse ids; 0 reaches 20 and 100 by way of 3, but not 7 and 8.
pub fn folder_with_store() -> Folder {
    let folder = Folder::new();
    folder.write("edges.txt", "0 3 1\n3 20 2.5\n3 100 1\n20 3 1\n7 8 1\n");
    // The index of the layout chunked would contain all lists: nothing would be read.
    folder.ok("build edges.txt g.outcrop --weighted --order degree --layout csr");
    folder
}

/// A community of each vertex of this store.
pub const COMMUNITIES: &str = "node,community\n0,1\n3,1\n7,2\n8,2\n20,1\n100,2\n";

/// What each of [`RUNS`] gives, as CSV.
const EXPECTED: [&str; 3] = [
    "node,distance,predecessor\n0,0,\n3,1,0\n7,,\n8,,\n20,2,3\n100,2,3\n",
    "node,distance,predecessor\n0,0.0,\n3,1.0,0\n7,,\n8,,\n20,3.5,3\n100,2.0,3\n",
    "node,component\n0,0\n3,0\n7,7\n8,7\n20,0\n100,0\n",
];

fn write(folder: &Folder, (algorithm, parameters): (&str, &str), format: &str) -> String {
    let file = format!("{algorithm}.{format}");
    let ran = folder.ok(&format!("run {algorithm} g.outcrop {parameters} -o {file} --overwrite"));
    assert_eq!(ran.stdout, "", "with -o nothing goes to stdout");
    file
}

fn csv(folder: &Folder, run: (&str, &str)) -> String {
    folder.read(&write(folder, run, "csv"))
}

#[test]
fn csv_has_a_header_and_empty_cells_for_unreached_vertices() {
    let folder = folder_with_store();
    for (run, expected) in RUNS.into_iter().zip(EXPECTED) {
        assert_eq!(csv(&folder, run), expected, "{}", run.0);
    }
    let ranks = csv(&folder, ("pagerank", ""));
    let mut lines = ranks.lines();
    assert_eq!(lines.next(), Some("node,pagerank"));
    let rows: Vec<(&str, f64)> =
        lines.map(|line| line.split_once(',').unwrap()).map(|(n, r)| (n, r.parse().unwrap())).collect();
    assert!(rows.iter().map(|row| row.0).eq(["0", "3", "7", "8", "20", "100"]));
    assert!((rows.iter().map(|row| row.1).sum::<f64>() - 1.0).abs() < 1e-9, "{ranks}");
}

#[test]
fn columns_are_those_of_the_table_of_algorithms() {
    let folder = folder_with_store();
    folder.write("probabilities.csv", "node,value\n20,0.75\n3,0.25\n");
    folder.write("communities.csv", COMMUNITIES);
    for algorithm in ALGORITHMS {
        let row = algorithm.spec();
        let source = algorithm.params().iter().any(|parameter| parameter.name == "source");
        let options = match row.name {
            "bp" | "heat" => "--vector probabilities.csv",
            "bfs" | "sssp" => "--source 0 --columns all",
            "fastrp" => "--dimensions 1",
            "most-similar" => "--k 1",
            "modularity" => "--communities communities.csv",
            "path" | "k-shortest-paths" => "--source 0 --target 8",
            _ if source => "--source 0",
            _ => "",
        };
        let run = (row.name, options);
        let first = if row.name == "most-similar" { "1" } else { "0" };
        // These are only returned if they are requested.
        let columns = row.columns.iter().filter(|column| !["level_<id>", "longest"].contains(&column.name));
        let columns = columns.map(|column| column.name.replace("<id>", first));
        let mut header: Vec<String> = std::iter::once("node".to_owned()).chain(columns).collect();
        if ["walks", "path", "k-shortest-paths"].contains(&row.name) {
            // A row is a step, and ends with the vertex.
            header.rotate_left(1);
        }
        let header = header.join(",");
        assert_eq!(csv(&folder, run).lines().next(), Some(header.as_str()), "{}", row.name);
    }
}

#[test]
fn a_vector_is_multiplied_and_its_mistakes_are_told() {
    let folder = folder_with_store();
    assert_eq!(csv(&folder, ("spmv", "")), "node,value\n0,0.0\n3,2.0\n7,0.0\n8,1.0\n20,2.5\n100,1.0\n");
    folder.write("in.csv", "node,value\n20,4\n3,-2\n");
    let transposed = csv(&folder, ("spmv", "--vector in.csv --transpose"));
    assert_eq!(transposed, "node,value\n0,-2.0\n3,10.0\n7,0.0\n8,0.0\n20,-2.0\n100,0.0\n");
    let twice = write(&folder, ("spmv", ""), "npy");
    std::fs::rename(folder.path(&twice), folder.path("once.npy")).unwrap();
    let twice = csv(&folder, ("spmv", "--vector once.npy --precision f32"));
    assert_eq!(twice, "node,value\n0,0.0\n3,2.5\n7,0.0\n8,0.0\n20,5.0\n100,2.0\n");
    folder.write("in.csv", "3,1\n5,1\n");
    let message = folder.fails("run spmv g.outcrop --vector in.csv", 3);
    assert_eq!(message, "outcrop: in.csv:2:1: the graph has no vertex 5\n");
}

#[test]
fn searches_from_many_vertices_and_near_one_give_their_tables() {
    let folder = folder_with_store();
    let eccentricities = "node,eccentricity\n0,0\n3,1\n7,0\n8,1\n20,2\n100,2\n";
    assert_eq!(csv(&folder, ("radii", "--sources 64 --seed 5")), eccentricities);
    let between = "node,betweenness_centrality\n0,0.0\n3,3.0\n7,0.0\n8,0.0\n20,0.0\n100,0.0\n";
    assert_eq!(csv(&folder, ("bc", "--unnormalized --samples 6")).as_str(), between);
    let near = csv(&folder, ("ppr", "--source 7 --alpha 0.5 --tol 0.6"));
    assert_eq!(near, "node,pagerank\n0,0.0\n3,0.0\n7,0.5\n8,0.25\n20,0.0\n100,0.0\n");
    for method in
        ["--method bellman-ford", "--method delta", "--bucket-width 0.5", "--method delta --bucket-width auto"]
    {
        assert_eq!(
            folder.rows(&format!("sssp g.outcrop --source 0 {method}")),
            folder.rows("sssp g.outcrop --source 0")
        );
        folder.fails(&format!("run sssp g.outcrop --source 0 {method} --bucket-width 0"), 2);
    }
    folder.fails("run sssp g.outcrop --source 0 --method bellman-ford --bucket-width 2", 2);
    folder.fails("run ppr g.outcrop --source 0 --source 3", 2);
    folder.fails("run radii g.outcrop --sources 65", 2);
    folder.fails("run bc g.outcrop --source 0 --samples 2", 2);
    folder.fails("run bc g.outcrop --seed 2", 2);
    for batch in [1, 4, 16] {
        let batched = format!("--unnormalized --samples 6 --batch {batch}");
        assert_eq!(csv(&folder, ("bc", &batched)).as_str(), between);
    }
    folder.fails("run bc g.outcrop --batch 17", 2);
    folder.fails("run pagerank g.outcrop --delta 1", 2);
}

#[test]
fn the_diameter_is_a_number_of_the_whole_graph_or_between_two() {
    let folder = folder_with_store();
    let ran = folder.ok("run diameter g.outcrop --exact --top 0");
    assert_eq!(ran.stdout, "node\teccentricity\n");
    assert!(ran.stderr.contains("\ndiameter: 2\n"), "{}", ran.stderr);
    let record = folder.ok("run diameter g.outcrop --exact --json").json();
    let values = &record["values"];
    assert!(["diameter", "lower", "upper"].iter().all(|name| values[name] == 2) && values["exact"] == true, "{values}");
    assert!(values["searches"].as_u64().unwrap() <= 6);
    assert_eq!(record["parameters"], serde_json::json!({ "exact": true }));
    let record = folder.ok("run diameter g.outcrop --iterations 6 --json").json();
    assert_eq!(record["parameters"], serde_json::json!({ "exact": false, "iterations": 6 }));
    assert_eq!(folder.ok("run bfs g.outcrop --source 0 --json").json()["values"], serde_json::json!({}));
    folder.ok("run diameter g.outcrop --report page.html");
    assert!(folder.read("page.html").contains("diameter"));
    folder.fails("run diameter g.outcrop --source 0", 2);
    folder.fails("run diameter g.outcrop --exact --iterations 3", 2);
    folder.fails("run diameter g.outcrop --iterations 0", 2);
    folder.fails("run radius g.outcrop --exact", 2);
    let path: String = (0..9).chain(20..28).map(|id| format!("{id} {}\n", id + 1)).collect();
    folder.write("paths.txt", &path);
    folder.ok("build paths.txt paths.outcrop --undirected");
    let few = folder.ok("run diameter paths.outcrop --iterations 1 --top 0").stderr;
    assert!(few.contains("diameter: between ") && few.contains(" and 9\n"), "{few}");
    assert!(folder.ok("run radius paths.outcrop --top 0").stderr.contains("radius: 5\n"));
    let eccentricities = folder.rows("eccentricity paths.outcrop");
    assert_eq!([0, 1, 9, 10].map(|row: usize| eccentricities[row].as_str()), ["0,9", "1,8", "9,9", "20,"]);
}

#[test]
fn distances_from_many_vertices_have_a_column_each() {
    let folder = folder_with_store();
    let expected = "node,distance_7,distance_0\n0,,0\n3,,1\n7,0,\n8,1,\n20,,2\n100,,2\n";
    assert_eq!(csv(&folder, ("apsp", "--source 7 --source 00 --source 07")), expected);
    let all = csv(&folder, ("apsp", ""));
    let header = all.lines().next().unwrap();
    assert_eq!(header, "node,distance_0,distance_3,distance_7,distance_8,distance_20,distance_100");
    let sampled = csv(&folder, ("apsp", "--samples 2 --seed 3"));
    assert_eq!(sampled.lines().next().unwrap().split(',').count(), 3);
    folder.fails("run apsp g.outcrop --source 0 --samples 2", 2);
    let refused = folder.fails("run apsp g.outcrop --memory 1KiB", 4);
    assert!(
        refused.contains("each source takes 2 bytes per vertex; use fewer sources (--samples or --source)"),
        "{refused}"
    );
}

/// In every format: a column a source, of a graph with more than there are bits in a word.
#[test]
fn tables_of_many_columns_are_written_whole() {
    let folder = Folder::new();
    folder.ok("generate grid --rows 12 --columns 13 -o grid.el");
    folder.ok("build grid.el g.outcrop --undirected");
    let run = ("apsp", "--samples 130 --seed 5");
    let expected = csv(&folder, run);
    let expected: Vec<_> = expected.lines().skip(1).map(cells).collect();
    assert!(expected.len() == 156 && expected.iter().all(|row| row.len() == 131 && row.iter().all(Option::is_some)));
    let tsv = folder.read(&write(&folder, run, "tsv"));
    assert!(tsv.lines().skip(1).map(|line| cells(&line.replace('\t', ","))).eq(expected.iter().cloned()));
    let lines = folder.read(&write(&folder, run, "jsonl"));
    let row = |line: &str| serde_json::from_str::<Value>(line).unwrap().as_object().unwrap().len();
    assert!(lines.lines().count() == 156 && lines.lines().all(|line| row(line) == 131));
    let file = File::open(folder.path(&write(&folder, run, "parquet"))).unwrap();
    let batch = ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap().next().unwrap().unwrap();
    let row = |row| batch.columns().iter().map(|column| number(column, row)).collect::<Vec<_>>();
    assert!((0..156).map(row).eq(expected.iter().cloned()));
    let npy = std::fs::read(folder.path(&write(&folder, run, "npy"))).unwrap();
    let (_, data) = npy[10..].split_at(usize::from(u16::from_le_bytes([npy[8], npy[9]])));
    let cells = data.as_chunks().0.iter().map(|cell| Some(i64::from_le_bytes(*cell) as f64));
    assert!(cells.eq(expected.iter().flat_map(|row| row[1..].to_vec())));
    let top = folder.ok("run apsp g.outcrop --samples 130 --seed 5 --top 3").stdout;
    assert!(top.lines().count() == 4 && top.lines().all(|line| line.split('\t').count() == 131), "{top}");
}

#[test]
fn tsv_is_csv_with_tabs() {
    let folder = folder_with_store();
    for run in RUNS {
        assert_eq!(folder.read(&write(&folder, run, "tsv")).replace('\t', ","), csv(&folder, run), "{}", run.0);
    }
}

/// A cell as CSV shows it.
fn cell(value: &Value) -> String {
    if value.is_null() { String::new() } else { value.to_string() }
}

/// A number as a number, so that 1 and 1.0 are equal.
fn cells(line: &str) -> Vec<Option<f64>> {
    line.split(',').map(|cell| (!cell.is_empty()).then(|| cell.parse().unwrap())).collect()
}

#[test]
fn json_lines_have_the_cells_of_csv() {
    let folder = folder_with_store();
    for run in RUNS {
        let expected = csv(&folder, run);
        let (header, expected) = expected.split_once('\n').unwrap();
        let text = folder.read(&write(&folder, run, "jsonl"));
        assert_eq!(text.lines().count(), expected.lines().count(), "{}", run.0);
        for (line, expected) in text.lines().zip(expected.lines()) {
            let row: Value = serde_json::from_str(line).unwrap();
            let found: Vec<_> = header.split(',').map(|name| cell(&row[name])).collect();
            assert_eq!(cells(&found.join(",")), cells(expected), "{line}");
        }
    }
}

/// A value of a column as a number.
fn number(column: &ArrayRef, row: usize) -> Option<f64> {
    if column.is_null(row) {
        return None;
    }
    let counts = column.as_primitive_opt::<UInt32Type>().map(|column| f64::from(column.value(row)));
    let ids = || column.as_primitive_opt::<UInt64Type>().map(|column| column.value(row) as f64);
    let values = || column.as_primitive_opt::<Float64Type>().map(|column| column.value(row));
    Some(counts.or_else(ids).or_else(values).unwrap_or_else(|| panic!("a column of {}", column.data_type())))
}

#[test]
fn parquet_has_the_cells_of_csv_and_nulls() {
    let folder = folder_with_store();
    for run in RUNS {
        let expected = csv(&folder, run);
        let file = File::open(folder.path(&write(&folder, run, "parquet"))).unwrap();
        let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
        let names: Vec<_> = reader.schema().fields().iter().map(|field| field.name().clone()).collect();
        assert_eq!(names.join(","), expected.lines().next().unwrap());
        let batch = reader.build().unwrap().next().unwrap().unwrap();
        let row = |row| batch.columns().iter().map(|column| number(column, row)).collect::<Vec<_>>();
        let found: Vec<_> = (0..batch.num_rows()).map(row).collect();
        assert_eq!(found, expected.lines().skip(1).map(cells).collect::<Vec<_>>(), "{}", run.0);
    }
}

/// Type and values of a .npy file whose fields are 8 bytes each; missing ones as `None`.
fn npy(bytes: &[u8], header_has: &str, columns: usize) -> Vec<Vec<Option<f64>>> {
    assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
    let (header, data) = bytes[10..].split_at(usize::from(u16::from_le_bytes([bytes[8], bytes[9]])));
    let header = std::str::from_utf8(header).unwrap();
    assert!(header.contains(header_has) && header.contains("'shape': (6,)"), "{header}");
    let float =
        |place: usize| header.match_indices('<').nth(place).is_some_and(|(at, _)| header[at..].starts_with("<f8"));
    let value = |place: usize, cell: &[u8; 8]| match float(place) {
        true => Some(f64::from_le_bytes(*cell)).filter(|value| !value.is_nan()),
        false => Some(i64::from_le_bytes(*cell)).filter(|value| *value != -1).map(|value| value as f64),
    };
    let row = |row: &[[u8; 8]]| row.iter().enumerate().map(|(place, cell)| value(place, cell)).collect();
    data.as_chunks().0.chunks(columns).map(row).collect()
}

#[test]
fn npy_has_the_value_columns_of_csv() {
    let folder = folder_with_store();
    for (run, header_has) in RUNS.into_iter().zip(["('distance', '<i8')", "('distance', '<f8')", "'<i8'", "'<f8'"]) {
        let expected = csv(&folder, run);
        let expected: Vec<_> = expected.lines().skip(1).map(|line| cells(line)[1..].to_vec()).collect();
        let bytes = std::fs::read(folder.path(&write(&folder, run, "npy"))).unwrap();
        assert_eq!(npy(&bytes, header_has, expected[0].len()), expected, "{}", run.0);
    }
}

#[test]
fn a_file_that_stands_there_is_not_touched() {
    let folder = folder_with_store();
    for format in ["csv", "tsv", "jsonl", "parquet", "npy"] {
        let name = format!("rows.{format}");
        folder.write(&name, "precious");
        let message = folder.fails(&format!("run wcc g.outcrop -o {name} --progress json"), 2);
        let expected = format!("outcrop: {name} already exists; choose another name, or use --overwrite\n");
        assert_eq!(message, expected);
        assert_eq!(folder.read(&name), "precious");
        folder.ok(&format!("run wcc g.outcrop -o {name} --overwrite"));
        assert_ne!(std::fs::read(folder.path(&name)).unwrap(), b"precious");
    }
}

#[test]
fn an_ending_that_nobody_knows_is_refused_before_the_run() {
    let folder = folder_with_store();
    for name in ["rows.xls", "rows", "rows.csv.gz"] {
        let message = folder.fails(&format!("run wcc g.outcrop -o {name} --progress json"), 2);
        assert_eq!(
            message,
            format!("outcrop: {name} must have one of the extensions .csv, .tsv, .jsonl, .parquet, .npy\n")
        );
    }
    // Not even a store is looked for.
    folder.fails("run wcc missing.outcrop -o rows.xls", 2);
    folder.ok("run wcc g.outcrop -o ROWS.CSV");
    assert_eq!(folder.names(), ["ROWS.CSV", "edges.txt", "g.outcrop"]);
}

#[test]
fn texts_as_values_are_refused_for_npy_and_nothing_is_left() {
    let folder = Folder::new();
    folder.write("edges.txt", "anna bob\n");
    folder.ok("build edges.txt g.outcrop");
    let message = folder.fails("run wcc g.outcrop -o rows.npy", 2);
    assert!(message.contains("` has strings, which .npy does not support; use .parquet or .csv"), "{message}");
    assert_eq!(folder.names(), ["edges.txt", "g.outcrop"]);
}

#[test]
fn the_largest_rows_go_to_stdout() {
    let folder = folder_with_store();
    let top = folder.ok("run sssp g.outcrop --source 0 --top 2").stdout;
    assert_eq!(top, "node\tdistance\n20\t3.5\n100\t2.0\n");
    let top = folder.ok("run sssp g.outcrop --source 0 --top 2 --columns all").stdout;
    assert_eq!(top, "node\tdistance\tpredecessor\n20\t3.5\t3\n100\t2.0\t3\n");
    folder.fails("run sssp g.outcrop --source 0 --columns parent", 2);
    // Of equal values the smaller id comes first, and rows without a value are left out.
    let top = folder.ok("run bfs g.outcrop --source 0 --columns all --top 99").stdout;
    assert_eq!(top, "node\tdistance\tpredecessor\n20\t2\t3\n100\t2\t3\n3\t1\t0\n0\t0\t\n");
    assert_eq!(folder.ok("run bfs g.outcrop --source 0 --columns all").stdout, top);
    // Of components the largest, with their vertices, and what is said of all of them.
    assert_eq!(folder.ok("run wcc g.outcrop --top 0").stdout, "component\tvertices\n");
    let ran = folder.ok("run wcc g.outcrop --top 1");
    assert_eq!(ran.stdout, "component\tvertices\n0\t4\n");
    assert!(ran.stderr.contains("components: 2; largest component: 4\n"), "{}", ran.stderr);
    let ran = folder.ok("run wcc g.outcrop --top 1 -o rows.csv");
    assert_eq!(ran.stdout.lines().count(), 2);
    // JSON is one object, with the rows in it.
    for (count, rows) in [(0, 0), (2, 2), (99, 4)] {
        let top = folder.ok(&format!("run bfs g.outcrop --source 0 --columns all --json --top {count}")).json()["top"]
            .clone();
        assert_eq!(top["columns"], serde_json::json!(["node", "distance", "predecessor"]));
        assert_eq!(top["rows"].as_array().unwrap().len(), rows, "{top}");
    }
    assert_eq!(folder.read("rows.csv"), EXPECTED[2]);
}

const RECORD: [&str; 36] = [
    "algorithm",
    "model",
    "layout",
    "parameters",
    "weighted",
    "notes",
    "vertices",
    "edges",
    "iterations",
    "converged",
    "change",
    "seconds",
    "seconds_total",
    "user_seconds",
    "system_seconds",
    "bytes_read",
    "bytes_written",
    "requests",
    "peak_rss",
    "memory_budget",
    "memory_peak",
    "memory",
    "cache_hits",
    "cache_misses",
    "cache_hit_ratio",
    "page_utilization",
    "byte_utilization",
    "static_hits",
    "static_misses",
    "static_hit_ratio",
    "static_cache_bytes",
    "batches",
    "lists_visited",
    "entries_visited",
    "io",
    "iterations_detail",
];

#[test]
fn json_is_one_object_with_all_that_was_promised() {
    let folder = folder_with_store();
    for (algorithm, parameters) in RUNS {
        let ran = folder.ok(&format!("run {algorithm} g.outcrop {parameters} --json --memory 64MiB"));
        let record = ran.json();
        let notes: String = record["notes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|note| format!("outcrop: note: {}\n", note.as_str().unwrap()))
            .collect();
        assert_eq!(ran.stderr, notes, "{algorithm}");
        for key in RECORD {
            assert!(record.get(key).is_some(), "{algorithm}: no {key} in {record}");
        }
        assert_eq!(record["algorithm"], algorithm);
        assert_eq!((ran.figure("vertices"), ran.figure("edges"), ran.figure("memory_budget")), (6, 5, 64 << 20));
        let details = record["iterations_detail"].as_array().unwrap();
        // A pass that is no iteration of the algorithm, such as the one for predecessors, is told too.
        assert!(details.len() as u64 >= ran.figure("iterations"), "{algorithm}: {record}");
        assert!(ran.figure("bytes_read") > 0 && ran.figure("requests") > 0 && ran.figure("peak_rss") > 0, "{record}");
        let seconds = |name: &str| record[name].as_f64().unwrap();
        assert!(seconds("seconds") <= seconds("seconds_total"), "{record}");
    }
}

#[test]
fn the_record_says_how_the_page_cache_was_used() {
    let folder = folder_with_store();
    folder.ok("generate kronecker --scale 9 --edge-factor 8 -o edges.bin");
    for layout in ["--layout csr --page-size 512", "--layout chunked --codec raw32"] {
        folder.ok(&format!("build edges.bin k.outcrop --overwrite {layout}"));
        let plain = folder.ok("run pagerank k.outcrop --iterations 3 --json --page-cache 64MiB");
        let (hits, misses) = (plain.figure("cache_hits") as f64, plain.figure("cache_misses") as f64);
        assert_eq!(plain.json()["cache_hit_ratio"].as_f64(), Some(hits / (hits + misses)), "{layout}");
        assert_eq!(["page_utilization", "byte_utilization"].map(|key| plain.json()[key].is_null()), [true; 2]);
        let told = folder.ok("run pagerank k.outcrop --iterations 3 --top 1 --page-cache 64MiB").stderr;
        assert!(told.contains("hit ratio "), "{told}");
        // Decoded lists have no cache.
        let decoded = folder.ok("run pagerank k.outcrop --iterations 3 --json");
        assert!(decoded.json()["cache_hit_ratio"].is_null() && !decoded.stderr.contains("hit ratio "), "{decoded:?}");
        // Nothing is cached, and nothing is found.
        let none = folder.ok("run pagerank k.outcrop --iterations 3 --json --page-cache 0").json();
        assert_eq!(none["cache_hit_ratio"], 0.0);
    }
}

#[test]
fn the_record_says_what_was_meant() {
    let folder = folder_with_store();
    let record = folder
        .ok("run pagerank g.outcrop --json --alpha 0.5 --tol 1e-3 --precision f32 --threads 2 --io buffered")
        .json();
    let expected = serde_json::json!({
        "alpha": 0.5, "tol": 1e-3, "max-iter": 100, "precision": "f32", "unweighted": false, "accelerate": false
    });
    assert_eq!((&record["parameters"], &record["converged"]), (&expected, &Value::Bool(true)));
    assert_eq!((&record["io"], &record["threads"]), (&Value::from("buffered"), &Value::from(2)));
    let record = folder.ok("run bfs g.outcrop --json --source 0 --source 7").json();
    assert_eq!(record["parameters"], serde_json::json!({ "columns": "distance", "source": ["0", "7"] }));
    assert_eq!(record["converged"], Value::Null);
}

#[test]
fn build_info_and_estimate_print_one_object_too() {
    let folder = folder_with_store();
    let built = folder.ok("build edges.txt h.outcrop --weighted --json");
    assert_eq!(built.stderr, "");
    assert_eq!((built.figure("vertices"), built.figure("edges"), built.figure("skipped_lines")), (6, 5, 0));
    let info = folder.ok("info g.outcrop --json");
    assert_eq!((info.figure("vertices"), info.figure("edges"), info.figure("format_version")), (6, 5, 13));
    let words = ["ids", "order", "dedup", "self_loops"].map(|key| info.json()[key].clone());
    assert_eq!(words, ["integer", "degree", "keep", "keep"].map(Value::from));
    assert_eq!((&info.json()["directed"], &info.json()["weighted"]), (&Value::Bool(true), &Value::Bool(true)));
    let estimate = folder.ok("estimate pagerank g.outcrop --json");
    let needs = estimate.json()["plan"].as_array().unwrap().clone();
    let sum: u64 = needs.iter().map(|need| need["bytes"].as_u64().unwrap()).sum();
    assert_eq!(estimate.figure("minimum"), sum);
    assert!(estimate.figure("all_in_memory") > sum);
}

#[test]
fn progress_is_json_lines_on_stderr() {
    let folder = folder_with_store();
    for command in [
        "run pagerank g.outcrop --iterations 3",
        "run wcc g.outcrop --json",
        "build edges.txt h.outcrop --json",
        "check g.outcrop",
        "generate grid --rows 3 --columns 4 -o grid.bin",
    ] {
        let ran = folder.ok(&format!("{command} --progress json"));
        let events: Vec<Value> = ran.stderr.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let phases = events.iter().filter(|event| event["event"] == "phase").count();
        assert!(phases > 0, "{command}: {}", ran.stderr);
        // At the most, what was found and what it cost stands behind the events, for people.
        assert!(events.len() + 2 >= ran.stderr.lines().count(), "{command}: {}", ran.stderr);
        if command.contains("--json") {
            assert_eq!(events.len(), ran.stderr.lines().count(), "{command}: {}", ran.stderr);
        }
    }
    let ran = folder.ok("run pagerank g.outcrop --iterations 3 --progress json");
    assert_eq!(ran.stderr.matches("\"event\":\"iteration\"").count(), 3, "{}", ran.stderr);
    for (run, unit, done, total) in [
        ("pagerank g.outcrop --iterations 3", "iterations", 3, Some(3)),
        ("pagerank g.outcrop --iterations 3 --model messages", "iterations", 4, Some(4)),
        ("pagerank g.outcrop --iterations 3 --model gas --unweighted", "iterations", 4, Some(4)),
        ("pagerank g.outcrop --iterations 3 --model interval", "iterations", 3, Some(3)),
        ("bc g.outcrop --samples 2", "sources", 2, Some(2)),
        ("kcore g.outcrop", "vertices", 6, Some(6)),
        ("bfs g.outcrop --source 0", "vertices", 4, Some(6)),
    ] {
        let ran = folder.ok(&format!("run {run} --progress json"));
        let mut events = ran.stderr.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let last = events.rfind(|event| event["event"] == "progress").unwrap();
        let told = (last["unit"].as_str(), last["done"].as_u64(), last["total"].as_u64());
        assert_eq!(told, (Some(unit), Some(done), total), "{run}: {last}");
        assert_eq!(last["at_most"], run.starts_with("bfs"), "{run}: {last}");
        let share = done as f64 / total.unwrap() as f64;
        assert!((last["share"].as_f64().unwrap() - share).abs() < 1e-9, "{run}: {last}");
    }
    let ran = folder.ok("run pagerank g.outcrop --tol 1e-3 --progress plain");
    assert!(ran.stderr.contains("outcrop: pagerank\n"), "{}", ran.stderr);
}

#[test]
fn parameters_that_an_algorithm_does_not_take_are_refused() {
    let folder = folder_with_store();
    folder.write("jumps.csv", "node,weight\n0,1\n");
    let given = [
        ("source", "--source 0"),
        ("alpha", "--alpha 0.5"),
        ("tol", "--tol 0.1"),
        ("max-iter", "--max-iter 9"),
        ("iterations", "--iterations 2"),
        ("personalization", "--personalization jumps.csv"),
        ("precision", "--precision f32"),
        ("sources", "--sources 3"),
        ("samples", "--samples 3"),
        ("seed", "--seed 3"),
        ("batch", "--batch 3"),
        ("unnormalized", "--unnormalized"),
        ("delta", "--delta 0.1"),
        ("k", "--k 3"),
        ("method", "--method bellman-ford"),
        ("bucket-width", "--bucket-width auto"),
        ("vector", "--vector x.npy"),
        ("transpose", "--transpose"),
    ];
    for algorithm in ALGORITHMS {
        let takes = |option: &str| algorithm.params().iter().any(|parameter| parameter.name == option);
        // Both commands take their options from one table.
        for ((option, text), command) in
            given.iter().filter(|(option, _)| !takes(option)).zip(["run", "estimate"].iter().cycle())
        {
            let message = folder.fails(&format!("{command} {} g.outcrop {text}", algorithm.spec().name), 2);
            assert!(
                message.starts_with(&format!("outcrop: `{}` has no option --{option}; ", algorithm.spec().name)),
                "{message}"
            );
        }
    }
}

#[test]
fn a_reader_that_exits_early_is_no_error() {
    let folder = Folder::new();
    let edges: String = (0..20_000).map(|vertex| format!("{vertex},{}\n", vertex + 1)).collect();
    folder.write("edges.csv", &edges);
    folder.ok("build edges.csv g.outcrop");
    for words in ["run wcc g.outcrop --top 20000", "run pagerank g.outcrop --top 20000 --json", "degree g.outcrop"] {
        let mut command = folder.command(words);
        let mut child =
            command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let ended = child.wait_with_output().unwrap();
        assert!(ended.status.success(), "{words}: {ended:?}");
    }
}
