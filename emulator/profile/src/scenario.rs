//! Scenarios of the QUIC network simulator (github.com/quic-interop/quic-network-simulator, `sim/scenarios`) as links:
//! `simple-p2p --delay=15ms --bandwidth=10Mbps --queue=25`.
//!
//! A scenario stands where the name of a link does. It is made into the text of a link's file, which is read like any other.
//! Left and right of the simulator are client and server. Its links are those of ns-3: each packet has a PPP header of two
//! octets (`PppHeader`), and the queue counts packets.

use std::fmt::Write as _;

use windlull_units::{BitRate, Span};

use crate::problem::nearest;

/// Octets that ns-3's point-to-point devices add to a packet (RFC 1661, section 2: the protocol field).
const FRAMING: &str = "2 B";
/// A blackhole comes back at most so often: the entries of a link's script have an end.
const MOST_REPEATS: u32 = 1_000;

/// What a directory's name may have at most, in files that carry runs elsewhere.
const LONGEST_NAME: usize = 100;

/// A scenario that is a link, with its options.
struct Scenario {
    name: &'static str,
    needed: &'static [&'static str],
    others: &'static [&'static str],
    /// The text of the link's file behind its title.
    text: fn(&Options<'_>) -> Result<String, String>,
}

static SCENARIOS: [Scenario; 7] = [
    Scenario {
        name: "simple-p2p",
        needed: &["delay", "bandwidth", "queue"],
        others: &[],
        text: symmetric,
    },
    Scenario {
        name: "asymmetric-p2p",
        needed: &[
            "delay",
            "forward-data-rate",
            "forward-queue",
            "return-data-rate",
            "return-queue",
        ],
        others: &[],
        text: asymmetric,
    },
    Scenario {
        name: "drop-rate",
        needed: &["delay", "bandwidth", "queue", "rate_to_client", "rate_to_server"],
        others: &["burst_to_client", "burst_to_server"],
        text: drop_rate,
    },
    Scenario {
        name: "blackhole",
        needed: &["delay", "bandwidth", "queue", "on", "off"],
        others: &["repeat", "direction"],
        text: blackhole,
    },
    Scenario {
        name: "droplist",
        needed: &["delay", "bandwidth", "queue"],
        others: &["drops_to_client", "drops_to_server"],
        text: droplist,
    },
    Scenario {
        name: "rebind",
        needed: REBIND,
        others: REBIND_OTHERS,
        text: rebind,
    },
    // As the interop runner calls its test by that scenario.
    Scenario {
        name: "rebind-port",
        needed: REBIND,
        others: REBIND_OTHERS,
        text: rebind,
    },
];

const REBIND: &[&str] = &["delay", "bandwidth", "queue", "first-rebind"];
const REBIND_OTHERS: &[&str] = &["rebind-freq", "rebind-addr"];

/// Scenarios of the simulator that are no links, and what is in the way.
static NO_LINKS: [(&str, &str); 4] = [
    (
        "nat",
        "rewrites addresses, which a link leaves as they are; put a NAT before the client",
    ),
    (
        "corrupt-rate",
        "gives corrupted datagrams a right checksum, which no link does; `kind = \"corrupt\"` flips bits that checksums see",
    ),
    (
        "tcp-cross-traffic",
        "sends traffic of its own; an experiment with several flows has it (`flows`)",
    ),
    (
        "udp-cross-traffic",
        "sends traffic of its own; an experiment has it with packets at a constant rate",
    ),
];

/// Whether a name is a scenario with its options: that of a file has no blanks.
pub fn is_scenario(name: &str) -> bool {
    let mut words = name.split_whitespace();
    let known = words.next().is_some_and(|first| {
        SCENARIOS.iter().any(|scenario| scenario.name == first) || NO_LINKS.iter().any(|(name, _)| *name == first)
    });
    known && words.next().is_some()
}

/// What is wrong with a name that no link has, if a scenario was meant by it: one without options, or a slip.
pub(crate) fn mistaken(name: &str) -> Option<String> {
    let has_options = name.split_whitespace().skip(1).any(|word| word.starts_with("--"));
    let is_bare = SCENARIOS.iter().any(|scenario| scenario.name == name.trim());
    (has_options || is_bare).then(|| read(name).err()).flatten()
}

