//! One job of a batch on the card: its data, and the parameters that point to it.

use super::super::device::{Device, LogAddress, driver};
use super::super::error::CudaError;
use super::super::generic;
use super::super::pieces::{entry_of_word, entry_word};
use super::super::plan::Plan;
use super::super::sys::KernelParams;
use super::super::u_mask;
use super::kernels::Which;
use super::spread::Spread;
use cudarc::driver::{CudaFunction, CudaSlice};
use spa_model::{Job, LabelEntry, Singleton, Snapshot};

/// Columns of the border left of a plane of labels.
const BORDER: usize = 32;

/// RVs of a colour side by side that are one word (`kernels/tile.cuh`).
pub const GROUP: usize = 4;

/// Sets of what tiles leave for each other.
const SETS: usize = 2;

/// `PackedParams` of `kernels/packed.cuh`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct Params {
    labels: [u64; 2],
    valid: [u64; 2],
    wide: [u64; 2],
    least: [u64; 2],
    first: u64,
    second: u64,
    volume: [u64; 2],
    pair: u64,
    steps: u64,
    entries: [u64; 2],
    log: LogAddress,
    tiles: u64,
    published: u64,
    flags: u64,
    counters: u64,
    windows: u64,
    mailbox: u64,
    width: u32,
    height: u32,
    half: u32,
    pitch: u32,
    words: u32,
    second_pitch: u32,
    second_origin: u32,
    first_offset: i32,
    data_cap: u32,
    s_outside: u32,
    narrow: u32,
    key0: u32,
    key1: u32,
    u_mask: u32,
    count_max: u32,
    chain: u32,
    burn_in: u32,
    unit: u32,
    published_pitch: u32,
}

// SAFETY: the same fields in the same order and widths as `PackedParams`.
unsafe impl KernelParams for Params {}

/// The field as two planes of one colour each.
#[derive(Debug, Clone, Copy)]
pub struct Planes {
    pub width: usize,
    pub height: usize,
    /// Columns.
    pub half: usize,
    /// Bytes of a row of labels, border included.
    pub pitch: usize,
    /// Words of a row of bits.
    pub words: usize,
}

impl Planes {
    /// Of `job`'s field.
    pub fn new(job: &Job) -> Self {
        let (width, height) = (job.problem().width as usize, job.problem().height as usize);
        let half = width.div_ceil(2);
        Self {
            width,
            height,
            half,
            pitch: (half + 2 * BORDER).next_multiple_of(64),
            words: half.div_ceil(32),
        }
    }

    /// Every RV: (index, colour, row, column of its plane).
    pub fn rvs(self) -> impl Iterator<Item = (usize, usize, usize, usize)> {
        (0..self.height)
            .flat_map(move |y| (0..self.width).map(move |x| (y * self.width + x, (x + y) % 2, y, x / 2)))
    }

    /// Groups of four RVs of a colour in a row.
    pub fn groups(self) -> usize {
        self.half.div_ceil(GROUP)
    }

    /// Columns of a plane of records (`kernels/sites.cu`).
    pub fn record_pitch(self) -> usize {
        (self.half + 1).next_multiple_of(2)
    }

    /// Words of a plane of records.
    pub fn records(self) -> usize {
        (self.height + 2) * self.record_pitch()
    }

    fn label_index(self, y: usize, j: usize) -> usize {
        (y + 1) * self.pitch + BORDER + j
    }
}

/// `Batch` of `kernels/packed.cuh` for at most N jobs.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Batch<const N: usize> {
    of: [Params; N],
    jobs: u32,
}

// SAFETY: the same fields in the same order and widths as `Batch`.
unsafe impl<const N: usize> KernelParams for Batch<N> {}

impl<const N: usize> Batch<N> {
    /// The parameters of at most N lanes.
    pub fn new(lanes: &[Lane]) -> Self {
        let mut of = [Params::default(); N];
        for (params, lane) in of.iter_mut().zip(lanes) {
            *params = lane.params;
        }
        Self { of, jobs: lanes.len().min(N) as u32 }
    }
}

