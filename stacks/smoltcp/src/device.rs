//! A network device that is two queues of packets.

use std::collections::VecDeque;

use smoltcp::phy::{self, DeviceCapabilities, Medium};
use smoltcp::time::Instant;

/// What arrived and was not taken, and what was sent and not handed over.
#[derive(Debug)]
pub(crate) struct Device {
    pub(crate) arrived: VecDeque<Vec<u8>>,
    pub(crate) sent: VecDeque<Vec<u8>>,
    mtu: usize,
}

impl Device {
    /// For IP packets of at most `mtu` octets.
    pub(crate) const fn new(mtu: usize) -> Self {
        Self {
            arrived: VecDeque::new(),
            sent: VecDeque::new(),
            mtu,
        }
    }
}

pub(crate) struct Arrived(Vec<u8>);

pub(crate) struct Room<'a>(&'a mut VecDeque<Vec<u8>>);

impl phy::RxToken for Arrived {
    fn consume<R, F: FnOnce(&[u8]) -> R>(self, take: F) -> R {
        take(&self.0)
    }
}

impl phy::TxToken for Room<'_> {
    fn consume<R, F: FnOnce(&mut [u8]) -> R>(self, length: usize, fill: F) -> R {
        let mut packet = vec![0; length];
        let result = fill(&mut packet);
        self.0.push_back(packet);
        result
    }
}

impl phy::Device for Device {
    type RxToken<'a> = Arrived;
    type TxToken<'a> = Room<'a>;

    fn receive(&mut self, _: Instant) -> Option<(Arrived, Room<'_>)> {
        let packet = self.arrived.pop_front()?;
        Some((Arrived(packet), Room(&mut self.sent)))
    }

    fn transmit(&mut self, _: Instant) -> Option<Room<'_>> {
        Some(Room(&mut self.sent))
    }

    fn capabilities(&self) -> DeviceCapabilities {
        let mut capabilities = DeviceCapabilities::default();
        capabilities.medium = Medium::Ip;
        capabilities.max_transmission_unit = self.mtu;
        capabilities
    }
}
