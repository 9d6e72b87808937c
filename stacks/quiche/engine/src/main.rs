//! The engine with quiche in it.

use std::process::ExitCode;

fn main() -> ExitCode {
    windlull_cli::main_with(vec![Box::new(windlull_quiche::Quiche)])
}
