//! Drop-tail: what fits waits, what does not is dropped as it arrives.

use windlull_units::Bytes;

use crate::model::QueueLimit;

/// The account of a drop-tail queue.
#[derive(Clone, Debug)]
pub(crate) struct DropTail {
    limit: QueueLimit,
    packets: u32,
    octets: Bytes,
}

impl DropTail {
    pub(crate) const fn new(limit: QueueLimit) -> Self {
        Self {
            limit,
            packets: 0,
            octets: Bytes::ZERO,
        }
    }

    pub(crate) fn admits(&self, size: Bytes) -> bool {
        match self.limit {
            QueueLimit::Unlimited => true,
            QueueLimit::Packets(most) => self.packets < most,
            QueueLimit::Bytes(most) => self.octets + size <= most,
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

    pub(crate) const fn limit(&self) -> QueueLimit {
        self.limit
    }

    pub(crate) const fn set_limit(&mut self, limit: QueueLimit) {
        self.limit = limit;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Bytes = Bytes::new(296);

    fn fill(queue: &mut DropTail) -> u32 {
        let mut admitted = 0;
        while admitted < 100 && queue.admits(SIZE) {
            queue.push(SIZE);
            admitted += 1;
        }
        admitted
    }

    #[test]
    fn seven_packets_wait_and_the_eighth_does_not() {
        let mut queue = DropTail::new(QueueLimit::Packets(7));
        assert_eq!(fill(&mut queue), 7);
        queue.pop(SIZE);
        assert_eq!(fill(&mut queue), 1);
    }

    #[test]
    fn a_limit_in_bytes_admits_to_the_last_byte() {
        assert_eq!(fill(&mut DropTail::new(QueueLimit::Bytes(Bytes::new(592)))), 2);
        assert_eq!(fill(&mut DropTail::new(QueueLimit::Bytes(Bytes::new(591)))), 1);
        assert_eq!(fill(&mut DropTail::new(QueueLimit::Bytes(Bytes::ZERO))), 0);
    }

    #[test]
    fn a_lowered_limit_keeps_what_waits() {
        let mut queue = DropTail::new(QueueLimit::Unlimited);
        assert_eq!(fill(&mut queue), 100);
        queue.set_limit(QueueLimit::Packets(99));
        assert_eq!(queue.packets(), 100);
        assert!(!queue.admits(SIZE));
        queue.pop(SIZE);
        queue.pop(SIZE);
        assert!(queue.admits(SIZE));
    }
}
