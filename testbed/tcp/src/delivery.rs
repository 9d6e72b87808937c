//! How fast the path delivers: samples of the delivery rate (draft-ietf-ccwg-bbr-06, section 4.1; first in
//! draft-cheng-iccrg-delivery-rate-estimation).
//!
//! ```text
//!   sent      P.first_sent ------------ P.sent                        send_elapsed
//!   delivered        P.delivered_at -------------------------- now    ack_elapsed
//!
//!   rate = what was delivered since P left / the longer of the two
//! ```
//!
//! Only a sender whose congestion control asks for samples keeps this. What is counted are octets of sequence space. Which
//! segments are lost, recovery finds; what is outstanding here is what neither is lost nor has arrived.

use std::collections::VecDeque;

use windlull_units::{Span, Time};

use crate::bandwidth::Bandwidth;
use crate::ranges::Range;
use crate::timer::StampClock;

/// What became of a packet, as far as is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    Outstanding,
    /// And not sent again since.
    Lost,
    /// Out of order.
    Delivered,
}

/// A transmission, or what is left of it once another one overlaps it: the draft's P (section 4.1.2.1.2).
#[derive(Clone, Copy, Debug)]
struct Packet {
    octets: Range,
    /// `P.send_time`.
    sent: Time,
    /// Whether it had been sent before.
    again: bool,
    /// `P.first_send_time`: the send time of what was delivered last when it left.
    first_sent: Time,
    /// `P.delivered`.
    delivered: u64,
    /// `P.delivered_time`.
    delivered_at: Time,
    /// `P.is_app_limited`.
    app_limited: bool,
    /// `P.tx_in_flight`: octets outstanding with it.
    inflight: u64,
    /// `P.lost`.
    lost: u64,
    standing: Standing,
}

/// What an acknowledgement that delivered something told: the draft's RS (section 2.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RateSample {
    /// `RS.delivery_rate`; none if the interval is too short to be one (section 4.1.2.3).
    pub(crate) rate: Bandwidth,
    /// `RS.delivered`: octets over the interval.
    pub(crate) delivered: u64,
    /// `RS.prior_delivered`.
    pub(crate) prior_delivered: u64,
    /// `RS.newly_acked`: octets.
    pub(crate) newly_acked: u64,
    /// `RS.is_app_limited`.
    pub(crate) app_limited: bool,
    /// `RS.tx_in_flight`.
    pub(crate) inflight: u64,
    /// `RS.lost`: octets lost since the packet left.
    pub(crate) lost: u64,
    /// `RS.rtt`: of the packet sent last, if it is known which of its transmissions arrived (section 4.2).
    pub(crate) rtt: Option<Span>,
}

/// A packet newly found lost (section 5.5.10.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LostPacket {
    pub(crate) octets: Range,
    /// `P.tx_in_flight`.
    pub(crate) inflight: u64,
    /// `C.lost - P.lost`: octets lost since it left, itself included.
    pub(crate) lost: u64,
    /// `P.is_app_limited`.
    pub(crate) app_limited: bool,
}

/// What an acknowledgement says of arrivals.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival<'a> {
    pub(crate) now: Time,
    /// All below arrived.
    pub(crate) una: u64,
    /// The timestamp it echoes, and the clock that stamped.
    pub(crate) echo: Option<u32>,
    pub(crate) clock: &'a StampClock,
}

/// The draft's C, as far as samples need it (section 4.1.2.1.1).
#[derive(Clone, Debug, Default)]
pub(crate) struct Delivery {
    packets: VecDeque<Packet>,
    /// `C.delivered`, octets.
    delivered: u64,
    /// `C.delivered_time`.
    delivered_at: Time,
    /// `C.first_send_time`, and the end of what was sent then.
    first_sent: (Time, u64),
    /// `C.app_limited`: what will have been delivered once the idle gap has passed; zero without one.
    app_limited: u64,
    /// `C.lost`, octets.
    lost: u64,
    /// `C.inflight`, octets.
    inflight: u64,
    /// Octets lost and not sent again.
    unrepaired: u64,
    /// `C.min_rtt`.
    min_rtt: Option<Span>,
    /// What will have been delivered a round trip after the window was last full.
    window_full_until: Option<u64>,
}

