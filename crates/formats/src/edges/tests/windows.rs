//! Zstd data with frames of many window sizes.

use super::*;
use std::fs;

fn frame(text: &[u8], window_log: u32, sized: bool) -> Vec<u8> {
    let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
    encoder.window_log(window_log).unwrap();
    if sized {
        encoder.set_pledged_src_size(Some(text.len() as u64)).unwrap();
    }
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn open(bytes: &[u8], budget: &MemoryBudget) -> Result<Whole> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.zst");
    fs::write(&path, bytes).unwrap();
    let mut opened = open_edges(&[EdgeInput::from(path)], &EdgeListOptions::default(), budget, 1)?;
    drain(opened.source.as_mut())
}

#[test]
fn the_window_of_every_frame_is_paid_for() {
    let line = b"1 2\n";
    let long = line.repeat(3 << 20);
    let skippable = [&[0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
    // A single segment of 12 MiB, as `zstd --ultra -22` writes it; windows of 128 MiB, as with --long=27; and both
    // after a small one.
    for big in [frame(&long, 27, true), frame(&long, 27, false)] {
        for bytes in [big.clone(), [frame(line, 10, false), skippable.clone(), big.clone()].concat()] {
            let edges = open(&bytes, &MemoryBudget::new(256 << 20)).unwrap().edges.len();
            assert!(edges == 3 << 20 || edges == (3 << 20) + 1, "{edges}");
            let error = open(&bytes, &MemoryBudget::new(16 << 20)).unwrap_err();
            assert_eq!(error.exit_code(), 4, "{error}");
        }
    }
}

#[test]
fn a_stream_whose_later_frames_need_more_is_told_apart_from_a_damaged_one() {
    let bytes = [frame(b"1 2\n", 10, false), frame(&b"3 4\n".repeat(100), 27, false)].concat();
    let reader = Box::new(Cursor::new(bytes));
    let budget = MemoryBudget::new(256 << 20);
    let error = read_edges("pipe", reader, &EdgeListOptions::default(), &budget, 1)
        .and_then(|mut source| drain(source.as_mut()))
        .unwrap_err()
        .to_string();
    assert!(error.contains("read it from a file"), "{error}");
}
