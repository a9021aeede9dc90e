use super::*;
use outcrop_algorithms::ModelWork;
use outcrop_algorithms::params::engine::{DELAY_BUFFER, UPDATED_SHARE};
use outcrop_algorithms::params::gas_options;
use outcrop_algorithms::params::{FromArg, InputVector, Param};
use std::collections::BTreeMap;

/// The algorithm `name` with these arguments, as they are typed, which make sense together.
fn typed(name: &str, args: &[(&str, &str)]) -> Result<RunRequest<'static>> {
    let request = args.iter().try_fold(RunRequest::new(name)?, |request, (name, text)| request.with(name, *text))?;
    request.validate().map(|()| request)
}

/// Message of the error that refuses these arguments.
fn refusal(name: &str, args: &[(&str, &str)]) -> String {
    typed(name, args).unwrap_err().to_string()
}

/// The algorithm's own arguments in `model`, as records show them.
fn resolved(request: &RunRequest<'_>, model: Model) -> BTreeMap<&'static str, Arg> {
    request.args().resolved(model).into_iter().collect()
}

/// A directed graph of so many vertices, with weights.
fn shape(vertices: u32) -> Shape {
    let (entries, slots) = ([1000; 2], 2);
    Shape {
        vertices,
        directed: true,
        weighted: true,
        entries,
        slots,
        on_disk: false,
        first_neighbors: false,
        simple: false,
        incremental: false,
    }
}

#[test]
fn parameters_of_other_algorithms_and_nonsense_are_refused() {
    assert!(RunRequest::new("nonsense").is_err());
    assert!(typed("pagerank", &[]).is_ok());
    assert_eq!(refusal("pagerank", &[("source", "1")]), "`pagerank` has no option --source");
    assert_eq!(RunRequest::new("bfs").unwrap().require().unwrap_err().to_string(), "`bfs` needs --source");
    assert!(RunRequest::new("wcc").unwrap().require().is_ok());
    assert!(typed("bfs", &[]).is_ok());
    assert!(typed("bfs", &[("source", "1")]).unwrap().require().is_ok());
    assert_eq!(refusal("wcc", &[("precision", "f32")]), "`wcc` has no option --precision");
    assert_eq!(
        refusal("pagerank", &[("iterations", "3"), ("tol", "0.1")]),
        "--tol cannot be combined with --iterations"
    );
    assert!(typed("pagerank", &[("iterations", "3"), ("max-iter", "3")]).is_err());
    let pagerank = || RunRequest::new("pagerank").unwrap();
    let refused = pagerank().with("alpha", 1.0).unwrap_err().to_string();
    assert_eq!(refused, "--alpha must be a number at least 0 and below 1, not 1");
    assert!(pagerank().with("alpha", 0.0).is_ok() && pagerank().with("alpha", f64::NAN).is_err());
    assert!([0.0, f64::INFINITY].into_iter().all(|wrong| pagerank().with("tol", wrong).is_err()));
    assert!(RunRequest::new("diameter").unwrap().require().is_ok());
    assert!(typed("diameter", &[("iterations", "1")]).is_ok());
    assert!(typed("diameter", &[("iterations", "0")]).is_err());
    assert!(typed("diameter", &[("exact", "true")]).is_ok());
    assert!(typed("diameter", &[("exact", "true"), ("iterations", "3")]).is_err());
    assert!(typed("diameter", &[("exact", "false"), ("iterations", "3")]).is_ok());
    assert!(typed("diameter", &[("source", "1")]).is_err());
    assert!(typed("radius", &[("exact", "true")]).is_err());
    let apsp = RunRequest::new("apsp").unwrap().with("source", &["1", "2"][..]).unwrap();
    assert!(apsp.validate().is_ok() && apsp.with("samples", 2_u32).unwrap().validate().is_err());
    assert!(typed("apsp", &[("seed", "7")]).is_ok());
    assert!(typed("apsp", &[("samples", "0")]).is_err());
    assert!(typed("bc", &[("batch", "16")]).is_ok());
    assert!(["0", "17"].into_iter().all(|batch| typed("bc", &[("batch", batch)]).is_err()));
    assert_eq!(refusal("bc", &[("seed", "7")]), "--seed needs --samples");
    assert!(RunRequest::new("ppr").unwrap().with("source", &["1", "2"][..]).is_err(), "it starts from one");
}

#[test]
fn distances_are_from_128_vertices_unless_others_are_asked_for() {
    let request = RunRequest::new("apsp").unwrap();
    let all = resolved(&request, Model::EdgeMap);
    assert_eq!((&all["samples"], &all["seed"]), (&Arg::Count(128), &Arg::Count(1)));
    let bytes = |request: &RunRequest<'_>, vertices: u32| {
        let plan = request.algorithm().plan(Model::EdgeMap, &shape(vertices), request.args()).unwrap().unwrap();
        let ModelWork::EdgeMap(work, _) = plan.work else { panic!("a plan of another model") };
        work.memory.total() / u64::from(vertices)
    };
    assert_eq!((bytes(&request, 1000), bytes(&request, 100)), (16 + 2 * 128, 16 + 2 * 100));
    let request = request.with("source", &["1", "2", "1"][..]).unwrap();
    assert_eq!(bytes(&request, 1000), 16 + 2 * 2);
    assert_eq!(resolved(&request, Model::EdgeMap).into_keys().collect::<Vec<_>>(), ["source"]);
}

