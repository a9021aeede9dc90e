//! Decoders of lists and of manifests, without the files of a store around them.

use crate::seal::Seal;
use crate::stores::{STORE, build_store, layouts, open};
use crate::{expect_ordinary, scratch};
use outcrop_store::{Codec, Malformed};
use std::ops::ControlFlow;

const CODECS: [Codec; 4] = [Codec::Raw32, Codec::Packed, Codec::Runs, Codec::Alternating];
/// Bytes of the codec, the number of IDs, the limit of the IDs, and the number of bytes behind the list.
const HEAD: usize = 1 + 2 + 4 + 1;

/// Decodes any bytes as a list: ascending IDs below the limit, which are the same after encoding and decoding, or none.
pub(crate) fn codecs(data: &[u8]) {
    let Some((&[codec, c0, c1, l0, l1, l2, l3, behind], bytes)) = data.split_first_chunk::<HEAD>() else { return };
    let codec = CODECS[usize::from(codec) % CODECS.len()];
    let (count, limit) = (u32::from(u16::from_le_bytes([c0, c1])), u32::from_le_bytes([l0, l1, l2, l3]));
    let length = bytes.len() - usize::from(behind).min(bytes.len());
    let Ok(ids) = decode(codec, bytes, length, count, limit) else { return };
    let mut encoded = Vec::new();
    codec.encode(&ids, &mut encoded);
    assert_eq!(decode(codec, &encoded, encoded.len(), count, limit), Ok(ids));
}

fn decode(codec: Codec, bytes: &[u8], length: usize, count: u32, limit: u32) -> Result<Vec<u32>, Malformed> {
    // The codec `raw32` reads in place.
    let mut words = vec![0_u32; bytes.len().div_ceil(4)];
    let aligned = &mut bytemuck::cast_slice_mut::<u32, u8>(&mut words)[..bytes.len()];
    aligned.copy_from_slice(bytes);
    let mut ids = Vec::new();
    let take = |block: &[u32]| {
        ids.extend_from_slice(block);
        ControlFlow::Continue(())
    };
    assert!(codec.decode(aligned, length, count, limit, take)?.is_continue());
    assert!(ids.len() == count as usize && ids.is_sorted() && ids.iter().all(|id| *id < limit), "{codec:?}: {ids:?}");
    Ok(ids)
}

/// Opens a store whose manifest is the input, with a right checksum, and whose files are those of no store.
pub(crate) fn manifests(data: &[u8]) {
    let folder = scratch();
    let store = folder.join(STORE);
    std::fs::create_dir(&store).unwrap();
    let mut manifest = [b"\n", data].concat();
    Seal::Manifest.renew(&mut manifest);
    std::fs::write(store.join("manifest.json"), manifest).unwrap();
    std::fs::write(store.join("lock"), "").unwrap();
    match open(&folder, false) {
        Ok(graph) => assert!(graph.check().is_err() || graph.num_edges() == 0, "a graph without files is checked"),
        Err(error) => expect_ordinary(&error),
    }
}

/// Returns lists of each codec.
pub(crate) fn codec_seeds() -> Vec<Vec<u8>> {
    let runs: Vec<u32> = (0..300).map(|place| place + place / 50 * 1000).collect();
    let wide: Vec<u32> = (0..200).map(|place| place * place * 90_000).collect();
    let lists: [&[u32]; 4] = [&[], &[7], &runs, &wide];
    let seed = |codec: usize, ids: &[u32]| {
        let mut seed = vec![codec as u8];
        seed.extend((ids.len() as u16).to_le_bytes());
        seed.extend((u32::MAX - 1).to_le_bytes());
        seed.push(0);
        CODECS[codec].encode(ids, &mut seed);
        seed
    };
    (0..CODECS.len()).flat_map(|codec| lists.map(|ids| seed(codec, ids))).collect()
}

/// Returns the manifests of stores of every layout.
pub(crate) fn manifest_seeds() -> Vec<Vec<u8>> {
    let body = |layout| {
        let folder = build_store(layout);
        let manifest = std::fs::read(folder.path().join(STORE).join("manifest.json")).unwrap();
        let end = manifest.iter().position(|byte| *byte == b'\n').unwrap();
        manifest[end + 1..].to_vec()
    };
    layouts().into_iter().map(body).collect()
}
