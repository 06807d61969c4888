//! Threefry-2x32 with 13 rounds, and how a draw is addressed (contract §5).

/// Rounds of the generator. Eight fail the neighbour tests, ten pass them.
pub const ROUNDS: u32 = 13;

/// Iteration number that is reserved for random starts.
pub const START_ITERATION: u32 = (1 << 24) - 1;

/// Rotations of the rounds, over and over.
pub const ROTATIONS: [u32; 8] = [13, 15, 26, 6, 17, 29, 16, 24];
/// Parity constant of the key schedule.
pub const PARITY: u32 = 0x1BD1_1BDA;

/// One block of Threefry-2x32 with `rounds` rounds.
#[inline]
pub fn threefry2x32(key: [u32; 2], counter: [u32; 2], rounds: u32) -> [u32; 2] {
    let schedule = [key[0], key[1], PARITY ^ key[0] ^ key[1]];
    let mut x0 = counter[0].wrapping_add(schedule[0]);
    let mut x1 = counter[1].wrapping_add(schedule[1]);
    for round in 0..rounds {
        x0 = x0.wrapping_add(x1);
        x1 = x1.rotate_left(ROTATIONS[(round % 8) as usize]) ^ x0;
        if round % 4 == 3 {
            let s = round / 4 + 1;
            x0 = x0.wrapping_add(schedule[(s % 3) as usize]);
            x1 = x1.wrapping_add(schedule[((s + 1) % 3) as usize]).wrapping_add(s);
        }
    }
    [x0, x1]
}

/// The key of a seed: (low word, high word).
#[inline]
pub fn key(seed: u64) -> [u32; 2] {
    [seed as u32, (seed >> 32) as u32]
}

/// Counter of the block that serves RV (x, y) in `iteration` of `chain`.
#[inline]
pub fn counter(x: u32, y: u32, chain: u8, iteration: u32) -> [u32; 2] {
    [y << 15 | (x >> 2) << 1 | ((x + y) & 1), u32::from(chain) << 24 | iteration]
}

/// The random word of RV (x, y): global, unpadded coordinates.
pub fn word(seed: u64, chain: u8, x: u32, y: u32, iteration: u32) -> u32 {
    threefry2x32(key(seed), counter(x, y, chain, iteration), ROUNDS)[(x >> 1 & 1) as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Published known answers of Threefry-2x32 (Random123 `kat_vectors`: 13 and 20 rounds) for the all-zero,
    /// all-one and digits-of-pi inputs.
    #[test]
    fn known_answers() {
        let zero = [0, 0];
        let ones = [u32::MAX, u32::MAX];
        let pi_counter = [0x243f_6a88, 0x85a3_08d3];
        let pi_key = [0x1319_8a2e, 0x0370_7344];
        assert_eq!(threefry2x32(zero, zero, 13), [0x9d1c_5ec6, 0x8bd5_0731]);
        assert_eq!(threefry2x32(ones, ones, 13), [0xfd36_d048, 0x2d17_272c]);
        assert_eq!(threefry2x32(pi_key, pi_counter, 13), [0xba3e_4725, 0xf27d_669e]);
        assert_eq!(threefry2x32(zero, zero, 20), [0x6b20_0159, 0x99ba_4efe]);
        assert_eq!(threefry2x32(ones, ones, 20), [0x1cb9_96fc, 0xbb00_2be7]);
        assert_eq!(threefry2x32(pi_key, pi_counter, 20), [0xc492_3a9c, 0x483d_f7a0]);
    }

    #[test]
    fn two_rvs_share_a_block_and_use_different_words() {
        assert_eq!(counter(4, 7, 0, 3), counter(6, 7, 0, 3));
        assert_ne!(counter(4, 7, 0, 3), counter(5, 7, 0, 3));
        assert_ne!(word(1, 0, 4, 7, 3), word(1, 0, 6, 7, 3));
    }
}
