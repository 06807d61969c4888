//! The driver: runs jobs on any card that holds one of our accelerators. It checks who the card is, places and loads
//! the job, drains the label log while the array works, and believes nothing that the counters do not confirm.

use super::registers::{self as reg, Bits};
use super::{Buffer, Card, CardError};
use crate::backend::{ArrayReport, LogReport, Progress, ProgressSink, RunReport};
use spa_model::message::MessageFormat;
use spa_model::{ArrayShape, Hardware, Histogram, Job, Message, Outcome, Tiling};
use spagen::regmap;
use spagen::runs::{self, Buffers};
use std::time::{Duration, Instant};

/// What a build folder says of the accelerator on the card.
#[derive(Debug, Clone)]
pub struct Design {
    /// Shape of the array.
    pub shape: ArrayShape,
    /// Widths.
    pub hardware: Hardware,
    /// SHA-256 of the configuration, 64 lower-case hexadecimal digits.
    pub config_hash: String,
}

/// How the driver works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DriverOptions {
    /// Lines of the log ring.
    pub ring_lines: usize,
    /// Keep the raw lines of the log; see [`Accelerator::log`].
    pub keep_log: bool,
    /// Cycles without any progress after which the card counts as stuck; none: computed from the job.
    pub patience: Option<u64>,
}

impl Default for DriverOptions {
    fn default() -> Self {
        Self { ring_lines: 4096, keep_log: false, patience: None }
    }
}

/// Cycles between two looks at the card, at least and at most.
const STEP: (u64, u64) = (32, 8192);
/// Time between two calls of the progress sink.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(250);
/// Cycles that anything may take which is no work on RVs: memory latency and the like.
const PATIENCE_BASE: u64 = 200_000;
/// Cycles that a soft reset may take, at least.
const RESET_PATIENCE: u64 = 100_000;

/// An accelerator on a card.
#[derive(Debug)]
pub struct Accelerator<C: Card> {
    card: C,
    design: Design,
    options: DriverOptions,
    log: Vec<u8>,
    /// Cycles of loading before the last start.
    load_cycles: u64,
    busy: bool,
}

/// A run under way.
struct Running<'a> {
    job: &'a Job,
    tiling: &'a Tiling,
    format: MessageFormat,
    ring: Buffer,
    read_index: u32,
    lines: u64,
    messages: Vec<Message>,
}

impl<C: Card> Accelerator<C> {
    /// Takes the card after checking that it holds the accelerator of `design`.
    ///
    /// # Errors
    /// [`CardError::Identity`] or [`CardError::Configuration`] if it does not; otherwise as [`Card::read`].
    pub fn open(mut card: C, design: Design, options: DriverOptions) -> Result<Self, CardError> {
        check_identity(&mut card, &design)?;
        Ok(Self { card, design, options, log: Vec::new(), load_cycles: 0, busy: false })
    }

    /// The card.
    pub fn card(&mut self) -> &mut C {
        &mut self.card
    }

    /// The raw lines of the last run's log, if [`DriverOptions::keep_log`] is set.
    pub fn log(&self) -> &[u8] {
        &self.log
    }

    /// Runs `job`. After an error the card is reset; nothing else is needed before the next run.
    ///
    /// # Errors
    /// [`CardError`]: the job does not fit, the card fails or is stuck, or the log is not complete.
    pub fn run(&mut self, job: &Job, progress: ProgressSink<'_>) -> Result<RunReport, CardError> {
        check_hardware(job.hardware(), &self.design.hardware)?;
        let started = Instant::now();
        let tiling = Tiling::new(&self.design.shape, job)?;
        let records = runs::load_bytes(&self.design.shape, &tiling, job, self.card.line_bytes());
        let buffers = self.buffers(records.len(), runs::readback_bytes(&tiling))?;
        self.busy = true;
        let result = self.run_in(job, &tiling, &buffers, &records, progress);
        self.busy = false;
        let settled = if result.is_ok() { Ok(()) } else { self.recover() };
        // A card that could not be brought to rest may still write: its buffers stay until it is closed.
        if settled.is_ok() {
            for buffer in [buffers.readback, buffers.ring, buffers.load] {
                let released = self.card.release(buffer);
                if result.is_ok() {
                    released?;
                }
            }
        }
        let (outcome, log) = result?;
        let array = self.report(job, &tiling)?;
        Ok(RunReport { outcome, wall_seconds: started.elapsed().as_secs_f64(), array: Some(array), log })
    }

