//! What the kernel's disciplines have counted of the queues of a link, asked of `tc`.

use serde::{Deserialize, Serialize};
use windlull_units::Direction;

use super::tools::{ToolError, Tools};

/// What a queue did with packets that it did not just pass on, as its discipline says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueCounts {
    /// The kernel's name of the discipline.
    pub discipline: String,
    /// Packets that were dropped, for whatever reason.
    pub drops: u64,
    /// Of these, packets for which there was no room. All that a fifo drops. None where the discipline does not say: `cake`
    /// once its memory was full.
    pub overflows: Option<u64>,
    /// Packets that were marked instead of dropped.
    pub marks: u64,
}

/// One of `tc -statistics -json qdisc show`. Each discipline has names of its own for why it dropped a packet.
#[derive(Deserialize)]
struct Discipline {
    #[serde(default)]
    dev: String,
    #[serde(default)]
    kind: String,
    #[serde(default)]
    handle: String,
    #[serde(default)]
    drops: u64,
    /// Of `codel` and `fq_codel`: the queue was full.
    #[serde(default)]
    drop_overlimit: u64,
    /// Of `pie`.
    #[serde(default)]
    overlimit: u64,
    /// Of `red`: its fifo had no room.
    #[serde(default)]
    pdrop: u64,
    /// Of `codel`, `fq_codel` and `pie`.
    #[serde(default)]
    ecn_mark: u64,
    /// Of `red`.
    #[serde(default)]
    marked: u64,
    /// Of `cake`: the most memory that its packets have ever taken, octets, the one too many included.
    #[serde(default)]
    memory_used: u64,
    /// Of `cake`.
    #[serde(default)]
    memory_limit: u64,
    /// Of `cake`, which counts marks by the class of service.
    #[serde(default)]
    tins: Vec<Tin>,
}

#[derive(Deserialize)]
struct Tin {
    #[serde(default)]
    ecn_mark: u64,
}

/// The counts of both queues, down and up; none of a direction that has no queue. In the link's network namespace.
///
/// # Errors
/// As [`Tools::run`].
pub fn queue_counts(tools: &Tools) -> Result<[Option<QueueCounts>; 2], ToolError> {
    let program = "tc";
    let answer = tools.ask(program, "-statistics -json qdisc show")?;
    read(&answer).map_err(|source| ToolError::Answer { program, source })
}

fn read(answer: &[u8]) -> Result<[Option<QueueCounts>; 2], serde_json::Error> {
    let disciplines: Vec<Discipline> = serde_json::from_slice(answer)?;
    Ok(Direction::ALL.map(|direction| {
        let device = format!("{}-queue", direction.name());
        let mut here = disciplines.iter().filter(|it| it.dev == device);
        let queue = here.find(|it| it.handle == "10:")?;
        Some(QueueCounts {
            discipline: queue.kind.clone(),
            drops: queue.drops,
            overflows: match queue.kind.as_str() {
                "pfifo" | "bfifo" => Some(queue.drops),
                // It drops from the head while there is too much (net/sched/sch_cake.c, `cake_enqueue`).
                "cake" => (queue.memory_used <= queue.memory_limit).then_some(0),
                _ => Some(queue.drop_overlimit + queue.overlimit + queue.pdrop),
            },
            marks: queue.ecn_mark + queue.marked + queue.tins.iter().map(|tin| tin.ecn_mark).sum::<u64>(),
        })
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each discipline as iproute2 6.1 and 6.15 write it, cut to what is read and something more.
    fn counted(queue: &str) -> QueueCounts {
        let answer = format!(
            r#"[{{"kind":"noqueue","handle":"0:","dev":"lo","root":true,"options":{{}},"drops":0}},
                {{"kind":"htb","handle":"1:","dev":"down-queue","root":true,"options":{{"r2q":10}},"drops":9}},
                {{{queue},"handle":"10:","dev":"down-queue","parent":"1:1","options":{{}},"bytes":17,"packets":1}}]"#
        );
        let [down, up] = read(answer.as_bytes()).expect("it is JSON");
        assert_eq!(up, None);
        down.expect("there is a queue")
    }

    #[test]
    fn each_discipline_says_in_its_own_words_what_it_dropped_and_marked() {
        let cases = [
            (r#""kind":"pfifo","drops":4"#, [4, 4, 0]),
            (
                r#""kind":"fq_codel","drops":7,"maxpacket":1514,"drop_overlimit":2,"ecn_mark":3"#,
                [7, 2, 3],
            ),
            (
                r#""kind":"codel","drops":7,"ldelay":12,"drop_overlimit":0,"ecn_mark":5"#,
                [7, 0, 5],
            ),
            (
                r#""kind":"pie","drops":6,"prob":0.01,"overlimit":1,"dropped":5,"maxq":30,"ecn_mark":8"#,
                [6, 1, 8],
            ),
            (
                r#""kind":"red","drops":9,"marked":2,"early":6,"pdrop":3,"other":0"#,
                [9, 3, 2],
            ),
        ];
        for (queue, expected) in cases {
            let counts = counted(queue);
            let [drops, overflows, marks] = expected;
            assert_eq!(
                (counts.drops, counts.overflows, counts.marks),
                (drops, Some(overflows), marks),
                "{queue}"
            );
        }
    }

    #[test]
    fn cake_says_what_overflowed_only_while_nothing_did() {
        let cake = |memory: u64| {
            let tins = r#"[{"drops":1,"ecn_mark":4,"ack_drops":0},{"drops":5,"ecn_mark":7}]"#;
            let memory = format!(r#""memory_used":{memory},"memory_limit":4194304"#);
            counted(&format!(
                r#""kind":"cake","drops":6,"overlimits":50,{memory},"tins":{tins}"#
            ))
        };
        let [roomy, full] = [cake(4_194_304), cake(4_194_305)];
        assert_eq!((roomy.drops, roomy.overflows, roomy.marks), (6, Some(0), 11));
        assert_eq!((full.drops, full.overflows), (6, None));
    }
}
