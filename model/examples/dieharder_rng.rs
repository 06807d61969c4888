//! The random words of the contract as a generator inside dieharder: a shared library that takes the place of
//! dieharder's generator 200 (`stdin_input_raw`), three times as fast as a pipe.
//!
//! `RNG_ORDER=x LD_PRELOAD=libdieharder_rng.so dieharder -d 203 -n 8 -g 200`; the words are those of `rng_stream ORDER`.
//! `RNG_ROUNDS` overrides the number of rounds, to see a weakened generator fail.

#[path = "shared/odometer.rs"]
mod odometer;

use odometer::Odometer;
use spa_model::rng;
use std::ffi::{c_char, c_ulong, c_void};
use std::sync::Mutex;

/// `gsl_rng_type` of the GNU Scientific Library.
#[repr(C)]
pub struct GslRngType {
    name: *const c_char,
    max: c_ulong,
    min: c_ulong,
    size: usize,
    set: extern "C" fn(*mut c_void, c_ulong),
    get: extern "C" fn(*mut c_void) -> c_ulong,
    get_double: extern "C" fn(*mut c_void) -> f64,
}

// SAFETY: the only pointer is to a constant string.
unsafe impl Sync for GslRngType {}

static TYPE: GslRngType = GslRngType {
    name: c"threefry2x32-13".as_ptr(),
    max: u32::MAX as c_ulong,
    min: 0,
    // The state is a process-wide stream, as standard input would be.
    size: 8,
    set,
    get,
    get_double,
};

/// What dieharder looks up under the number 200.
// SAFETY: the name is dieharder's own, and taking its place is the purpose of this library.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, reason = "the C name")]
pub static gsl_rng_stdin_input_raw: &GslRngType = &TYPE;

const BATCH: usize = 4096;

struct Stream {
    odometer: Odometer,
    words: Vec<u32>,
    next: usize,
    rounds: u32,
}

static STREAM: Mutex<Option<Stream>> = Mutex::new(None);

impl Stream {
    fn new() -> Self {
        let order = std::env::var("RNG_ORDER").unwrap_or_default();
        let rounds = std::env::var("RNG_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(rng::ROUNDS);
        let Some(odometer) = Odometer::new(&order) else {
            eprintln!("RNG_ORDER is '{order}', but must be x, y, iteration or seed");
            std::process::exit(2);
        };
        Self { odometer, words: Vec::new(), next: 0, rounds }
    }

    fn word(&mut self) -> u32 {
        if self.next == self.words.len() {
            self.fill();
        }
        self.next += 1;
        self.words[self.next - 1]
    }

    /// Blocks first, then the rounds over all of them: the second loop is what the compiler turns into vectors.
    fn fill(&mut self) {
        let mut keys = [[0_u32; BATCH]; 2];
        let mut counters = [[0_u32; BATCH]; 2];
        let mut second = [0_u32; BATCH];
        for i in 0..BATCH {
            let (seed, counter, word) = self.odometer.block();
            let key = rng::key(seed);
            (keys[0][i], keys[1][i]) = (key[0], key[1]);
            (counters[0][i], counters[1][i]) = (counter[0], counter[1]);
            second[i] = (word as u32).wrapping_neg();
            self.odometer.turn();
        }
        self.words.resize(BATCH, 0);
        let words = &mut self.words[..BATCH];
        if self.rounds == rng::ROUNDS {
            fill_words::<{ rng::ROUNDS }>(words, &keys, &counters, &second);
        } else {
            for i in 0..BATCH {
                let block = rng::threefry2x32(
                    [keys[0][i], keys[1][i]],
                    [counters[0][i], counters[1][i]],
                    self.rounds,
                );
                words[i] = block[(second[i] & 1) as usize];
            }
        }
        self.next = 0;
    }
}

fn fill_words<const ROUNDS: u32>(
    words: &mut [u32],
    keys: &[[u32; BATCH]; 2],
    counters: &[[u32; BATCH]; 2],
    second: &[u32; BATCH],
) {
    for i in 0..BATCH {
        let block = rng::threefry2x32([keys[0][i], keys[1][i]], [counters[0][i], counters[1][i]], ROUNDS);
        words[i] = block[0] & !second[i] | block[1] & second[i];
    }
}

extern "C" fn set(_state: *mut c_void, _seed: c_ulong) {}

extern "C" fn get(_state: *mut c_void) -> c_ulong {
    let mut stream = STREAM.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    stream.get_or_insert_with(Stream::new).word().into()
}

extern "C" fn get_double(state: *mut c_void) -> f64 {
    get(state) as f64 / 4_294_967_296.0
}
