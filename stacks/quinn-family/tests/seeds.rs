//! The same seed gives the same run.

use windlull_transport::{Answer, Role};

use crate::BBR;
use crate::lab::{Lab, Setup, Told, Verdict, downloaded};

/// A transfer with some losses and a slow link.
pub(crate) fn run(seed: u8, options: &[(&str, &str)]) -> Lab {
    let mut lab = Setup {
        seed,
        options,
        is_recorded: true,
        ..Setup::default()
    }
    .lab();
    lab.link.rate = Some(2_000_000);
    lab.link.verdict = Box::new(|passing| match passing.number % 97 == 41 {
        true => Verdict::Drop,
        false => Verdict::Pass,
    });
    downloaded(&mut lab, 2_000_000);
    lab
}

fn difference<'a>(one: &'a Lab, other: &'a Lab) -> Option<(&'a Told, &'a Told)> {
    one.told.iter().zip(&other.told).find(|(one, other)| one != other)
}

#[test]
fn twice_the_same_is_the_same_to_the_octet() {
    for congestion in ["cubic", "newreno", BBR] {
        let options = [("congestion", congestion)];
        let (one, other) = (run(3, &options), run(3, &options));
        assert!(one.lost(Role::Server).count() > 10);
        assert_eq!(one.told.len(), other.told.len());
        assert_eq!(difference(&one, &other), None, "{congestion}");
    }
}

#[test]
fn another_seed_gives_other_octets_and_other_numbers() {
    let (one, other) = (run(3, &[]), run(4, &[]));
    for role in Role::ALL {
        let (one, other) = (one.datagrams(role), other.datagrams(role));
        // RFC 9000, section 17.2: each connection ID behind its length.
        let ids = |octets: &[u8]| -> [Vec<u8>; 2] {
            let (destination, rest) = octets[6..].split_at(usize::from(octets[5]));
            [destination.to_vec(), rest[1..=usize::from(rest[0])].to_vec()]
        };
        let (one_ids, other_ids) = (ids(&one[0].1.octets), ids(&other[0].1.octets));
        assert!(
            one_ids
                .iter()
                .zip(&other_ids)
                .all(|(one, other)| one.len() == other.len() && one != other)
        );
        // In every datagram, not only in those that name connections.
        assert!(
            one.iter()
                .zip(&other)
                .all(|(one, other)| one.1.octets != other.1.octets),
            "{role:?}"
        );
        // The numbers that are skipped (RFC 9000, section 21.4).
        let skipped = |datagrams: &[(_, _, Vec<&windlull_transport::PacketSent>)]| -> Vec<u64> {
            datagrams
                .iter()
                .flat_map(|(_, _, packets)| packets.iter().map(|packet| packet.number))
                .collect()
        };
        assert_ne!(skipped(&one), skipped(&other));
    }
}

#[test]
fn the_secrets_are_of_the_seed() {
    let secrets = |lab: &Lab| -> Vec<String> {
        let lines = lab.told.iter().filter_map(|told| match &told.answer {
            Answer::Secret(line) => Some(line.clone()),
            _ => None,
        });
        lines.collect()
    };
    let (one, again, other) = (run(3, &[]), run(3, &[]), run(4, &[]));
    assert_eq!(secrets(&one), secrets(&again));
    assert!(secrets(&one).iter().all(|line| !secrets(&other).contains(line)));
}
