//! A value over time, as the steps at which it changes.

use windlull_units::Time;

/// A value holds from `at` on. Of several at one instant the last one counts; one that changes nothing is no step.
pub(super) fn step<T: PartialEq>(steps: &mut Vec<(Time, T)>, at: Time, value: T) {
    if steps.last().is_some_and(|(last, _)| *last == at) {
        steps.pop();
    }
    if steps.last().is_none_or(|(_, last)| *last != value) {
        steps.push((at, value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_changes_are_steps() {
        let mut steps = Vec::new();
        for (at, value) in [(0, 1), (5, 1), (7, 2), (7, 3), (9, 4), (9, 3)] {
            step(&mut steps, Time::from_ns(at), value);
        }
        assert_eq!(steps, [(Time::from_ns(0), 1), (Time::from_ns(7), 3)]);
    }
}
