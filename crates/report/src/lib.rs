//! outcrop report.