#[test]
fn the_record_shows_defaults_and_what_was_given() {
    let wcc = RunRequest::new("wcc").unwrap();
    assert_eq!(resolved(&wcc, Model::EdgeMap)["method"], Arg::Word("auto"));
    assert!(resolved(&wcc, Model::Interval).is_empty());
    let resolved = resolved(&typed("pagerank", &[("alpha", "0.5")]).unwrap(), Model::EdgeMap);
    assert_eq!((&resolved["alpha"], &resolved["tol"]), (&Arg::Number(0.5), &Arg::Number(1e-6)));
    assert_eq!(resolved["precision"], Arg::Word("f64"));
}

#[test]
fn walks_start_somewhere_and_go_on_with_probabilities() {
    assert!(typed("walks", &[("source", "1")]).is_ok() && typed("walks", &[("source", "1"), ("seed", "3")]).is_ok());
    assert!(typed("walks", &[("source", "1"), ("every", "3")]).is_err());
    assert!(typed("walks", &[("every", "0")]).is_err());
    let with = |name: &str, number: f64| RunRequest::new("walks").unwrap().with(name, number);
    assert!([0.0, 1.0].into_iter().all(|restart| with("restart", restart).is_ok()));
    assert!([-0.1, 1.1, f64::NAN].into_iter().all(|restart| with("restart", restart).is_err()));
    for wrong in [0.0, -1.0, f64::INFINITY, f64::NAN] {
        assert!(with("p", wrong).is_err() && with("q", wrong).is_err(), "{wrong}");
    }
    let found = resolved(&typed("walks", &[("length", "4")]).unwrap(), Model::Messages);
    let expected = [
        ("every", Arg::Count(1000)),
        ("length", Arg::Count(4)),
        ("p", Arg::Number(1.0)),
        ("q", Arg::Number(1.0)),
        ("restart", Arg::Number(0.0)),
        ("weighted", Arg::Flag(false)),
        ("seed", Arg::Count(1)),
    ];
    assert_eq!(found, expected.into_iter().collect());
    assert!(!resolved(&typed("walks", &[("source", "1")]).unwrap(), Model::Messages).contains_key("every"));
}

/// The ways of a request that makes sense: models, and whether values are on disk.
fn execution_plans(name: &str, args: &[(&str, &str)]) -> Result<Vec<(Model, bool)>> {
    Ok(typed(name, args)?.execution_plans()?.into_iter().map(|plan| (plan.model, plan.on_disk)).collect())
}

