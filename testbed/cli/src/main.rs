//! The engine's program; all of it is in the library, which its tests use as well.

use std::process::ExitCode;

fn main() -> ExitCode {
    windlull_cli::main()
}
