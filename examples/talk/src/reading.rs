//! The values of the live feed.

/// The waves, each with a period in seconds and a height. The sum of the heights is 100.
const WAVES: [(u32, f64); 3] = [(60, 60.0), (20, 30.0), (7, 10.0)];

/// Returns the value of a second since 1970: 0 to 100, with two decimals. It depends only on the second, changes by
/// less than 6 per second, and does not repeat.
pub(crate) fn value(second: u64) -> f64 {
    let sum: f64 = WAVES.iter().map(|&(period, height)| height * wave(second, period)).sum();
    (sum * 100.0).round() / 100.0
}

/// A curve from 0 to 1 with a random height at the start of each period.
fn wave(second: u64, period: u32) -> f64 {
    let (place, rest) = (second / u64::from(period), second % u64::from(period));
    let (from, to) = (random(place, period), random(place.wrapping_add(1), period));
    // The quotient of two integers is the same on every machine. The cubic curve is flat where two periods meet.
    let at = u32::try_from(rest).map_or(0.0, f64::from) / f64::from(period);
    from + (to - from) * at * at * (3.0 - 2.0 * at)
}

/// Returns a number from 0 to 1 that depends only on the arguments. The bits are mixed like in SplitMix64.
fn random(place: u64, period: u32) -> f64 {
    let mut bits = place.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(u64::from(period));
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    u32::try_from((bits ^ (bits >> 31)) >> 32).map_or(0.0, f64::from) / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_smooth_curve_that_does_not_repeat() {
        let values: Vec<f64> = (1_700_000_000..1_700_010_000).map(value).collect();
        assert!(values.iter().all(|value| (0.0..=100.0).contains(value)));
        let steps: Vec<f64> = values.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
        assert!(steps.iter().all(|step| *step < 6.0), "{steps:?}");
        // The values use most of the range, and change.
        assert!(values.iter().any(|value| *value < 20.0) && values.iter().any(|value| *value > 80.0));
        assert!(steps.iter().sum::<f64>() > 5_000.0);
        let minutes: Vec<&[f64]> = values.chunks(60).collect();
        assert!(minutes.windows(2).all(|pair| pair[0] != pair[1]));
    }

    /// The values are the same in every process and on every machine.
    #[test]
    fn known_values() {
        assert_eq!([0, 1, 1_700_000_000, u64::MAX].map(value), [5.8, 6.05, 58.09, 27.19]);
    }
}
