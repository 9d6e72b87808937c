//! The same seed gives the same run.

use windlull_transport::{Answer, Role};
use windlull_units::Time;

use crate::lab::{Lab, Setup, Verdict, downloaded};

/// A transfer with some losses and a slow link.
fn run(seed: u8, options: &[(&str, &str)]) -> Lab {
    let mut lab = Setup {
        seed,
        options,
        is_recorded: true,
        ..Setup::default()
    }
    .lab();
    lab.link.rate = Some(2_000_000);
    lab.link.verdict = Box::new(|passing| match passing.number % 37 == 11 {
        true => Verdict::Drop,
        false => Verdict::Pass,
    });
    downloaded(&mut lab, 1_000_000);
    lab
}

/// All that was told, and when, but for the octets of datagrams, of which only the number is left, and secrets.
fn story(lab: &Lab) -> Vec<(Time, Role, Result<&Answer, usize>)> {
    let told = lab.told.iter().filter_map(|told| {
        let answer = match &told.answer {
            Answer::Send(datagram) => Err(datagram.octets.len()),
            Answer::Secret(_) => return None,
            other => Ok(other),
        };
        Some((told.at, told.by, answer))
    });
    told.collect()
}

#[test]
fn twice_the_same_is_the_same_in_times_and_sizes() {
    for congestion in ["cubic", "reno", "bbr2"] {
        let options = [("congestion", congestion)];
        let (one, other) = (run(3, &options), run(3, &options));
        assert!(one.lost(Role::Server).count() > 10);
        let (one, other) = (story(&one), story(&other));
        assert_eq!(
            one.iter().zip(&other).find(|(one, other)| one != other),
            None,
            "{congestion}"
        );
        assert_eq!(one.len(), other.len());
    }
}

#[test]
fn without_ml_kem_it_is_the_same_to_the_octet() {
    let options = [("post-quantum", "off")];
    let (one, other) = (run(3, &options), run(3, &options));
    assert_eq!(one.told.iter().zip(&other.told).find(|(one, other)| one != other), None);
    assert_eq!(one.told.len(), other.told.len());
}

#[test]
fn another_seed_gives_other_octets_and_other_numbers() {
    let (one, other) = (run(3, &[]), run(4, &[]));
    for role in Role::ALL {
        let (one, other) = (one.datagrams(role), other.datagrams(role));
        assert!(
            one.iter()
                .zip(&other)
                .all(|(one, other)| one.1.octets != other.1.octets),
            "{role:?}"
        );
    }
    // The numbers that are skipped (RFC 9000, section 21.4).
    let numbers = |lab: &Lab| -> Vec<u64> { lab.sent(Role::Server).map(|(_, packet)| packet.number).collect() };
    assert_ne!(numbers(&one), numbers(&other));
}
