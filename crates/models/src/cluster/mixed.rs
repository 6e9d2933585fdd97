//! Numbers that look drawn and follow from others: where files begin, in which order servers take turns.

/// A number's bits, mixed (the finaliser of SplitMix64; Steele et al. 2014).
pub(super) fn mixed(number: u64) -> u64 {
    let mixed = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}
