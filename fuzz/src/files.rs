//! Files that a person writes: made into valid types, or refused with a line and a reason.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use windlull_experiment::{Experiment, VariantProfile, Workload};
use windlull_link::{Link as Emulated, LinkObserver, Packet, TcpView};
use windlull_profile::{Disk, Files, Library, Link};
use windlull_stack::Stack;
use windlull_tcp::Endpoint;
use windlull_units::{Bytes, Direction, Ecn, Fate, LinkEvent, Seed, Time};
use windlull_wire::SeqNumber;

/// The shipped files, read once: a fuzzed file may build on them and name them.
static SHIPPED: LazyLock<BTreeMap<PathBuf, String>> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../profiles");
    let paths = Disk.list(&root).expect("the shipped profiles are there");
    let read = |path: PathBuf| {
        let name = Path::new("profiles").join(path.strip_prefix(&root).expect("it lies under the root"));
        (name, Disk.read(&path).expect("a shipped file is text"))
    };
    paths.into_iter().map(read).collect()
});

/// One more file beside the shipped ones.
struct Fuzzed {
    path: PathBuf,
    text: String,
}

impl Files for Fuzzed {
    fn read(&self, path: &Path) -> io::Result<String> {
        if path == self.path {
            Ok(self.text.clone())
        } else {
            SHIPPED.read(path)
        }
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        let mut paths = SHIPPED.list(folder)?;
        if self.path.starts_with(folder) {
            paths.push(self.path.clone());
        }
        Ok(paths)
    }
}

/// The shipped library with this text as its file `fuzzed`.
fn library(folder: &str, text: String) -> Library {
    let path = Path::new("profiles").join(folder).join("fuzzed.toml");
    Library::new("profiles", Fuzzed { path, text })
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

    fn flow(&self) -> u64 {
        0
    }

    fn ecn(&self) -> Ecn {
        Ecn::NotEct
    }

    fn mark(&mut self) {}
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

/// A variant: what is valid can be written down, means the same when it is read again, and ours makes an endpoint.
///
/// # Panics
/// If any of this fails.
pub fn variant_toml(octets: &[u8]) {
    let Ok(text) = std::str::from_utf8(octets) else { return };
    let Ok(profile) = VariantProfile::load(&library("variants", text.into()), "fuzzed") else {
        return;
    };
    let resolved = toml::to_string(&profile.resolved()).expect("a variant can be written");
    let again = VariantProfile::load(&library("variants", resolved), "fuzzed").expect("what we write, we read");
    assert_eq!(again.stack, profile.stack);
    let Stack::Windlull(variant) = &profile.stack else {
        return;
    };
    let mut endpoint = Endpoint::new(variant, SeqNumber(0));
    endpoint.connect(Time::ZERO);
    assert!(endpoint.poll_transmit(Time::ZERO, &mut ()).is_some(), "a SYN goes out");
}

/// A workload.
pub fn workload_toml(octets: &[u8]) {
    let Ok(text) = std::str::from_utf8(octets) else { return };
    let _ = Workload::load(&library("workloads", text.into()), "fuzzed");
}

/// An experiment, with a link, a variant and a workload that it may name.
///
/// # Panics
/// If a valid experiment plans no runs.
pub fn experiment_toml(octets: &[u8]) {
    let Ok(text) = std::str::from_utf8(octets) else { return };
    if let Ok(experiment) = Experiment::load(&library("experiments", text.into()), "fuzzed") {
        assert!(experiment.runs() > 0, "an experiment has runs");
    }
}
