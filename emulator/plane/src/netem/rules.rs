//! What nftables does: it leads packets from stage to stage, and loses them.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::net::Ipv4Addr;

use windlull_units::Direction;

use super::layout::{Carriage, Layout, Names};
use super::path::PathPlan;
use super::state::State;
use super::step::Step;
use crate::gateway::Side;

/// The mark of a packet that the script has chosen to be lost, when it arrives, before the queue: "drop" in ASCII.
const CHOSEN: &str = "0x64726f70";
/// Counters count modulo this.
const COUNT: u32 = u32::MAX;
/// Chances are drawn in billionths.
const CHANCES: f64 = 1e9;

/// The tables, without any state.
pub(crate) fn tables(paths: &[PathPlan; 2], layout: Layout<'_>) -> Step {
    let mut arrivals = String::new();
    let mut counters = String::new();
    let mut chains = String::new();
    let mut forward = String::new();
    for path in paths {
        let names = Names::new(path.direction, layout);
        arrivals += &match layout.carriage {
            Carriage::Forwarding => arrival_chains(path, &names, layout),
            Carriage::Wire => wire_chains(path, &names, layout),
        };
        let way = path.direction.name();
        let last = names.last_before_forwarding(path);
        for counter in ["outage", "chosen", "loss", "passed"] {
            let _ = writeln!(counters, "\tcounter {way}-{counter} {{\n\t}}");
        }
        if layout.gateway.is_some() {
            let _ = writeln!(counters, "\tcounter {way}-carried {{\n\t}}");
        }
        let _ = writeln!(chains, "\tchain {way}-state {{\n\t}}\n\tchain {way} {{");
        if !path.chosen.is_empty() {
            let _ = writeln!(chains, "\t\tmeta mark {CHOSEN} counter name \"{way}-chosen\" drop");
        }
        let _ = writeln!(chains, "\t\tjump {way}-state");
        if let Some(rule) = loss(path.direction, path.loss_by_rule) {
            let _ = writeln!(chains, "\t\t{rule}");
        }
        let _ = writeln!(chains, "\t\tcounter name \"{way}-passed\"\n\t}}");
        let _ = writeln!(forward, "\t\tiifname \"{last}\" oifname \"{}\" jump {way}", names.out);
    }
    if layout.carriage == Carriage::Wire {
        return Step::Nft(format!("table netdev windlull {{\n{counters}{chains}{arrivals}}}"));
    }
    let mut text = String::new();
    if !arrivals.is_empty() {
        let _ = writeln!(text, "table netdev windlull {{\n{arrivals}}}");
    }
    let _ = write!(
        text,
        "table {} windlull {{\n{counters}{chains}\tchain forward {{\n\t\ttype filter hook forward priority 0\n{forward}\t}}\n}}",
        layout.family()
    );
    Step::Nft(text)
}

/// Removes the tables, whether they are there or not.
pub(crate) fn no_tables(layout: Layout<'_>) -> Vec<Step> {
    let families = match layout.carriage {
        Carriage::Forwarding => vec!["netdev", layout.family()],
        Carriage::Wire => vec!["netdev"],
    };
    // A table that is added first can always be deleted.
    let removed = families.into_iter();
    removed
        .map(|family| Step::Nft(format!("add table {family} windlull; delete table {family} windlull")))
        .collect()
}

/// The state of the link in a direction, all of it at once. `None` if it is as before.
pub(crate) fn link_state(path: &PathPlan, before: Option<&State>, after: &State, layout: Layout<'_>) -> Option<Step> {
    let rules = state_rules(path, after);
    let old = before.map_or_else(Vec::new, |before| state_rules(path, before));
    if rules == old {
        return None;
    }
    let chain = format!("{} windlull {}-state", layout.family(), path.direction.name());
    let added = rules.iter().map(|rule| format!("; add rule {chain} {rule}"));
    Some(Step::Nft(format!("flush chain {chain}{}", added.collect::<String>())))
}

fn state_rules(path: &PathPlan, state: &State) -> Vec<String> {
    let way = path.direction.name();
    if state.out() {
        return vec![format!("counter name \"{way}-outage\" drop")];
    }
    let mut rules = Vec::new();
    for process in &path.processes {
        let chance = if state.is_bad(&process.name) {
            process.loss_bad
        } else {
            process.loss_good
        };
        rules.extend(loss(path.direction, chance));
    }
    rules.extend(loss(path.direction, state.loss));
    rules
}

