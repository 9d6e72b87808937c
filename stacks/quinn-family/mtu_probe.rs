//! Probes of the path's MTU that were lost (RFC 9000, section 14.4).
//!
//! quinn takes such a packet for lost as it does any other, but neither reduces its window for it nor writes it in its qlog: it
//! only counts it. It sends one at a time, so that the count says which.

use windlull_transport::{PacketLost, Space};

/// How many probes quinn has counted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Probes {
    pub(crate) sent: u64,
    pub(crate) lost: u64,
}

/// The last probe, and how many there were.
#[derive(Debug, Default)]
pub(crate) struct MtuProbe {
    last: Option<u64>,
    counted: Probes,
}

impl MtuProbe {
    /// A packet was sent that holds a ping and padding and nothing else. A probe does, but so may the answer to a probe timeout.
    pub(crate) fn on_padded_ping(&mut self, number: u64, now: Probes) {
        if now.sent > self.counted.sent {
            self.counted.sent = now.sent;
            self.last = Some(number);
        }
    }

    /// Whether there was a probe that may still be found lost.
    pub(crate) const fn is_out(&self) -> bool {
        self.last.is_some()
    }

    /// The probe, if it was lost since the last call. quinn does not say why it took it for lost.
    pub(crate) fn lost(&mut self, now: Probes) -> Option<PacketLost> {
        if now.lost == self.counted.lost {
            return None;
        }
        self.counted.lost = now.lost;
        Some(PacketLost {
            space: Space::Data,
            number: self.last.take()?,
            trigger: None,
            is_mtu_probe: true,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn count(sent: u64, lost: u64) -> Probes {
        Probes { sent, lost }
    }

    #[test]
    fn the_lost_one_is_the_last_that_was_sent_as_a_probe() {
        let mut probe = MtuProbe::default();
        probe.on_padded_ping(4, count(1, 0));
        // A probe timeout's ping, and a second probe.
        probe.on_padded_ping(9, count(1, 0));
        assert_eq!(probe.lost(count(1, 0)), None);
        assert_eq!(probe.lost(count(1, 1)).map(|lost| lost.number), Some(4));
        assert!(!probe.is_out());
        probe.on_padded_ping(12, count(2, 1));
        assert!(probe.is_out());
        assert_eq!(probe.lost(count(2, 1)), None);
        assert_eq!(probe.lost(count(2, 2)).map(|lost| lost.number), Some(12));
    }
}
