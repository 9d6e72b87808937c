//! The kernel asked for one connection of a namespace, over its socket monitoring interface (sock_diag(7)).

use std::io::{self, IoSlice, IoSliceMut};
use std::net::{IpAddr, SocketAddr};
use std::os::fd::{AsRawFd, OwnedFd};

use nix::sys::socket::{
    AddressFamily, MsgFlags, NetlinkAddr, SockFlag, SockProtocol, SockType, recvmsg, sendmsg, socket,
};

use super::tcp_info::TcpInfo;

/// `SOCK_DIAG_BY_FAMILY`, `NLMSG_ERROR`, `NLM_F_REQUEST`: linux/sock_diag.h, linux/netlink.h.
const BY_FAMILY: u16 = 20;
const ERROR: u16 = 2;
const REQUEST: u16 = 1;
/// `INET_DIAG_INFO` of linux/inet_diag.h.
const INFO: u16 = 2;
/// Octets of `struct nlmsghdr`, `struct inet_diag_req_v2` and `struct inet_diag_msg`.
const HEADER: usize = 16;
const QUESTION: usize = 56;
const ANSWER: usize = 72;
const IPPROTO_TCP: u8 = 6;

/// A question about one connection that can be asked again and again.
#[derive(Debug)]
pub(super) struct Diag {
    socket: OwnedFd,
    question: [u8; HEADER + QUESTION],
    answer: Vec<u8>,
}

impl Diag {
    /// In the calling thread's namespace, for the connection between these two.
    pub(super) fn open(local: SocketAddr, remote: SocketAddr) -> io::Result<Self> {
        Ok(Self {
            socket: socket(
                AddressFamily::Netlink,
                SockType::Raw,
                SockFlag::SOCK_CLOEXEC,
                SockProtocol::NetlinkSockDiag,
            )?,
            question: question(local, remote),
            answer: vec![0; 1 << 13],
        })
    }

    /// What the kernel says now; `None` if there is no such connection, or it is only waiting to be forgotten.
    pub(super) fn ask(&mut self) -> io::Result<Option<TcpInfo>> {
        let kernel = NetlinkAddr::new(0, 0);
        sendmsg(
            self.socket.as_raw_fd(),
            &[IoSlice::new(&self.question)],
            &[],
            MsgFlags::empty(),
            Some(&kernel),
        )?;
        let mut buffers = [IoSliceMut::new(&mut self.answer)];
        let len = recvmsg::<NetlinkAddr>(self.socket.as_raw_fd(), &mut buffers, None, MsgFlags::empty())?.bytes;
        read_answer(&self.answer[..len])
    }
}

fn question(local: SocketAddr, remote: SocketAddr) -> [u8; HEADER + QUESTION] {
    let mut message = [0; HEADER + QUESTION];
    let mut put = |at: usize, octets: &[u8]| message[at..at + octets.len()].copy_from_slice(octets);
    let len = u32::try_from(HEADER + QUESTION).unwrap_or(0);
    put(0, &len.to_ne_bytes());
    put(4, &BY_FAMILY.to_ne_bytes());
    put(6, &REQUEST.to_ne_bytes());
    let family = match local.ip() {
        IpAddr::V4(_) => libc::AF_INET as u8,
        IpAddr::V6(_) => libc::AF_INET6 as u8,
    };
    put(HEADER, &[family, IPPROTO_TCP, 1 << (INFO - 1), 0]);
    put(HEADER + 4, &u32::MAX.to_ne_bytes());
    put(HEADER + 8, &local.port().to_be_bytes());
    put(HEADER + 10, &remote.port().to_be_bytes());
    // `struct inet_diag_sockid` has sixteen octets for each, of which an address of IPv4 takes the first four.
    for (at, address) in [(HEADER + 12, local.ip()), (HEADER + 28, remote.ip())] {
        match address {
            IpAddr::V4(address) => put(at, &address.octets()),
            IpAddr::V6(address) => put(at, &address.octets()),
        }
    }
    // `INET_DIAG_NOCOOKIE`: whichever socket it is.
    put(HEADER + 48, &[0xFF; 8]);
    message
}

fn read_answer(message: &[u8]) -> io::Result<Option<TcpInfo>> {
    let bad = || io::Error::new(io::ErrorKind::InvalidData, "an answer of sock_diag that is none");
    let half = |at: usize| Some(u16::from_ne_bytes(message.get(at..at + 2)?.try_into().ok()?));
    match half(4).ok_or_else(bad)? {
        ERROR => {
            let code = message.get(HEADER..HEADER + 4).and_then(|code| code.try_into().ok());
            match i32::from_ne_bytes(code.ok_or_else(bad)?).saturating_neg() {
                libc::ENOENT => Ok(None),
                code => Err(io::Error::from_raw_os_error(code)),
            }
        }
        BY_FAMILY => {
            let mut attributes = message.get(HEADER + ANSWER..).ok_or_else(bad)?;
            while let [a, b, c, d, rest @ ..] = attributes {
                let len = usize::from(u16::from_ne_bytes([*a, *b])).saturating_sub(4);
                let value = rest.get(..len).ok_or_else(bad)?;
                if u16::from_ne_bytes([*c, *d]) == INFO {
                    return Ok(TcpInfo::read(value));
                }
                attributes = rest.get(len.next_multiple_of(4)..).unwrap_or(&[]);
            }
            Ok(None)
        }
        _ => Err(bad()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_about_both_ends_of_a_connection() {
        let asked = |local: &str, remote: &str| {
            let address = |text: &str| text.parse().expect("an address");
            question(address(local), address(remote))
        };
        let four = asked("198.18.0.1:49152", "198.18.0.2:49153");
        assert_eq!(four[HEADER], 2);
        assert_eq!(four[HEADER + 8..HEADER + 12], [0xC0, 0, 0xC0, 1]);
        assert_eq!(four[HEADER + 12..HEADER + 17], [198, 18, 0, 1, 0]);
        assert_eq!(four[HEADER + 28..HEADER + 33], [198, 18, 0, 2, 0]);
        let six = asked("[2001:2::1]:49152", "[2001:2::2]:49153");
        assert_eq!(six[HEADER], 10);
        assert_eq!(six[HEADER + 8..HEADER + 12], four[HEADER + 8..HEADER + 12]);
        let address = |last| [0x20, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last];
        assert_eq!(six[HEADER + 12..HEADER + 28], address(1));
        assert_eq!(six[HEADER + 28..HEADER + 44], address(2));
        assert_eq!(six[HEADER + 48..], [0xFF; 8], "whichever socket it is");
    }

    #[test]
    fn damaged_answers_are_errors() {
        assert!(read_answer(&[]).is_err());
        let mut message = vec![0; HEADER + ANSWER];
        message[4..6].copy_from_slice(&BY_FAMILY.to_ne_bytes());
        assert!(read_answer(&message).is_ok_and(|info| info.is_none()));
        message.extend([200, 0, 2, 0, 1]);
        assert!(read_answer(&message).is_err(), "an attribute longer than the message");
        let mut error = vec![0; HEADER + 4];
        error[4..6].copy_from_slice(&ERROR.to_ne_bytes());
        error[HEADER..].copy_from_slice(&(-libc::EPERM).to_ne_bytes());
        assert!(read_answer(&error).is_err());
        error[HEADER..].copy_from_slice(&(-libc::ENOENT).to_ne_bytes());
        assert!(read_answer(&error).is_ok_and(|info| info.is_none()));
    }
}