    /// Buffers of a run; nothing is left behind if one cannot be had. Records that do not fit into one are loaded piece by
    /// piece, and a ring has what fits.
    fn buffers(&mut self, records: usize, readback: usize) -> Result<Buffers, CardError> {
        let line = self.card.line_bytes();
        let most = (self.card.buffer_bytes() / line).max(1).saturating_mul(line);
        let ring = self.options.ring_lines.max(1) * line;
        let mut made = Vec::new();
        for bytes in [records.min(most), ring.min(most), readback] {
            match self.card.allocate(bytes) {
                Ok(buffer) => made.push(buffer),
                Err(error) => {
                    for buffer in made {
                        self.card.release(buffer)?;
                    }
                    return Err(error);
                }
            }
        }
        Ok(Buffers { load: made[0], ring: made[1], readback: made[2] })
    }

    /// Starts the card: loads `records`, and after the `last` of them runs the job.
    fn start(
        &mut self,
        job: &Job,
        tiling: &Tiling,
        buffers: &Buffers,
        records: &[u8],
        last: bool,
    ) -> Result<(), CardError> {
        self.card.write_memory(buffers.load, 0, records)?;
        let load = Buffer { bytes: records.len(), ..buffers.load };
        let buffers = Buffers { load, ..*buffers };
        let values = runs::values(job, tiling, &buffers, self.card.line_bytes());
        self.card.write_many(&values)?;
        let (offset, command) = runs::start(last);
        self.card.write(offset, command)
    }

    fn run_in(
        &mut self,
        job: &Job,
        tiling: &Tiling,
        buffers: &Buffers,
        records: &[u8],
        progress: ProgressSink<'_>,
    ) -> Result<(Outcome, LogReport), CardError> {
        self.log.clear();
        self.load_cycles = 0;
        let mut running = Running {
            job,
            tiling,
            format: MessageFormat::new(&self.design.shape, &self.design.hardware),
            ring: buffers.ring,
            read_index: 0,
            lines: 0,
            messages: Vec::new(),
        };
        let pieces = records.chunks(buffers.load.bytes.max(1));
        let count = pieces.len();
        for (i, piece) in pieces.enumerate() {
            let last = i + 1 == count;
            self.start(job, tiling, buffers, piece, last)?;
            self.watch(&mut running, progress)?;
            if !last {
                self.load_cycles += self.get(reg::COUNT_LOAD)?;
            }
        }
        let Running { mut messages, lines, format, .. } = running;
        self.check_counts(&messages, lines)?;

        let mut bytes = vec![0; runs::readback_bytes(tiling)];
        self.card.read_memory(buffers.readback, 0, &mut bytes)?;
        let labels = runs::labels_of_readback(job, tiling, self.design.shape.rv_capacity, &bytes);
        messages.shrink_to_fit();
        let histogram = Histogram::from_messages(job, &messages, &labels)?;
        let log = LogReport {
            messages: messages.len() as u64,
            lines,
            bytes: lines * format.line_bytes() as u64,
            bytes_without_log: job.problem().free_rvs() as u64 * u64::from(job.collected()),
        };
        Ok((Outcome { labels, histogram, messages, labels_touched: job.labels_evaluated() }, log))
    }

    /// Drains the log until the card is done.
    fn watch(&mut self, running: &mut Running<'_>, progress: ProgressSink<'_>) -> Result<(), CardError> {
        let patience = self.patience(running.tiling);
        let iterations = running.job.iterations();
        let ring_lines = running.ring.bytes / self.card.line_bytes();
        let mut step = STEP.0;
        let (mut seen, mut seen_at) = ([0; 5], self.card.cycles());
        let mut told: Option<Instant> = None;
        loop {
            self.card.advance(step)?;
            // Status first: all lines that it speaks of are then in the write index.
            let status = self.card.read(reg::STATE.offset)?;
            let drained = self.drain(running)?;
            step = if 2 * drained > ring_lines { step / 2 } else { step * 2 };
            step = step.clamp(STEP.0, STEP.1);
            if reg::ERROR.get(status) == 1 {
                let errors = self.card.read(reg::ERRORS.offset)?;
                let state = reg::state_name(reg::STATE.get(status));
                return Err(CardError::Reported { state, errors: reg::error_names(errors) });
            }
            if reg::DONE.get(status) == 1 {
                return Ok(());
            }
            let position = self.card.read(reg::PROGRESS_ITERATION.offset)?;
            let iteration = reg::PROGRESS_ITERATION.get(position) as u32;
            if told.is_none_or(|at| at.elapsed() >= PROGRESS_INTERVAL) {
                told = Some(Instant::now());
                if !progress(Progress { iteration, iterations }) {
                    return Err(CardError::Stopped { iteration, iterations });
                }
            }
            let now = [
                reg::STATE.get(status),
                self.get(reg::COUNT_RECORDS)?,
                self.get(reg::COUNT_SLOTS)?,
                self.get(reg::COUNT_RECEIVED)?,
                running.lines,
            ];
            if now != seen {
                (seen, seen_at) = (now, self.card.cycles());
            } else if self.card.cycles() - seen_at > patience {
                return Err(self.stuck(status, iteration, patience, &now));
            }
        }
    }

