//! The ports of a link on its two devices, and whether captures at the devices see what the link sends there.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Outgoing, PlaneError, Port};
use crate::netem::Devices;

/// What a link is to the hosts on its two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PortKind {
    /// A wire: they send to each other's Ethernet addresses ([`Port::open`]).
    Wire,
    /// Their router ([`Port::gateway`]).
    Gateway,
}

/// The sockets at which links send on two devices, one link after the other, and how many captures are to see that.
#[derive(Debug, Default)]
pub struct Visible(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// Captures under way.
    viewers: u32,
    outgoing: Vec<Outgoing>,
}

/// As long as this lives, captures at the devices see what links send there.
#[derive(Debug)]
pub struct Shown(Arc<Visible>);

impl Visible {
    /// A port on either device, to the server and to the client; seen while anybody captures. To be called in the devices'
    /// network namespace.
    ///
    /// # Errors
    /// As [`Port::open`] or [`Port::gateway`].
    pub fn ports(&self, devices: &Devices, kind: PortKind) -> Result<[Port; 2], PlaneError> {
        let open = match kind {
            PortKind::Wire => Port::open,
            PortKind::Gateway => Port::gateway,
        };
        let mut state = self.state();
        // Those of the link before are closed, or will be soon.
        state.outgoing.clear();
        let ports = [open(&devices.to_server)?, open(&devices.to_client)?];
        for port in &ports {
            let failed = |source: io::Error| port.failed(source);
            let outgoing = port.outgoing().map_err(failed)?;
            if state.viewers > 0 {
                outgoing.show(true).map_err(failed)?;
            }
            state.outgoing.push(outgoing);
        }
        Ok(ports)
    }

    /// Lets captures see what is sent from now on, until what is returned is dropped.
    ///
    /// # Errors
    /// What the kernel says; they see as much as before.
    pub fn show(self: &Arc<Self>) -> io::Result<Shown> {
        let mut state = self.state();
        state.viewers += 1;
        // Dropped, it puts back what was shown before one failed.
        let shown = Shown(Arc::clone(self));
        let result = state.outgoing.iter().try_for_each(|outgoing| outgoing.show(true));
        drop(state);
        result.map(|()| shown)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.viewers -= 1;
        if state.viewers == 0 {
            for outgoing in &state.outgoing {
                // Where that fails the link is as it was, and only takes the longer way.
                let _ = outgoing.show(false);
            }
        }
    }
}
