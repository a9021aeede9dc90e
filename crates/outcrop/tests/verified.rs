//! Stores that are read back before they appear.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, its helpers included")]

use outcrop::{
    BuildOrder, BuildRequest, BuildResources, Cancellation, ConvertRequest, EdgeInput, Error, Graph, Layout,
    MemorySize, Observer, OpenOptions, Phase, Publishing, Silent, StoreForm, build, convert,
};
use std::path::{Path, PathBuf};

/// Changes a bit of the out-degrees of the store in the making, once its files are verified.
struct Damage(PathBuf);

impl Observer for Damage {
    fn phase(&self, phase: &Phase) {
        if phase.name != "verifying files" {
            return;
        }
        let staged = std::fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap().path());
        let staged = staged.filter(|path| path.to_string_lossy().contains(".outcrop.tmp-"));
        let damaged: Vec<_> = staged.map(|folder| folder.join("out.degrees")).filter(|file| file.exists()).collect();
        assert_eq!(damaged.len(), 1, "a store that is verified has not appeared yet");
        let mut bytes = std::fs::read(&damaged[0]).unwrap();
        bytes[9] ^= 4;
        std::fs::write(&damaged[0], bytes).unwrap();
    }
}

fn request(folder: &Path) -> BuildRequest {
    let edges = folder.join("edges.el");
    std::fs::write(&edges, (0..3000).map(|i| format!("v{} v{}\n", i % 97, i * 7 % 89)).collect::<String>()).unwrap();
    let request = BuildRequest::new(vec![EdgeInput::from(edges)], folder.join("g.outcrop"));
    BuildRequest {
        resources: BuildResources { memory: MemorySize::Bytes(64 << 20), ..request.resources },
        form: StoreForm { order: BuildOrder::Degree, ..request.form },
        publishing: Publishing { verify: true, ..request.publishing },
        ..request
    }
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn what_fails_verification_does_not_appear_and_what_it_would_replace_stays() {
    let folder = tempfile::tempdir().unwrap();
    let (path, cancellation) = (folder.path(), Cancellation::new());
    let (request, damage) = (request(path), Damage(path.to_owned()));
    assert!(matches!(build(&request, &cancellation, &damage), Err(Error::Corrupt { .. })));
    assert_eq!(names(path), ["edges.el"]);

    build(&request, &cancellation, &Silent).unwrap();
    let identity = || Graph::open(&path.join("g.outcrop"), OpenOptions::default()).unwrap().info().uuid;
    let first = identity();
    assert!(matches!(build(&request, &cancellation, &Silent), Err(Error::AlreadyExists { .. })));
    let again = BuildRequest { publishing: Publishing { overwrite: true, ..request.publishing }, ..request };
    assert!(matches!(build(&again, &cancellation, &damage), Err(Error::Corrupt { .. })));
    assert_eq!((identity(), names(path)), (first.clone(), vec!["edges.el".to_owned(), "g.outcrop".to_owned()]));
    build(&again, &cancellation, &Silent).unwrap();
    assert_ne!(identity(), first);

    let other = ConvertRequest::new(path.join("g.outcrop"), path.join("h.outcrop"), Layout::default());
    let other = ConvertRequest { memory: MemorySize::Bytes(64 << 20), verify: true, ..other };
    assert!(matches!(convert(&other, &cancellation, &damage), Err(Error::Corrupt { .. })));
    assert_eq!(names(path), ["edges.el", "g.outcrop"]);
    convert(&other, &cancellation, &Silent).unwrap();
    assert_eq!(names(path), ["edges.el", "g.outcrop", "h.outcrop"]);
}
