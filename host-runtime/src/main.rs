//! The `spa` program; everything is in the library.

fn main() {}
