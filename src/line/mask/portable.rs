//! Sixteen bytes at a time in ordinary registers: what targets without SSE2 use, and the twin that every test compares with
//! SSE2.

const LOW: u64 = 0x0101_0101_0101_0101;
const SEVEN: u64 = 0x7F7F_7F7F_7F7F_7F7F;

/// The line ends of sixteen bytes, eight at a time in an ordinary register.
#[inline]
pub(super) fn sixteen(lane: &[u8; 16]) -> u16 {
    let [low, high] = *lane.as_chunks::<8>().0 else { return 0 };
    u16::from(eight(low)) | u16::from(eight(high)) << 8
}

#[inline]
fn eight(bytes: [u8; 8]) -> u8 {
    let word = u64::from_le_bytes(bytes);
    let found = zeros(word ^ (LOW * 0x0A)) | zeros(word ^ (LOW * 0x0D));
    // Each byte's top bit, moved to bit 56 and above by one multiplication.
    (((found >> 7).wrapping_mul(0x0102_0408_1020_4080)) >> 56) as u8
}

/// The top bit of each byte that is zero. Exact: no carry passes from one byte to the next.
#[inline]
fn zeros(word: u64) -> u64 {
    !(((word & SEVEN) + SEVEN) | word | SEVEN)
}
