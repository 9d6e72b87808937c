//! What lies in the captures.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::process::Command;

use libtest_mimic::Failed;
use windlull_capture::{Crossing, read_pcap};
use windlull_wire::packet::{LinkType, decode};
use windlull_wire::{Flags, SeqNumber};

/// Wireshark's judgement: nothing malformed, no wrong checksum, nothing of other hosts, nothing longer than a wire carries.
pub(crate) fn must_be_clean(capture: &Path) -> Result<(), Failed> {
    let faults = "_ws.malformed || _ws.short || ip.checksum.status == 0 || ip.len > 1500 || \
                  !(ip.addr == 198.18.0.1 && ip.addr == 198.18.0.2)";
    must_have_none(capture, faults)
}

/// The same of what was captured over IPv6.
pub(crate) fn must_be_clean_over_ipv6(capture: &Path) -> Result<(), Failed> {
    let faults = "_ws.malformed || _ws.short || tcp.checksum.status == 0 || ipv6.plen > 1460 || \
                  !(ipv6.addr == 2001:2::1 && ipv6.addr == 2001:2::2)";
    must_have_none(capture, faults)
}

fn must_have_none(capture: &Path, faults: &str) -> Result<(), Failed> {
    let said = Command::new("tshark")
        .args(["-n", "-o", "ip.check_checksum:TRUE", "-Y", faults, "-r"])
        .arg(capture)
        .output()?;
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    assert_eq!(said, "", "{}", capture.display());
    Ok(())
}

/// The segments that the server sent: number, flags and octets of each.
pub(crate) fn sent_by_server(capture: &Path) -> Result<Vec<(SeqNumber, Flags, u32)>, Failed> {
    let mut reader = read_pcap(BufReader::new(File::open(capture)?))?;
    let mut sent = Vec::new();
    while let Some(captured) = reader.next_packet()? {
        if captured.way != Some(Crossing::Outbound) {
            continue;
        }
        let packet = decode(LinkType::Ethernet, captured.octets, captured.original_len as usize)
            .map_err(|error| format!("{error:?}"))?;
        sent.push((packet.segment.seq, packet.segment.flags, packet.segment.payload_len));
    }
    assert!(sent.len() > 30, "a transfer has more segments than {}", sent.len());
    Ok(sent)
}

/// When each packet went this way, seconds since 1970.
pub(crate) fn times_s(capture: &Path, way: Crossing) -> Result<Vec<f64>, Failed> {
    let mut reader = read_pcap(BufReader::new(File::open(capture)?))?;
    let mut times = Vec::new();
    while let Some(captured) = reader.next_packet()? {
        if captured.way == Some(way) {
            times.extend(captured.at_ns.map(|ns| ns as f64 / 1e9));
        }
    }
    Ok(times)
}
