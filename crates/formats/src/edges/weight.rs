//! Conversion of input weights to the weight type of a store.

use outcrop_types::{WeightType, short_number};

/// Converts `exact` to the weight type `kind`, if one is requested: single precision rounds.
///
/// # Errors
///
/// Returns what was found and what was expected if the weight is not finite or cannot be represented by the type.
pub fn weight_as(kind: Option<WeightType>, exact: f64) -> Result<f64, String> {
    if !exact.is_finite() {
        return Err(format!("found the weight {exact}, expected a finite number"));
    }
    let Some(kind) = kind else { return Ok(exact) };
    kind.kept(exact).ok_or_else(|| match kind {
        WeightType::F32 | WeightType::F64 => {
            format!("found the weight {exact:e}, expected at most {:e}, the limit of f32", f32::MAX)
        }
        WeightType::U8 | WeightType::U16 | WeightType::U32 => {
            let most = (1_u64 << (8 * kind.bytes())) - 1;
            format!(
                "found the weight {}, expected an integer from 0 to {most} for the weight type {}; use a wider --weight-type (of a store: `outcrop convert --weight-type f64`)",
                short_number(exact),
                kind.name()
            )
        }
    })
}
