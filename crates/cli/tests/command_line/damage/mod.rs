//! What happens to stores: builds that are killed, bits that are flipped.

mod flipped_bits;
mod killed_builds;
