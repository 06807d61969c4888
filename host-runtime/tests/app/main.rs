//! The program as people use it: exact messages, exit codes, files, and quality.

mod errors;
mod logs;
mod measures;
mod quality;
mod runs;
mod support;
