//! Tests of pages, which are parsed as XML, which is stricter than HTML.

use crate::record::{
    AnswerRecord, Bin, BuildCost, BuildRecord, BuiltGraph, CacheRecord, ConvergenceRecord, EnvironmentRecord,
    FileRecord, FilesRecord, GasRecord, GraphRecord, Histogram, InputRecord, MemoryRecord, MessageRecord,
    OptionalRecords, PhaseRecord, PinnedRecord, ReadingRecord, Record, RunRecord, TaskRecord, TimeRecord, TopRows,
    TrafficRecord,
};
use outcrop_types::{
    AccessMode, EdgeDirection, GasFigures, GasStepFigures, IterationRecord, MemoryPlan, MessageFigures, ProgressUnit,
    Purpose,
};
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;
use std::collections::BTreeMap;

const HOSTILE: &str = "<script src=\"https://x\">'&\u{0}</title></svg>\u{202e}";

fn iteration(number: u32) -> IterationRecord {
    let size = u64::from(number);
    IterationRecord {
        iteration: number,
        active_vertices: size,
        active_edges: (1000 * size).saturating_mul(size),
        select_bytes: 8 * size,
        sweep_bytes: 16 * size,
        select_seconds: 1e-4,
        sweep_seconds: 2e-4,
        seconds_scheduling: 1e-6,
        direction: if number.is_multiple_of(2) { EdgeDirection::Push } else { EdgeDirection::Pull },
        access: if number.is_multiple_of(3) { AccessMode::Select } else { AccessMode::Sweep },
        change: Some(1.0 / f64::from(number)),
        bytes_read: 4096 * size,
        value_bytes_read: 0,
        bytes_written: 0,
        requests: size,
        cache_hits: 3 * size,
        cache_misses: size,
        static_hits: 0,
        static_misses: 0,
        seconds_waiting: 1e-3,
        seconds: 2e-3,
    }
}

fn run(iterations: Vec<IterationRecord>) -> RunRecord {
    RunRecord {
        task: TaskRecord {
            algorithm: "pagerank".into(),
            model: "edge_map".into(),
            layout: "csr".into(),
            schedule: "auto".into(),
            store: "web.outcrop".to_owned(),
            window: None,
            parameters: BTreeMap::from([("tol".into(), 1e-6.into()), ("source".into(), vec!["a", "b"].into())]),
        },
        answer: AnswerRecord {
            values: BTreeMap::from([("diameter".into(), 1234.into()), ("nothing".into(), serde_json::Value::Null)]),
            summary: serde_json::Map::from_iter([("highest rank".to_owned(), 0.25.into())]),
            histogram: None,
            top: None,
        },
        environment: EnvironmentRecord {
            command: "outcrop run pagerank web.outcrop".to_owned(),
            started: 1_795_415_445,
            machine: "a processor, 2 threads".to_owned(),
            disk: String::new(),
        },
        weighted: false,
        notes: vec!["a <note>".to_owned()],
        graph: GraphRecord { vertices: 1000, edges: 123_456 },
        convergence: ConvergenceRecord {
            iterations: u32::try_from(iterations.len()).unwrap(),
            converged: Some(true),
            change: Some(1e-7),
        },
        time: TimeRecord {
            seconds: 1.5,
            seconds_total: 1.75,
            seconds_scheduling: 0.0125,
            user_seconds: 2.0,
            system_seconds: 0.5,
        },
        traffic: TrafficRecord { bytes_read: 3 << 20, bytes_written: 0, values_on_disk: false, value_bytes_read: 0 },
        optional: OptionalRecords { messages: None, gas: None, checkpoints: None, incremental: None },
        files: FilesRecord { lists_bytes: 1 << 20, store_bytes: 4 << 20, requests: 77 },
        memory: MemoryRecord {
            peak_rss: 50 << 20,
            budget: 64 << 20,
            peak: 40 << 20,
            by_purpose: MemoryPlan::new().with(Purpose::VertexValues, 8000).with(Purpose::PageCache, 30 << 20),
        },
        cache: CacheRecord {
            cache_hits: 300,
            cache_misses: 100,
            cache_hit_ratio: Some(0.75),
            page_utilization: None,
            byte_utilization: None,
        },
        pinned: PinnedRecord { static_hits: 0, static_misses: 0, static_hit_ratio: None, static_cache_bytes: 0 },
        reading: ReadingRecord {
            batches: 10,
            lists_visited: 1000,
            entries_visited: 20_000,
            seconds_waiting: 0.25,
            threads: 2,
            io: "uring".to_owned(),
        },
        iterations_detail: iterations,
    }
}

