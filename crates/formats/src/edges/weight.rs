//! Weights of the input as a store takes them.

use outcrop_types::{WeightType, short_number};

/// `exact` as weights of type `kind` have it, where one was asked for: single precision rounds.
///
/// # Errors
/// What was found and expected, of a weight that is no finite number or that the type does not hold.
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
