//! Randomness that can be repeated: its seed is printed, and taken from `LOADOUT_TEST_SEED`.
use std::hash::{BuildHasher, RandomState};

/// `SplitMix64` (Steele, Lea and Flood, 2014).
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// Dice of the seed that the environment names, or a new one.
    pub fn thrown() -> Self {
        let seed = crate::environment::seed();
        let seed = seed.unwrap_or_else(|| RandomState::new().hash_one("dice"));
        eprintln!("repeat this with LOADOUT_TEST_SEED={seed}");
        Self(seed)
    }

    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0, below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.number() % end as u64).unwrap()
    }

    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }

    /// 32 hexadecimal digits.
    pub fn digits(&mut self) -> String {
        format!("{:016x}{:016x}", self.number(), self.number())
    }
}
