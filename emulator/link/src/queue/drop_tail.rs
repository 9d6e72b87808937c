//! Drop-tail: what fits waits, what does not is dropped as it arrives.

use windlull_units::Bytes;

use crate::model::QueueLimit;

/// The account of a drop-tail queue.
#[derive(Clone, Debug, Default)]
pub(crate) struct DropTail {
    packets: u32,
    octets: Bytes,
}

impl DropTail {
    /// Whether a limit leaves room for a packet of `size`.
    #[inline]
    pub(crate) fn admits(&self, limit: &QueueLimit, size: Bytes) -> bool {
        match *limit {
            QueueLimit::Unlimited => true,
            QueueLimit::Packets(most) => self.packets < most,
            QueueLimit::Bytes(most) => self.octets + size <= most,
        }
    }

    /// Whether more waits than a limit allows.
    pub(crate) fn exceeds(&self, limit: &QueueLimit) -> bool {
        match *limit {
            QueueLimit::Unlimited => false,
            QueueLimit::Packets(most) => self.packets > most,
            QueueLimit::Bytes(most) => self.octets > most,
        }
    }

    pub(crate) fn push(&mut self, size: Bytes) {
        self.packets += 1;
        self.octets += size;
    }

    pub(crate) fn pop(&mut self, size: Bytes) {
        self.packets -= 1;
        self.octets -= size;
    }

    pub(crate) const fn packets(&self) -> u32 {
        self.packets
    }

    pub(crate) const fn octets(&self) -> Bytes {
        self.octets
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Bytes = Bytes::new(296);

    fn fill(queue: &mut DropTail, limit: QueueLimit) -> u32 {
        let mut admitted = 0;
        while admitted < 100 && queue.admits(&limit, SIZE) {
            queue.push(SIZE);
            admitted += 1;
        }
        admitted
    }

    #[test]
    fn seven_packets_wait_and_the_eighth_does_not() {
        let (mut queue, limit) = (DropTail::default(), QueueLimit::Packets(7));
        assert_eq!(fill(&mut queue, limit), 7);
        queue.pop(SIZE);
        assert_eq!(fill(&mut queue, limit), 1);
    }

    #[test]
    fn a_limit_in_bytes_admits_to_the_last_byte() {
        for (most, fits) in [(592, 2), (591, 1), (0, 0)] {
            let limit = QueueLimit::Bytes(Bytes::new(most));
            assert_eq!(fill(&mut DropTail::default(), limit), fits);
        }
    }

    #[test]
    fn a_lowered_limit_keeps_what_waits() {
        let mut queue = DropTail::default();
        assert_eq!(fill(&mut queue, QueueLimit::Unlimited), 100);
        let limit = QueueLimit::Packets(99);
        assert_eq!(queue.packets(), 100);
        assert!(!queue.admits(&limit, SIZE));
        queue.pop(SIZE);
        queue.pop(SIZE);
        assert!(queue.admits(&limit, SIZE));
    }
}
