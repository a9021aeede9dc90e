use super::*;
use crate::{
    BuildOrder, BuildRequest, Cancellation, EdgeInput, IdMode, InputOptions, InputVector, OpenOptions, Silent,
    StoreForm, build,
};
use outcrop_io::SpillFolder;
use outcrop_store::OriginalIdReader;

const VERTICES: u32 = 300_000;

/// Builds a store of many vertices in random order, with almost no edges.
fn graph(folder: &std::path::Path) -> Graph {
    let edges = folder.join("edges.el");
    std::fs::write(&edges, "3 4\n").unwrap();
    let request = BuildRequest {
        input: InputOptions { ids: IdMode::Dense, num_vertices: Some(VERTICES.into()), ..InputOptions::default() },
        form: StoreForm { order: BuildOrder::Random { seed: 1 }, ..StoreForm::default() },
        ..BuildRequest::new(vec![EdgeInput::from(edges)], folder.join("graph.outcrop"))
    };
    build(&request, &Cancellation::new(), &Silent).unwrap();
    Graph::open(&request.store, OpenOptions::default()).unwrap()
}

/// Returns the values of every third ID, by vertex.
fn expected(graph: &Graph) -> Vec<f64> {
    let mut values = vec![0.0; VERTICES as usize];
    let vertices = OriginalIdReader::open(&graph.store, graph.io).unwrap().vertices(0..VERTICES).unwrap();
    (0..VERTICES).step_by(3).for_each(|id| values[vertices[id as usize] as usize] = f64::from(id) - 7.0);
    values
}

#[test]
fn vectors_come_to_disk_in_stretches_that_memory_holds() {
    let folder = tempfile::tempdir().unwrap();
    let graph = graph(folder.path());
    let expected = expected(&graph);
    let spill = SpillFolder::new(folder.path()).unwrap();
    let whole: Vec<f64> = (0..VERTICES).map(|id| if id % 3 == 0 { f64::from(id) - 7.0 } else { 0.0 }).collect();
    let rows = whole.iter().enumerate().step_by(3).map(|(id, value)| format!("{id},{value}\n"));
    let file = folder.path().join("rows.csv");
    std::fs::write(&file, rows.collect::<String>()).unwrap();
    for vector in [InputVector::Values(whole.into()), InputVector::File(file)] {
        let request = RunRequest::new("spmv").unwrap().with("vector", vector).unwrap();
        let budget = MemoryBudget::new(READING_BYTES + LEAST_STRETCH);
        let Ok(Some(VertexVector::DoubleFile(file))) = graph.vector_of(&request, &budget, Some(&spill)) else {
            panic!()
        };
        assert_eq!(budget.available(), budget.limit(), "nothing is held");
        let mut found = vec![0.0; VERTICES as usize];
        file.read(0, &mut found).unwrap();
        assert!(found == expected);
        let budget = MemoryBudget::new(4 << 20 | READING_BYTES);
        let Ok(Some(VertexVector::Double(found))) = graph.vector_of(&request, &budget, None) else { panic!() };
        assert!(found.iter().map(AtomicFloat::load).eq(expected.iter().copied()));
    }
}

#[test]
fn without_a_vector_every_vertex_has_one() {
    let folder = tempfile::tempdir().unwrap();
    let graph = graph(folder.path());
    let request = RunRequest::new("spmv").unwrap().with("precision", "f32").unwrap();
    let budget = MemoryBudget::new(4 << 20);
    let Ok(Some(VertexVector::Single(found))) = graph.vector_of(&request, &budget, None) else { panic!() };
    assert!(found.len() == VERTICES as usize && found.iter().all(|value| AtomicFloat::load(value) == 1.0));
}
