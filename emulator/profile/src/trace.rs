//! CSV files that profiles name: samples of a duration, steps of a rate.

use windlull_units::{BitRate, Span, Time};

/// Durations in seconds, one a line; a first line that is no number is a heading, `#` begins a comment.
pub(crate) fn samples(text: &str) -> Result<Vec<Span>, String> {
    let samples: Result<Vec<_>, _> = rows(text)
        .map(|(line, row)| {
            seconds(row).ok_or_else(|| format!("line {line}: \"{row}\" is not a number of seconds from 0 to 360000"))
        })
        .collect();
    match samples? {
        samples if samples.is_empty() => Err("has no samples; give one number of seconds a line".to_owned()),
        samples => Ok(samples),
    }
}

/// `seconds,bits per second`, one step a line, in order of time and the first at 0.
pub(crate) fn steps(text: &str) -> Result<Vec<(Time, BitRate)>, String> {
    let mut steps: Vec<(Time, BitRate)> = Vec::new();
    for (line, row) in rows(text) {
        let step = row.split_once(',').and_then(|(at, rate)| {
            let rate = rate
                .trim()
                .parse::<u64>()
                .ok()
                .filter(|bps| *bps <= 1_000_000_000_000)?;
            Some((Time::ZERO + seconds(at.trim())?, BitRate::from_bps(rate)?))
        });
        let Some(step) = step else {
            return Err(format!(
                "line {line}: \"{row}\" is not `seconds,bits per second`, as in `12.5,28800`"
            ));
        };
        match steps.last() {
            None if step.0 != Time::ZERO => return Err(format!("line {line}: the first step must be at 0 seconds")),
            Some((before, _)) if step.0 <= *before => {
                return Err(format!(
                    "line {line}: {} is not after the step before it, {before}",
                    step.0
                ));
            }
            _ => steps.push(step),
        }
    }
    if steps.is_empty() {
        return Err("has no steps; give `seconds,bits per second`, one a line".to_owned());
    }
    Ok(steps)
}

/// The lines that say something, with their numbers from 1.
fn rows(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().filter_map(|(i, line)| {
        let row = line.split('#').next().unwrap_or_default().trim();
        let heading = i == 0 && row.starts_with(|c: char| c.is_alphabetic());
        (!row.is_empty() && !heading).then_some((i + 1, row))
    })
}

fn seconds(text: &str) -> Option<Span> {
    let secs: f64 = text.parse().ok()?;
    (0.0..=360_000.0).contains(&secs).then(|| Span::from_secs_f64(secs))
}