#[test]
fn a_page_begins_with_what_was_found_and_says_where_and_when() {
    let bins = vec![Bin { from: 0.0, vertices: 990 }, Bin { from: 0.125, vertices: 10 }];
    let histogram = Some(Histogram { column: "pagerank".to_owned(), whole: false, to: 0.25, bins });
    let columns = ["node", "pagerank"].map(str::to_owned).to_vec();
    let top = Some(TopRows { columns, rows: vec![vec!["a & b".into(), 0.25.into()]] });
    let disk = "vda: 2.0 GB/s".to_owned();
    let page = changed(iterations(2), |record| {
        record.answer.histogram = histogram;
        record.answer.top = top;
        record.environment.disk = disk;
    })
    .to_html();
    let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text}: {page}"));
    assert!(place("<td>a &amp; b</td><td>0.25</td>") < place("Vertices by pagerank"));
    assert!(place("highest rank") < place("read from disk"));
    assert!(place("Vertices by pagerank") < place("Active vertices and edges"));
    for fact in ["outcrop run pagerank web.outcrop", "2026-11-23 06:30 UTC", "a processor, 2 threads", "vda: 2.0 GB/s"]
    {
        place(fact);
    }
}

#[test]
fn ranges_of_integers_do_not_overlap() {
    let bins = [1.0, 2.0, 5.0, 1200.0].map(|from| Bin { from, vertices: 1 }).to_vec();
    let histogram = Some(Histogram { column: "component size".to_owned(), whole: true, to: 2500.0, bins });
    let page = changed(iterations(2), |record| record.answer.histogram = histogram).to_html();
    for range in ["<td>1</td>", "<td>2 to 4</td>", "<td>5 to 1,199</td>", "<td>1,200 to 2,500</td>"] {
        assert!(page.contains(range), "{range}: {page}");
    }
}

fn changed(mut record: RunRecord, change: impl FnOnce(&mut RunRecord)) -> RunRecord {
    change(&mut record);
    record
}

fn iterations(count: u32) -> RunRecord {
    run((1..=count).map(iteration).collect())
}

fn build() -> BuildRecord {
    let phase = |name: &'static str, unit, done, seconds| PhaseRecord {
        name: name.into(),
        unit,
        total: None,
        done,
        seconds,
        cpu_seconds: Some(2.0 * seconds),
        busiest_thread_seconds: Some(seconds),
    };
    BuildRecord {
        store: "web.outcrop".to_owned(),
        graph: BuiltGraph {
            vertices: 1000,
            edges: 5000,
            directed: true,
            weighted: false,
            weight_type: None,
            order: "degree".to_owned(),
            order_reason: Some("the ids tell <little>".to_owned()),
            bytes: 41_000,
        },
        cost: BuildCost {
            seconds: 2.0,
            user_seconds: 1.0,
            system_seconds: 0.5,
            bytes_read: None,
            bytes_written: Some(90_000),
        },
        memory: MemoryRecord {
            peak_rss: 9 << 20,
            budget: 8 << 20,
            peak: 7 << 20,
            by_purpose: MemoryPlan::new().with(Purpose::SortSpace, 7 << 20),
        },
        input: InputRecord { skipped_lines: 3, loops_dropped: 0, summary: outcrop_types::InputSummary::default() },
        phases: vec![
            phase("reading edges", ProgressUnit::Bytes, 1 << 20, 0.5),
            phase("writing lists", ProgressUnit::Edges, 5000, 1.25),
        ],
        files: vec![
            FileRecord { name: "out.edges".to_owned(), bytes: 40_000 },
            FileRecord { name: "out.degrees".to_owned(), bytes: 1000 },
        ],
    }
}

