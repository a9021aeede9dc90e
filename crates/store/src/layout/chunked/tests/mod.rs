//! The parts of chunks by themselves; what they do together is tested from outside.

mod format;
