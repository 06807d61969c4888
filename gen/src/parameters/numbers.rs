//! Counts, grids and licences as people write them.

/// A count with an optional K (1024) or M (1024²), and `_` between digits.
#[must_use]
pub fn parse_count(text: &str) -> Option<u32> {
    let text = text.trim();
    let (digits, factor) = match text.chars().last()? {
        'k' | 'K' => (&text[..text.len() - 1], 1_u64 << 10),
        'm' | 'M' => (&text[..text.len() - 1], 1 << 20),
        _ => (text, 1),
    };
    let digits = digits.replace('_', "");
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    digits.parse::<u64>().ok()?.checked_mul(factor)?.try_into().ok()
}

/// A count as people write it: with K or M if it is a whole number of them.
#[must_use]
pub fn count_text(count: u64) -> String {
    if count > 0 && count.is_multiple_of(1 << 20) {
        format!("{}M", count >> 20)
    } else if count > 0 && count.is_multiple_of(1 << 10) {
        format!("{}K", count >> 10)
    } else {
        count.to_string()
    }
}

/// The most square grid of `spes` with no more rows than columns.
#[must_use]
pub fn squarest(spes: u32) -> (u32, u32) {
    let rows = (1..=spes.isqrt()).rev().find(|rows| spes.is_multiple_of(*rows)).unwrap_or(1);
    (rows, spes / rows)
}

/// Rows and columns of `RxC`.
pub(super) fn parse_grid(text: &str) -> Option<(u32, u32)> {
    let (rows, cols) = text.split_once(['x', 'X', '×'])?;
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    (digits(rows) && digits(cols)).then(|| Some((rows.parse().ok()?, cols.parse().ok()?)))?
}

/// A number and what it counts: `1 SPU`, `2 SPUs`.
#[must_use]
pub fn counted(number: impl Into<u64>, thing: &str) -> String {
    match number.into() {
        1 => format!("1 {thing}"),
        number => format!("{number} {thing}s"),
    }
}

/// Shape of an SPDX expression; the list of licences is not ours to keep.
pub(super) fn is_spdx(text: &str) -> bool {
    let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+' | '(' | ')' | ' ' | ':');
    !text.is_empty() && text.len() <= 100 && text.chars().all(legal) && text.starts_with(|c: char| c != ' ')
}
