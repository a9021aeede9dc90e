use super::*;

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
    assert!(valid("diameter", |r| r.sources = vec!["1".into(), "2".into()]).is_err());
    assert!(valid("diameter", |r| (r.sources, r.seed) = (vec!["1".into()], Some(1))).is_err());
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
