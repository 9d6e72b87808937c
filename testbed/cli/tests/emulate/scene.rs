//! Two hosts with nothing but a default route, and the emulator's process between them. Their devices have all offloads
//! on, as those of containers have.

use std::fs;
use std::io::{self, BufRead, BufReader, Read};
use std::net::{Ipv4Addr, SocketAddrV4, UdpSocket};
use std::os::fd::{AsRawFd, OwnedFd};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use libtest_mimic::Failed;
use nix::sys::signal::{Signal, kill};
use nix::sys::socket::sockopt::ReceiveTimeout;
use nix::sys::socket::{
    AddressFamily, MsgFlags, SockFlag, SockProtocol, SockType, SockaddrIn, recv, sendto, setsockopt, socket,
};
use nix::sys::time::{TimeVal, TimeValLike};
use nix::unistd::{Pid, SysconfVar, sysconf};
use serde_json::Value;
use windlull_netns::Namespace;

pub(crate) use crate::http::{Answer, HTTP, PATIENCE, request};

pub(crate) const SERVER: Ipv4Addr = Ipv4Addr::new(198, 18, 1, 10);
pub(crate) const CLIENT: Ipv4Addr = Ipv4Addr::new(198, 18, 2, 10);
/// The emulator's address on the client's side.
pub(crate) const GATEWAY: Ipv4Addr = Ipv4Addr::new(198, 18, 2, 254);

/// Three namespaces, joined.
pub(crate) struct Scene {
    pub(crate) server: Namespace,
    pub(crate) router: Namespace,
    pub(crate) client: Namespace,
    emulator: Option<Emulator>,
}

/// The process.
struct Emulator {
    child: Child,
    said: BufReader<ChildStderr>,
}

impl Scene {
    /// The hosts; nobody between them yet.
    pub(crate) fn hosts() -> Result<Self, Failed> {
        let scene = Self {
            server: Namespace::create("server")?,
            router: Namespace::create("router")?,
            client: Namespace::create("client")?,
            emulator: None,
        };
        // A machine that forwards makes namespaces that do.
        scene.router.set_sysctl("net.ipv4.ip_forward", "0")?;
        for (host, device, address) in [
            (&scene.server, "to-server", SERVER),
            (&scene.client, "to-client", CLIENT),
        ] {
            let [a, b, c, _] = address.octets();
            let gateway = Ipv4Addr::new(a, b, c, 254);
            let own = Ipv4Addr::new(a, b, c, 2);
            // Somebody there by whose number the device finds its namespace.
            let mut holder = host.run(|| Command::new("sleep").arg("60").spawn())??;
            let joined = scene.router.command_with_input(
                "ip",
                &["-batch", "-"],
                &format!(
                    "link set lo up\n\
                     link add {device} type veth peer name eth0 netns {}\n\
                     address add {own}/24 dev {device}\n\
                     link set {device} up\n",
                    holder.id()
                ),
            );
            holder.kill()?;
            holder.wait()?;
            joined?;
            host.command_with_input(
                "ip",
                &["-batch", "-"],
                &format!(
                    "link set lo up\naddress add {address}/24 dev eth0\nlink set eth0 up\nroute add default via {gateway}\n"
                ),
            )?;
        }
        Ok(scene)
    }

    /// The same with the emulator, once it serves.
    pub(crate) fn with(arguments: &[&str]) -> Result<Self, Failed> {
        let mut scene = Self::hosts()?;
        scene.start(arguments)?;
        Ok(scene)
    }

