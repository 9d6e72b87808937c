//! Sequence numbers and timestamps as scripts count them.

use windlull_capture::Seen;
use windlull_wire::{Flags, Options, SackBlock, SackBlocks, SeqNumber};

/// What the first timestamps are called: apart enough for a reader to see whose one is.
const FIRST_STAMPS: [u32; 2] = [1_000, 500_000];

/// What the numbers of one end count from.
#[derive(Clone, Copy, Debug, Default)]
struct Origin {
    isn: Option<SeqNumber>,
    stamp: Option<u32>,
    /// The highest number so far.
    highest: u64,
}

/// Of the host under test, then of its peer.
#[derive(Clone, Debug)]
pub(super) struct Numbers([Origin; 2]);

impl Numbers {
    pub(super) fn of(shown: &[Seen]) -> Self {
        let origin = |is_outbound: bool| {
            let mut sent = shown.iter().filter(|seen| seen.is_outbound == is_outbound);
            let syn = sent.clone().find(|seen| seen.segment.flags.has(Flags::SYN));
            let stamped = sent.find_map(|seen| seen.segment.options.timestamps);
            Origin {
                isn: syn.map(|seen| seen.segment.seq),
                stamp: stamped.map(|stamps| stamps.value),
                highest: 0,
            }
        };
        Self([origin(true), origin(false)])
    }

    /// A segment's own number and the one it acknowledges; `None` beyond 32 bits.
    pub(super) fn of_segment(&mut self, seen: &Seen) -> Option<(u32, Option<u32>)> {
        let [own, peer] = &mut self.0;
        let (sender, other) = if seen.is_outbound { (own, peer) } else { (peer, own) };
        let segment = &seen.segment;
        let seq = sender.number(segment.seq)?;
        // A segment's end is written too.
        seq.checked_add(segment.payload_len)?;
        let ack = match segment.flags.has(Flags::ACK) {
            true => Some(other.number(segment.ack)?),
            false => None,
        };
        Some((seq, ack))
    }

    /// Timestamps and blocks as the script counts them.
    pub(super) fn relate(&self, is_outbound: bool, acknowledges: bool, options: &mut Options) {
        let [own, peer] = &self.0;
        let [own_first, peer_first] = FIRST_STAMPS;
        let ((sender, first), (other, other_first)) = if is_outbound {
            ((own, own_first), (peer, peer_first))
        } else {
            ((peer, peer_first), (own, own_first))
        };
        let counted = |origin: &Origin, first: u32, stamp: u32| {
            origin
                .stamp
                .map_or(stamp, |origin| stamp.wrapping_sub(origin).wrapping_add(first))
        };
        if let Some(stamps) = &mut options.timestamps {
            stamps.value = counted(sender, first, stamps.value);
            if acknowledges {
                stamps.echo = counted(other, other_first, stamps.echo);
            }
        }
        let mut blocks = SackBlocks::NONE;
        for block in options.sack.as_slice() {
            let [left, right] = [block.left, block.right].map(|number| SeqNumber(other.relative(number)));
            blocks.push(SackBlock { left, right });
        }
        options.sack = blocks;
    }
}

impl Origin {
    /// A number, if it is within 32 bits of the first.
    fn number(&mut self, number: SeqNumber) -> Option<u32> {
        let Some(isn) = self.isn else { return Some(number.0) };
        let unwrapped = number.unwrap_near(isn, self.highest)?;
        self.highest = self.highest.max(unwrapped);
        u32::try_from(unwrapped).ok()
    }

    fn relative(&self, number: SeqNumber) -> u32 {
        self.isn.map_or(number.0, |isn| number.0.wrapping_sub(isn.0))
    }
}
