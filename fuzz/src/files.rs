//! Files that a person writes: made into valid types, or refused with a line and a reason.

use std::collections::BTreeMap;
use std::path::PathBuf;

use windlull_link::{Link as Emulated, LinkObserver, Packet, TcpView};
use windlull_profile::{Library, Link};
use windlull_units::{Bytes, Direction, Fate, LinkEvent, Seed, Time};

const BASE: &str = r#"
title = "What others may extend"
[both]
rate = "28.8 kbit/s"
delay = "200 ms"
queue = { kind = "droptail", limit = "7 packets" }
[[impairment]]
name = "loss"
kind = "loss"
on = "down"
probability = 0.02
"#;

/// A library in memory with this file in it, beside one to build on.
fn library(folder: &str, text: String) -> Library {
    let files = [
        (format!("profiles/{folder}/fuzzed.toml"), text),
        ("profiles/links/base.toml".into(), BASE.into()),
    ];
    Library::new(
        "profiles",
        BTreeMap::from(files.map(|(path, text)| (PathBuf::from(path), text))),
    )
}

/// A link profile: what is valid can be written down, means the same when it is read again, and can be emulated.
///
/// # Panics
/// If any of this fails.
pub fn link_toml(octets: &[u8]) {
    let Ok(text) = std::str::from_utf8(octets) else { return };
    let link = match Link::load(&library("links", text.into()), "fuzzed") {
        Ok(link) => link,
        Err(problems) => {
            assert!(!problems.to_string().is_empty(), "a refusal has a reason");
            return;
        }
    };
    let _ = link.summary();
    let resolved = toml::to_string(&link.resolved()).expect("a link can be written");
    let again = Link::load(&library("links", resolved), "fuzzed").expect("what we write, we read");
    assert_eq!(again.model, link.model);
    emulate(&link);
}

#[derive(Clone)]
struct Datagram(u64);

impl Packet for Datagram {
    fn size(&self) -> Bytes {
        Bytes::new(self.0)
    }

    fn tcp(&self) -> Option<TcpView> {
        None
    }
}

#[derive(Default)]
struct Fates(u64);

impl LinkObserver for Fates {
    fn fate(&mut self, _: &Fate) {
        self.0 += 1;
    }

    fn link(&mut self, _: Time, _: &LinkEvent) {}
}

/// Sends a few packets both ways and lets the link act a few hundred times.
fn emulate(profile: &Link) {
    let mut link = Emulated::new(&profile.model, Seed::new(1));
    let mut fates = Fates::default();
    let mut now = Time::ZERO;
    for step in 0..300 {
        link.advance(now, &mut fates);
        while let Some(delivery) = link.pop_delivery() {
            assert_eq!(delivery.at, now, "deliveries are taken when they happen");
        }
        if step < 20 {
            link.send(now, Direction::Down, Datagram(296), &mut fates);
            link.send(now, Direction::Up, Datagram(40), &mut fates);
        }
        match link.poll_at() {
            Some(at) if at < Time::NEVER => {
                assert!(at >= now, "the link does not wish back");
                now = at;
            }
            _ => break,
        }
    }
}
