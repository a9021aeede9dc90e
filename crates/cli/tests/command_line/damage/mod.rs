//! Damage to stores: builds and runs that are killed, bits that are flipped, files that are mutated.

mod flipped_bits;
mod folders;
mod killed_builds;
mod killed_runs;
mod killed_updates;
mod mutants;
mod refused_calls;
mod resumed_builds;
mod resumed_runs;
mod salvage;
