//! The values of the live feed: a wind that does not blow.

/// The waves, each with a period in seconds and a height. The sum of the heights is 100.
const WAVES: [(u32, f64); 3] = [(60, 60.0), (20, 30.0), (7, 10.0)];

/// Returns the speed in a second since 1970, in km/h: 0 to 100, with two decimals. It depends only on the second, so
/// every server has the same wind.
pub(crate) fn speed(second: u64) -> f64 {
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
