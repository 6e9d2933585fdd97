//! A small generator of its own, so that an input's number stands for the same bytes for ever: SplitMix64 (Steele, Lea
//! and Flood, OOPSLA 2014).

/// Where arbitrary choices come from.
#[derive(Clone, Debug)]
pub struct Noise(u64);

impl Noise {
    /// The choices of one input of one reader.
    pub fn new(what: &str, number: u64) -> Self {
        let name = what.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Self(name ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// Any number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below another one; 0 below 0.
    pub fn number_below(&mut self, limit: usize) -> usize {
        let limit = limit.max(1) as u64;
        usize::try_from(self.number() % limit).unwrap_or_default()
    }

    /// Any of a list.
    ///
    /// # Panics
    /// An empty list.
    pub fn any<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.number_below(of.len())]
    }
}
