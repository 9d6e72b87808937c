//! Packets of the hosts' own, over whatever is between them.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream, UdpSocket};
use std::thread;
use std::time::{Duration, Instant};

use libtest_mimic::Failed;
use windlull_netns::Namespace;

use crate::http::PATIENCE;
use crate::networks::{Networks, Role};

pub(crate) const SERVER: Ipv4Addr = Ipv4Addr::new(198, 18, 1, 10);
pub(crate) const CLIENT: Ipv4Addr = Ipv4Addr::new(198, 18, 2, 10);
const PORT: u16 = 7000;
/// Octets of an IPv4 packet before what UDP carries.
const HEADERS: usize = 28;

/// A socket of either host.
pub(crate) struct Hosts {
    pub(crate) server: UdpSocket,
    pub(crate) client: UdpSocket,
}

impl Hosts {
    pub(crate) fn open(networks: &Networks) -> Result<Self, Failed> {
        let bound = |host: &Namespace, at| -> Result<UdpSocket, Failed> {
            let socket = host.run(|| UdpSocket::bind((at, PORT)))??;
            socket.set_read_timeout(Some(PATIENCE))?;
            Ok(socket)
        };
        Ok(Self {
            server: bound(networks.namespace(Role::Server), SERVER)?,
            client: bound(networks.namespace(Role::Client), CLIENT)?,
        })
    }

    /// The client sends a packet of so many octets; how long it takes to the server.
    pub(crate) fn up(&self, octets: usize) -> io::Result<Duration> {
        carried(&self.client, &self.server, SERVER, octets)
    }

    /// The same to the client.
    pub(crate) fn down(&self, octets: usize) -> io::Result<Duration> {
        carried(&self.server, &self.client, CLIENT, octets)
    }

    /// The server sends so many small packets, a while apart; when each came, since the first was sent. None may be lost.
    pub(crate) fn arrivals_down(&self, packets: usize, apart: Duration) -> io::Result<Vec<Duration>> {
        let start = Instant::now();
        thread::scope(|scope| {
            let receiver = scope.spawn(|| {
                (0..packets)
                    .map(|_| self.client.recv(&mut [0; 100]).map(|_| start.elapsed()))
                    .collect()
            });
            for _ in 0..packets {
                self.server.send_to(&[0; 72], (CLIENT, PORT))?;
                thread::sleep(apart);
            }
            receiver.join().expect("it does not panic")
        })
    }

    /// The client sends so many small packets, a while apart; the numbers of those that came within a second.
    pub(crate) fn many_up(&self, packets: u32, apart: Duration) -> io::Result<Vec<u32>> {
        for number in 0..packets {
            self.client.send_to(&number.to_be_bytes(), (SERVER, PORT))?;
            thread::sleep(apart);
        }
        self.server.set_read_timeout(Some(Duration::from_secs(1)))?;
        let mut came = Vec::new();
        let mut octets = [0; 4];
        while self.server.recv(&mut octets).is_ok() {
            came.push(u32::from_be_bytes(octets));
        }
        self.server.set_read_timeout(Some(PATIENCE))?;
        Ok(came)
    }
}

fn carried(from: &UdpSocket, to: &UdpSocket, host: Ipv4Addr, octets: usize) -> io::Result<Duration> {
    let start = Instant::now();
    from.send_to(&vec![0; octets - HEADERS], (host, PORT))?;
    to.recv(&mut [0; 2_000])?;
    Ok(start.elapsed())
}

/// The server sends so much to the client over TCP; how long it takes.
pub(crate) fn stream(server: &Namespace, client: &Namespace, octets: usize) -> Result<Duration, Failed> {
    let sent: Vec<u8> = (0..octets).map(|place| (place / 7 % 251) as u8).collect();
    let listener = server.run(|| TcpListener::bind((SERVER, 80)))??;
    let mut to = client.run(|| TcpStream::connect((SERVER, 80)))??;
    let (mut from, _) = listener.accept()?;
    let start = Instant::now();
    let received = thread::scope(|scope| -> Result<Vec<u8>, Failed> {
        let sent = &sent;
        let writer = scope.spawn(move || -> io::Result<()> {
            from.write_all(sent)?;
            from.shutdown(Shutdown::Write)
        });
        let mut received = Vec::new();
        to.read_to_end(&mut received)?;
        writer.join().expect("it does not panic")?;
        Ok(received)
    })?;
    assert!(received == sent, "the octets are not those sent");
    Ok(start.elapsed())
}