/// The scenario with single blanks.
pub(crate) fn simplified(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A link that does what a scenario does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ScenarioLink {
    /// As links are named, for lists, directories and results.
    pub(crate) name: String,
    /// The text of its file.
    pub(crate) text: String,
}

/// Makes a scenario into a link.
///
/// # Errors
/// What is wrong with the scenario, in words.
pub(crate) fn read(name: &str) -> Result<ScenarioLink, String> {
    let mut words = name.split_whitespace();
    let first = words.next().unwrap_or_default();
    if let Some((_, why)) = NO_LINKS.iter().find(|(name, _)| *name == first) {
        return Err(format!("the scenario {first} is no link: it {why}"));
    }
    let Some(scenario) = SCENARIOS.iter().find(|scenario| scenario.name == first) else {
        let hint = match nearest(first, SCENARIOS.iter().map(|scenario| scenario.name)) {
            Some(near) => format!("; did you mean {near}?"),
            None => String::new(),
        };
        return Err(format!("there is no scenario {first}{hint}"));
    };
    let options = Options::read(scenario, words)?;
    let tables = (scenario.text)(&options)?;
    Ok(ScenarioLink {
        name: options.name(scenario),
        // The values were read: none has a quotation mark.
        text: format!(
            "title = \"{first} of the QUIC network simulator\"\n\
             description = \"{}\"\n\
             source = \"quic-interop/quic-network-simulator, sim/scenarios/{first}\"\n\
             {tables}",
            simplified(name)
        ),
    })
}

/// What a scenario's words say, by their names.
struct Options<'a> {
    scenario: &'static str,
    given: Vec<(&'a str, &'a str)>,
}

impl<'a> Options<'a> {
    fn read(scenario: &Scenario, words: impl Iterator<Item = &'a str>) -> Result<Self, String> {
        let name = scenario.name;
        let known = || scenario.needed.iter().chain(scenario.others).copied();
        let mut given: Vec<(&str, &str)> = Vec::new();
        for word in words {
            let Some(option) = word.strip_prefix("--") else {
                return Err(format!(
                    "{name}: {word:?} is no option; write options as in --delay=15ms"
                ));
            };
            let (option, value) = option.split_once('=').unwrap_or((option, ""));
            if !known().any(|known| known == option) {
                let all: Vec<String> = known().map(|known| format!("--{known}")).collect();
                let hint = match nearest(option, known()) {
                    Some(near) => format!("did you mean --{near}?"),
                    None => format!("it has {}", all.join(", ")),
                };
                return Err(format!("{name}: there is no option --{option}; {hint}"));
            }
            // As in ns-3, the last one holds.
            given.retain(|(before, _)| *before != option);
            given.push((option, value));
        }
        let missing: Vec<String> = scenario
            .needed
            .iter()
            .filter(|needed| !given.iter().any(|(option, _)| option == *needed))
            .map(|needed| format!("--{needed}"))
            .collect();
        if !missing.is_empty() {
            return Err(format!("{name}: {} must be given", missing.join(" and ")));
        }
        Ok(Self { scenario: name, given })
    }

    /// The scenario, the values of what must be given, and what else was given.
    fn name(&self, scenario: &Scenario) -> String {
        let needed = scenario.needed.iter().filter_map(|option| self.get(option));
        let others = scenario
            .others
            .iter()
            .filter_map(|option| Some([*option, self.get(option)?]));
        let words = std::iter::once(scenario.name).chain(needed).chain(others.flatten());
        let plain = |c: char| match c.to_ascii_lowercase() {
            c if c.is_ascii_alphanumeric() || c == '.' => c,
            _ => '-',
        };
        let name = words.collect::<Vec<_>>().join("-");
        name.chars().map(plain).take(LONGEST_NAME).collect()
    }

    fn get(&self, option: &str) -> Option<&'a str> {
        self.given
            .iter()
            .find(|(name, _)| *name == option)
            .map(|(_, value)| *value)
    }

    /// The value of an option that must be given, or may be.
    fn value<T>(&self, option: &str, what: &str, read: impl Fn(&str) -> Option<T>) -> Result<T, String> {
        let value = self.get(option).unwrap_or_default();
        read(value).ok_or_else(|| format!("{}: --{option}={value} is not {what}", self.scenario))
    }

    fn if_given<T>(&self, option: &str, what: &str, read: impl Fn(&str) -> Option<T>) -> Result<Option<T>, String> {
        self.get(option).map(|_| self.value(option, what, read)).transpose()
    }

    fn time(&self, option: &str) -> Result<Span, String> {
        self.value(option, "a time; write it as in 15ms", time)
    }

    fn rate(&self, option: &str) -> Result<BitRate, String> {
        self.value(option, "a rate; write it as in 10Mbps", rate)
    }

    fn packets(&self, option: &str) -> Result<u32, String> {
        self.value(option, "a number of packets; write it as in 25", |text| {
            text.parse().ok()
        })
    }
}

