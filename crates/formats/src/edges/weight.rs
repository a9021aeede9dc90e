//! Weights of the input as a store takes them.

use outcrop_types::WeightType;

/// `exact` as weights of type `kind` have it, where one was asked for: single precision rounds.
///
/// # Errors
/// What was found and expected, of a weight that is no finite number or that the type does not hold.
pub fn weight_as(kind: Option<WeightType>, exact: f64) -> Result<f64, String> {
    if !exact.is_finite() {
        return Err(format!("found the weight {exact}, expected a finite number"));
    }
    let Some(kind) = kind else { return Ok(exact) };
    let stored = kind.nearest(exact);
    match kind {
        WeightType::F32 if !stored.is_finite() => {
            Err(format!("found the weight {exact:e}, expected one of at most {:e}, the most that f32 holds", f32::MAX))
        }
        WeightType::F32 | WeightType::F64 => Ok(stored),
        WeightType::U8 | WeightType::U16 | WeightType::U32 if kind.holds(exact) => Ok(stored),
        WeightType::U8 | WeightType::U16 | WeightType::U32 => {
            let most = 2_u64.pow(8 * u32::try_from(kind.bytes()).unwrap_or(0)) - 1;
            Err(format!("found the weight {exact}, expected a whole number from 0 to {most}, as {} holds", kind.name()))
        }
    }
}
