//! Whether what a port sends is seen by others on its device.

use std::io;

use crate::packet_socket::PacketSocket;

/// The socket at which a port sends. What it sends goes straight to the device, past whoever captures there, unless it is
/// to be seen; then it takes the way of other packets, through the device's queueing discipline.
#[derive(Debug)]
pub struct Outgoing(pub(super) PacketSocket);

impl Outgoing {
    /// Lets captures on the device see what is sent from now on, or not.
    ///
    /// # Errors
    /// What the kernel says.
    pub fn show(&self, seen: bool) -> io::Result<()> {
        self.0.set(libc::PACKET_QDISC_BYPASS, &i32::from(!seen))
    }
}
