//! From real α, β to integers, shift and a scaled temperature (contract §3, "Real parameters").

use crate::error::Error;

/// Integer parameters and the factor for all temperatures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IntegerParameters {
    /// α as an integer, 0…255.
    pub alpha: u8,
    /// β as an integer, 0…255.
    pub beta: u8,
    /// Right shift, 0…15.
    pub shift: u8,
    /// c: integer temperature = c · real temperature.
    pub temperature_factor: f64,
    /// Largest relative error of the two weights after the common scale c.
    pub relative_error: f64,
}

/// Maps real weights by the documented rule of least relative error.
///
/// # Errors
/// [`Error::Range`] for a negative, infinite or NaN weight, two zeros, or weights too far apart for eight bits.
pub fn to_integers(alpha: f64, beta: f64) -> Result<IntegerParameters, Error> {
    for (name, value) in [("alpha", alpha), ("beta", beta)] {
        if !value.is_finite() || value < 0.0 {
            return Err(Error::range(name, value, "a finite number, 0 or more"));
        }
    }
    let largest = alpha.max(beta);
    if largest == 0.0 {
        return Err(Error::range("alpha and beta", "0 and 0", "not both 0"));
    }
    let prescale = if largest > 255.0 { 255.0 / largest } else { 1.0 };
    let (alpha, beta) = (alpha * prescale, beta * prescale);
    let candidates = (0..=15).filter_map(|shift| candidate(alpha, beta, shift));
    // min_by keeps the first, so the smaller shift, of equals.
    let best = candidates.min_by(|a, b| a.relative_error.total_cmp(&b.relative_error));
    let Some(best) = best else {
        let value = format!("{alpha} and {beta}");
        return Err(Error::range(
            "alpha and beta",
            value,
            "at most a factor of 510 apart, and not below 2^-16",
        ));
    };
    Ok(IntegerParameters { temperature_factor: best.temperature_factor * prescale, ..best })
}

/// The same for a Potts term of real penalty (β·cap): also chooses the cap, 1…255, of least error, the smallest on a tie.
///
/// # Errors
/// As [`to_integers`], if no cap brings the weights within eight bits.
pub fn potts_to_integers(alpha: f64, penalty: f64) -> Result<(IntegerParameters, u8), Error> {
    let mut best: Option<(IntegerParameters, u8)> = None;
    for cap in 1..=255_u8 {
        if let Ok(p) = to_integers(alpha, penalty / f64::from(cap))
            && best.as_ref().is_none_or(|(b, _)| p.relative_error < b.relative_error)
        {
            best = Some((p, cap));
        }
    }
    best.map_or_else(|| to_integers(alpha, penalty).map(|p| (p, 1)), Ok)
}

fn candidate(alpha: f64, beta: f64, shift: u8) -> Option<IntegerParameters> {
    let power = f64::from(1_u32 << shift);
    let (a, b) = ((alpha * power).round(), (beta * power).round());
    let lost = |integer: f64, real: f64| integer > 255.0 || (integer == 0.0 && real > 0.0);
    if lost(a, alpha) || lost(b, beta) {
        return None;
    }
    let ratio = |integer: f64, real: f64| (real > 0.0).then(|| integer / (real * power));
    let (ra, rb) = (ratio(a, alpha), ratio(b, beta));
    let c = match (ra, rb) {
        (Some(ra), Some(rb)) => libm::sqrt(ra * rb),
        (Some(r), None) | (None, Some(r)) => r,
        (None, None) => return None,
    };
    let error = |r: Option<f64>| r.map_or(0.0, |r| (r / c - 1.0).abs());
    let relative_error = (error(ra).max(error(rb)) * 1e12).round() / 1e12;
    Some(IntegerParameters { alpha: a as u8, beta: b as u8, shift, temperature_factor: c, relative_error })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_give_themselves() {
        for (a, b) in [(1.0, 8.0), (6.0, 7.0), (255.0, 1.0), (0.0, 3.0), (2.0, 0.0)] {
            let p = to_integers(a, b).unwrap();
            assert_eq!((f64::from(p.alpha), f64::from(p.beta), p.shift), (a, b, 0));
            assert_eq!(p.temperature_factor, 1.0);
        }
    }

    #[test]
    fn fractions_use_the_shift() {
        let p = to_integers(0.5, 2.0).unwrap();
        assert_eq!((p.alpha, p.beta, p.shift), (1, 4, 1));
        assert_eq!(p.temperature_factor, 1.0);
        assert!(to_integers(0.01, 16.0).is_err(), "a factor of 1600 does not fit eight bits");
        let (p, cap) = potts_to_integers(0.01, 16.0).unwrap();
        let ratio = f64::from(p.beta) * f64::from(cap) / f64::from(p.alpha);
        assert!((ratio / 1600.0 - 1.0).abs() < 0.02, "{p:?} {cap}");
    }

    #[test]
    fn refusals() {
        for (a, b) in [(-1.0, 1.0), (f64::NAN, 1.0), (0.0, 0.0), (1e-9, 1.0), (f64::INFINITY, 1.0)] {
            assert!(to_integers(a, b).is_err(), "{a} {b}");
        }
    }
}