impl Delivery {
    /// `C.delivered`: octets that arrived, as far as is known.
    pub(crate) const fn delivered(&self) -> u64 {
        self.delivered
    }

    /// `C.inflight`: octets outstanding.
    pub(crate) const fn inflight(&self) -> u64 {
        self.inflight
    }

    /// Whether the application leaves the path idle, or did so a round trip ago.
    pub(crate) const fn is_app_limited(&self) -> bool {
        self.app_limited != 0
    }

    /// `C.is_cwnd_limited` (section 2.2): whether the window was full in the last round trip.
    pub(crate) fn is_window_limited(&self) -> bool {
        self.window_full_until.is_some_and(|until| self.delivered <= until)
    }

    /// Section 4.1.2.2: octets are sent, again or for the first time, in a window of `cwnd` and in segments of `smss`.
    pub(crate) fn on_sent(&mut self, now: Time, octets: Range, again: bool, cwnd: u64, smss: u64) {
        if self.inflight == 0 {
            self.first_sent.0 = now;
            self.delivered_at = now;
        }
        let packet = Packet {
            octets,
            sent: now,
            again,
            first_sent: self.first_sent.0,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            app_limited: self.is_app_limited(),
            inflight: 0,
            lost: self.lost,
            standing: Standing::Outstanding,
        };
        let sent = if again {
            let places = self.inside(octets);
            for packet_again in self.packets.range_mut(places.clone()) {
                let len = packet_again.octets.len();
                match packet_again.standing {
                    Standing::Outstanding => {}
                    Standing::Lost => {
                        self.unrepaired -= len;
                        self.inflight += len;
                    }
                    // The receiver has discarded it (RFC 2018, section 8).
                    Standing::Delivered => self.inflight += len,
                }
                *packet_again = Packet {
                    octets: packet_again.octets,
                    ..packet
                };
            }
            places
        } else {
            self.inflight += octets.len();
            self.packets.push_back(packet);
            self.packets.len() - 1..self.packets.len()
        };
        for packet in self.packets.range_mut(sent) {
            packet.inflight = self.inflight;
        }
        if self.inflight + smss > cwnd {
            self.window_full_until = Some(self.delivered + self.inflight);
        }
    }

    /// Section 4.1.2.3: what arrived, in order and, as `held` tells, out of it; a sample if anything is news.
    pub(crate) fn on_arrival(
        &mut self,
        arrival: &Arrival<'_>,
        held: impl Iterator<Item = Range>,
    ) -> Option<RateSample> {
        let before = self.delivered;
        let mut newest = None;
        self.split(arrival.una);
        while self
            .packets
            .front()
            .is_some_and(|packet| packet.octets.right <= arrival.una)
        {
            if let Some(packet) = self.packets.pop_front() {
                self.deliver(arrival.now, &packet, &mut newest);
            }
        }
        for range in held {
            for at in self.inside(range) {
                let packet = self.packets[at];
                self.deliver(arrival.now, &packet, &mut newest);
                self.packets[at].standing = Standing::Delivered;
            }
        }
        // The idle gap has passed.
        if self.app_limited != 0 && self.delivered > self.app_limited {
            self.app_limited = 0;
        }
        let newest = newest?;
        let rtt = self.round_trip(arrival, &newest);
        if let Some(rtt) = rtt {
            self.min_rtt = Some(self.min_rtt.map_or(rtt, |least| least.min(rtt)));
        }
        let send_elapsed = newest.sent.since(newest.first_sent);
        let interval = send_elapsed.max(arrival.now.since(newest.delivered_at));
        let delivered = self.delivered - newest.delivered;
        let reliable = self.min_rtt.is_none_or(|least| interval >= least);
        Some(RateSample {
            rate: if reliable {
                Bandwidth::of(delivered, interval)
            } else {
                Bandwidth::NONE
            },
            delivered,
            prior_delivered: newest.delivered,
            newly_acked: self.delivered - before,
            app_limited: newest.app_limited,
            inflight: newest.inflight,
            lost: self.lost - newest.lost,
            rtt,
        })
    }

