//! The engine: plan in, captures and results out.
fn main() {}
