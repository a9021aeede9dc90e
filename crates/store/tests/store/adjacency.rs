//! Select and sweep against the model.
