//! The engine with noq in it.

use std::process::ExitCode;

fn main() -> ExitCode {
    windlull_cli::main_with(vec![Box::new(windlull_noq::Noq)])
}
