//! The `spa` program; everything is in the library.

fn main() -> std::process::ExitCode {
    spa_runtime::cli::main()
}
