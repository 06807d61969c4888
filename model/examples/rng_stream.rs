//! Writes the random words of the contract (§5) to standard output, for test batteries such as dieharder.
//!
//! `rng_stream ORDER [WORDS]` writes u32 little-endian words, without end or `WORDS` of them. ORDER says what runs
//! fastest: `x`, `y`, `iteration` or `seed`. The others follow as in an odometer, so that the words come in the
//! order in which a field, a chain or a set of seeded runs would use them.

#[path = "shared/odometer.rs"]
mod odometer;

use odometer::Odometer;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words = args.get(1).map_or(Ok(u64::MAX), |n| n.parse());
    let (Some(odometer), Ok(words), true) =
        (args.first().and_then(|name| Odometer::new(name)), words, args.len() <= 2)
    else {
        eprintln!("usage: rng_stream x|y|iteration|seed [WORDS]");
        return ExitCode::from(2);
    };
    match write(odometer, words) {
        // The reader has had enough.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            eprintln!("failed to write random words: {error}");
            ExitCode::FAILURE
        }
        _ => ExitCode::SUCCESS,
    }
}

fn write(mut odometer: Odometer, words: u64) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    for _ in 0..words {
        out.write_all(&odometer.word().to_le_bytes())?;
        odometer.turn();
    }
    out.flush()
}
