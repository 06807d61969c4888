//! The random words of the contract as a generator inside dieharder: a shared library that takes the place of
//! dieharder's generator 200 (`stdin_input_raw`), three times as fast as a pipe.
//!
//! `RNG_ORDER=x LD_PRELOAD=libdieharder_rng.so dieharder -d 203 -n 8 -g 200`; the words are those of `rng_stream ORDER`.
//! `RNG_ROUNDS` overrides the number of rounds, to see a weakened generator fail.

#[path = "shared/odometer.rs"]
mod odometer;

use odometer::Odometer;
use spa_model::rng;
use std::cell::RefCell;
use std::ffi::{c_char, c_ulong, c_void};

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

const BATCH: usize = 512;

struct Stream {
    odometer: Odometer,
    words: Box<[u32; BATCH]>,
    next: usize,
    rounds: u32,
}

thread_local! {
    static STREAM: RefCell<Option<Stream>> = const { RefCell::new(None) };
}

impl Stream {
    fn new() -> Self {
        let order = std::env::var("RNG_ORDER").unwrap_or_default();
        let rounds = std::env::var("RNG_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(rng::ROUNDS);
        let Some(odometer) = Odometer::new(&order) else {
            eprintln!("RNG_ORDER is '{order}', but must be x, y, iteration or seed");
            std::process::exit(2);
        };
        Self { odometer, words: Box::new([0; BATCH]), next: BATCH, rounds }
    }

    fn word(&mut self) -> u32 {
        if self.next == BATCH {
            self.fill();
        }
        self.next += 1;
        self.words[self.next - 1]
    }

    /// Round by round over a whole batch, which the compiler turns into vectors; the first word of every batch is
    /// compared with the contract's own function.
    fn fill(&mut self) {
        let (mut k0, mut k1) = ([0_u32; BATCH], [0_u32; BATCH]);
        let (mut x0, mut x1) = ([0_u32; BATCH], [0_u32; BATCH]);
        let mut second = [0_u32; BATCH];
        let (seed, counter, word) = self.odometer.block();
        let expected = rng::threefry2x32(rng::key(seed), counter, self.rounds)[word];
        for i in 0..BATCH {
            let (seed, counter, word) = self.odometer.block();
            [k0[i], k1[i]] = rng::key(seed);
            [x0[i], x1[i]] = counter;
            second[i] = (word as u32).wrapping_neg();
            self.odometer.turn();
        }
        add_keys(&mut x0, &mut x1, &k0, &k1, 0);
        for round in 0..self.rounds {
            let rotation = rng::ROTATIONS[(round % 8) as usize];
            for i in 0..BATCH {
                x0[i] = x0[i].wrapping_add(x1[i]);
                x1[i] = x1[i].rotate_left(rotation) ^ x0[i];
            }
            if round % 4 == 3 {
                add_keys(&mut x0, &mut x1, &k0, &k1, round / 4 + 1);
            }
        }
        for i in 0..BATCH {
            self.words[i] = x0[i] & !second[i] | x1[i] & second[i];
        }
        assert_eq!(self.words[0], expected, "the batch is not the contract's generator");
        self.next = 0;
    }
}

/// Key injection number `s`.
fn add_keys(x0: &mut [u32; BATCH], x1: &mut [u32; BATCH], k0: &[u32; BATCH], k1: &[u32; BATCH], s: u32) {
    for i in 0..BATCH {
        let schedule = [k0[i], k1[i], rng::PARITY ^ k0[i] ^ k1[i]];
        x0[i] = x0[i].wrapping_add(schedule[(s % 3) as usize]);
        x1[i] = x1[i].wrapping_add(schedule[((s + 1) % 3) as usize]).wrapping_add(s);
    }
}

extern "C" fn set(_state: *mut c_void, _seed: c_ulong) {}

extern "C" fn get(_state: *mut c_void) -> c_ulong {
    STREAM.with_borrow_mut(|stream| stream.get_or_insert_with(Stream::new).word()).into()
}

extern "C" fn get_double(state: *mut c_void) -> f64 {
    get(state) as f64 / 4_294_967_296.0
}