/// Content of a well-formed, self-contained page.
#[derive(Default)]
struct Found {
    /// Elements by name and class.
    elements: BTreeMap<String, usize>,
    labels: Vec<String>,
    /// Texts including tooltips, one per line.
    text: String,
    largest_picture: u64,
}

impl Found {
    fn count(&self, element: &str) -> usize {
        self.elements.get(element).copied().unwrap_or_default()
    }

    fn has(&self, text: &str) -> bool {
        self.text.contains(text)
    }

    fn note(&mut self, start: &BytesStart<'_>) {
        let name = start.name().as_ref().to_owned();
        assert!(!["script", "link", "img", "iframe", "object", "image", "use"].contains(&&*name), "{name}");
        *self.elements.entry(name.clone()).or_default() += 1;
        for attribute in start.attributes() {
            let attribute = attribute.unwrap();
            let key = attribute.key.as_ref().to_owned();
            let raw = attribute.value.to_string();
            let value = quick_xml::escape::unescape(&raw).unwrap().into_owned();
            assert!(!key.starts_with("on") && !["href", "src", "style"].contains(&&*key), "{key}");
            match &*key {
                "class" => *self.elements.entry(format!("{name}.{value}")).or_default() += 1,
                "aria-label" if name == "svg" => self.labels.push(value),
                "x" | "y" | "x1" | "x2" | "y1" | "y2" | "cx" | "cy" | "width" | "height" => {
                    assert!(key == "width" && value.contains("device") || value.parse::<f64>().unwrap().is_finite());
                }
                "title" => self.text += &format!("{value}\n"),
                _ => {}
            }
        }
    }
}

fn parse(page: &str) -> Found {
    let mut found = Found::default();
    assert!(page.starts_with("<!DOCTYPE html>"));
    let style = super::document::STYLE;
    assert!(!style.contains(['<', '&', '@']) || style.replace("@media", "").find(['<', '&', '@']).is_none());
    assert!(!style.contains("url(") && !page.contains("url("));
    let mut reader = Reader::from_str(page);
    let (mut open, mut picture) = (Vec::new(), 0);
    loop {
        match reader.read_event().unwrap() {
            Event::Start(start) => {
                found.note(&start);
                open.push(start.name().as_ref().to_owned());
                if start.name().as_ref() == "svg" {
                    picture = reader.buffer_position();
                }
            }
            Event::Empty(start) => found.note(&start),
            Event::End(end) => {
                assert_eq!(open.pop().as_deref(), Some(end.name().as_ref()));
                if end.name().as_ref() == "svg" {
                    found.largest_picture = found.largest_picture.max(reader.buffer_position() - picture);
                }
            }
            Event::Text(text) => {
                let text = text.to_string();
                assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
                found.text += &text;
            }
            Event::GeneralRef(name) => {
                let reference = format!("&{};", &*name);
                found.text += &quick_xml::escape::unescape(&reference).unwrap();
            }
            Event::Eof => break,
            Event::DocType(_) => {}
            other => panic!("{other:?}"),
        }
    }
    assert!(open.is_empty(), "{open:?}");
    found
}

#[test]
fn a_page_shows_every_iteration_in_every_chart() {
    let found = parse(&iterations(13).to_html());
    // Active, choices, read, estimates, cache, time, change; the memory has purposes.
    assert_eq!((found.count("figure"), found.count("svg"), found.count("g.column")), (8, 8, 7 * 13));
    assert_eq!(found.count("details"), 8);
    assert_eq!(found.count("tr"), 7 * (1 + 13) + 1 + 2 + 3);
    assert_eq!(found.labels.len(), 8);
    assert!(found.labels.iter().all(|label| label.len() > 20), "{:?}", found.labels);
    // Six lines with one dot per iteration; one mark each for the lists, the tolerance and the budget.
    assert_eq!((found.count("polyline"), found.count("circle"), found.count("line.mark")), (6, 78, 3));
    assert_eq!((found.count("rect.c1"), found.count("rect.part c1")), (6 + 13 + 13, 1));
    for text in ["3 times the lists", "123,456", "uring", "--source", "a, b", "52 KiB (53,248 bytes)", "Logarithmic"] {
        assert!(found.has(text), "{text}: {}", found.text);
    }
}