/// Tables of a link whose directions have these rates and queues.
fn tables(delay: Span, [down, up]: [(BitRate, u32); 2]) -> String {
    let mut text = format!("[both]\ndelay = \"{delay}\"\nframing = \"{FRAMING}\"\n");
    for (way, (rate, queue)) in [("down", down), ("up", up)] {
        let _ = write!(
            text,
            "[{way}]\nrate = \"{rate}\"\nqueue = {{ kind = \"droptail\", limit = \"{queue} packets\" }}\n"
        );
    }
    text
}

fn symmetric(options: &Options<'_>) -> Result<String, String> {
    let way = (options.rate("bandwidth")?, options.packets("queue")?);
    Ok(tables(options.time("delay")?, [way, way]))
}

/// Forward is from right to left.
fn asymmetric(options: &Options<'_>) -> Result<String, String> {
    let way = |name: &str| -> Result<(BitRate, u32), String> {
        Ok((
            options.rate(&format!("{name}-data-rate"))?,
            options.packets(&format!("{name}-queue"))?,
        ))
    };
    Ok(tables(options.time("delay")?, [way("forward")?, way("return")?]))
}

/// Directions, and what the simulator calls them.
const TO: [(&str, &str); 2] = [("down", "to_client"), ("up", "to_server")];

fn drop_rate(options: &Options<'_>) -> Result<String, String> {
    let mut text = symmetric(options)?;
    for (way, to) in TO {
        let percent = options.value(&format!("rate_{to}"), "a whole percentage, from 0 to 100", |text| {
            text.parse().ok().filter(|percent: &u32| *percent <= 100)
        })?;
        let count = |text: &str| text.parse::<u32>().ok();
        let burst = options.if_given(&format!("burst_{to}"), "a number of packets", count)?;
        let kind = match burst {
            // The packet after `burst` lost ones may still be lost: `DropRateErrorModel` compares before it counts.
            Some(burst) => format!("kind = \"bounded-loss\"\nmost = {}\n", burst.saturating_add(1)),
            None => "kind = \"loss\"\n".to_owned(),
        };
        let name = to.replace('_', "-");
        let _ = write!(
            text,
            "[[impairment]]\nname = \"{name}\"\non = \"{way}\"\nprobability = \"{percent} %\"\n{kind}"
        );
    }
    Ok(text)
}

fn blackhole(options: &Options<'_>) -> Result<String, String> {
    let mut text = symmetric(options)?;
    let (on, off) = (options.time("on")?, options.time("off")?);
    let repeat = options
        .if_given("repeat", "a whole number from 1 to 1000", |text| {
            text.parse()
                .ok()
                .filter(|repeat: &u32| (1..=MOST_REPEATS).contains(repeat))
        })?
        .unwrap_or(1);
    let way = options
        .if_given("direction", "both, toclient or toserver", |text| match text {
            "both" => Some("both"),
            "toclient" => Some("down"),
            "toserver" => Some("up"),
            _ => None,
        })?
        .unwrap_or("both");
    let period = on.as_ns().saturating_add(off.as_ns());
    for time in 0..u64::from(repeat) {
        let at = Span::from_ns(time.saturating_mul(period).saturating_add(on.as_ns()));
        let _ = write!(
            text,
            "[[script]]\non = \"{way}\"\nat = \"{at}\"\ndo = \"drop\"\nfor = \"{off}\"\n"
        );
    }
    Ok(text)
}

fn droplist(options: &Options<'_>) -> Result<String, String> {
    let mut text = symmetric(options)?;
    for (way, to) in TO {
        let numbers = |text: &str| -> Option<Vec<u64>> {
            let numbers = text
                .split(',')
                .map(|number| number.parse().ok().filter(|number: &u64| *number > 0));
            numbers.collect()
        };
        let what = "a list of packets' numbers from 1; write it as in 1,3,4";
        let mut chosen = options
            .if_given(&format!("drops_{to}"), what, numbers)?
            .unwrap_or_default();
        chosen.sort_unstable();
        chosen.dedup();
        for number in chosen {
            let _ = write!(
                text,
                "[[script]]\non = \"{way}\"\nat = \"packet {number}\"\ndo = \"drop\"\n"
            );
        }
    }
    Ok(text)
}

