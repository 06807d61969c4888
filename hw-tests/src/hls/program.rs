//! The program of a run on the HLS array: the load records of the RTL, the run parameters, and three commands.

use spa_model::placement::{ALL_SPES, load_records};
use spa_model::{ArrayShape, Difference, Job, Pair, S2Addressing, Singleton, Tiling};

/// Targets beyond those of the RTL (docs/hls.md).
const ENUMERATE: u64 = 13;
const PARAMETER: u64 = 14;
const COMMAND: u64 = 15;

/// Commands.
const RUN: u64 = 1;
const DRAIN: u64 = 2;
const READ_LABELS: u64 = 3;

fn record(target: u64, address: u64, data: u64) -> u64 {
    target << 60 | u64::from(ALL_SPES) << 48 | address << 24 | data & 0xFF_FFFF
}

/// All records of `job`, in order.
pub fn records(shape: &ArrayShape, tiling: &Tiling, job: &Job) -> Vec<u64> {
    let mut records = vec![record(ENUMERATE, 0, u64::from(shape.spes()) - 1)];
    let parameters = parameters(tiling, job);
    records.extend((0..).zip(parameters).map(|(address, data)| record(PARAMETER, address, data)));
    records.extend(load_records(shape, tiling, job));
    records.extend([RUN, DRAIN, READ_LABELS].map(|command| record(COMMAND, 0, command)));
    records
}

/// Parameters by address.
fn parameters(tiling: &Tiling, job: &Job) -> Vec<u64> {
    let (problem, run) = (job.problem(), job.run());
    let (form, mode) = match &problem.singleton {
        Singleton::Pixels { form, .. } => (*form, 0),
        Singleton::Values { form, .. } => (*form, 1),
        Singleton::Table { .. } => (Difference::Abs, 2),
    };
    let pair = match &problem.pair {
        Pair::Abs => 0,
        Pair::Squared => 1,
        Pair::Potts => 2,
        Pair::Table(_) => 3,
    };
    let stride = u64::from(tiling.s2_stride());
    let (replicate, left, up) = match tiling.s2 {
        S2Addressing::Links => (0, 0, 0),
        S2Addressing::Replicate { left, up } => (1, left.into(), up.into()),
    };
    vec![
        problem.width.into(),
        problem.height.into(),
        tiling.tile_width.into(),
        tiling.tile_height.into(),
        tiling.groups().into(),
        problem.labels.into(),
        problem.alpha.into(),
        problem.beta.into(),
        problem.shift.into(),
        problem.data_cap.into(),
        problem.s_outside.into(),
        u64::from(form == Difference::Squared),
        mode,
        pair,
        problem.pair_cap.into(),
        replicate,
        stride,
        stride * u64::from(tiling.tile_height),
        left,
        up,
        stride * up,
        run.seed,
        run.seed >> 24,
        run.seed >> 48,
        run.chain.into(),
        job.iterations().into(),
        run.burn_in.into(),
    ]
}