#[test]
fn numbers_of_the_whole_graph_are_facts() {
    let page = run(vec![iteration(1)]).to_html();
    let fact = |name: &str| page.split_once(&format!("<dt>{name}</dt>")).unwrap().1.split_once("</dd>").unwrap().0;
    assert!(fact("diameter").ends_with(">1,234"), "{}", fact("diameter"));
    assert_eq!(fact("nothing"), "<dd>none");
}

#[test]
fn nothing_hostile_reaches_the_page() {
    let mut record = iterations(1);
    record.task.algorithm = HOSTILE.into();
    record.task.store = HOSTILE.to_owned();
    record.reading.io = HOSTILE.to_owned();
    record.task.parameters =
        BTreeMap::from([(HOSTILE.into(), HOSTILE.into()), ("source".into(), vec![HOSTILE].into())]);
    let mut built = build();
    built.store = HOSTILE.to_owned();
    built.files.push(FileRecord { name: HOSTILE.to_owned(), bytes: 7 });
    built.phases.push(PhaseRecord { name: HOSTILE.into(), ..built.phases[0].clone() });
    for page in [record.to_html(), built.to_html()] {
        let found = parse(&page);
        assert!(!page.contains("<script") && !page.contains('\u{202e}') && !page.contains('\u{0}'));
        assert!(found.has("<script src=\"https://x\">'&\u{fffd}</title></svg>\u{fffd}"), "{}", found.text);
    }
}

#[test]
fn pages_name_no_other_place() {
    for page in [iterations(3).to_html(), build().to_html()] {
        for word in ["http://", "https://", "//", "@import", "<script", "javascript:"] {
            assert!(!page.contains(word), "{word}");
        }
    }
}

#[test]
fn thousands_of_iterations_are_drawn_together() {
    for (count, columns) in [(160, 160), (161, 81), (2000, 154), (10_000, 159)] {
        let page = iterations(count).to_html();
        let found = parse(&page);
        assert_eq!(found.count("g.column"), 7 * columns, "{count}");
        assert!(found.largest_picture < 100_000 && page.len() < 450_000, "{} {}", found.largest_picture, page.len());
        assert_eq!(count > 160, found.has("mean of iterations 1 to"), "{count}");
    }
}

#[test]
fn estimates_are_shown_where_there_was_something_to_decide() {
    let decided = parse(&iterations(4).to_html());
    let caption = "Iterations with a choice took 8 ms; the estimates of the chosen strategy were 700 µs.";
    assert!(decided.has(caption) && decided.has("scheduling"), "{}", decided.text);
    let mut all = iterations(4);
    for one in &mut all.iterations_detail {
        (one.sweep_bytes, one.select_seconds, one.sweep_seconds) = (0, 0.0, 0.0);
    }
    assert!(!parse(&all.to_html()).has("Estimated and actual bytes per iteration"));
}

#[test]
fn iterations_that_were_not_kept_are_told() {
    let mut record = iterations(5);
    record.convergence.iterations = 20_000;
    assert!(parse(&record.to_html()).has("Only the first 5 of 20,000 iterations were recorded."));
}

#[test]
fn runs_without_iterations_and_of_one_have_pages() {
    let none = parse(&iterations(0).to_html());
    assert!(
        none.has("0 iterations") && !none.has("Page cache") && none.count("g.column") == 0 && none.count("svg") == 1
    );
    let one = parse(&iterations(1).to_html());
    assert_eq!((one.count("g.column"), one.count("circle")), (7, 6));
}

#[test]
fn memory_is_what_was_used_of_the_budget() {
    let near = parse(&iterations(1).to_html());
    assert!(near.has("of a budget of 64 MiB") && near.has("Used at once: 40 MiB, 62.5% of the budget of 64 MiB"));
    let far = parse(&changed(iterations(1), |record| record.memory.budget = 1 << 40).to_html());
    assert!(far.has("of a budget of 1 TiB") && !far.has("The line is the budget."), "{}", far.text);
    assert_eq!(near.count("line.mark") - far.count("line.mark"), 1);
}

