//! What a kernel said before it ended by itself.

/// How much of it is told.
const LINES: usize = 30;
/// How a kernel begins to say why it cannot go on (kernel/panic.c).
const PANIC: &str = "Kernel panic - ";

/// Why it ended, by what stands on its console: from its panic on, or the last lines where it did not say.
pub(crate) fn last_words(console: &str) -> String {
    let lines: Vec<&str> = console.lines().collect();
    let from = lines
        .iter()
        .position(|line| line.contains(PANIC))
        .unwrap_or_else(|| lines.len().saturating_sub(LINES));
    lines.into_iter().skip(from).take(LINES).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(range: std::ops::Range<usize>) -> String {
        range
            .map(|number| format!("[    {number}.0] line"))
            .collect::<Vec<_>>()
            .join("\n")
    }

    #[test]
    fn the_panic_is_told_however_long_its_trace_is() {
        let panic = "[   50.0] Kernel panic - not syncing: planted";
        let console = format!("{}\n{panic}\n{}", lines(0..50), lines(51..200));
        let told = last_words(&console);
        assert!(told.starts_with(panic), "{told}");
        assert_eq!(told.lines().count(), LINES);
    }

    #[test]
    fn without_a_panic_the_last_lines_are_told() {
        assert_eq!(last_words(&lines(0..50)), lines(20..50));
        assert_eq!(last_words(&lines(0..3)), lines(0..3));
        assert_eq!(last_words(""), "");
    }
}
