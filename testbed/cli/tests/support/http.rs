//! The emulator's control, asked over HTTP from a network namespace.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, TcpStream};
use std::time::Duration;

use libtest_mimic::Failed;
use windlull_netns::Namespace;

/// Where it listens in its own namespace.
pub(crate) const HTTP: SocketAddrV4 = SocketAddrV4::new(Ipv4Addr::LOCALHOST, 7411);

/// Longer than anything here takes, on the slowest machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// An answer over HTTP.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: String,
}

/// A request from a namespace.
pub(crate) fn request(
    from: &Namespace,
    to: SocketAddrV4,
    method: &str,
    path: &str,
    body: &str,
) -> Result<Answer, Failed> {
    let mut stream = from.run(|| TcpStream::connect_timeout(&SocketAddr::V4(to), PATIENCE))??;
    stream.set_read_timeout(Some(PATIENCE))?;
    let len = body.len();
    let head = format!("{method} {path} HTTP/1.1\r\nHost: {to}\r\nConnection: close\r\nContent-Length: {len}\r\n\r\n");
    stream.write_all(head.as_bytes())?;
    // Who refuses a body by its length does not read it.
    let _ = stream.write_all(body.as_bytes());
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let answer = String::from_utf8(answer)?;
    let (head, body) = answer
        .split_once("\r\n\r\n")
        .ok_or_else(|| format!("no answer: {answer:?}"))?;
    let status = head.split(' ').nth(1).ok_or("no status")?.parse()?;
    Ok(Answer {
        status,
        body: body.to_owned(),
    })
}