/// The rule that loses packets by chance.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a probability in billionths"
)]
fn loss(direction: Direction, probability: f64) -> Option<String> {
    let way = direction.name();
    let lost = format!("counter name \"{way}-loss\" drop");
    match (probability * CHANCES).round() as u64 {
        0 => None,
        chances if chances >= CHANCES as u64 => Some(lost),
        chances => Some(format!("numgen random mod {} < {chances} {lost}", CHANCES as u64)),
    }
}

fn arrival_chains(path: &PathPlan, names: &Names, layout: Layout<'_>) -> String {
    let (way, packets) = (path.direction.name(), layout.packets());
    let mut text = String::new();
    let hook = |device: &str| format!("\t\ttype filter hook ingress device \"{device}\" priority 0\n");
    if path.rated || !path.chosen.is_empty() {
        let _ = write!(text, "\tchain {way}-arrives {{\n{}", hook(&names.arrives));
        for number in &path.chosen {
            let _ = writeln!(
                text,
                "\t\t{packets} numgen inc mod {COUNT} {} meta mark set {CHOSEN}",
                number - 1
            );
        }
        if path.rated {
            let _ = writeln!(text, "\t\t{packets} fwd to \"{}\"", names.queue);
        }
        text += "\t}\n";
    }
    if path.rated {
        let _ = writeln!(
            text,
            "\tchain {way}-starts {{\n{}\t\t{packets} meta pkttype set host fwd to \"{}\"\n\t}}",
            hook(&names.wire),
            names.bits
        );
    }
    text
}

/// The packets that a gateway takes: those that were sent to its Ethernet address and are for a host of the other side.
fn admitted(direction: Direction, sides: &[Side; 2]) -> impl Iterator<Item = String> {
    let [to_server, to_client] = sides;
    let target = match direction {
        Direction::Down => to_client,
        Direction::Up => to_server,
    };
    let own = |sides: &[Side; 2]| -> BTreeSet<Ipv4Addr> {
        let networks = sides.iter().flat_map(|side| &side.networks);
        networks.map(|network| network.address).collect()
    };
    let own = own(sides);
    target.networks.iter().map(move |network| {
        let mut others = own.clone();
        let first = network.address.to_bits() & network.mask;
        if !network.is_pair() {
            others.extend([first, first | !network.mask].map(Ipv4Addr::from_bits));
        }
        let others: Vec<String> = others.iter().map(ToString::to_string).collect();
        format!(
            "meta protocol ip meta pkttype host ip daddr {}/{} ip daddr != {{ {} }}",
            Ipv4Addr::from_bits(first),
            network.mask.count_ones(),
            others.join(", ")
        )
    })
}

/// The way from device to device where nobody forwards. Each chain ends by giving the packet to the next stage.
fn wire_chains(path: &PathPlan, names: &Names, layout: Layout<'_>) -> String {
    let (way, packets) = (path.direction.name(), layout.packets());
    let on_its_way = path.travels || path.holds;
    let to = |device: &str| format!("{packets} fwd to \"{device}\"");
    let out = match layout.gateway {
        // The kernel asks who has the address (ARP), and sends on as a router does.
        Some(_) => format!(
            "{packets} counter name \"{way}-carried\" fwd ip to ip daddr device \"{}\"",
            names.out
        ),
        None => to(&names.out),
    };
    let leaves = if on_its_way { to(&names.travel) } else { out.clone() };
    let met = [format!("{packets} jump {way}"), leaves];
    let mut arriving: Vec<String> = path
        .chosen
        .iter()
        .map(|number| format!("{packets} numgen inc mod {COUNT} {} meta mark set {CHOSEN}", number - 1))
        .collect();
    let mut stages = Vec::new();
    if path.rated {
        arriving.push(to(&names.queue));
        stages.push(("starts", &names.wire, vec![to(&names.bits)]));
        stages.push(("sent", &names.sent, met.to_vec()));
    } else {
        arriving.extend(met);
    }
    if on_its_way {
        stages.push(("arrived", &names.arrived, vec![out]));
    }
    match layout.gateway {
        Some(sides) => {
            let admitted = admitted(path.direction, sides);
            let whole = admitted.map(|packet| format!("{packet} fwd to \"{}\"", names.whole));
            stages.insert(0, ("arrives", &names.arrives, whole.collect()));
            stages.insert(1, ("cut", &names.cut, arriving));
        }
        None => stages.insert(0, ("arrives", &names.arrives, arriving)),
    }
    let mut text = String::new();
    for (stage, device, rules) in stages {
        let _ = writeln!(
            text,
            "\tchain {way}-{stage} {{\n\t\ttype filter hook ingress device \"{device}\" priority 0\n\t\t{}\n\t}}",
            rules.join("\n\t\t")
        );
    }
    text
}
