//! Writing pcapng of several interfaces of one machine, as the packets come: a capture at a link's devices.

use std::io::{self, Write};

use crate::pcapng::{self, InterfacePacket};
use crate::writer::Snaplen;

/// How the name of the application begins that writes a file whose stamps count from 1970.
const APPLICATION: &str = "Windlull emulator ";

/// What the stamps of a file count from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stamps {
    /// From 1970, by the wall clock: a capture of a link that stands.
    Wall,
    /// From the run's start, as in the hosts' captures ([`crate::RUN_START_NS`]).
    Run,
}

/// Writes a pcapng file of several Ethernet interfaces with nanosecond stamps.
#[derive(Debug)]
pub struct InterfacesWriter<W> {
    out: W,
    /// Octets written.
    written: u64,
    /// The block that is being made.
    block: Vec<u8>,
}

impl<W: Write> InterfacesWriter<W> {
    /// Begins the file. `comment` says where it comes from, `version` who writes it, and `snaplen` how much is kept of each
    /// packet; who calls has cut them.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn begin(
        out: W,
        stamps: Stamps,
        comment: &str,
        version: &str,
        interfaces: &[&str],
        snaplen: Snaplen,
    ) -> io::Result<Self> {
        let application = match stamps {
            Stamps::Wall => APPLICATION,
            Stamps::Run => pcapng::APPLICATION,
        };
        let mut block = Vec::new();
        pcapng::section_header(&mut block, comment, &format!("{application}{version}"));
        for interface in interfaces {
            pcapng::interface_description(&mut block, interface, snaplen.of_interface());
        }
        let mut writer = Self { out, written: 0, block };
        writer.write_block()?;
        Ok(writer)
    }

    /// Writes a packet, unless the file would have more octets than `limit`; whether it did.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn packet(&mut self, packet: &InterfacePacket<'_>, limit: u64) -> io::Result<bool> {
        self.block.clear();
        pcapng::live_packet(&mut self.block, packet);
        if self.written + self.block.len() as u64 > limit {
            return Ok(false);
        }
        self.write_block()?;
        Ok(true)
    }

    /// Octets of the file until now.
    pub const fn written(&self) -> u64 {
        self.written
    }

    /// Writes what is left.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }

    fn write_block(&mut self) -> io::Result<()> {
        self.out.write_all(&self.block)?;
        self.written += self.block.len() as u64;
        Ok(())
    }
}
