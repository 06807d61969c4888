//! How a picture is cut into tiles for the sparse kernel (`kernels/tile.cuh`).

use super::lane::{GROUP, Planes};
use super::spread::tables;

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

/// A block that works on tiles.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    /// Its threads.
    pub threads: usize,
    /// Shared memory that it may have, bytes.
    pub bytes: usize,
    /// Labels of a RV.
    pub labels: usize,
    /// Copies of the pair table.
    pub copies: usize,
    /// What singletons are made from there.
    pub keeps: Keeps,
}

/// What shared memory keeps for the singletons of a tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeps {
    /// Nothing: they are read from global memory.
    Nothing,
    /// The pixels that they are differences of.
    Pictures,
    /// α·S of every label.
    Costs,
}

/// What a tile takes of shared memory (`Shared` of `kernels/sparse.cu`), in bytes where no unit is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory {
    /// RVs of a colour, halo included: whole words of all threads (`SPA_CELLS`).
    pub cells: usize,
    /// Pixels of the left picture (`SPA_LEFT`).
    pub left: usize,
    /// Pixels of the right picture (`SPA_RIGHT`).
    pub right: usize,
    /// α·S of all labels (`SPA_COSTS`).
    pub costs: usize,
    /// All of it (`SPA_SHARED`).
    pub bytes: usize,
}

impl Tiling {
    /// The tiling that `blocks` blocks run fastest.
    pub fn new(planes: &Planes, blocks: usize, room: &Room) -> Self {
        let all = planes.groups();
        let of = |groups: usize, lines: usize| Self {
            groups,
            lines,
            across: all.div_ceil(groups),
            down: planes.height.div_ceil(lines),
        };
        let down = planes.height.div_ceil(HALO);
        let sizes = (1..=all).flat_map(|groups| {
            (1..=down).map(move |down| of(groups, planes.height.div_ceil(down).max(HALO)))
        });
        let fitting = sizes.filter(|tiling| tiling.memory(room).bytes <= room.bytes);
        fitting.min_by_key(|tiling| tiling.work(blocks)).unwrap_or_else(|| of(1, HALO))
    }

    /// Tiles.
    pub fn tiles(&self) -> usize {
        self.across * self.down
    }

    /// The tiles as kernels take them (`open_tile` of `kernels/tile.cuh`).
    pub fn table(&self) -> Vec<u32> {
        let word = |first: usize, many: usize| first as u32 | (many as u32) << 16;
        let tiles = (0..self.down).flat_map(|row| (0..self.across).map(move |column| (row, column)));
        let words = tiles.flat_map(|(row, column)| {
            [word(column * self.groups, self.groups), word(row * self.lines, self.lines)]
        });
        [self.tiles() as u32, 0].into_iter().chain(words).collect()
    }

    /// What a tile and its halo take.
    pub fn memory(&self, room: &Room) -> Memory {
        let (groups, lines) = (self.groups + HALO / GROUP, self.lines + 2 * HALO);
        let cells = (GROUP * groups * lines).next_multiple_of(GROUP * room.threads);
        let quads = room.labels.div_ceil(GROUP);
        let (left, right, costs) = match room.keeps {
            Keeps::Nothing => (0, 0, 0),
            Keeps::Pictures => (2 * GROUP * groups * lines, 4 * ((2 * groups + quads + 2) | 1) * lines, 0),
            Keeps::Costs => (0, 0, 2 * cells * GROUP * quads),
        };
        let tables = tables(room.labels, room.copies);
        // Labels, who is awake, until when: a byte each of either colour; a list; bits of wide RVs; counts and places between all these.
        let bytes = tables + 8 * cells + cells / 4 + left + right + costs + 256;
        Memory { cells, left, right, costs, bytes }
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

    fn room(labels: usize, pictures: bool) -> Room {
        let keeps = match pictures {
            true => Keeps::Pictures,
            false if labels <= 16 => Keeps::Costs,
            false => Keeps::Nothing,
        };
        Room { threads: 256, bytes: 80 << 10, labels, copies: 8, keeps }
    }

    proptest! {
        #[test]
        fn tiles_hold_the_picture_and_fit(
            width in 1_usize..3000, height in 1_usize..2000, blocks in 1_usize..700, labels in 1_usize..=64, pictures: bool
        ) {
            let half = width.div_ceil(2);
            let planes = Planes { width, height, half, pitch: 0, words: 0 };
            let room = room(labels, pictures);
            let tiling = Tiling::new(&planes, blocks, &room);
            prop_assert!(tiling.across * tiling.groups * GROUP >= half && tiling.down * tiling.lines >= height);
            // None is wholly outside, or its neighbours would wait for nothing.
            prop_assert!((tiling.across - 1) * tiling.groups * GROUP < half);
            prop_assert!((tiling.down - 1) * tiling.lines < height);
            // A halo lies in the tiles around.
            prop_assert!(tiling.lines >= HALO && 2 * GROUP * tiling.groups >= HALO);
            let memory = tiling.memory(&room);
            prop_assert!(memory.bytes <= room.bytes && memory.cells <= usize::from(u16::MAX));
        }
    }

    #[test]
    fn blocks_have_a_tile_each_where_that_fits() {
        let planes = Planes { width: 450, height: 375, half: 225, pitch: 0, words: 0 };
        let tiling = Tiling::new(&planes, 132, &room(56, true));
        assert!((110..=132).contains(&tiling.tiles()), "{tiling:?}");
        // 36 megapixels: turns of blocks.
        let planes = Planes { width: 7360, height: 4912, half: 3680, pitch: 0, words: 0 };
        assert!(Tiling::new(&planes, 264, &room(64, true)).tiles() > 264);
    }
}