    /// Takes the lines that have become readable; gives their number.
    fn drain(&mut self, running: &mut Running<'_>) -> Result<usize, CardError> {
        let written = self.get(reg::RING_WRITE_INDEX)? as u32;
        let count = written.wrapping_sub(running.read_index) as usize;
        if count == 0 {
            return Ok(0);
        }
        let line = self.card.line_bytes();
        let ring_lines = running.ring.bytes / line;
        if count > ring_lines {
            let (card, host) = (written.into(), running.read_index.into());
            return Err(CardError::Uncounted { what: "lines in a ring that holds fewer", card, host });
        }
        let problem = running.job.problem();
        let field = (problem.width, problem.height, problem.labels);
        let mut left = count;
        while left > 0 {
            let start = (running.lines % ring_lines as u64) as usize;
            let run = left.min(ring_lines - start);
            let mut bytes = vec![0; run * line];
            self.card.read_memory(running.ring, start * line, &mut bytes)?;
            running.format.decode(running.tiling, field, running.lines, &bytes, &mut running.messages)?;
            if self.options.keep_log {
                self.log.extend_from_slice(&bytes);
            }
            running.lines += run as u64;
            left -= run;
        }
        running.read_index = written;
        self.card.write(reg::RING_READ_INDEX.offset, written.into())?;
        Ok(count)
    }

    /// Cycles that may pass between two signs of progress: the drain visits every RV of a tile without telling.
    fn patience(&self, tiling: &Tiling) -> u64 {
        let tile = u64::from(tiling.tile_width) * u64::from(tiling.tile_height);
        self.options.patience.unwrap_or(PATIENCE_BASE + 8 * tile + 4 * u64::from(tiling.switch_gap))
    }

    fn stuck(&mut self, status: u64, iteration: u32, cycles: u64, counts: &[u64; 5]) -> CardError {
        let waits = [
            (reg::STALL_ARRAY, "the log FIFOs are full"),
            (reg::RING_FULL, "the log ring is full"),
            (reg::MEMORY_WAIT, "memory does not take a line"),
        ];
        let mut detail: Vec<String> = waits
            .iter()
            .filter(|(bit, _)| bit.get(status) == 1)
            .map(|(_, text)| (*text).to_string())
            .collect();
        let [_, records, slots, received, lines] = counts;
        detail.push(format!(
            "{records} records loaded, {slots} slots started, {received} messages packed, {lines} lines read"
        ));
        CardError::Stuck {
            state: reg::state_name(reg::STATE.get(status)),
            cycles,
            iteration: iteration.into(),
            detail: detail.join(", "),
        }
    }

    /// Both sides must have counted the same.
    fn check_counts(&mut self, messages: &[Message], lines: u64) -> Result<(), CardError> {
        let host = messages.len() as u64;
        for (what, field, host) in [
            ("messages sent", reg::COUNT_SENT, host),
            ("messages received", reg::COUNT_RECEIVED, host),
            ("lines", reg::COUNT_LINES, lines),
        ] {
            let card = self.get(field)?;
            if card != field.get(field.put(host)) {
                return Err(CardError::Uncounted { what, card, host });
            }
        }
        Ok(())
    }