#[test]
fn zeroes_and_huge_numbers_stay_on_the_page() {
    let empty = changed(run(vec![zeroes(1), zeroes(2)]), |record| {
        record.graph.vertices = 0;
        record.graph.edges = 0;
        record.time.seconds = 0.0;
        record.reading.threads = 0;
        record.traffic.bytes_read = 0;
        record.files.lists_bytes = 0;
        record.files.store_bytes = 0;
        record.memory.budget = 0;
        record.memory.peak = 0;
        record.memory.by_purpose = MemoryPlan::new();
        record.cache.cache_hits = 0;
        record.cache.cache_misses = 0;
    });
    // Choices and estimates; charts of zeros, and of no memory, are omitted.
    let found = parse(&empty.to_html());
    assert_eq!((found.count("g.column"), found.count("figure"), found.count("circle")), (2 * 2, 2, 2 * 3));
    let most = IterationRecord {
        active_vertices: u64::MAX,
        active_edges: u64::MAX,
        change: Some(f64::MAX),
        bytes_read: u64::MAX,
        cache_hits: u64::MAX,
        cache_misses: u64::MAX,
        seconds_waiting: f64::MAX,
        seconds: f64::MAX,
        ..iteration(u32::MAX)
    };
    let huge = changed(run(vec![zeroes(1), most.clone(), most]), |record| {
        record.graph.vertices = u32::MAX;
        record.graph.edges = u64::MAX;
        record.traffic.bytes_read = u64::MAX;
        record.cache.cache_hits = u64::MAX;
        record.cache.cache_misses = u64::MAX;
        record.memory.by_purpose = MemoryPlan::new().with(Purpose::Index, u64::MAX).with(Purpose::Results, u64::MAX);
        record.memory.budget = u64::MAX;
        record.memory.peak = u64::MAX;
    });
    assert!(parse(&huge.to_html()).has("18,446,744,073,709,551,615"));
}

#[test]
fn how_much_of_cached_pages_was_looked_at_is_told_where_it_is_known() {
    let known = changed(iterations(2), |record| {
        record.cache.page_utilization = Some(0.25);
        record.cache.byte_utilization = Some(0.125);
    });
    let page = parse(&known.to_html());
    assert!(page.has("page utilization, mean") && page.has("25%") && page.has("12.5%"));
    assert!(!parse(&iterations(2).to_html()).has("page utilization, mean"));
}

fn zeroes(number: u32) -> IterationRecord {
    IterationRecord {
        active_vertices: 0,
        active_edges: 0,
        change: Some(0.0),
        bytes_read: 0,
        cache_hits: 0,
        cache_misses: 0,
        seconds_waiting: 0.0,
        seconds: 0.0,
        ..iteration(number)
    }
}

#[test]
fn a_build_shows_phases_memory_and_files() {
    let found = parse(&build().to_html());
    // Two phases, two files, and the known traffic and the store.
    assert_eq!((found.count("svg"), found.count("g.row")), (4, 2 + 2 + 2));
    for text in ["reading edges", "2 MiB", "4k edges", "2.5k", "out.degrees", "unknown", "8.2", "sort space", "250 ms"]
    {
        assert!(found.has(text), "{text}: {}", found.text);
    }
}

#[test]
fn records_are_read_back_with_what_they_lack_and_what_they_have_beyond() {
    let mut json = serde_json::to_value(iterations(2)).unwrap();
    let page = |json: &serde_json::Value| Record::from_json(&json.to_string(), "r.json").unwrap().to_html();
    assert_eq!(page(&json), iterations(2).to_html());
    json["of_a_newer_version"] = 1.into();
    json["iterations_detail"][0]["too"] = vec![2].into();
    assert_eq!(page(&json), iterations(2).to_html());
    for key in ["store", "lists_bytes", "store_bytes"] {
        json.as_object_mut().unwrap().remove(key);
    }
    assert!(parse(&page(&json)).has("pagerank on a store"));
    let built = serde_json::to_value(build()).unwrap();
    assert_eq!(page(&built), build().to_html());
}

