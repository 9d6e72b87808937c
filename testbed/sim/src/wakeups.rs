//! Who wants to be woken first, among many.

use windlull_units::Time;

/// The wake-ups of so many sleepers, in a binary tree of which each node holds the earlier of its two children: setting one
/// costs the tree's height, the earliest of all nothing.
#[derive(Clone, Debug)]
pub(crate) struct Wakeups {
    /// The root at 1, the children of `n` at `2n` and `2n + 1`, the sleepers from `width` on.
    nodes: Vec<Time>,
    width: usize,
}

impl Wakeups {
    /// All asleep for good.
    pub(crate) fn new(sleepers: usize) -> Self {
        let width = sleepers.next_power_of_two().max(1);
        Self {
            nodes: vec![Time::NEVER; 2 * width],
            width,
        }
    }

    #[inline]
    pub(crate) fn set(&mut self, sleeper: usize, at: Time) {
        let mut node = self.width + sleeper;
        self.nodes[node] = at;
        while node > 1 {
            node /= 2;
            let earlier = self.nodes[2 * node].min(self.nodes[2 * node + 1]);
            if self.nodes[node] == earlier {
                return;
            }
            self.nodes[node] = earlier;
        }
    }

    /// The earliest of all.
    pub(crate) fn first(&self) -> Time {
        self.nodes[1]
    }

    /// Puts into `due` who wants to be woken by `now`, in order.
    pub(crate) fn due(&self, now: Time, due: &mut Vec<usize>) {
        due.clear();
        self.due_below(1, now, due);
    }

    fn due_below(&self, node: usize, now: Time, due: &mut Vec<usize>) {
        if self.nodes[node] > now {
            return;
        }
        if node >= self.width {
            due.push(node - self.width);
            return;
        }
        self.due_below(2 * node, now, due);
        self.due_below(2 * node + 1, now, due);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earliest_comes_first_and_all_that_are_due_in_order() {
        for sleepers in [1, 2, 5, 8] {
            let mut wakeups = Wakeups::new(sleepers);
            let mut due = vec![7];
            assert_eq!(wakeups.first(), Time::NEVER);
            for sleeper in 0..sleepers {
                wakeups.set(sleeper, Time::from_ns(100 - sleeper as u64));
            }
            assert_eq!(wakeups.first(), Time::from_ns(101 - sleepers as u64));
            wakeups.due(Time::from_ns(100 - sleepers as u64), &mut due);
            assert_eq!(due, Vec::<usize>::new());
            wakeups.due(Time::from_ns(100), &mut due);
            assert_eq!(due, (0..sleepers).collect::<Vec<_>>());
            wakeups.set(sleepers - 1, Time::NEVER);
            wakeups.due(Time::from_ns(100), &mut due);
            assert_eq!(due, (0..sleepers - 1).collect::<Vec<_>>());
        }
    }
}
