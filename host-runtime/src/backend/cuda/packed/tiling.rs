//! How a field is cut into tiles, one a block, each resident in the shared memory of its block (`kernels/tiles.cuh`).

use super::lane::Planes;

/// Static shared memory of the kernels' tables, and what the driver keeps, in bytes.
const TABLES: usize = 9 << 10;

/// Most words of bits of one colour: places in a list are 16-bit numbers.
const WORDS_MAX: usize = 1 << 11;

/// A grid of tiles over the planes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tiling {
    across: usize,
    down: usize,
    /// Columns of a plane and rows of the largest tile.
    width: usize,
    height: usize,
}

impl Tiling {
    /// The grid of at most `blocks` tiles whose largest tile has the fewest RVs, and of those the shortest border; none
    /// if that tile does not fit `shared` bytes.
    pub fn new(planes: &Planes, blocks: usize, shared: usize) -> Option<Self> {
        let grid = |across: usize| {
            let down = (blocks / across).min(planes.height);
            let (width, height) = (planes.half.div_ceil(across), planes.height.div_ceil(down));
            Self { across, down, width, height }
        };
        let best = (1..=blocks.min(planes.half))
            .map(grid)
            .min_by_key(|tiling| (tiling.width * tiling.height, 2 * tiling.width + tiling.height))?;
        (best.events_bytes() + TABLES <= shared && best.words() <= WORDS_MAX).then_some(best)
    }

    /// Across and down as the kernels take them.
    pub fn word(self) -> u32 {
        (self.across | self.down << 16) as u32
    }

    /// Tiles.
    pub fn tiles(self) -> usize {
        self.across * self.down
    }

    fn words(self) -> usize {
        self.width.div_ceil(32) * self.height
    }

    /// Words of bits of one colour that the tiles keep between launches.
    pub fn kept_words(self) -> usize {
        self.tiles() * self.words()
    }

    /// Shared memory of the labels.
    pub fn labels_bytes(self) -> usize {
        (2 * (self.height + 2) * (self.width + 2)).next_multiple_of(16)
    }

    /// Shared memory of labels, bits and the list.
    pub fn events_bytes(self) -> usize {
        self.labels_bytes() + 16 * self.words() + 2 * self.width * self.height
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planes(width: usize, height: usize) -> Planes {
        Planes { width, height, half: width.div_ceil(2), pitch: 0, words: 0 }
    }

    #[test]
    fn tiles_cover_the_field_evenly() {
        for (width, height, blocks) in
            [(450, 375, 132), (1920, 1080, 132), (384, 288, 66), (7, 5, 132), (1, 1, 9)]
        {
            let field = planes(width, height);
            let tiling = Tiling::new(&field, blocks, 227 << 10).unwrap();
            assert!(tiling.tiles() <= blocks && tiling.across <= field.half && tiling.down <= height);
            assert!(tiling.across * tiling.width >= field.half && tiling.down * tiling.height >= height);
            let even = (field.half * height).div_ceil(blocks);
            assert!(
                width < 100 || tiling.width * tiling.height <= even + even / 8,
                "{width}x{height}: {tiling:?}"
            );
        }
        assert_eq!(Tiling::new(&planes(6000, 6000), 132, 227 << 10), None);
    }
}
