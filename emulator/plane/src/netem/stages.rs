//! The stages of a direction as `ip` and `tc` commands.

use windlull_link::model::QueueLimit;
use windlull_units::{BitRate, Bytes, Direction, Seed, Span};

use super::delay::{Delay, whole_us};
use super::plan::{Order, PathPlan};
use super::rules;
use super::state::State;
use super::step::{Devices, Step};

/// What devices count of a packet beyond the IP packet: the Ethernet header.
const ETHERNET: i64 = 14;
/// netem counts the packets in flight as well as queued ones; more than any link here ever holds.
const IN_FLIGHT: u32 = 10_000_000;
/// An unlimited queue, in packets.
const UNLIMITED_QUEUE: u32 = 10_000_000;
/// A plug keeps no more octets; more than any link here ever holds.
const PLUGGED_OCTETS: u32 = 2_000_000_000;
/// A rate at which a packet of 1500 octets takes 120 ns, where a link without a limit needs one.
const UNLIMITED_RATE_BPS: u64 = 100_000_000_000;
/// With a rate, netem keeps packets in order; at this one, a packet of 1500 octets takes 12 ns.
const IN_ORDER: &str = " rate 1tbit";
/// The dummy address.
const NO_ADDRESS: &str = "192.0.0.8/32";
/// HTB's bucket, in time at the rate: how late its timer may be without losing rate. The second stage spaces out what
/// the bucket lets pass at once.
const BUCKET: Span = Span::from_us(300);
const FULL_PACKET: u64 = 1_500;

/// The devices of a direction.
pub(crate) struct Names {
    /// Where packets come in.
    pub(crate) arrives: String,
    /// Where they go out.
    pub(crate) out: String,
    /// The queue and the rate; one end of a pair.
    pub(crate) queue: String,
    /// The other end.
    pub(crate) wire: String,
    /// Takes the time that the bits take.
    pub(crate) bits: String,
}

impl Names {
    pub(crate) fn new(direction: Direction, devices: &Devices) -> Self {
        let (arrives, out) = match direction {
            Direction::Down => (&devices.to_server, &devices.to_client),
            Direction::Up => (&devices.to_client, &devices.to_server),
        };
        let way = direction.name();
        Self {
            arrives: arrives.clone(),
            out: out.clone(),
            queue: format!("{way}-queue"),
            wire: format!("{way}-wire"),
            bits: format!("{way}-bits"),
        }
    }

    /// The device from which packets enter the router's forwarding.
    pub(crate) fn last_before_forwarding(&self, path: &PathPlan) -> &str {
        if path.rated { &self.wire } else { &self.arrives }
    }
}

/// The commands that make the link as it is at the start.
pub(crate) fn set_up(paths: &[PathPlan; 2], states: &[State; 2], devices: &Devices, seed: Seed) -> Vec<Step> {
    let mut steps = Vec::new();
    for (path, state) in paths.iter().zip(states) {
        let names = Names::new(path.direction, devices);
        if path.rated {
            steps.extend(rate_stage(path, state, &names));
        }
        if path.travels {
            steps.push(travel("add", path, state, &names, seed_of(seed, path.direction, 0)));
        }
        if path.holds {
            let parent = plug_parent(path);
            steps.push(Step::tc(&format!(
                "qdisc add dev {} {parent} handle 30: plug limit {PLUGGED_OCTETS}",
                names.out
            )));
            steps.push(plug(path, state, &names));
        }
    }
    steps.extend(rules::no_tables());
    steps.push(rules::tables(paths, devices));
    let weather = paths.iter().zip(states);
    steps.extend(weather.filter_map(|(path, state)| rules::weather(path, None, state)));
    steps
}

/// The commands that remove it.
pub(crate) fn tear_down(paths: &[PathPlan; 2], devices: &Devices) -> Vec<Step> {
    let mut steps = rules::no_tables();
    for path in paths {
        let names = Names::new(path.direction, devices);
        if path.travels || path.holds {
            steps.push(Step::tc(&format!("qdisc del dev {} root", names.out)));
        }
        if path.rated {
            steps.push(Step::ip(&format!("link del dev {}", names.queue)));
            steps.push(Step::ip(&format!("link del dev {}", names.bits)));
        }
    }
    steps
}

