//! Accounts of what builds and updates have read.

use crate::error::option_names;
use outcrop::InputSummary;

/// Account of the input and its remarks, with options as Python spells them.
pub(super) fn account(input: &InputSummary) -> serde_json::Value {
    serde_json::json!({ "notes": notes(input), "input": in_python(input.clone()) })
}

/// Remarks on what was read, with options as Python spells them.
pub(super) fn notes(input: &InputSummary) -> Vec<String> {
    input.remarks().iter().map(|remark| option_names(remark)).collect()
}

/// An account whose notes have options as Python spells them.
fn in_python(mut input: InputSummary) -> InputSummary {
    input.direction = option_names(&input.direction);
    let notes = input.files.iter_mut().flat_map(|file| &mut file.notes).chain(&mut input.notes);
    notes.for_each(|note| *note = option_names(note));
    input
}
