//! A link that somebody changes while it runs, and what it is like at this moment.

use windlull_units::{BitRate, Bytes, Direction, Span, Time};

use crate::impairment::Source;
use crate::model::{Action, QueueLimit, Scope, ScriptEntry, Trigger};
use crate::script::ChangeId;
use crate::{Link, LinkObserver, Packet};

/// What a hand does to a link: a script entry that begins at once.
#[derive(Clone, Debug, PartialEq)]
pub struct LiveChange {
    /// One direction; `None` for both at the same time.
    pub direction: Option<Direction>,
    /// What is done to it.
    pub action: Action,
    /// For how long; `None`: until it is taken back.
    pub lasts: Option<Span>,
}

/// How fast a direction serialises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// Infinitely fast.
    Unlimited,
    /// So fast; of a trace, over the window that begins there.
    At(BitRate),
    /// Not at all: a trace without opportunities in this window.
    Nothing,
}

/// What one direction is like at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Condition {
    /// How fast it serialises.
    pub rate: Pace,
    /// The delay, one way: propagation, and by how much the script keeps back each packet; `None` while each packet draws
    /// its own. What an impairment keeps back is drawn for each packet, and not in it.
    pub delay: Option<Span>,
    /// With which probability a packet is lost by script, hand and impairments in the state they are in; 1 in an outage.
    /// Bit errors are not in it: they depend on a packet's length.
    pub loss: f64,
    /// The propagation delay alone, one way; `None` while each packet draws its own.
    pub propagation: Option<Span>,
    /// By how much the script keeps back each packet.
    pub kept_back: Span,
    /// Loss that the script or a hand has set, on top of the impairments'.
    pub set_loss: f64,
    /// Whether it delivers nothing and keeps everything.
    pub held: bool,
    /// Whether it loses everything.
    pub dropping: bool,
    /// How much may wait before the bottleneck.
    pub queue_limit: QueueLimit,
    /// Packets that wait before the bottleneck; the one in service is not among them.
    pub queued_packets: u32,
    /// Their octets.
    pub queued_octets: Bytes,
}

impl<P: Packet> Link<P> {
    /// Somebody changes the link at `now`, after all that is due by then. It is called `hand N` in events.
    ///
    /// What is set by hand goes before what the script sets, the latest before those before it; what ends gives back to
    /// what is still in force, in the end to the model. The link must be one of [`Link::by_hand`].
    ///
    /// # Panics
    /// If `now` is earlier than a `now` before.
    pub fn change(&mut self, now: Time, id: ChangeId, change: LiveChange, observer: &mut impl LinkObserver) {
        self.advance(now, observer);
        let LiveChange {
            direction,
            action,
            lasts,
        } = change;
        let entry = ScriptEntry {
            scope: direction.map_or(Scope::Shared, Scope::One),
            trigger: Trigger::At { at: now, lasts },
            action,
        };
        let place = self.surroundings.script.add(now, id, entry);
        let source: Source = self.surroundings.source(place);
        self.surroundings.link_state.call(source, format!("hand {}", id.0));
        self.schedule();
        self.advance(now, observer);
    }

    /// A change by hand ends at `now`, before its time. False if it is over already, or there was none of this number.
    ///
    /// # Panics
    /// If `now` is earlier than a `now` before.
    pub fn take_back(&mut self, now: Time, id: ChangeId, observer: &mut impl LinkObserver) -> bool {
        self.advance(now, observer);
        let there = self.surroundings.script.end_at(now, id);
        self.schedule();
        self.advance(now, observer);
        there
    }

    /// What a direction is like at the instant up to which the link was played.
    pub fn condition(&self, direction: Direction) -> Condition {
        let pipeline = &self.pipelines[direction as usize];
        let lane = self.surroundings.link_state.lane(direction);
        let rate = match pipeline.rate(self.now) {
            Some(rate) => Pace::At(rate),
            None if pipeline.is_unlimited() => Pace::Unlimited,
            None => Pace::Nothing,
        };
        Condition {
            rate,
            delay: lane.delay().map(|delay| delay + lane.kept_back),
            loss: pipeline.loss(self.now, &self.surroundings.link_state),
            propagation: lane.delay(),
            kept_back: lane.kept_back,
            set_loss: lane.loss,
            held: lane.is_held(self.now),
            dropping: lane.is_out(self.now),
            queue_limit: lane.queue,
            queued_packets: pipeline.queue().packets(),
            queued_octets: pipeline.queue().octets(),
        }
    }
}
