//! What works on this machine, as JSON.

#[expect(clippy::print_stdout, reason = "it is what the example is for")]
fn main() -> Result<(), serde_json::Error> {
    println!("{}", serde_json::to_string_pretty(&windlull_netns::examine())?);
    Ok(())
}