    /// Starts the emulator, and waits until it serves; what it said first.
    pub(crate) fn start(&mut self, arguments: &[&str]) -> Result<Value, Failed> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_windlull-engine"));
        command
            .args([
                "--profiles",
                concat!(env!("CARGO_MANIFEST_DIR"), "/../../profiles"),
                "emulate",
            ])
            .args([
                "--server-side-address",
                "198.18.1.254/24",
                "--client-side-address",
                "198.18.2.254/24",
            ])
            .args(["--listen", "0.0.0.0:7411"])
            .args(arguments)
            .stderr(Stdio::piped());
        let mut child = self.router.run(|| command.spawn())??;
        let said = child.stderr.take().ok_or("no standard error")?;
        let mut emulator = Emulator {
            child,
            said: BufReader::new(said),
        };
        let first = emulator.next_line()?;
        self.emulator = Some(emulator);
        let started: Value = serde_json::from_str(&first).map_err(|_| first.clone())?;
        assert_eq!(started["event"], "started", "{first}");
        Ok(started)
    }

    /// A request from the emulator's own host.
    pub(crate) fn ask(&self, method: &str, path: &str, body: &str) -> Result<Answer, Failed> {
        request(&self.router, HTTP, method, path, body)
    }

    /// The same, which must be answered so, in JSON.
    pub(crate) fn ask_for(&self, status: u16, method: &str, path: &str, body: &str) -> Result<Value, Failed> {
        let answer = self.ask(method, path, body)?;
        if answer.status != status {
            return Err(format!("{method} {path}: {answer:?}").into());
        }
        Ok(serde_json::from_str(&answer.body)?)
    }

    /// How the link is.
    pub(crate) fn link(&self) -> Result<Value, Failed> {
        self.ask_for(200, "GET", "/link", "")
    }

    /// How the link is once that is so.
    pub(crate) fn link_when(&self, is_so: impl Fn(&Value) -> bool) -> Result<Value, Failed> {
        let start = Instant::now();
        loop {
            let link = self.link()?;
            if is_so(&link) {
                return Ok(link);
            }
            if start.elapsed() > PATIENCE {
                return Err(format!("not in {PATIENCE:?}: {link:#}").into());
            }
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// A bound UDP socket of a host.
    pub(crate) fn udp(&self, at: Ipv4Addr) -> Result<UdpSocket, Failed> {
        let host = if at == SERVER { &self.server } else { &self.client };
        let socket = host.run(|| UdpSocket::bind((at, 7000)))??;
        socket.set_read_timeout(Some(PATIENCE))?;
        Ok(socket)
    }

    /// The client sends one echo request and waits for its answer; how long that took.
    pub(crate) fn ping(&self, to: Ipv4Addr) -> Result<Duration, Failed> {
        let echo = self.client.run(|| Echo::open(to))??;
        Ok(echo.once()?)
    }

    /// Tells the process to end with this signal; its exit code, if it had one, and what it said.
    pub(crate) fn end(&mut self, signal: Signal) -> Result<(Option<i32>, Vec<String>), Failed> {
        let mut emulator = self.emulator.take().ok_or("it has ended")?;
        kill(Pid::from_raw(i32::try_from(emulator.child.id())?), signal)?;
        let status = emulator.child.wait()?;
        let mut said = String::new();
        emulator.said.read_to_string(&mut said)?;
        Ok((status.code(), said.lines().map(str::to_owned).collect()))
    }

    /// What the emulator's process has used of the processors.
    pub(crate) fn processor_time(&self) -> Result<Duration, Failed> {
        let emulator = self.emulator.as_ref().ok_or("it has ended")?;
        let stat = fs::read_to_string(format!("/proc/{}/stat", emulator.child.id()))?;
        // The program's name, in brackets, may have spaces; the 14th and 15th fields are ticks for itself and in the kernel.
        let (_, fields) = stat.rsplit_once(')').ok_or("no name")?;
        let ticks = |place: usize| -> Result<u64, Failed> {
            Ok(fields
                .split_whitespace()
                .nth(place - 3)
                .ok_or("too few fields")?
                .parse()?)
        };
        let a_second = sysconf(SysconfVar::CLK_TCK)?.ok_or("no ticks")?;
        Ok(Duration::from_secs(ticks(14)? + ticks(15)?) / u32::try_from(a_second)?)
    }

    /// Packet sockets in the router, of whomever.
    pub(crate) fn packet_sockets(&self) -> Result<usize, Failed> {
        let table = self
            .router
            .run(|| fs::read_to_string("/proc/thread-self/net/packet"))??;
        Ok(table.lines().count() - 1)
    }
}

impl Emulator {
    fn next_line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        self.said.read_line(&mut line)?;
        Ok(line)
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// ICMP echo (RFC 792) on a raw socket.
struct Echo {
    socket: OwnedFd,
    to: SockaddrIn,
}

impl Echo {
    const NUMBER: [u8; 4] = [0x57, 0x4C, 0, 1];

    fn open(to: Ipv4Addr) -> io::Result<Self> {
        let socket = socket(
            AddressFamily::Inet,
            SockType::Raw,
            SockFlag::SOCK_CLOEXEC,
            SockProtocol::Icmp,
        )?;
        setsockopt(&socket, ReceiveTimeout, &TimeVal::seconds(PATIENCE.as_secs() as i64))?;
        Ok(Self {
            socket,
            to: SockaddrIn::from(SocketAddrV4::new(to, 0)),
        })
    }

    fn once(&self) -> io::Result<Duration> {
        let mut request = [8, 0, 0, 0, 0, 0, 0, 0];
        request[4..].copy_from_slice(&Self::NUMBER);
        let words = request
            .chunks(2)
            .map(|word| u32::from(u16::from_be_bytes([word[0], word[1]])));
        let sum: u32 = words.sum();
        let checksum = !((sum & 0xFFFF) + (sum >> 16)) as u16;
        request[2..4].copy_from_slice(&checksum.to_be_bytes());
        let start = Instant::now();
        sendto(self.socket.as_raw_fd(), &request, &self.to, MsgFlags::empty())?;
        let mut answer = [0; 100];
        loop {
            let len = recv(self.socket.as_raw_fd(), &mut answer, MsgFlags::empty())?;
            let is_reply = len >= 28 && answer[20] == 0 && answer[24..28] == Self::NUMBER;
            if is_reply {
                return Ok(start.elapsed());
            }
        }
    }
}