#[test]
fn messages_are_chosen_where_they_are_asked_for_or_all_that_there_is() {
    let both = [(Model::Messages, false), (Model::Messages, true)];
    assert!(!execution_plans("wcc", &[]).unwrap().contains(&both[0]));
    assert_eq!(execution_plans("wcc", &[("model", "messages")]).unwrap(), both);
    assert_eq!(execution_plans("wcc", &[("fuse", "on")]).unwrap(), both);
    for name in ["cdlp", "mis", "coloring"] {
        let with_maps = [(Model::EdgeMap, false), both[0], both[1]];
        assert_eq!(execution_plans(name, &[]).unwrap(), with_maps);
        assert_eq!(execution_plans(name, &[("values", "disk")]).unwrap(), both[1..]);
    }
    assert_eq!(execution_plans("cdlp", &[("weighted", "true")]).unwrap(), both);
    assert_eq!(execution_plans("walks", &[]).unwrap(), both[..1]);
    assert!(execution_plans("walks", &[("values", "disk")]).is_err());
    let at_once = ("delivery", "async");
    assert_eq!(execution_plans("bfs", &[at_once]).unwrap(), both);
    assert!(refusal("cdlp", &[at_once]).starts_with("`cdlp` does not support --delivery async: "));
    assert_eq!(refusal("kcore", &[at_once]), "--delivery needs --model messages, which `kcore` does not support");
    assert!(execution_plans("pagerank", &[at_once]).is_err());
    assert!(refusal("pagerank", &[("delta", "0.1"), at_once]).contains("--delivery async"));
}

#[test]
fn shards_are_chosen_where_they_are_asked_for_or_all_that_there_is() {
    let both = [(Model::Gas, false), (Model::Gas, true)];
    for name in ["bfs", "sssp", "wcc", "pagerank"] {
        assert!(!execution_plans(name, &[]).unwrap().contains(&both[0]), "{name}");
        assert_eq!(execution_plans(name, &[("model", "gas")]).unwrap(), both);
        assert_eq!(execution_plans(name, &[("shards", "static")]).unwrap(), both);
        assert_eq!(execution_plans(name, &[("delay-buffer", "0")]).unwrap(), both);
        let arrivals = [("arrivals", "edges.csv"), ("arrive-after", "2"), ("delta", "0.1")];
        let arrivals = if name == "pagerank" { &arrivals[..] } else { &arrivals[..2] };
        assert_eq!(execution_plans(name, arrivals).unwrap(), both);
    }
    assert_eq!(execution_plans("bp", &[]).unwrap(), both);
    assert_eq!(execution_plans("heat", &[]).unwrap(), [(Model::EdgeMap, false), both[0], both[1]]);
    for name in ["bp", "heat"] {
        assert_eq!(execution_plans(name, &[("values", "disk")]).unwrap(), both[1..]);
        assert!(execution_plans(name, &[("fuse", "on")]).is_err());
    }
    assert!(execution_plans("bp", &[("shards", "edge-list")]).is_err());
    assert!(execution_plans("heat", &[("shards", "edge-list")]).is_ok());
    for name in ["coloring", "cdlp"] {
        let refused = refusal(name, &[("shards", "ads")]);
        assert!(refused.contains("no aggregation function") && refused.ends_with("--model messages"), "{refused}");
        assert_eq!(refusal(name, &[("model", "gas")]), refused);
    }
    for share in [-0.1, 1.1, f64::NAN] {
        assert!(RunRequest::new("wcc").unwrap().with("updated-share", share).is_err(), "{share}");
    }
}

#[test]
fn delays_are_only_where_iterations_need_not_be_exact() {
    let delay = |name: &str, args: &[(&str, &str)]| {
        let request = typed(name, args).unwrap();
        let shape = Shape { weighted: false, ..shape(10) };
        let plan = request.algorithm().plan(Model::Gas, &shape, request.args()).unwrap().unwrap();
        let ModelWork::Gas(work, _) = plan.work else { panic!("a plan of another model") };
        gas_options(request.args(), work.exact_steps).unwrap().delay_bytes
    };
    assert_eq!([delay("bfs", &[]), delay("bp", &[]), delay("pagerank", &[("delta", "0.1")])], [100 << 10; 3]);
    assert_eq!([delay("pagerank", &[]), delay("heat", &[])], [0; 2]);
    assert_eq!(delay("pagerank", &[("delta", "0.1"), ("iterations", "5")]), 0);
    assert_eq!(delay("heat", &[("delay-buffer", "7")]), 7);
}

