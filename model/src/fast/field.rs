//! The labels, one plane a colour, so that a half-step reads one plane and writes the other.
//!
//! In row y the RVs of a colour stand at x = 2n + p, p = (y + colour) mod 2. Their neighbours all have the other
//! colour: in the same row numbers n − 1 + p and n + p, in the rows above and below number n. A border of *null*
//! cells around each plane stands for neighbours that do not exist; their pair costs are 0. Rows go on with null
//! cells to a whole number of chunks, so that a kernel reads and writes chunks of constant size.

use super::threefry::CHUNK;
use crate::job::Problem;

/// A label as an address: the label times [`Encoding::unit`]; the null cell counts as label L.
pub type Cell = u16;

/// How labels become cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Encoding {
    /// Number of labels.
    pub labels: u16,
    /// Cells count in this unit: an eighth of the bytes of a pair row, so that a cell scaled by 8 is an address.
    pub unit: u16,
    /// ⌈2^16 / unit⌉, to divide by it.
    reciprocal: u32,
}

impl Encoding {
    /// Labels in units of `unit`, 1…32.
    pub fn new(labels: u16, unit: u16) -> Self {
        Self { labels, unit, reciprocal: (1_u32 << 16).div_ceil(unit.into()) }
    }

    /// The cell of a label.
    pub fn cell(self, label: u8) -> Cell {
        u16::from(label) * self.unit
    }

    /// The label of a cell that is not null.
    pub fn label(self, cell: Cell) -> u8 {
        // Exact: the product is label · (2^16 + less than unit), and label · unit < 2^16.
        ((u32::from(cell) * self.reciprocal) >> 16) as u8
    }

    /// The cell of a neighbour that does not exist.
    pub fn null(self) -> Cell {
        self.labels * self.unit
    }
}

/// The cells of one colour in one row.
#[derive(Debug)]
pub struct Row<'a> {
    /// RVs of the row.
    pub count: usize,
    /// Their cells; those beyond `count` must stay null.
    pub chunks: &'a mut [[Cell; CHUNK]],
}

impl Row<'_> {
    /// The same row, lent for a while.
    pub fn reborrow(&mut self) -> Row<'_> {
        Row { count: self.count, chunks: &mut *self.chunks }
    }

    /// The cells of RVs.
    pub fn cells(&self) -> &[Cell] {
        &self.chunks.as_flattened()[..self.count]
    }
}

/// Both planes.
#[derive(Debug, Clone)]
pub struct Field {
    width: usize,
    height: usize,
    encoding: Encoding,
    planes: [Vec<Cell>; 2],
}

/// Cells of the neighbours of the RVs of one colour in one row, in chunks: left, right, up, down.
pub type Near<'a> = [&'a [[Cell; CHUNK]]; 4];

impl Field {
    /// The field of `problem` with the given labels, H×W.
    pub fn new(problem: &Problem, encoding: Encoding, labels: &[u8]) -> Self {
        let (width, height) = (problem.width as usize, problem.height as usize);
        let plane = vec![encoding.null(); pitch(width) * (height + 2)];
        let mut field = Self { width, height, encoding, planes: [plane.clone(), plane] };
        for (y, row) in labels.chunks_exact(width).enumerate() {
            for (x, &label) in row.iter().enumerate() {
                let at = (y + 1) * pitch(width) + x / 2 + 1;
                field.planes[(x + y) % 2][at] = encoding.cell(label);
            }
        }
        field
    }

    /// All labels, H×W.
    pub fn labels(&self) -> Vec<u8> {
        let mut labels = vec![0; self.width * self.height];
        for (y, row) in labels.chunks_exact_mut(self.width).enumerate() {
            let first = (y + 1) * pitch(self.width) + 1;
            // Columns 0, 2, … have the colour of the row's number, columns 1, 3, … the other one.
            let [even, odd] = [y % 2, (y + 1) % 2].map(|colour| &self.planes[colour][first..]);
            let (pairs, last) = row.as_chunks_mut::<2>();
            for ((pair, &even), &odd) in pairs.iter_mut().zip(even).zip(odd) {
                *pair = [self.encoding.label(even), self.encoding.label(odd)];
            }
            if let [last] = last {
                *last = self.encoding.label(even[self.width / 2]);
            }
        }
        labels
    }