#[test]
fn messages_have_a_section_of_their_own_where_there_were_some() {
    assert!(!parse(&iterations(2).to_html()).has("edge log"));
    let messages = MessageRecord {
        delivery: "async".into(),
        log: "multi".into(),
        edge_log: true,
        figures: MessageFigures {
            sent: 12_345,
            delivered: 678,
            thin_pages: 200,
            predicted_pages: 68,
            log_bytes_written: 5 << 20,
            ..MessageFigures::default()
        },
        ..MessageRecord::default()
    };
    let found = parse(&changed(iterations(2), |record| record.optional.messages = Some(messages)).to_html());
    for text in ["Messages", "async", "12,345", "678", "34%", "5 MiB", "edge log"] {
        assert!(found.has(text), "{text}: {}", found.text);
    }
}

/// Returns a run of three iterations, the last followed by a shadow iteration.
fn gas() -> GasRecord {
    let step = |shadow, arcs, updated_arcs, delayed, bytes_read| GasStepFigures {
        shadow,
        arcs,
        updated_arcs,
        delayed,
        bytes_read,
        bytes_written: bytes_read / 2,
        ..GasStepFigures::default()
    };
    let steps = vec![
        step(false, 99_000, 98_765, 0, 4096),
        step(false, 99_000, 4321, 7, 8192),
        step(true, 99_000, 1234, 0, 4096),
    ];
    GasRecord {
        shards: "ods".into(),
        updated_share: 0.3,
        delay_buffer: 100 << 10,
        seconds_preparing: 0.5,
        figures: GasFigures {
            arcs: 99_000,
            intervals: 5,
            shadows: 1,
            dynamic_sets: 1,
            shadow_bytes_read: 4096,
            peak_disk_bytes: 7 << 20,
            steps,
            ..GasFigures::default()
        },
    }
}

#[test]
fn shards_have_a_section_and_charts_of_their_own_where_there_were_some() {
    assert!(!parse(&iterations(2).to_html()).has("Shadow iterations"));
    let found = parse(&changed(iterations(2), |record| record.optional.gas = Some(gas())).to_html());
    for text in ["Shards", "ods", "30%", "100 KiB", "99,000", "7 MiB", "98,765", "4,321", "25%"] {
        assert!(found.has(text), "{text}: {}", found.text);
    }
    for name in ["iteration 0", "shadow iteration after iteration 1", "changes delayed"] {
        assert!(found.has(name), "{name}: {}", found.text);
    }
    let charts = found.labels.iter().filter(|label| label.contains("3 columns")).count();
    assert!(charts >= 2, "{:?}", found.labels);
    // A run that ended before its first iteration.
    let none = parse(&changed(iterations(0), |record| record.optional.gas = Some(GasRecord::default())).to_html());
    assert!(none.has("shadow iterations") && none.count("svg") == 1, "{}", none.text);
}

#[test]
fn thousands_of_steps_are_told_together() {
    let steps =
        (0..2000).map(|number| GasStepFigures { shadow: number % 2 == 1, arcs: 10, ..GasStepFigures::default() });
    let figures = GasFigures { steps: steps.collect(), ..GasFigures::default() };
    let found =
        parse(&changed(iterations(3), |record| record.optional.gas = Some(GasRecord { figures, ..gas() })).to_html());
    assert!(found.has("mean of iterations 0 to 6") && found.has("mean of iterations 6 to 12"), "{}", found.text);
    assert!(found.has("to 999"), "{}", found.text);
}

#[test]
fn the_record_of_shards_is_read_back_as_it_was() {
    let record = changed(iterations(2), |record| record.optional.gas = Some(gas()));
    let text = serde_json::to_string(&record).unwrap();
    let Ok(Record::Run(back)) = Record::from_json(&text, "r.json") else { panic!("{text}") };
    assert_eq!(back.optional.gas, record.optional.gas);
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&json["gas"]["shards"], &json["gas"]["steps"][2]["shadow"]), (&"ods".into(), &true.into()));
}
