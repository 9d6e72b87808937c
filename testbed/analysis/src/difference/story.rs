//! What happened to two runs until they parted, in sentences.

use windlull_units::Time;

use super::answer::{Deed, Did, OtherFate, Parting, StoryOfTwo, Whose};
use super::packets::Packet;
use super::words::{fate_in_words, heard_in_words, sent_in_words, span};

/// What the two senders heard otherwise: when, and what each; nothing of one that heard no more.
pub(super) struct Heard<'a> {
    pub(super) at: Time,
    pub(super) a: Option<&'a Packet>,
    pub(super) b: Option<&'a Packet>,
}

/// Tells what the link did otherwise and what the senders heard otherwise.
pub(super) fn told_of_others(fate: Option<&OtherFate>, heard: Option<&Heard<'_>>) -> Vec<StoryOfTwo> {
    let mut story = Vec::new();
    if let Some(fate) = fate {
        story.push(StoryOfTwo {
            at_ns: fate.a.at_ns.min(fate.b.at_ns),
            of: Whose::Both,
            text: fate_in_words(fate),
        });
    }
    if let Some(heard) = heard {
        for (of, packet) in [(Whose::A, heard.a), (Whose::B, heard.b)] {
            let text = match packet {
                None => "Its sender heard nothing more.".to_owned(),
                Some(packet) if packet.at > heard.at => format!(
                    "Its sender heard nothing then, and {} {} later.",
                    heard_in_words(packet),
                    span(packet.at.since(heard.at))
                ),
                Some(packet) => format!("Its sender heard {}.", heard_in_words(packet)),
            };
            story.push(StoryOfTwo {
                at_ns: heard.at,
                of,
                text,
            });
        }
    }
    story
}

/// Tells what each had decided, and what it did by that when they parted. `packets` are those at which they part.
pub(super) fn told_of_parting(parting: &Parting, packets: [Option<&Packet>; 2], sent_alike: u64) -> Vec<StoryOfTwo> {
    let mut story = Vec::new();
    let both = [(Whose::A, &parting.a), (Whose::B, &parting.b)];
    for (of, deed) in both {
        story.extend(deed.decided.iter().map(|told| StoryOfTwo {
            at_ns: told.at_ns,
            of,
            text: told.text.clone(),
        }));
    }
    story.push(StoryOfTwo {
        at_ns: parting.at_ns,
        of: Whose::Both,
        text: match sent_alike {
            0 => "They part in the first packet.".to_owned(),
            1 => "They part, after one packet that both sent alike.".to_owned(),
            alike => format!("They part, after {alike} packets that both sent alike."),
        },
    });
    for ((of, deed), packet) in both.into_iter().zip(packets) {
        story.push(StoryOfTwo {
            at_ns: parting.at_ns,
            of,
            text: deed_in_words(deed, packet, parting.at_ns),
        });
    }
    story
}

fn deed_in_words(deed: &Deed, packet: Option<&Packet>, at: Time) -> String {
    let did = match (deed.did, packet) {
        (Did::Sent, Some(packet)) => format!("It sent {}.", sent_in_words(packet)),
        (Did::SentLater, Some(packet)) => format!(
            "It sent nothing then, and {} {} later.",
            sent_in_words(packet),
            span(packet.at.since(at))
        ),
        (Did::Sent | Did::SentLater | Did::SentNoMore, _) => "It sent nothing then, and nothing later.".to_owned(),
    };
    match deed.decision.text.as_str() {
        "" => did,
        // It stands among what was decided, before what was sent.
        why if deed.decided.iter().any(|told| told.text == why) => {
            format!("{did} The decision: {}.", deed.decision.name)
        }
        why => format!("{did} {why}"),
    }
}