    /// How its labels become cells.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// The field in bands of whole rows, cut before the rows `cuts` (ascending, inside the field).
    pub fn bands(&mut self, cuts: &[usize]) -> Vec<Band<'_>> {
        let (width, pitch) = (self.width, pitch(self.width));
        // The null rows above and below belong to the first and the last band.
        let at = |cut: usize| (cut + 1) * pitch;
        let [black, white] = &mut self.planes;
        let black = cut(black, cuts.iter().map(|&y| at(y)));
        let white = cut(white, cuts.iter().map(|&y| at(y)));
        // Row y lies at y + 1 in the plane; the band's first row there is 0 or its cut + 1.
        let tops = std::iter::once(0).chain(cuts.iter().map(|&y| y + 1));
        black
            .into_iter()
            .zip(white)
            .zip(tops)
            .map(|((black, white), top)| Band { width, pitch, top, planes: [black, white] })
            .collect()
    }
}

/// `slice` cut at ascending places.
pub fn cut<T>(mut slice: &mut [T], places: impl Iterator<Item = usize>) -> Vec<&mut [T]> {
    let (mut parts, mut done) = (Vec::new(), 0);
    for place in places {
        let (part, rest) = slice.split_at_mut(place - done);
        parts.push(part);
        (slice, done) = (rest, place);
    }
    parts.push(slice);
    parts
}

/// Some rows of both planes.
#[derive(Debug)]
pub struct Band<'a> {
    width: usize,
    pitch: usize,
    top: usize,
    planes: [&'a mut [Cell]; 2],
}

impl Band<'_> {
    /// Row `y` of `colour` to write, and the neighbours of its RVs, from the rows above and below in this band.
    pub fn row(&mut self, y: usize, colour: usize) -> (Row<'_>, Near<'_>) {
        let [black, white] = &mut self.planes;
        let (own, other) = if colour == 0 { (black, &**white) } else { (white, &**black) };
        let (p, pitch, whole) = (parity(y, colour), self.pitch, self.pitch - 2);
        let at = y + 1 - self.top;
        let near = |row: usize, from: usize| other[row * pitch + from..][..whole].as_chunks().0;
        let chunks = own[at * pitch + 1..][..whole].as_chunks_mut().0;
        let near = [near(at, p), near(at, p + 1), near(at - 1, 1), near(at + 1, 1)];
        (Row { count: count(self.width, y, colour), chunks }, near)
    }
}

/// Cells from row to row: whole chunks, and one null cell at both ends.
fn pitch(width: usize) -> usize {
    half(width).next_multiple_of(CHUNK) + 2
}

/// RVs of one colour in the longest row.
pub fn half(width: usize) -> usize {
    width.div_ceil(2)
}

/// x of the first RV of `colour` in row `y`.
pub fn parity(y: usize, colour: usize) -> usize {
    (y + colour) % 2
}

/// RVs of `colour` in row `y`.
pub fn count(width: usize, y: usize, colour: usize) -> usize {
    (width + 1 - parity(y, colour)) / 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec;

    #[test]
    fn every_label_survives_its_encoding() {
        for unit in 1..=32 {
            let encoding = Encoding::new(256, unit);
            assert!((0..=255).all(|label| encoding.label(encoding.cell(label)) == label), "unit {unit}");
        }
    }

    #[test]
    fn neighbours_are_those_of_the_specification() {
        let encoding = Encoding::new(251, 2);
        for (width, height) in [(1, 1), (1, 4), (4, 1), (2, 2), (5, 3), (6, 7), (31, 3), (32, 3), (33, 2)] {
            let labels: Vec<u8> = (0..width * height).map(|i| i as u8).collect();
            let mut field = Field::new(&problem(width, height), encoding, &labels);
            assert_eq!(field.labels(), labels);
            for colour in 0..2 {
                let mut bands = field.bands(&[]);
                for y in 0..height as usize {
                    let (row, near) = bands[0].row(y, colour);
                    for n in 0..row.count {
                        let x = 2 * n + parity(y, colour);
                        assert_eq!(encoding.label(row.cells()[n]), (y * width as usize + x) as u8);
                        let mut expected: Vec<u8> =
                            spec::neighbours(width, height, x as u32, y as u32).map(|i| labels[i]).collect();
                        let mut got: Vec<u8> = near
                            .iter()
                            .map(|chunks| chunks[n / CHUNK][n % CHUNK])
                            .filter(|&cell| cell != encoding.null())
                            .map(|cell| encoding.label(cell))
                            .collect();
                        expected.sort_unstable();
                        got.sort_unstable();
                        assert_eq!(got, expected, "{width}x{height} at {x}, {y}");
                    }
                }
            }
        }
    }

    fn problem(width: u32, height: u32) -> Problem {
        Problem {
            width,
            height,
            labels: 2,
            singleton: crate::Singleton::Table { costs: vec![0; (width * height * 2) as usize] },
            data_cap: 1,
            s_outside: 1,
            pair: crate::Pair::Potts,
            pair_cap: 1,
            vectors: crate::job::line_vectors(2),
            alpha: 1,
            beta: 1,
            shift: 0,
            fixed: None,
            edge_weights: None,
        }
    }
}
