//! How a picture is cut into tiles for the sparse kernel (`kernels/tile.cuh`).

use super::lane::{GROUP, Planes};

/// Pixels around a tile that its block works on, too (`HALO`).
const HALO: usize = 8;

/// Half-steps between two exchanges with the tiles around (`ROUND`).
pub const ROUND: u32 = 7;

/// Tiles of equal size; those at the right and at the bottom reach beyond the picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tiling {
    /// Groups of a colour in a line of a tile.
    pub groups: usize,
    /// Lines of a tile.
    pub lines: usize,
    /// Tiles in a row.
    pub across: usize,
    /// Tiles in a column.
    pub down: usize,
}

impl Tiling {
    /// The tiling that `blocks` blocks run fastest, if a tile and its halo may have `most` RVs of a colour.
    pub fn new(planes: &Planes, blocks: usize, most: usize) -> Self {
        let all = planes.groups();
        let of = |groups: usize, lines: usize| Self {
            groups,
            lines,
            across: all.div_ceil(groups),
            down: planes.height.div_ceil(lines),
        };
        let down = planes.height.div_ceil(HALO);
        // With the halo's two, lines have a multiple of four groups.
        let sizes = (2..all + 4).step_by(4).flat_map(|groups| {
            (1..=down).map(move |down| of(groups, planes.height.div_ceil(down).max(HALO)))
        });
        let fitting = sizes.filter(|tiling| tiling.cells() <= most);
        fitting.min_by_key(|tiling| tiling.work(blocks)).unwrap_or_else(|| of(2, HALO))
    }

    /// Tiles.
    pub fn tiles(&self) -> usize {
        self.across * self.down
    }

    /// RVs of a colour in a tile with its halo.
    pub fn cells(&self) -> usize {
        (GROUP * self.groups + HALO) * (self.lines + 2 * HALO)
    }

    /// RVs that a block updates in a half-step, on average: of its tiles and half of their halos.
    fn work(&self, blocks: usize) -> usize {
        let pixels = (2 * GROUP * self.groups + HALO) * (self.lines + HALO);
        self.tiles().div_ceil(blocks) * pixels
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn tiles_hold_the_picture_and_fit(width in 1_usize..3000, height in 1_usize..2000, blocks in 1_usize..700) {
            let half = width.div_ceil(2);
            let planes = Planes { width, height, half, pitch: 0, words: 0 };
            let tiling = Tiling::new(&planes, blocks, 6144);
            prop_assert!(tiling.across * tiling.groups * GROUP >= half && tiling.down * tiling.lines >= height);
            // None is wholly outside, or its neighbours would wait for nothing.
            prop_assert!((tiling.across - 1) * tiling.groups * GROUP < half);
            prop_assert!((tiling.down - 1) * tiling.lines < height);
            // A halo lies in the tiles around, and a line is whole words of sixteen RVs.
            prop_assert!(tiling.lines >= HALO && 2 * GROUP * tiling.groups >= HALO);
            prop_assert!((tiling.groups + 2).is_multiple_of(4) && tiling.cells() <= 6144);
        }
    }

    #[test]
    fn blocks_have_a_tile_each_where_that_fits() {
        let planes = Planes { width: 450, height: 375, half: 225, pitch: 0, words: 0 };
        let tiling = Tiling::new(&planes, 132, 6144);
        assert!((110..=132).contains(&tiling.tiles()), "{tiling:?}");
        // 36 megapixels: turns of blocks.
        let planes = Planes { width: 7360, height: 4912, half: 3680, pitch: 0, words: 0 };
        assert!(Tiling::new(&planes, 264, 6144).tiles() > 264);
    }
}
