use super::*;
use outcrop_engine::gas::ShardKind;
use outcrop_engine::messages::Delivery;
use serde_json::json;

#[test]
fn parameters_of_other_algorithms_and_nonsense_are_refused() {
    let valid = |name: &str, change: fn(&mut RunRequest)| {
        let mut request = RunRequest::new(name).unwrap();
        change(&mut request);
        request.validate()
    };
    assert!(RunRequest::new("nonsense").is_err());
    assert!(valid("pagerank", |_| ()).is_ok());
    assert!(valid("pagerank", |r| r.sources = vec!["1".into()]).is_err());
    assert!(RunRequest::new("bfs").unwrap().require_sources().is_err());
    assert!(RunRequest::new("wcc").unwrap().require_sources().is_ok());
    assert!(valid("bfs", |_| ()).is_ok());
    assert!(valid("bfs", |r| r.sources = vec!["1".into()]).is_ok());
    assert!(valid("wcc", |r| r.precision = Some(Precision::Single)).is_err());
    assert!(valid("pagerank", |r| (r.iterations, r.tolerance) = (Some(3), Some(0.1))).is_err());
    assert!(valid("pagerank", |r| r.alpha = Some(1.0)).is_err());
    assert!(valid("pagerank", |r| r.tolerance = Some(0.0)).is_err());
    assert!(RunRequest::new("diameter").unwrap().require_sources().is_ok());
    assert!(valid("diameter", |r| r.iterations = Some(1)).is_ok());
    assert!(valid("diameter", |r| r.iterations = Some(0)).is_err());
    assert!(valid("diameter", |r| r.exact = Some(true)).is_ok());
    assert!(valid("diameter", |r| (r.exact, r.iterations) = (Some(true), Some(3))).is_err());
    assert!(valid("diameter", |r| (r.exact, r.iterations) = (Some(false), Some(3))).is_ok());
    assert!(valid("diameter", |r| r.sources = vec!["1".into()]).is_err());
    assert!(valid("radius", |r| r.exact = Some(true)).is_err());
    assert!(valid("apsp", |r| r.sources = vec!["1".into(), "2".into()]).is_ok());
    assert!(valid("apsp", |r| r.seed = Some(7)).is_ok());
    assert!(valid("apsp", |r| r.samples = Some(0)).is_err());
    assert!(valid("bc", |r| r.batch = Some(16)).is_ok());
    assert!([0, 17].into_iter().all(|batch| {
        let request = RunRequest { batch: Some(batch), ..RunRequest::new("bc").unwrap() };
        request.validate().is_err()
    }));
}

#[test]
fn distances_are_from_128_vertices_unless_others_are_asked_for() {
    let mut request = RunRequest::new("apsp").unwrap();
    assert_eq!(
        (&request.meant(Model::EdgeMap)["samples"], &request.meant(Model::EdgeMap)["seed"]),
        (&json!(128), &json!(1))
    );
    let bytes = |request: &RunRequest, vertices: u32| request.memory(vertices).total() / u64::from(vertices);
    assert_eq!((bytes(&request, 1000), bytes(&request, 100)), (16 + 2 * 128, 16 + 2 * 100));
    request.sources = ["1", "2", "1"].map(str::to_owned).to_vec();
    assert_eq!(bytes(&request, 1000), 16 + 2 * 2);
    assert_eq!(request.meant(Model::EdgeMap).keys().copied().collect::<Vec<_>>(), ["source"]);
}

#[test]
fn the_record_shows_defaults_and_what_was_given() {
    let mut request = RunRequest::new("pagerank").unwrap();
    request.alpha = Some(0.5);
    let meant = request.meant(Model::EdgeMap);
    assert_eq!(RunRequest::new("wcc").unwrap().meant(Model::EdgeMap)["method"], json!("sweep"));
    assert!(RunRequest::new("wcc").unwrap().meant(Model::Interval).is_empty());
    assert_eq!((&meant["alpha"], &meant["tol"], &meant["precision"]), (&json!(0.5), &json!(1e-6), &json!("f64")));
}

fn walks(change: impl FnOnce(&mut RunRequest)) -> Result<RunRequest> {
    let mut request = RunRequest::new("walks")?;
    change(&mut request);
    request.validate().map(|()| request)
}