/// Where a lane finds what its batch shares.
#[derive(Debug, Clone, Copy)]
pub struct Shared {
    /// β·V.
    pub pair: u64,
    /// Schedule entries.
    pub steps: u64,
    /// The lane's messages.
    pub log: LogAddress,
    /// The lane's flags.
    pub flags: u64,
    /// The lane's counters.
    pub counters: u64,
    /// Windows of launches that end by themselves.
    pub windows: u64,
    /// Where they tell the host when that is.
    pub mailbox: u64,
}

/// A job's data on the card.
pub struct Lane {
    /// What kernels take.
    pub params: Params,
    /// Planes of labels.
    pub labels: [CudaSlice<u8>; 2],
    /// Held so that the addresses in `params` stay valid.
    _words: [CudaSlice<u32>; 6],
    _bytes: Vec<CudaSlice<u8>>,
    /// Planes of label entries.
    entries: [CudaSlice<u64>; 2],
}

impl Lane {
    /// Copies `job` as it stands in `begin` to the card.
    ///
    /// # Errors
    /// Out of memory or a failing driver.
    pub fn new(
        device: &Device,
        job: &Job,
        begin: &Snapshot,
        (plan, planes, spread): (&Plan, Planes, &Spread),
        prepare: &CudaFunction,
        shared: Shared,
    ) -> Result<Self, CudaError> {
        let (problem, hardware, run) = (job.problem(), job.hardware(), job.run());
        let plane = planes.half * planes.height;
        let labels_count = usize::from(problem.labels);

        let mut labels = [(); 2].map(|()| vec![problem.labels as u8; (planes.height + 2) * planes.pitch]);
        let mut valid = [(); 2].map(|()| vec![0_u32; planes.words * planes.height]);
        for (i, colour, y, j) in planes.rvs() {
            labels[colour][planes.label_index(y, j)] = begin.labels[i];
            valid[colour][y * planes.words + j / 32] |= u32::from(!problem.is_fixed(i)) << (j % 32);
        }

        let mut bytes = Vec::new();
        let mut keep = |slice: CudaSlice<u8>| {
            let address = device.address(&slice);
            bytes.push(slice);
            address
        };

        let least = [keep(device.zeros("singletons", plane)?), keep(device.zeros("singletons", plane)?)];
        let mut volume = [0; 2];
        if plan.stereo.is_none() {
            for address in &mut volume {
                *address = keep(device.zeros("the cost volume", plane * labels_count.div_ceil(16) * 16)?);
            }
        }
        let wide = [(); 2].map(|()| device.zeros::<u32>("bits of singletons", planes.words * planes.height));
        let [black, white] = wide;
        let wide = [black?, white?];
        let prepared = generic::Prepared {
            least,
            volume,
            wide: [device.address(&wide[0]), device.address(&wide[1])],
            half: planes.half as u32,
            words: planes.words as u32,
            narrow: plan.narrow,
        };
        generic::prepare(device, prepare, job, prepared)?;

        let first_offset = plan.stereo.unwrap_or(0);
        // Labels reach to the left of the origin, whole words of four and one word of slack; and dx to the right.
        // Label 0 of every other RV of a row is byte 0 of a word, or byte 1 (`kernels/samples.cuh`).
        let aligned = (72 - first_offset.min(0)) as usize;
        let origin = aligned + (-(aligned as i32 + first_offset)).rem_euclid(4) as usize;
        let second_pitch = (origin + planes.width + first_offset.max(0) as usize + 8).next_multiple_of(64);
        let (mut first, mut second) = (0, 0);
        if let (Some(_), Singleton::Pixels { first: one, second: two, .. }) =
            (plan.stereo, &problem.singleton)
        {
            let mut padded = vec![0; second_pitch * planes.height];
            for (row, line) in padded.chunks_exact_mut(second_pitch).zip(two.chunks_exact(planes.width)) {
                row[origin..origin + planes.width].copy_from_slice(line);
            }
            first = keep(device.upload("singleton 1", one)?);
            second = keep(device.upload("singleton 2", &padded)?);
        }
        let mut entries =
            [device.zeros::<u64>("label entries", plane)?, device.zeros("label entries", plane)?];
        if !begin.entries.is_empty() {
            let accounted = job.collected_by(begin.iteration);
            let mut words = [vec![0; plane], vec![0; plane]];
            for (i, colour, y, j) in planes.rvs() {
                words[colour][y * planes.half + j] = entry_word(&begin.entries[i], accounted);
            }
            for (entries, words) in entries.iter_mut().zip(&words) {
                device.stream.memcpy_htod(words, entries).map_err(driver("copy to the card"))?;
            }
        }

        let labels = [device.upload("labels", &labels[0])?, device.upload("labels", &labels[1])?];
        let valid = [device.upload("evidence", &valid[0])?, device.upload("evidence", &valid[1])?];
        let tiles = device.upload("tiles", &spread.tiling.table())?;
        let published_pitch = planes.groups();
        let records = if spread.order.first() == Which::Sites { planes.records() } else { 0 };
        let words = records.max(SETS * planes.height * published_pitch);
        let published = device.zeros::<u32>("tiles", 2 * words)?;
        let key = spa_model::rng::key(run.seed);
        let params = Params {
            labels: [device.address(&labels[0]), device.address(&labels[1])],
            valid: [device.address(&valid[0]), device.address(&valid[1])],
            wide: prepared.wide,
            least,
            first,
            second,
            volume,
            pair: shared.pair,
            steps: shared.steps,
            entries: [device.address(&entries[0]), device.address(&entries[1])],
            log: shared.log,
            tiles: device.address(&tiles),
            published: device.address(&published),
            flags: shared.flags,
            counters: shared.counters,
            windows: shared.windows,
            mailbox: shared.mailbox,
            width: problem.width,
            height: problem.height,
            half: planes.half as u32,
            pitch: planes.pitch as u32,
            words: planes.words as u32,
            second_pitch: second_pitch as u32,
            second_origin: origin as u32,
            first_offset,
            data_cap: u32::from(problem.data_cap).min(255),
            s_outside: u32::from(problem.s_outside).min(255),
            narrow: plan.narrow,
            key0: key[0],
            key1: key[1],
            u_mask: u_mask(hardware.u_bits),
            count_max: hardware.count_max(),
            chain: run.chain.into(),
            burn_in: run.burn_in,
            unit: 1024,
            published_pitch: published_pitch as u32,
        };
        let ([w0, w1], [v0, v1]) = (wide, valid);
        Ok(Self { params, labels, _words: [w0, w1, v0, v1, published, tiles], _bytes: bytes, entries })
    }

    /// The label entries as they stand on the card, H×W.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn entries(&self, device: &Device, planes: Planes) -> Result<Vec<LabelEntry>, CudaError> {
        let plane = planes.half * planes.height;
        let colours = [device.download(&self.entries[0], plane)?, device.download(&self.entries[1], plane)?];
        Ok(planes
            .rvs()
            .map(|(_, colour, y, j)| entry_of_word(colours[colour][y * planes.half + j]))
            .collect())
    }

    /// The labels now, H×W.
    ///
    /// # Errors
    /// The driver's failure.
    pub fn labels(&self, device: &Device, planes: Planes) -> Result<Vec<u8>, CudaError> {
        let size = (planes.height + 2) * planes.pitch;
        let colours = [device.download(&self.labels[0], size)?, device.download(&self.labels[1], size)?];
        Ok(planes.rvs().map(|(_, colour, y, j)| colours[colour][planes.label_index(y, j)]).collect())
    }
}
