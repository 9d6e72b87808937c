//! The stages of a direction as `ip` and `tc` commands.

use windlull_link::model::QueueLimit;
use windlull_units::{BitRate, Bytes, Direction, Network, Seed, Span};

use super::delay::{Delay, whole_us};
use super::layout::{Carriage, Layout, Names};
use super::managed;
use super::path::{Order, PathPlan};
use super::rules;
use super::state::State;
use super::step::Step;

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
/// The largest packet of any network: `veth` takes no more.
const LARGEST_MTU: u32 = 65_535;
/// The dummy address.
const NO_ADDRESS: &str = "192.0.0.8/32";
/// HTB's bucket, in time at the rate: how late its timer may be without losing rate. The second stage spaces out what
/// the bucket lets pass at once.
const BUCKET: Span = Span::from_us(300);
const FULL_PACKET: u64 = 1_500;

/// The commands that make the link as it is at the start.
pub(crate) fn set_up(paths: &[PathPlan; 2], states: &[State; 2], layout: Layout<'_>, seed: Seed) -> Vec<Step> {
    let mut steps = Vec::new();
    for (path, state) in paths.iter().zip(states) {
        let names = Names::new(path.direction, layout);
        if layout.gateway.is_some() {
            steps.extend(pair(&names.whole, &names.cut));
            // What is larger than a packet is cut on its way out of a device that takes none of it.
            steps.push(Step::ip(&format!("link set dev {} gso_max_segs 1", names.whole)));
            steps.extend([&names.cut, &names.whole].map(|device| Step::ip(&format!("link set dev {device} up"))));
        }
        if path.rated {
            steps.extend(rate_stage(path, state, &names, layout));
        }
        if is_pair(path, layout) {
            steps.extend(pair(&names.travel, &names.arrived));
        }
        if path.travels {
            steps.push(travel("add", path, state, &names, seed_of(seed, path.direction, 0)));
        }
        if path.holds {
            let parent = plug_parent(path);
            steps.push(Step::tc(&format!(
                "qdisc add dev {} {parent} handle 30: plug limit {PLUGGED_OCTETS}",
                names.travel
            )));
            steps.push(plug(path, state, &names));
        }
        if is_pair(path, layout) {
            // What is up without its stage lets packets pass; who sends comes up last.
            steps.extend([&names.arrived, &names.travel].map(|device| Step::ip(&format!("link set dev {device} up"))));
        }
    }
    steps.extend(rules::no_tables(layout));
    steps.push(rules::tables(paths, layout));
    let link_state = paths.iter().zip(states);
    steps.extend(link_state.filter_map(|(path, state)| rules::link_state(path, None, state, layout)));
    steps
}