    fn report(&mut self, job: &Job, tiling: &Tiling) -> Result<ArrayReport, CardError> {
        let shape = &self.design.shape;
        let (rows, cols, spu, spes) = (shape.rows, shape.cols, shape.spus, shape.spes());
        let cycles = self.get(reg::COUNT_RUN)?;
        let slots = self.get(reg::COUNT_SLOTS)?;
        let stall_cycles = self.get(reg::COUNT_STALL_FIFO)?
            + self.get(reg::COUNT_STALL_RING)?
            + self.get(reg::COUNT_STALL_MEMORY)?;
        let updates = slots * u64::from(tiling.spus) * u64::from(spes);
        let useful = job.problem().rvs() as u64 * u64::from(job.iterations());
        Ok(ArrayReport {
            rows,
            cols,
            spu,
            cycles,
            slots,
            labels_per_cycle_per_spu: slots as f64 * f64::from(job.problem().labels) / cycles.max(1) as f64,
            useful_fraction: useful as f64 / updates.max(1) as f64,
            stall_cycles,
            load_cycles: self.load_cycles + self.get(reg::COUNT_LOAD)?,
            drain_cycles: self.get(reg::COUNT_DRAIN)? + self.get(reg::COUNT_FLUSH)?,
        })
    }

    /// Brings the card back to idle after a failed run: a soft reset, or a hard one if that is not answered.
    fn recover(&mut self) -> Result<(), CardError> {
        if self.soft_reset().is_ok() {
            return Ok(());
        }
        self.card.reset()
    }

    fn soft_reset(&mut self) -> Result<(), CardError> {
        self.card.write(reg::SOFT_RESET.offset, reg::SOFT_RESET.put(1))?;
        // Real cards count time by the clock on the wall, and have their patience from the caller.
        let patience = RESET_PATIENCE.max(self.options.patience.unwrap_or(0));
        let start = self.card.cycles();
        loop {
            self.card.advance(STEP.0)?;
            let status = self.card.read(reg::STATE.offset)?;
            if reg::IDLE.get(status) == 1 {
                return Ok(());
            }
            if self.card.cycles() - start > patience {
                return Err(self.stuck(status, 0, patience, &[0; 5]));
            }
        }
    }

    fn get(&mut self, field: Bits) -> Result<u64, CardError> {
        Ok(field.get(self.card.read(field.offset)?))
    }
}

impl<C: Card> Drop for Accelerator<C> {
    /// A card that is left in the middle of a run (a panic of the progress sink) is reset.
    fn drop(&mut self) {
        if self.busy {
            // Nobody is left to tell.
            let _ = self.recover();
        }
    }
}

fn check_identity(card: &mut impl Card, design: &Design) -> Result<(), CardError> {
    let get = |card: &mut dyn Card, field: Bits| -> Result<u64, CardError> {
        Ok(field.get(card.read(field.offset)?))
    };
    let name = card.name();
    let check = |what, found: u64, expected: u64| {
        if found == expected {
            return Ok(());
        }
        let (found, expected) = (format!("{found:#x}"), format!("{expected:#x}"));
        Err(CardError::Identity { card: name.clone(), what, found, expected })
    };
    check("AFU UUID (low half)", get(card, reg::AFU_ID_L)?, regmap::AFU_ID as u64)?;
    check("AFU UUID (high half)", get(card, reg::AFU_ID_H)?, (regmap::AFU_ID >> 64) as u64)?;
    check("ABI magic", get(card, reg::ABI_MAGIC)?, regmap::ABI_MAGIC)?;
    check("ABI major revision", get(card, reg::ABI_MAJOR)?, regmap::ABI_MAJOR)?;
    let minor = get(card, reg::ABI_MINOR)?;
    #[allow(clippy::unnecessary_min_or_max, reason = "the revision asked for is 0 only today")]
    let at_least = minor.max(regmap::ABI_MINOR);
    check("ABI minor revision", at_least, minor)?;
    let found = [reg::CONFIG_HASH_3, reg::CONFIG_HASH_2, reg::CONFIG_HASH_1, reg::CONFIG_HASH_0]
        .iter()
        .map(|&part| Ok(format!("{:016x}", get(card, part)?)))
        .collect::<Result<String, CardError>>()?;
    if found != design.config_hash {
        let expected = design.config_hash.clone();
        return Err(CardError::Configuration { card: card.name(), found, expected });
    }
    check(
        "pipeline latency",
        get(card, reg::PIPELINE_LATENCY)?,
        spa_model::geometry::pipeline_latency(design.shape.spus).into(),
    )?;
    let line_bytes = card.line_bytes() as u64;
    check("line width in bytes", line_bytes, u64::from(design.shape.line_bits / 8))
}

fn check_hardware(job: &Hardware, build: &Hardware) -> Result<(), CardError> {
    match crate::fit::mismatches(build, job).into_iter().next() {
        Some(of) => Err(CardError::Hardware { name: of.parameter, job: of.wanted, build: of.has }),
        None => Ok(()),
    }
}
