//! outcrop formats.