#[test]
fn walks_start_somewhere_and_go_on_with_probabilities() {
    let named = |request: &mut RunRequest| request.sources = vec!["1".into()];
    assert!(walks(named).is_ok() && walks(|request| (named(request), request.seed = Some(3)).1).is_ok());
    assert!(walks(|request| (named(request), request.every = Some(3)).1).is_err());
    assert!(walks(|request| request.every = Some(0)).is_err());
    assert!([0.0, 1.0].into_iter().all(|restart| walks(|request| request.restart = Some(restart)).is_ok()));
    assert!([-0.1, 1.1, f64::NAN].into_iter().all(|restart| walks(|request| request.restart = Some(restart)).is_err()));
    for wrong in [0.0, -1.0, f64::INFINITY, f64::NAN] {
        assert!(walks(|request| request.return_parameter = Some(wrong)).is_err());
        assert!(walks(|request| request.in_out_parameter = Some(wrong)).is_err());
    }
    let meant = walks(|request| request.length = Some(4)).unwrap().meant(Model::Messages);
    let expected = [("every", json!(1000)), ("length", json!(4)), ("p", json!(1.0)), ("q", json!(1.0))];
    assert!(expected.into_iter().all(|(name, value)| meant[name] == value), "{meant:?}");
    assert_eq!((&meant["restart"], &meant["seed"]), (&json!(0.0), &json!(1)));
    assert!(!walks(named).unwrap().meant(Model::Messages).contains_key("every"));
}

#[test]
fn messages_are_chosen_where_they_are_asked_for_or_all_that_there_is() {
    let models = |name: &str, change: fn(&mut RunRequest)| {
        let mut request = RunRequest::new(name).unwrap();
        change(&mut request);
        request.validate().map(|()| request.ways().into_iter().map(|way| (way.model, way.on_disk)).collect::<Vec<_>>())
    };
    let both = [(Model::Messages, false), (Model::Messages, true)];
    assert!(!models("wcc", |_| ()).unwrap().contains(&both[0]));
    assert_eq!(models("wcc", |request| request.model = Some(Model::Messages)).unwrap(), both);
    assert_eq!(models("wcc", |request| request.messages.fuse = Some(true)).unwrap(), both);
    assert_eq!(models("cdlp", |_| ()).unwrap(), both);
    assert_eq!(models("cdlp", |request| request.values = ValuePlace::Disk).unwrap(), both[1..]);
    assert_eq!(models("walks", |_| ()).unwrap(), both[..1]);
    assert!(models("walks", |request| request.values = ValuePlace::Disk).is_err());
    let at_once = |request: &mut RunRequest| request.messages.delivery = Some(Delivery::Asynchronous);
    assert_eq!(models("bfs", at_once).unwrap(), both);
    assert!(models("cdlp", at_once).is_err() && models("kcore", at_once).is_err());
    assert!(models("pagerank", at_once).is_err());
    let changes = |request: &mut RunRequest| {
        (request.delta, request.messages.delivery) = (Some(0.1), Some(Delivery::Asynchronous));
    };
    assert_eq!(models("pagerank", changes).unwrap(), both);
}

#[test]
fn shards_are_chosen_where_they_are_asked_for_or_all_that_there_is() {
    let models = |name: &str, change: fn(&mut RunRequest)| {
        let mut request = RunRequest::new(name).unwrap();
        change(&mut request);
        request.validate().map(|()| request.ways().into_iter().map(|way| (way.model, way.on_disk)).collect::<Vec<_>>())
    };
    let both = [(Model::Gas, false), (Model::Gas, true)];
    for name in ["bfs", "sssp", "wcc", "pagerank"] {
        assert!(!models(name, |_| ()).unwrap().contains(&both[0]), "{name}");
        assert_eq!(models(name, |request| request.model = Some(Model::Gas)).unwrap(), both);
        assert_eq!(models(name, |request| request.gas.shards = Some(ShardKind::Static)).unwrap(), both);
        assert_eq!(models(name, |request| request.gas.delay_bytes = Some(0)).unwrap(), both);
    }
    for name in ["bp", "heat"] {
        assert_eq!(models(name, |_| ()).unwrap(), both);
        assert_eq!(models(name, |request| request.values = ValuePlace::Disk).unwrap(), both[1..]);
        assert!(models(name, |request| request.messages.fuse = Some(true)).is_err());
    }
    assert!(models("bp", |request| request.gas.shards = Some(ShardKind::EdgeList)).is_err());
    assert!(models("heat", |request| request.gas.shards = Some(ShardKind::EdgeList)).is_ok());
    for name in ["coloring", "cdlp"] {
        let refused = models(name, |request| request.gas.shards = Some(ShardKind::Aggressive)).unwrap_err().to_string();
        assert!(refused.contains("no aggregation function") && refused.ends_with("use --model messages"), "{refused}");
        assert_eq!(models(name, |request| request.model = Some(Model::Gas)).unwrap_err().to_string(), refused);
    }
    for share in [-0.1, 1.1, f64::NAN] {
        let gas = GasChoices { updated_share: Some(share), ..GasChoices::default() };
        assert!(RunRequest { gas, ..RunRequest::new("wcc").unwrap() }.validate().is_err(), "{share}");
    }
}

