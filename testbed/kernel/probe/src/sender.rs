//! Sends the probes, each at its time.

use std::io;
use std::net::{Ipv4Addr, UdpSocket};

use nix::sys::time::TimeSpec;
use nix::time::{ClockId, ClockNanosleepFlags, clock_nanosleep};
use windlull_netns::{Namespace, address};
use windlull_plane::Epoch;
use windlull_units::{Host, Time};

use crate::receiver::PORT;
use crate::traffic::{HEADERS, Probe};

/// Sends them and says when each left, ns since the start of the run.
pub(crate) fn send(namespace: &Namespace, epoch: Epoch, probes: &[Probe]) -> io::Result<Vec<u64>> {
    namespace.run(|| {
        // Timers as exact as they come.
        let _ = nix::sys::prctl::set_timerslack(1);
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
        socket.connect((address(Host::Client), PORT))?;
        let mut payload = [0xA5; 1500];
        (0_u32..)
            .zip(probes)
            .map(|(number, probe)| {
                sleep_until(epoch, Time::ZERO + probe.after)?;
                payload[..4].copy_from_slice(&number.to_be_bytes());
                let sent = epoch.now().as_ns();
                socket.send(&payload[..usize::from(probe.size_bytes - HEADERS)])?;
                Ok(sent)
            })
            .collect()
    })?
}

fn sleep_until(epoch: Epoch, at: Time) -> io::Result<()> {
    let at = TimeSpec::from_duration(std::time::Duration::from_nanos(epoch.to_monotonic_ns(at)));
    clock_nanosleep(ClockId::CLOCK_MONOTONIC, ClockNanosleepFlags::TIMER_ABSTIME, &at)?;
    Ok(())
}