#[test]
fn weights_count_as_the_algorithm_and_its_arguments_say() {
    let counts = |name: &str, args: &[(&str, &str)]| typed(name, args).unwrap().weights_count().unwrap();
    assert!(counts("sssp", &[]) && counts("pagerank", &[]) && counts("cdlp", &[("weighted", "true")]));
    assert!(!counts("pagerank", &[("unweighted", "true")]) && !counts("cdlp", &[]) && !counts("bfs", &[]));
    let asked = typed("walks", &[("weighted", "true")]).unwrap();
    assert!(asked.require_weights(true).is_ok());
    assert!(asked.require_weights(false).unwrap_err().to_string().starts_with("--weighted needs edge weights"));
    let by_weight = typed("pagerank", &[("model", "gas")]).unwrap();
    assert!(by_weight.algorithm().plan(Model::Gas, &shape(10), by_weight.args()).is_err());
    let mut python = RunRequest::new("pagerank").unwrap();
    for (arg, given) in [(Arg::Flag(false), true), (Arg::Text("weight".to_owned()), false), (Arg::Flag(true), false)] {
        python.args_mut().set_in_python("weight", arg).unwrap();
        assert_eq!(python.args().is_given("unweighted"), given);
    }
    assert!(python.args_mut().set_in_python("weight", "length").is_err());
}

/// The value of `param` that `text` stands for; none if it is refused.
fn read<T: FromArg>(param: &Param<T>, text: &str) -> Option<T> {
    let request = RunRequest::new("wcc").unwrap().with(param.info.name, text).ok()?;
    Some(request.args().get(param).unwrap())
}

#[test]
fn shares_and_buffers_are_read_as_they_are_written() {
    let share = |text: &str| read(&UPDATED_SHARE, text);
    assert_eq!([share("30%"), share("0.3"), share(" 100 %"), share("0")], [Some(0.3), Some(0.3), Some(1.0), Some(0.0)]);
    assert!(["", "30", "1.5", "-1%", "101%", "nan", "x"].into_iter().all(|wrong| share(wrong).is_none()));
    let buffer = |text: &str| read(&DELAY_BUFFER, text).flatten();
    assert_eq!([buffer("100KiB"), buffer("0"), buffer("2 MB")], [Some(100 << 10), Some(0), Some(2_000_000)]);
    assert!(["", "auto", "30%", "-1", "x"].into_iter().all(|wrong| buffer(wrong).is_none()));
}

#[test]
fn fields_and_temperatures_have_parameters_of_their_own() {
    assert!(typed("heat", &[("iterations", "3"), ("tol", "0.1")]).is_ok(), "both at once");
    assert!(typed("heat", &[("coupling", "0.6")]).is_err() && typed("bp", &[("rate", "0.1")]).is_err());
    assert!(typed("bp", &[("iterations", "3")]).is_err());
    let bp = || RunRequest::new("bp").unwrap();
    for wrong in [0.0, 1.0, -1.0, f64::NAN] {
        assert!(bp().with("coupling", wrong).is_err(), "{wrong}");
    }
    for wrong in [1.0, -0.1, f64::NAN] {
        assert!(bp().with("damping", wrong).is_err(), "{wrong}");
    }
    let missing = bp().require().unwrap_err().to_string();
    assert_eq!(missing, "`bp` needs --vector, the prior probability of state 1 per vertex");
    assert!(RunRequest::new("heat").unwrap().require().is_err());
    let given = bp().with("vector", InputVector::Entries([].into())).unwrap();
    assert!(given.validate().is_ok() && given.require().is_ok());
    let found = resolved(&given, Model::Gas);
    let expected = [
        ("coupling", Arg::Number(0.9)),
        ("damping", Arg::Number(0.0)),
        ("tol", Arg::Number(1e-6)),
        ("max-iter", Arg::Count(100)),
    ];
    assert!(expected.into_iter().all(|(name, value)| found[name] == value), "{found:?}");
    let found = resolved(&RunRequest::new("heat").unwrap(), Model::Gas);
    assert_eq!(found, BTreeMap::from([("iterations", Arg::Count(100))]));
}