#[test]
fn delays_are_only_where_iterations_need_not_be_exact() {
    let delay = |name: &str, change: fn(&mut RunRequest)| {
        let mut request = RunRequest::new(name).unwrap();
        change(&mut request);
        request.gas_options().delay_bytes
    };
    assert_eq!([delay("bfs", |_| ()), delay("bp", |_| ()), delay("pagerank", |r| r.delta = Some(0.1))], [100 << 10; 3]);
    let exact = [delay("pagerank", |_| ()), delay("heat", |_| ())];
    assert_eq!(exact, [0; 2]);
    assert_eq!(delay("pagerank", |r| (r.delta, r.iterations) = (Some(0.1), Some(5))), 0);
    assert_eq!(delay("heat", |r| r.gas.delay_bytes = Some(7)), 7);
}

#[test]
fn shares_and_buffers_are_read_as_they_are_written() {
    let share = |text: &str| text.parse::<UpdatedShare>().map(|share| share.0).ok();
    assert_eq!([share("30%"), share("0.3"), share(" 100 %"), share("0")], [Some(0.3), Some(0.3), Some(1.0), Some(0.0)]);
    assert!(["", "30", "1.5", "-1%", "101%", "nan", "x"].into_iter().all(|wrong| share(wrong).is_none()));
    let buffer = |text: &str| text.parse::<DelayBuffer>().map(|buffer| buffer.0).ok();
    assert_eq!([buffer("100KiB"), buffer("0"), buffer("2 MB")], [Some(100 << 10), Some(0), Some(2_000_000)]);
    assert!(["", "auto", "30%", "-1", "x"].into_iter().all(|wrong| buffer(wrong).is_none()));
}

#[test]
fn fields_and_temperatures_have_parameters_of_their_own() {
    let valid = |name: &str, change: fn(&mut RunRequest)| {
        let mut request = RunRequest::new(name).unwrap();
        change(&mut request);
        request.validate().is_ok()
    };
    assert!(valid("heat", |r| (r.iterations, r.tolerance) = (Some(3), Some(0.1))), "both at once");
    assert!(!valid("heat", |r| r.coupling = Some(0.6)) && !valid("bp", |r| r.rate = Some(0.1)));
    assert!(!valid("bp", |r| r.iterations = Some(3)));
    for wrong in [0.0, 1.0, -1.0, f64::NAN] {
        assert!(RunRequest { coupling: Some(wrong), ..RunRequest::new("bp").unwrap() }.validate().is_err(), "{wrong}");
    }
    for wrong in [1.0, -0.1, f64::NAN] {
        assert!(RunRequest { damping: Some(wrong), ..RunRequest::new("bp").unwrap() }.validate().is_err(), "{wrong}");
    }
    let mut bp = RunRequest::new("bp").unwrap();
    assert!(bp.require_sources().is_err());
    bp.vector = Some(InputVector::Entries([].into()));
    assert!(bp.require_sources().is_ok());
    let meant = bp.meant(Model::Gas);
    let expected = [("coupling", json!(0.9)), ("damping", json!(0.0)), ("tol", json!(1e-6)), ("max-iter", json!(100))];
    assert!(expected.into_iter().all(|(name, value)| meant[name] == value), "{meant:?}");
    let meant = RunRequest::new("heat").unwrap().meant(Model::Gas);
    assert_eq!((meant.len(), &meant["iterations"]), (1, &json!(100)), "{meant:?}");
}
