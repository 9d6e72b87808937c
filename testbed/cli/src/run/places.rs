//! Which runs of a plan: `--runs 0-499,600`.

use std::str::FromStr;

/// Places in a plan, each once and in order, as stretches that do not touch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunRanges(Vec<(u64, u64)>);

impl RunRanges {
    /// All of so many.
    pub fn all(count: u64) -> Self {
        Self(count.checked_sub(1).map(|last| (0, last)).into_iter().collect())
    }

    /// The last of them.
    pub fn last(&self) -> Option<u64> {
        self.0.last().map(|(_, last)| *last)
    }

    /// Those from `from` on, up to and without `to`, in order.
    pub fn between(&self, from: u64, to: u64) -> Vec<u64> {
        let stretches = self.0.iter();
        stretches
            .flat_map(|(first, last)| (*first).max(from)..(last + 1).min(to))
            .collect()
    }
}

impl FromStr for RunRanges {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut stretches = Vec::new();
        for part in text.split(',') {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let number = |text: &str| text.trim().parse::<u32>().map(u64::from).ok();
            match (number(first), number(last)) {
                (Some(first), Some(last)) if first <= last => stretches.push((first, last)),
                _ => return Err(format!("{part:?} is no place or stretch of places, as in 0-499,600")),
            }
        }
        stretches.sort_unstable();
        let mut joined: Vec<(u64, u64)> = Vec::new();
        for (first, last) in stretches {
            match joined.last_mut() {
                Some(before) if first <= before.1 + 1 => before.1 = before.1.max(last),
                _ => joined.push((first, last)),
            }
        }
        Ok(Self(joined))
    }
}
