//! Scale of the vertical axis.

use super::frame::{BOTTOM, LEFT, RIGHT, TOP};
use crate::page::markup::escape;
use crate::page::units::Unit;

/// Ratio of the largest to the smallest number from which the scale is logarithmic.
const SPAN: f64 = 100.0;
/// Maximum number of ticks on a logarithmic scale.
const MOST_TICKS: i32 = 6;

/// Mapping from numbers to heights.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    unit: Unit,
    scale: Scale,
}

#[derive(Clone, Debug)]
enum Scale {
    /// Range from 0 to `high` with a tick every `step`.
    Linear { high: f64, step: f64 },
    /// Range from `base^low` to `base^high`; with a `foot`, the lowest tick is 0.
    Logarithmic { base: f64, low: i32, high: i32, foot: bool },
}

impl Axis {
    /// Creates a linear axis from 0 to the largest of `numbers`, in even steps.
    pub(super) fn linear(unit: Unit, numbers: impl Iterator<Item = f64>) -> Self {
        let most = numbers.fold(0.0, f64::max);
        let step = step(unit, if most > 0.0 { most } else { 1.0 } / 4.0);
        let high = ((most / step).ceil() * step).max(step);
        Self { unit, scale: Scale::Linear { high, step } }
    }

    /// Creates a logarithmic axis if `numbers` span decades, otherwise a linear one. Bars need a `foot` as baseline.
    pub(super) fn fitting(unit: Unit, numbers: impl Iterator<Item = f64> + Clone, foot: bool) -> Self {
        let most = numbers.clone().fold(0.0, f64::max);
        let least = numbers.clone().filter(|number| *number > 0.0).fold(f64::INFINITY, f64::min);
        if most <= 0.0 || most < least * SPAN {
            return Self::linear(unit, numbers);
        }
        let base: f64 = if unit == Unit::Bytes { 16.0 } else { 10.0 };
        let power = |number: f64| number.log(base);
        // Powers of finite numbers are small.
        let low = (power(least) + 1e-9).floor() as i32;
        let high = ((power(most) - 1e-9).ceil() as i32).max(low + 1);
        let foot = foot || numbers.into_iter().any(|number| number <= 0.0);
        Self { unit, scale: Scale::Logarithmic { base, low: low - i32::from(foot), high, foot } }
    }

    pub(super) const fn is_logarithmic(&self) -> bool {
        matches!(self.scale, Scale::Logarithmic { .. })
    }

    /// Returns the height of `number`, as the distance from the top of the chart.
    pub(super) fn place(&self, number: f64) -> f64 {
        let share = match self.scale {
            Scale::Linear { high, .. } => number / high,
            Scale::Logarithmic { .. } if number <= 0.0 => 0.0,
            Scale::Logarithmic { base, low, high, .. } => (number.log(base) - f64::from(low)) / f64::from(high - low),
        };
        BOTTOM - share.clamp(0.0, 1.0) * (BOTTOM - TOP)
    }

    /// Returns the heights and texts of the ticks, from the lowest.
    pub(super) fn ticks(&self) -> Vec<(f64, String)> {
        match self.scale {
            Scale::Linear { high, step } => {
                let steps = (high / step).round().min(10.0) as u32;
                let ticks = (0..=steps).map(|tick| f64::from(tick) * step);
                ticks.map(|number| (self.place(number), self.unit.short(number))).collect()
            }
            Scale::Logarithmic { base, low, high, foot } => {
                let lowest = low + i32::from(foot);
                let every = (high - lowest) / MOST_TICKS + 1;
                let foot = foot.then(|| (BOTTOM, self.unit.short(0.0)));
                let powers = (lowest..=high).filter(|power| (high - power) % every == 0).map(|power| base.powi(power));
                foot.into_iter().chain(powers.map(|number| (self.place(number), self.unit.short(number)))).collect()
            }
        }
    }

    /// Returns the grid lines behind the columns, with their labels.
    pub(super) fn grid(&self) -> String {
        let line = |(y, text): (f64, String)| {
            let (label, text) = (y + 3.5, escape(&text));
            format!(
                "<line class=\"grid\" x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{RIGHT}\" y2=\"{y:.1}\"/>\
                 <text class=\"tick\" x=\"{:.1}\" y=\"{label:.1}\" text-anchor=\"end\">{text}</text>\n",
                LEFT - 6.0
            )
        };
        self.ticks().into_iter().map(line).collect()
    }
}

/// Returns the smallest round number of at least `least`.
fn step(unit: Unit, least: f64) -> f64 {
    let round = match unit {
        Unit::Bytes => 2f64.powf(least.log2().ceil()),
        _ => {
            let decade = 10f64.powf(least.log10().floor());
            let factor = [1.0, 2.0, 2.5, 5.0, 10.0].into_iter().find(|factor| factor * decade >= least * (1.0 - 1e-9));
            factor.unwrap_or(10.0) * decade
        }
    };
    if matches!(unit, Unit::Bytes | Unit::Count) { round.max(1.0) } else { round }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(axis: &Axis) -> Vec<String> {
        axis.ticks().into_iter().map(|(_, text)| text).collect()
    }

    fn fitting(unit: Unit, numbers: &[f64]) -> Axis {
        Axis::fitting(unit, numbers.iter().copied(), false)
    }

    #[test]
    fn near_numbers_stand_on_even_steps() {
        assert_eq!(texts(&fitting(Unit::Count, &[3.0, 9.0])), ["0", "2.5", "5", "7.5", "10"]);
        assert_eq!(texts(&fitting(Unit::Bytes, &[3e6])), ["0 B", "1 MiB", "2 MiB", "3 MiB"]);
        assert_eq!(texts(&fitting(Unit::Seconds, &[0.0, 0.0])), ["0 s", "250 ms"]);
        assert_eq!(texts(&Axis::linear(Unit::Count, std::iter::empty())), ["0", "1"]);
    }

    #[test]
    fn far_numbers_stand_on_powers() {
        let axis = fitting(Unit::Count, &[1.0, 0.0, 65536.0]);
        assert_eq!(texts(&axis), ["0", "1", "10", "100", "1k", "10k", "100k"]);
        let bars = Axis::fitting(Unit::Number, [1e-7, 0.5].into_iter(), true);
        assert_eq!(texts(&bars), ["0", "1e-6", "1e-4", "0.01", "1"]);
        assert_eq!(texts(&fitting(Unit::Number, &[1e-3, 0.5])), ["0.001", "0.01", "0.1", "1"]);
        assert!(axis.is_logarithmic() && axis.place(0.0) > axis.place(1.0) && axis.place(1.0) > axis.place(2.0));
    }

    #[test]
    fn huge_numbers_stay_inside() {
        for numbers in [[1e300, 1e-300], [1e300, 1e300], [1e-300, 1e-300], [f64::MAX, 1.0]] {
            for unit in [Unit::Count, Unit::Bytes, Unit::Seconds, Unit::Number] {
                let axis = fitting(unit, &numbers);
                assert!(numbers.iter().all(|number| (TOP..=BOTTOM).contains(&axis.place(*number))), "{axis:?}");
                assert!((1..12).contains(&axis.ticks().len()), "{axis:?}");
            }
        }
    }
}