/// The commands that remove it.
pub(crate) fn tear_down(paths: &[PathPlan; 2], layout: Layout<'_>) -> Vec<Step> {
    let mut steps = rules::no_tables(layout);
    for path in paths {
        let names = Names::new(path.direction, layout);
        if layout.gateway.is_some() {
            steps.push(Step::ip(&format!("link del dev {}", names.whole)));
        }
        if is_pair(path, layout) {
            steps.push(Step::ip(&format!("link del dev {}", names.travel)));
        } else if path.travels || path.holds {
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
pub(crate) fn change(path: &PathPlan, before: &State, after: &State, layout: Layout<'_>, seed: Seed) -> Vec<Step> {
    let names = Names::new(path.direction, layout);
    let mut steps = Vec::new();
    if before.rate != after.rate {
        steps.push(rate("change", path, after, &names));
        steps.push(bits("change", path, after, &names));
    }
    let lines = [before, after].map(|state| queue("change", path, before, state, &names));
    if path.rated && lines[0] != lines[1] {
        let [_, line] = lines;
        steps.push(line);
    }
    if before.stopped != after.stopped {
        steps.push(stop(after, &names));
    }
    if (before.delay, before.kept_back) != (after.delay, after.kept_back) {
        steps.push(travel("change", path, after, &names, seed));
    }
    steps.extend(rules::link_state(path, Some(before), after, layout));
    if before.holding() != after.holding() {
        steps.push(plug(path, after, &names));
    }
    steps
}

/// The kernel's random numbers of a direction, anew at each change, which starts them again.
pub(crate) fn seed_of(seed: Seed, direction: Direction, change: usize) -> Seed {
    seed.child(&format!("{}/netem/{change}", direction.name()))
}

/// Whether the delay and the holds have a pair of devices of their own.
fn is_pair(path: &PathPlan, layout: Layout<'_>) -> bool {
    layout.carriage == Carriage::Wire && (path.travels || path.holds)
}

/// A pair of devices that says nothing of its own accord. It carries what either network may send.
fn pair(sends: &str, receives: &str) -> Vec<Step> {
    let mut steps = vec![Step::ip(&format!(
        "link add {sends} mtu {LARGEST_MTU} type veth peer name {receives} mtu {LARGEST_MTU}"
    ))];
    steps.extend([sends, receives].map(|device| Step::NoIpv6 {
        device: device.to_owned(),
    }));
    steps
}

/// Two pairs in a row: the queue, then the time of the bits.
fn rate_stage_of_a_wire(path: &PathPlan, state: &State, names: &Names) -> Vec<Step> {
    let mut steps = pair(&names.queue, &names.wire);
    if path.managed.is_some() {
        // Disciplines take the device's MTU for a full packet: CoDel leaves so much alone, and CAKE aims at no less than its
        // time. No packet on a wire is held to the MTU of the device that sends it.
        steps.push(Step::ip(&format!("link set dev {} mtu {FULL_PACKET}", names.queue)));
    }
    steps.extend(pair(&names.bits, &names.sent));
    steps.extend(rate_disciplines(path, state, names));
    for device in [&names.sent, &names.bits, &names.wire, &names.queue] {
        steps.push(Step::ip(&format!("link set dev {device} up")));
    }
    steps
}

/// Ready before the packets come: what is up without its queue lets them pass.
fn rate_disciplines(path: &PathPlan, state: &State, names: &Names) -> Vec<Step> {
    let mut steps = Vec::new();
    if !path.is_shaped_by_its_queue() {
        steps.push(Step::tc(&format!(
            "qdisc add dev {} root handle 1: stab overhead {} htb default 1",
            names.queue, -ETHERNET
        )));
        steps.push(rate("add", path, state, names));
    }
    steps.push(queue("add", path, state, state, names));
    steps.push(bits("add", path, state, names));
    if path.stops {
        steps.push(stop(state, names));
    }
    steps
}

fn rate_stage(path: &PathPlan, state: &State, names: &Names, layout: Layout<'_>) -> Vec<Step> {
    if layout.carriage == Carriage::Wire {
        return rate_stage_of_a_wire(path, state, names);
    }
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
    let without_ipv6 = |device: &String| Step::Sysctl {
        name: format!("net.ipv6.conf.{device}.disable_ipv6"),
        value: "1",
    };
    match layout.network {
        Network::Ipv4 => {
            steps.extend([head, wire, taking].map(without_ipv6));
            // Packets come in where no route leads back to their sender. Linux takes them if any route does (2), on a device
            // that has an address; this one stands for none (RFC 7600, section 4.8).
            steps.push(Step::ip(&format!("address add {NO_ADDRESS} dev {wire}")));
            for (setting, value) in [("rp_filter", "2"), ("forwarding", "1")] {
                steps.push(Step::Sysctl {
                    name: format!("net.ipv4.conf.{wire}.{setting}"),
                    value,
                });
            }
        }
        Network::Ipv6 => {
            steps.extend([head, taking].map(without_ipv6));
            // Packets come in on a device without an address, which IPv6 does not mind. It forwards by the setting of all
            // devices, which is the router's.
            steps.push(Step::Sysctl {
                name: format!("net.ipv6.conf.{wire}.disable_ipv6"),
                value: "0",
            });
            steps.push(Step::NoIpv6 { device: wire.clone() });
        }
    }
    steps.extend(rate_disciplines(path, state, names));
    for device in [taking, wire, head] {
        steps.push(Step::ip(&format!("link set dev {device} up")));
    }
    steps
}

fn rate(verb: &str, path: &PathPlan, state: &State, names: &Names) -> Step {
    let (rate, bucket) = (bps(state.rate), bucket(state));
    if path.is_shaped_by_its_queue() {
        // The rest stays as it is.
        let place = place_of_queue(path);
        return Step::tc(&format!(
            "qdisc {verb} dev {} {place} cake bandwidth {rate}bit",
            names.queue
        ));
    }
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

fn queue(verb: &str, path: &PathPlan, before: &State, after: &State, names: &Names) -> Step {
    let discipline = match path.managed {
        _ if path.stops => managed::stoppable(before.queue, after.queue),
        Some(queue) if verb == "change" => managed::resized(&queue, after.queue),
        Some(queue) => managed::discipline(&queue, after.rate, path.framing),
        None => {
            // The kind stays as it was: without a limit, either will do.
            let (kind, limit) = match (before.queue, after.queue) {
                (_, QueueLimit::Packets(limit)) => ("pfifo", limit.to_string()),
                (_, QueueLimit::Bytes(limit)) => ("bfifo", (limit.get() - ahead(limit, after)).to_string()),
                (QueueLimit::Bytes(_), QueueLimit::Unlimited) => ("bfifo", u32::MAX.to_string()),
                (_, QueueLimit::Unlimited) => ("pfifo", UNLIMITED_QUEUE.to_string()),
            };
            format!("{kind} limit {limit}")
        }
    };
    let place = place_of_queue(path);
    Step::tc(&format!("qdisc {verb} dev {} {place} {discipline}", names.queue))
}

fn place_of_queue(path: &PathPlan) -> &'static str {
    if path.is_shaped_by_its_queue() {
        "root handle 10:"
    } else {
        "parent 1:1 handle 10:"
    }
}

/// Whether the queue lets packets go.
fn stop(state: &State, names: &Names) -> Step {
    let what = if state.stopped { "block" } else { "release_indefinite" };
    Step::tc(&format!(
        "qdisc change dev {} parent 1:1 handle 10: plug {what}",
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
    let mut text = format!(
        "qdisc {verb} dev {} root handle 20: netem limit {IN_FLIGHT}",
        names.travel
    );
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
        names.travel
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