    /// `UpdateRateSample`: a packet arrived, unless that was known.
    fn deliver(&mut self, now: Time, packet: &Packet, newest: &mut Option<Packet>) {
        match packet.standing {
            Standing::Delivered => return,
            Standing::Outstanding => self.inflight -= packet.octets.len(),
            Standing::Lost => self.unrepaired -= packet.octets.len(),
        }
        self.delivered += packet.octets.len();
        self.delivered_at = now;
        let sent = (packet.sent, packet.octets.right);
        if newest.is_none() || sent > self.first_sent {
            *newest = Some(*packet);
            self.first_sent = sent;
        }
    }

    /// Section 4.2: nothing is measured of what was sent again, unless the timestamp tells that this has arrived.
    fn round_trip(&self, arrival: &Arrival<'_>, packet: &Packet) -> Option<Span> {
        let is_known = !packet.again
            || arrival
                .echo
                .is_some_and(|echo| !arrival.clock.is_older(echo, packet.sent));
        is_known.then(|| arrival.now.since(packet.sent))
    }

    /// Recovery takes these octets for lost; tells of each packet that was not known to be.
    pub(crate) fn lose(&mut self, lost: Range, mut tell: impl FnMut(LostPacket)) {
        for at in self.inside(lost) {
            let packet = &mut self.packets[at];
            if packet.standing != Standing::Outstanding {
                continue;
            }
            packet.standing = Standing::Lost;
            let len = packet.octets.len();
            self.inflight -= len;
            self.unrepaired += len;
            self.lost += len;
            tell(LostPacket {
                octets: packet.octets,
                inflight: packet.inflight,
                lost: self.lost - packet.lost,
                app_limited: packet.app_limited,
            });
        }
    }

    /// Nothing counts as lost any more.
    pub(crate) fn forgive(&mut self) {
        for packet in &mut self.packets {
            if packet.standing == Standing::Lost {
                packet.standing = Standing::Outstanding;
                self.inflight += packet.octets.len();
            }
        }
        self.unrepaired = 0;
    }

    /// Section 4.1.2.4, `CheckIfApplicationLimited`: before anything is written, acknowledged, or done by a timer.
    pub(crate) fn check_application(&mut self, has_unsent: bool, cwnd: u64) {
        if !has_unsent && self.inflight < cwnd && self.unrepaired == 0 {
            self.mark_application_limited();
        }
    }

    /// `MarkConnectionAppLimited`.
    pub(crate) fn mark_application_limited(&mut self) {
        self.app_limited = (self.delivered + self.inflight).max(1);
    }

    /// The packets inside `range`, after those that reach beyond it were split.
    fn inside(&mut self, range: Range) -> std::ops::Range<usize> {
        self.split(range.left);
        self.split(range.right);
        let begin = self.packets.partition_point(|packet| packet.octets.left < range.left);
        let end = self
            .packets
            .partition_point(|packet| packet.octets.right <= range.right);
        begin..end.max(begin)
    }

    /// Makes two of the packet that has `offset` inside.
    fn split(&mut self, offset: u64) {
        let at = self.packets.partition_point(|packet| packet.octets.right <= offset);
        let Some(whole) = self.packets.get_mut(at).filter(|packet| packet.octets.left < offset) else {
            return;
        };
        let rest = Packet {
            octets: Range::new(offset, whole.octets.right),
            ..*whole
        };
        whole.octets.right = offset;
        self.packets.insert(at + 1, rest);
    }
}

#[cfg(test)]
mod tests;
