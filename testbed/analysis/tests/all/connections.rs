//! The connections of a capture are listed, and each can be chosen.

use windlull_analysis::{AnalyzeError, CaptureAnalysis, Files, Selection, analyze, connections};

const SYN: u8 = 2;
const FIN: u8 = 1;
const ACK: u8 = 16;

/// A segment of a capture: at which millisecond, from and to which port, its flags, number and payload.
#[derive(Clone, Copy)]
struct Seg {
    ms: u32,
    from: u16,
    to: u16,
    flags: u8,
    seq: u32,
    payload: u16,
}

const fn seg(ms: u32, from: u16, to: u16, flags: u8, seq: u32, payload: u16) -> Seg {
    Seg {
        ms,
        from,
        to,
        flags,
        seq,
        payload,
    }
}

/// A pcap file of raw IPv4; the port tells the address: 10.0.0.PORT.
fn pcap(segments: &[Seg]) -> Vec<u8> {
    let mut file = Vec::new();
    for word in [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 65_535, 101] {
        file.extend(word.to_le_bytes());
    }
    for it in segments {
        let len = 40 + u32::from(it.payload);
        for word in [it.ms / 1_000, it.ms % 1_000 * 1_000, len, len] {
            file.extend(word.to_le_bytes());
        }
        file.extend([0x45, 0]);
        file.extend((len as u16).to_be_bytes());
        file.extend([0, 0, 0, 0, 64, 6, 0, 0, 10, 0, 0, it.from as u8, 10, 0, 0, it.to as u8]);
        file.extend(it.from.to_be_bytes());
        file.extend(it.to.to_be_bytes());
        file.extend(it.seq.to_be_bytes());
        file.extend([0, 0, 0, 0, 0x50, it.flags, 255, 255, 0, 0, 0, 0]);
        file.resize(file.len() + usize::from(it.payload), 7);
    }
    file
}

/// One that only opens, and two with data, which take turns; both of these between the ports 1 and 2.
fn busy() -> Vec<Seg> {
    vec![
        seg(500, 9, 2, SYN, 1, 0),
        seg(1_000, 1, 2, SYN, 100, 0),
        seg(1_100, 1, 2, ACK, 101, 300),
        seg(1_150, 2, 1, ACK, 7, 40),
        seg(1_200, 1, 2, ACK | FIN, 401, 0),
        seg(1_500, 3, 2, SYN, 1_000, 0),
        seg(1_600, 3, 2, ACK, 1_001, 900),
        seg(2_000, 1, 2, SYN, 5_000, 0),
        seg(2_100, 1, 2, ACK, 5_001, 50),
        seg(4_000, 3, 2, ACK | FIN, 1_901, 0),
    ]
}

fn listed(file: &[u8], second: Option<&[u8]>) -> serde_json::Value {
    let (mut first, mut second) = (file, second);
    let files = Files {
        first: &mut first,
        second: second.as_mut().map(|file| file as &mut dyn std::io::Read),
        fates: None,
        events: None,
    };
    serde_json::to_value(connections(files).expect("captures")).expect("JSON")
}

fn chosen(file: &[u8], second: Option<&[u8]>, number: u64) -> Result<CaptureAnalysis, AnalyzeError> {
    let (mut first, mut second) = (file, second);
    let files = Files {
        first: &mut first,
        second: second.as_mut().map(|file| file as &mut dyn std::io::Read),
        fates: None,
        events: None,
    };
    analyze(files, Selection::Number(number))
}

#[test]
fn those_with_data_are_listed_in_the_order_in_which_they_begin() {
    let list = listed(&pcap(&busy()), None);
    assert_eq!(list["total"], 3);
    assert_eq!(
        list["connections"][0],
        serde_json::json!({
            "number": 1, "data_sender": "10.0.0.1:1", "data_receiver": "10.0.0.2:2", "packets": 4, "sent_bytes": 300,
            "received_bytes": 40, "began_ns": 500_000_000, "duration_ns": 200_000_000, "in_second": null,
        })
    );
    let of = |key: &str| -> Vec<_> { (0..3).map(|place| list["connections"][place][key].clone()).collect() };
    assert_eq!(of("data_sender"), ["10.0.0.1:1", "10.0.0.3:3", "10.0.0.1:1"]);
    assert_eq!(of("sent_bytes"), [300, 900, 50]);
    assert_eq!(of("duration_ns"), [200_000_000_u64, 2_500_000_000, 100_000_000]);
}

#[test]
fn a_capture_without_connections_has_an_empty_list() {
    let list = listed(&pcap(&[seg(0, 9, 2, SYN, 1, 0)]), None);
    assert_eq!(
        list,
        serde_json::json!({ "protocol": "tcp", "total": 0, "connections": [] })
    );
}

#[test]
fn each_is_chosen_by_its_number() {
    let file = pcap(&busy());
    for (number, sender, payload) in [(1, "10.0.0.1:1", 340), (2, "10.0.0.3:3", 900), (3, "10.0.0.1:1", 50)] {
        let analysis = chosen(&file, None, number).expect("it is there");
        assert_eq!(analysis.connection.data_sender.to_string(), sender, "{number}");
        assert_eq!(analysis.connection.payload_bytes, payload, "{number}");
    }
    for wrong in [0, 4, u64::MAX] {
        let message = chosen(&file, None, wrong).expect_err("it is not there").to_string();
        assert_eq!(
            message,
            format!("first capture: no connection {wrong}; it has 3 with data, numbered from 1")
        );
    }
}

#[test]
fn the_other_ends_connection_is_known_by_its_opening_where_ports_are_used_again() {
    // The other end's capture began after the first of the two between the same ports.
    let later: Vec<Seg> = busy().into_iter().filter(|it| it.ms >= 1_500).collect();
    let (file, second) = (pcap(&busy()), pcap(&later));
    let list = listed(&file, Some(&second));
    let there: Vec<_> = (0..3)
        .map(|place| list["connections"][place]["in_second"].clone())
        .collect();
    assert_eq!(there, [false, true, true]);
    assert_eq!(
        chosen(&file, Some(&second), 3)
            .expect("it is in both")
            .connection
            .payload_bytes,
        50
    );
    // The other end has more of a later connection: the one that was opened the same way is taken all the same.
    let mut more = busy();
    more.push(seg(2_200, 1, 2, ACK, 5_051, 1_000));
    let analysis = chosen(&file, Some(&pcap(&more)), 1).expect("it is in both").analysis;
    let json = serde_json::to_value(&analysis).expect("JSON");
    assert_eq!(json["metrics"]["packets_lost"], 0.0, "{json:#}");
}
