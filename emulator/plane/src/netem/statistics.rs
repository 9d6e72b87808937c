//! What the kernel has counted of a standing link, asked of `nft` and `tc`.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use windlull_units::Direction;

use super::tools::{ToolError, Tools};

/// Counts of one direction since the link stands, and what is in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Handed on to the other side.
    pub(crate) packets: u64,
    pub(crate) octets: u64,
    /// Lost by rules of nftables.
    pub(crate) outage: u64,
    pub(crate) chosen: u64,
    /// Lost by rules or by netem.
    pub(crate) loss: u64,
    /// The queue was full.
    pub(crate) overflow: u64,
    pub(crate) inside: u64,
    pub(crate) queued_packets: u32,
    pub(crate) queued_octets: u64,
}

/// `nft --json list counters`.
#[derive(Deserialize)]
struct Listed {
    nftables: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    /// Another item is the listing's own head.
    counter: Option<Counter>,
}

#[derive(Deserialize)]
struct Counter {
    name: String,
    packets: u64,
    bytes: u64,
}

/// One of `tc -statistics -json qdisc show`.
#[derive(Deserialize)]
struct Discipline {
    #[serde(default)]
    dev: String,
    #[serde(default)]
    handle: String,
    #[serde(default)]
    root: bool,
    #[serde(default)]
    drops: u64,
    #[serde(default)]
    backlog: u64,
    #[serde(default)]
    qlen: u32,
}

/// Both directions' counts, of the network namespace of the calling thread.
///
/// # Errors
/// If a program fails, or answers what cannot be read.
pub(crate) fn read(tools: &Tools) -> Result<[Counts; 2], ToolError> {
    let listed: Listed = answer(tools, "nft", "--json list counters table netdev windlull")?;
    let counters: Vec<Counter> = listed.nftables.into_iter().filter_map(|item| item.counter).collect();
    let disciplines: Vec<Discipline> = answer(tools, "tc", "-statistics -json qdisc show")?;
    Ok(Direction::ALL.map(|direction| counts(direction, &counters, &disciplines)))
}

fn answer<T: DeserializeOwned>(tools: &Tools, program: &'static str, question: &str) -> Result<T, ToolError> {
    let said = tools.ask(program, question)?;
    serde_json::from_slice(&said).map_err(|source| ToolError::Answer { program, source })
}

fn counts(direction: Direction, counters: &[Counter], disciplines: &[Discipline]) -> Counts {
    let way = direction.name();
    let mut counts = Counts::default();
    for counter in counters {
        match counter.name.strip_prefix(way).and_then(|name| name.strip_prefix('-')) {
            Some("carried") => (counts.packets, counts.octets) = (counter.packets, counter.bytes),
            Some("outage") => counts.outage = counter.packets,
            Some("chosen") => counts.chosen = counter.packets,
            Some("loss") => counts.loss += counter.packets,
            _ => {}
        }
    }
    for discipline in disciplines {
        let stage = discipline
            .dev
            .strip_prefix(way)
            .and_then(|stage| stage.strip_prefix('-'));
        // A discipline counts what waits in those below it.
        if discipline.root && matches!(stage, Some("queue" | "bits" | "travel")) {
            counts.inside += u64::from(discipline.qlen);
        }
        match (stage, discipline.handle.as_str()) {
            (Some("queue"), "10:") => {
                counts.overflow = discipline.drops;
                counts.queued_packets = discipline.qlen;
                counts.queued_octets = discipline.backlog;
            }
            (Some("travel"), "20:") => counts.loss += discipline.drops,
            _ => {}
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As nftables 1.0.6 says it.
    const COUNTERS: &str = r#"{"nftables": [{"metainfo": {"version": "1.0.6", "json_schema_version": 1}},
        {"counter": {"family": "netdev", "name": "down-outage", "table": "windlull", "handle": 2, "packets": 3, "bytes": 300}},
        {"counter": {"family": "netdev", "name": "down-loss", "table": "windlull", "handle": 4, "packets": 5, "bytes": 500}},
        {"counter": {"family": "netdev", "name": "down-carried", "table": "windlull", "handle": 6, "packets": 70, "bytes": 7000}},
        {"counter": {"family": "netdev", "name": "up-carried", "table": "windlull", "handle": 9, "packets": 1, "bytes": 40}}]}"#;
    /// As iproute2 6.1 says it, shortened.
    const DISCIPLINES: &str = r#"[{"kind":"noqueue","handle":"0:","dev":"lo","root":true,"options":{},"bytes":0,"packets":0,"drops":0,"backlog":0,"qlen":0},
        {"kind":"htb","handle":"1:","dev":"down-queue","root":true,"drops":2,"backlog":2000,"qlen":4},
        {"kind":"pfifo","handle":"10:","dev":"down-queue","parent":"1:1","drops":2,"backlog":2000,"qlen":4},
        {"kind":"netem","handle":"1:","dev":"down-bits","root":true,"drops":0,"backlog":500,"qlen":1},
        {"kind":"netem","handle":"20:","dev":"down-travel","root":true,"drops":6,"backlog":900,"qlen":3},
        {"kind":"plug","handle":"30:","dev":"down-travel","parent":"20:1","drops":0,"backlog":0,"qlen":0},
        {"kind":"pfifo","handle":"10:","dev":"up-queue","parent":"1:1","drops":9,"backlog":0,"qlen":0}]"#;

    #[test]
    fn what_nft_and_tc_count_is_told_by_cause() {
        let listed: Listed = serde_json::from_str(COUNTERS).expect("as nft says it");
        let counters: Vec<Counter> = listed.nftables.into_iter().filter_map(|item| item.counter).collect();
        let disciplines: Vec<Discipline> = serde_json::from_str(DISCIPLINES).expect("as tc says it");
        let down = counts(Direction::Down, &counters, &disciplines);
        let expected = Counts {
            packets: 70,
            octets: 7_000,
            outage: 3,
            chosen: 0,
            loss: 5 + 6,
            overflow: 2,
            inside: 4 + 1 + 3,
            queued_packets: 4,
            queued_octets: 2_000,
        };
        assert_eq!(down, expected);
        let up = counts(Direction::Up, &counters, &disciplines);
        assert_eq!((up.packets, up.octets, up.overflow, up.inside), (1, 40, 9, 0));
    }
}