/// The commands that lead from one state to another.
pub(crate) fn change(path: &PathPlan, before: &State, after: &State, devices: &Devices, seed: Seed) -> Vec<Step> {
    let names = Names::new(path.direction, devices);
    let mut steps = Vec::new();
    if before.rate != after.rate {
        steps.push(rate("change", path, after, &names));
        steps.push(bits("change", path, after, &names));
    }
    if path.rated && queue("change", before, before, &names) != queue("change", before, after, &names) {
        steps.push(queue("change", before, after, &names));
    }
    if (before.delay, before.kept_back) != (after.delay, after.kept_back) {
        steps.push(travel("change", path, after, &names, seed));
    }
    steps.extend(rules::weather(path, Some(before), after));
    if before.holding() != after.holding() {
        steps.push(plug(path, after, &names));
    }
    steps
}

/// The kernel's random numbers of a direction, anew at each change, which starts them again.
pub(crate) fn seed_of(seed: Seed, direction: Direction, change: usize) -> Seed {
    seed.child(&format!("{}/netem/{change}", direction.name()))
}

fn rate_stage(path: &PathPlan, state: &State, names: &Names) -> Vec<Step> {
    let Names {
        queue: head,
        wire,
        bits: taking,
        ..
    } = names;
    let mut steps = vec![
        Step::ip(&format!("link add dev {head} type veth peer name {wire}")),
        Step::ip(&format!("link add dev {taking} type ifb")),
    ];
    for device in [head, wire, taking] {
        steps.push(Step::Sysctl {
            name: format!("net.ipv6.conf.{device}.disable_ipv6"),
            value: "1",
        });
    }
    // Packets come in where no route leads back to their sender. Linux takes them if any route does (2), on a device that
    // has an address; this one stands for none (RFC 7600, section 4.8).
    steps.push(Step::ip(&format!("address add {NO_ADDRESS} dev {wire}")));
    for (setting, value) in [("rp_filter", "2"), ("forwarding", "1")] {
        steps.push(Step::Sysctl {
            name: format!("net.ipv4.conf.{wire}.{setting}"),
            value,
        });
    }
    // Ready before the packets come: what is up without its queue lets them pass.
    steps.push(Step::tc(&format!(
        "qdisc add dev {head} root handle 1: stab overhead {} htb default 1",
        -ETHERNET
    )));
    steps.push(rate("add", path, state, names));
    steps.push(queue("add", state, state, names));
    steps.push(bits("add", path, state, names));
    for device in [taking, wire, head] {
        steps.push(Step::ip(&format!("link set dev {device} up")));
    }
    steps
}

fn rate(verb: &str, path: &PathPlan, state: &State, names: &Names) -> Step {
    let (rate, bucket) = (bps(state.rate), bucket(state));
    let framing = path.framing.get();
    Step::tc(&format!(
        "class {verb} dev {} parent 1: classid 1:1 htb rate {rate}bit burst {bucket} cburst {bucket} quantum 1514 overhead {framing}",
        names.queue
    ))
}

/// Octets that HTB lets pass at once.
fn bucket(state: &State) -> u64 {
    (bps(state.rate) / 8)
        .saturating_mul(BUCKET.as_ns())
        .div_ceil(1_000_000_000)
        .max(1)
}

/// Octets that wait in the second stage because the bucket has let them pass, and belong to the queue all the same. Less
/// than half a full packet counts for nothing: a queue of a few packets must hold them to the last octet.
fn ahead(limit: Bytes, state: &State) -> u64 {
    match bucket(state) {
        little if little < FULL_PACKET / 2 => 0,
        much => much.min(limit.get() / 2),
    }
}