fn rebind(options: &Options<'_>) -> Result<String, String> {
    // Bare, it is true.
    let addresses = options.get("rebind-addr");
    if addresses.is_some_and(|value| !matches!(value, "0" | "false")) {
        let name = options.scenario;
        return Err(format!(
            "{name}: --rebind-addr is not possible, the link's NAT changes ports alone; leave it out"
        ));
    }
    let mut text = symmetric(options)?;
    let _ = write!(text, "[rebinding]\nat = \"{}\"\n", options.time("first-rebind")?);
    let every = options.if_given("rebind-freq", "a time; write it as in 5s", time)?;
    if let Some(every) = every.filter(|every| *every > Span::ZERO) {
        let _ = writeln!(text, "every = \"{every}\"");
    }
    Ok(text)
}

/// A time of ns-3 (`Time`): a number and its unit, seconds if there is none.
fn time(text: &str) -> Option<Span> {
    let (number, unit) = split(text)?;
    let seconds = match unit {
        "" | "s" => 1.0,
        "ms" => 1e-3,
        "us" => 1e-6,
        "ns" => 1e-9,
        "min" => 60.0,
        "h" => 3_600.0,
        _ => return None,
    };
    let seconds = number * seconds;
    // Longer than any link's times (`Span` of a file: 100 h).
    (0.0..=360_000.0)
        .contains(&seconds)
        .then(|| Span::from_secs_f64(seconds))
}

/// A rate of ns-3 (`DataRate`): a number, a prefix, and bits (`b`) or octets (`B`) a second; bits if there is no unit.
fn rate(text: &str) -> Option<BitRate> {
    let (number, unit) = split(text)?;
    let unit = match unit {
        "" => "b",
        unit => unit.strip_suffix("ps").or_else(|| unit.strip_suffix("/s"))?,
    };
    let (prefix, bits) = match (unit.strip_suffix('b'), unit.strip_suffix('B')) {
        (Some(prefix), _) => (prefix, 1.0),
        (None, Some(prefix)) => (prefix, 8.0),
        (None, None) => return None,
    };
    let times = match prefix {
        "" => 1.0,
        "k" | "K" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        "Ki" => 1_024.0,
        "Mi" => 1_048_576.0,
        "Gi" => 1_073_741_824.0,
        _ => return None,
    };
    whole(number * bits * times)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked just before"
)]
fn whole(bps: f64) -> Option<BitRate> {
    let bps = bps.round();
    (1.0..=1e12)
        .contains(&bps)
        .then_some(bps as u64)
        .and_then(BitRate::from_bps)
}

/// A number and the unit behind it.
fn split(text: &str) -> Option<(f64, &str)> {
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || c == '.'))
        .unwrap_or(text.len());
    let (number, unit) = text.split_at_checked(end)?;
    Some((number.parse().ok()?, unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_rates_are_those_of_ns_3() {
        assert_eq!(time("15ms"), Some(Span::from_ms(15)));
        assert_eq!(time("0.5s"), Some(Span::from_ms(500)));
        assert_eq!(time("2"), Some(Span::from_secs(2)));
        assert_eq!([time("15 ms"), time("15m"), time("ms"), time("-1s")], [None; 4]);
        let bps = |text| rate(text).map(BitRate::as_bps);
        assert_eq!(bps("10Mbps"), Some(10_000_000));
        assert_eq!(
            [bps("5Mb/s"), bps("64kbps"), bps("64Kb/s")],
            [Some(5_000_000), Some(64_000), Some(64_000)]
        );
        assert_eq!(
            [bps("1MBps"), bps("1KiB/s"), bps("9600")],
            [Some(8_000_000), Some(8_192), Some(9_600)]
        );
        assert_eq!([bps("10Mbit/s"), bps("0bps"), bps("fast")], [None; 3]);
    }

    #[test]
    fn a_scenario_is_told_from_the_name_of_a_file() {
        assert!(is_scenario("simple-p2p --delay=15ms"));
        assert!(is_scenario(" nat  --delay=1s"), "to be refused with a reason");
        for name in ["simple-p2p", "blackhole", "gprs", "", "my link.toml"] {
            assert!(!is_scenario(name), "{name}");
        }
        assert_eq!(
            simplified(" simple-p2p\t--delay=15ms  --queue=25 "),
            "simple-p2p --delay=15ms --queue=25"
        );
    }
}
