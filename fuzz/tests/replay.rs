//! Replays seeds, mutations of them, and all inputs that fuzzing has found.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![allow(clippy::print_stdout, reason = "the seed with which a failure can be reproduced")]

use outcrop_fuzz::{Target, target};
use std::panic::catch_unwind;
use std::path::Path;

/// Mutations of each seed.
const MUTATIONS: u64 = 6;

/// Numbers that look random and are the same for the same seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) as usize % bound.max(1)
    }
}

fn mutated(seed: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..=dice.below(4) {
        let place = dice.below(bytes.len());
        match dice.below(5) {
            0 if !bytes.is_empty() => bytes[place] ^= 1 << dice.below(8),
            1 => bytes.truncate(place),
            2 => bytes.insert(place, dice.below(256) as u8),
            3 => bytes.extend((0..dice.below(12)).map(|_| dice.below(256) as u8)),
            _ if !bytes.is_empty() => bytes[place] = b"0,\n \"-.e\xff\0"[dice.below(10)],
            _ => {}
        }
    }
    bytes
}

/// Runs a target, and shows the bytes with which it fails.
fn replay(target: Target, data: &[u8], what: &str) {
    catch_unwind(|| (target.run)(data)).unwrap_or_else(|_| panic!("{}: {what}: {data:?}", target.name));
}

fn replay_all(name: &str) {
    let target = target(name);
    let seed: u64 = std::env::var("OUTCROP_SEED").map_or(1, |seed| seed.parse().unwrap());
    println!("OUTCROP_SEED={seed}");
    for (place, data) in (target.seeds)().iter().enumerate() {
        replay(target, data, &format!("seed {place}"));
        for number in 0..MUTATIONS {
            let mut dice = Dice(seed << 32 | (place as u64) << 16 | number);
            replay(target, &mutated(data, &mut dice), &format!("mutation {number} of seed {place}"));
        }
    }
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name);
    for entry in std::fs::read_dir(corpus).into_iter().flatten() {
        let path = entry.unwrap().path();
        replay(target, &std::fs::read(&path).unwrap(), &path.display().to_string());
    }
}

macro_rules! replays {
    ($($name:ident)*) => {$(
        #[test]
        fn $name() {
            replay_all(stringify!($name));
        }
    )*};
}

replays! { codecs manifests edges tables vertices stores states }