fn queue(verb: &str, before: &State, after: &State, names: &Names) -> Step {
    // The kind stays as it was: without a limit, either will do.
    let (kind, limit) = match (before.queue, after.queue) {
        (_, QueueLimit::Packets(limit)) => ("pfifo", limit.to_string()),
        (_, QueueLimit::Bytes(limit)) => ("bfifo", (limit.get() - ahead(limit, after)).to_string()),
        (QueueLimit::Bytes(_), QueueLimit::Unlimited) => ("bfifo", u32::MAX.to_string()),
        (_, QueueLimit::Unlimited) => ("pfifo", UNLIMITED_QUEUE.to_string()),
    };
    Step::tc(&format!(
        "qdisc {verb} dev {} parent 1:1 handle 10: {kind} limit {limit}",
        names.queue
    ))
}

fn bits(verb: &str, path: &PathPlan, state: &State, names: &Names) -> Step {
    let overhead = i64::try_from(path.framing.get()).unwrap_or(i64::MAX) - ETHERNET;
    Step::tc(&format!(
        "qdisc {verb} dev {} root handle 1: netem limit {IN_FLIGHT} rate {}bit {overhead}",
        names.bits,
        bps(state.rate)
    ))
}

fn travel(verb: &str, path: &PathPlan, state: &State, names: &Names, seed: Seed) -> Step {
    let kept_back = state.kept_back;
    let mut is_random = path.loss + path.duplicate + path.corrupt > 0.0 || path.states.is_some();
    let mut text = format!("qdisc {verb} dev {} root handle 20: netem limit {IN_FLIGHT}", names.out);
    text += &match (state.delay, &path.delay) {
        (Some(delay), _) => format!(" delay {}", time(delay + kept_back)),
        (None, Delay::Constant(delay)) => format!(" delay {}", time(*delay + kept_back)),
        (None, Delay::Uniform { centre, half }) => {
            is_random = true;
            format!(" delay {} {}", time(*centre + kept_back), time(*half))
        }
        (None, Delay::Tabled(table)) => {
            is_random = true;
            let (centre, deviation) = (time(table.centre + kept_back), time(table.deviation));
            format!(" delay {centre} {deviation} distribution {}", table.name)
        }
    };
    if let Some(states) = &path.states {
        // The last two are the losses in the bad and in the good state, whatever the manual calls them.
        let parameters = [states.to_bad, states.to_good, states.loss_bad, states.loss_good];
        text += &format!(" loss gemodel {}", parameters.map(percent).join(" "));
    } else if path.loss > 0.0 {
        text += &format!(" loss random {}", percent(path.loss));
    }
    if path.duplicate > 0.0 {
        text += &format!(" duplicate {}", percent(path.duplicate));
    }
    if path.corrupt > 0.0 {
        text += &format!(" corrupt {}", percent(path.corrupt));
    }
    if path.order == Order::Kept {
        text += IN_ORDER;
    }
    match Step::tc(&text) {
        Step::Tc { arguments, .. } if is_random => Step::Tc {
            arguments,
            seed: Some(seed),
        },
        step => step,
    }
}

fn plug(path: &PathPlan, state: &State, names: &Names) -> Step {
    let what = if state.holding() { "block" } else { "release_indefinite" };
    let parent = plug_parent(path);
    Step::tc(&format!(
        "qdisc change dev {} {parent} handle 30: plug {what}",
        names.out
    ))
}

const fn plug_parent(path: &PathPlan) -> &'static str {
    if path.travels { "parent 20:1" } else { "root" }
}

fn bps(rate: Option<BitRate>) -> u64 {
    rate.map_or(UNLIMITED_RATE_BPS, BitRate::as_bps)
}

/// As `tc` reads it: in whole microseconds, the finest that each of its versions takes.
fn time(span: Span) -> String {
    let us = whole_us(span);
    match us % 1_000 {
        0 => format!("{}ms", us / 1_000),
        _ => format!("{us}us"),
    }
}

fn percent(probability: f64) -> String {
    let digits = format!("{:.8}", probability * 100.0);
    format!("{}%", digits.trim_end_matches('0').trim_end_matches('.'))
}
