//! Which runs of a plan: `--runs 0-499,600`.

use std::str::FromStr;

/// Places in a plan, each once and in order, as stretches that do not touch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RunRanges(Vec<(u64, u64)>);

impl RunRanges {
    pub(crate) fn all(count: u64) -> Self {
        Self(count.checked_sub(1).map(|last| (0, last)).into_iter().collect())
    }

    pub(crate) fn last(&self) -> Option<u64> {
        self.0.last().map(|(_, last)| *last)
    }

    /// Those from `from` on, up to and without `to`, in order.
    pub(crate) fn between(&self, from: u64, to: u64) -> Vec<u64> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn places(text: &str) -> Vec<u64> {
        text.parse::<RunRanges>()
            .expect("these are places")
            .between(0, u64::MAX)
    }

    #[test]
    fn places_are_in_order_and_each_once() {
        assert_eq!(places("3"), [3]);
        assert_eq!(places("0-2,600"), [0, 1, 2, 600]);
        assert_eq!(places("5-6, 0-1,6-7,1-2"), [0, 1, 2, 5, 6, 7]);
        assert_eq!(RunRanges::all(3).between(0, 10), [0, 1, 2]);
        assert_eq!(RunRanges::all(0).between(0, 10), Vec::<u64>::new());
    }

    #[test]
    fn some_of_them() {
        let places: RunRanges = "1-4,8-9".parse().expect("these are places");
        assert_eq!(places.between(3, 9), [3, 4, 8]);
        assert_eq!(places.last(), Some(9));
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", "a", "2-1", "1,", "-1", "1-", "1-2-3", "4294967296", "0x1"] {
            assert!(text.parse::<RunRanges>().is_err(), "{text:?}");
        }
    }
}
