//! Captures of the machine's own kernel. Needs user namespaces, or root.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;

use libtest_mimic::{Arguments, Failed, Trial};
use nix::sys::socket;
use windlull_capture::{Crossing, Snaplen};
use windlull_live::capture::{RawPacket, Spool, Tap};
use windlull_netns::{Lab, LabSpec, Node, RouterKind, address, enter};
use windlull_plane::Epoch;
use windlull_units::{Host, Network};
use windlull_wire::packet::{Checksum, LinkType, decode};

fn main() {
    let arguments = Arguments::from_args();
    // Before libtest_mimic starts its threads. If there is none to be had, every lab says why.
    drop(enter());
    let trials = vec![
        Trial::test("both_ends_see_all_that_passes", both_ends_see_all_that_passes),
        Trial::test("headers_are_kept_whole_and_payload_is_not", headers_are_kept_whole),
        Trial::test("a_device_that_is_not_there_is_an_error", no_device),
    ];
    libtest_mimic::run(&arguments, trials).exit();
}

/// Two megabytes from server to client through a router that forwards, captured at both.
fn transfer(directory: &Path, snaplen: Snaplen) -> Result<[Spool; 2], Failed> {
    const OCTETS: usize = 2_000_000;
    let lab = Lab::build(&LabSpec {
        kernel_answers: [true, true],
        network: Network::Ipv4,
        router: RouterKind::Forwarding,
    })?;
    let (server, client) = (lab.namespace(Node::Server), lab.namespace(Node::Client));
    let epoch = Epoch::begin();
    let taps = [
        Tap::start(server, "server0", epoch, snaplen, &directory.join("server"))?,
        Tap::start(client, "client0", epoch, snaplen, &directory.join("client"))?,
    ];
    let listener = server.run(|| TcpListener::bind((address(Host::Server), 7)))??;
    let sender = std::thread::spawn(move || listener.accept()?.0.write_all(&[7; OCTETS]));
    let mut stream = client.run(|| TcpStream::connect((address(Host::Server), 7)))??;
    let mut octets = Vec::new();
    stream.read_to_end(&mut octets)?;
    assert_eq!(octets.len(), OCTETS);
    sender.join().expect("the sender does not panic")?;
    // Closing waits until the server has acknowledged the client's FIN, so that both taps have seen every packet.
    socket::setsockopt(
        &stream,
        socket::sockopt::Linger,
        &libc::linger {
            l_onoff: 1,
            l_linger: 30,
        },
    )?;
    drop(stream);
    let [server, client] = taps.map(Tap::stop);
    Ok([server?, client?])
}

fn read(spool: &Spool) -> Result<Vec<RawPacket>, Failed> {
    let packets: Vec<RawPacket> = spool.packets()?.collect::<Result<_, _>>()?;
    assert_eq!(packets.len() as u64, spool.counts.packets);
    assert!(packets.is_sorted_by_key(|packet| packet.at));
    Ok(packets)
}

fn both_ends_see_all_that_passes() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let spools = transfer(directory.path(), Snaplen::Full)?;
    for spool in &spools {
        assert_eq!(spool.counts.drops, 0);
        assert_eq!(spool.counts.super_packets, 0);
        assert_eq!((spool.counts.bad_checksums_out, spool.counts.bad_checksums_in), (0, 0));
        assert_eq!(spool.counts.foreign, 0);
    }
    let [at_server, at_client] = [read(&spools[0])?, read(&spools[1])?];
    // The whole packet but what a router changes: Ethernet addresses, time to live, header checksum. Sorted, since a
    // router on two processors may let one packet overtake another.
    let of = |packets: &[RawPacket], way| -> Vec<Vec<u8>> {
        let mut octets: Vec<_> = packets
            .iter()
            .filter(|packet| packet.way == way)
            .map(|packet| [&packet.octets[14..22], &packet.octets[26..]].concat())
            .collect();
        octets.sort();
        octets
    };
    assert_eq!(of(&at_server, Crossing::Outbound), of(&at_client, Crossing::Inbound));
    assert_eq!(of(&at_client, Crossing::Outbound), of(&at_server, Crossing::Inbound));
    let mut payload = 0;
    for packet in at_client.iter().filter(|packet| packet.way == Crossing::Inbound) {
        let decoded = decode(LinkType::Ethernet, &packet.octets, packet.len as usize)?;
        assert_eq!(decoded.checksum, Checksum::Right);
        payload += decoded.segment.payload_len;
    }
    assert!(payload >= 2_000_000);
    Ok(())
}

fn headers_are_kept_whole() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let [spool, _] = transfer(directory.path(), Snaplen::Headers)?;
    for packet in read(&spool)? {
        let decoded = decode(LinkType::Ethernet, &packet.octets, packet.len as usize)?;
        assert_eq!(decoded.payload.start, packet.octets.len(), "no payload is kept");
        assert_eq!(
            packet.len as usize,
            packet.octets.len() + decoded.segment.payload_len as usize
        );
    }
    Ok(())
}

fn no_device() -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let lab = Lab::build(&LabSpec {
        kernel_answers: [false, false],
        network: Network::Ipv4,
        router: RouterKind::Userspace,
    })?;
    let spool = directory.path().join("spool");
    Tap::start(
        lab.namespace(Node::Router),
        "server0",
        Epoch::begin(),
        Snaplen::Full,
        &spool,
    )
    .expect_err("it is in another namespace");
    Ok(())
}
