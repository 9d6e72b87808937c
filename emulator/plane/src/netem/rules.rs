//! What nftables does: it leads packets from stage to stage, and loses them.

use std::fmt::Write as _;

use windlull_units::Direction;

use super::plan::PathPlan;
use super::stages::Names;
use super::state::State;
use super::step::{Devices, Step};

/// The mark of a packet that the script has chosen to be lost, when it arrives, before the queue: "drop" in ASCII.
const CHOSEN: &str = "0x64726f70";
/// Counters count modulo this.
const COUNT: u32 = u32::MAX;
/// Chances are drawn in billionths.
const CHANCES: f64 = 1e9;

/// The tables, without any weather.
pub(crate) fn tables(paths: &[PathPlan; 2], devices: &Devices) -> Step {
    let mut arrivals = String::new();
    let mut counters = String::new();
    let mut chains = String::new();
    let mut forward = String::new();
    for path in paths {
        let names = Names::new(path.direction, devices);
        arrivals += &arrival_chains(path, &names);
        let way = path.direction.name();
        let last = names.last_before_forwarding(path);
        for counter in ["outage", "chosen", "loss", "passed"] {
            let _ = writeln!(counters, "\tcounter {way}-{counter} {{\n\t}}");
        }
        let _ = writeln!(chains, "\tchain {way}-weather {{\n\t}}\n\tchain {way} {{");
        if !path.chosen.is_empty() {
            let _ = writeln!(chains, "\t\tmeta mark {CHOSEN} counter name \"{way}-chosen\" drop");
        }
        let _ = writeln!(chains, "\t\tjump {way}-weather");
        if let Some(rule) = loss(path.direction, path.loss_by_rule) {
            let _ = writeln!(chains, "\t\t{rule}");
        }
        let _ = writeln!(chains, "\t\tcounter name \"{way}-passed\"\n\t}}");
        let _ = writeln!(forward, "\t\tiifname \"{last}\" oifname \"{}\" jump {way}", names.out);
    }
    let mut text = String::new();
    if !arrivals.is_empty() {
        let _ = writeln!(text, "table netdev windlull {{\n{arrivals}}}");
    }
    let _ = write!(
        text,
        "table ip windlull {{\n{counters}{chains}\tchain forward {{\n\t\ttype filter hook forward priority 0\n{forward}\t}}\n}}"
    );
    Step::Nft(text)
}

/// Removes the tables, whether they are there or not.
pub(crate) fn no_tables() -> Vec<Step> {
    // A table that is added first can always be deleted.
    ["netdev", "ip"]
        .map(|family| Step::Nft(format!("add table {family} windlull; delete table {family} windlull")))
        .to_vec()
}

/// The weather of a direction, all of it at once. `None` if it is as before.
pub(crate) fn weather(path: &PathPlan, before: Option<&State>, after: &State) -> Option<Step> {
    let rules = weather_rules(path, after);
    let old = before.map_or_else(Vec::new, |before| weather_rules(path, before));
    if rules == old {
        return None;
    }
    let chain = format!("ip windlull {}-weather", path.direction.name());
    let added = rules.iter().map(|rule| format!("; add rule {chain} {rule}"));
    Some(Step::Nft(format!("flush chain {chain}{}", added.collect::<String>())))
}

fn weather_rules(path: &PathPlan, state: &State) -> Vec<String> {
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

fn arrival_chains(path: &PathPlan, names: &Names) -> String {
    let way = path.direction.name();
    let mut text = String::new();
    let hook = |device: &str| format!("\t\ttype filter hook ingress device \"{device}\" priority 0\n");
    if path.rated || !path.chosen.is_empty() {
        let _ = write!(text, "\tchain {way}-arrives {{\n{}", hook(&names.arrives));
        for number in &path.chosen {
            let _ = writeln!(
                text,
                "\t\tmeta protocol ip numgen inc mod {COUNT} {} meta mark set {CHOSEN}",
                number - 1
            );
        }
        if path.rated {
            let _ = writeln!(text, "\t\tmeta protocol ip fwd to \"{}\"", names.queue);
        }
        text += "\t}\n";
    }
    if path.rated {
        let _ = writeln!(
            text,
            "\tchain {way}-starts {{\n{}\t\tmeta protocol ip meta pkttype set host fwd to \"{}\"\n\t}}",
            hook(&names.wire),
            names.bits
        );
    }
    text
}
