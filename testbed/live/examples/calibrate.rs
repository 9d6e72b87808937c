//! What the model plane can do on this machine, as JSON: `calibrate [quick | thorough]`. The benchmark calls it.
//!
//! `cargo run --release -p windlull-live --example calibrate -- thorough`

#![expect(clippy::print_stdout, reason = "a program that prints its measurement")]

use std::error::Error;

use windlull_live::{Effort, Pace, calibrate};
use windlull_netns::enter;

fn main() -> Result<(), Box<dyn Error>> {
    let effort = match std::env::args().nth(1).as_deref() {
        None | Some("quick") => Effort::QUICK,
        Some("thorough") => Effort::THOROUGH,
        Some(other) => return Err(format!("{other:?} is neither quick nor thorough").into()),
    };
    // Before there is a second thread.
    enter()?;
    let calibration = calibrate(Pace::Precise, effort)?;
    println!("{}", serde_json::to_string_pretty(&calibration)?);
    Ok(())
}
