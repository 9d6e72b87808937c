//! Every kind of impairment, once: what it says, its name in files, its values and how it is put into words.
//!
//! [`ImpairmentKind`](crate::model::ImpairmentKind) is declared from these rows, and so is what files say of
//! impairments, both ways, and what is told of them to people. What a kind does to packets stands in `impairment/`. A
//! row is
//!
//! ```text
//! /// What it does, in a sentence.
//! Kind = "name", shared, "in words, of {value}", refused by netem: "why" {
//!     /// What the value means.
//!     value: type = "what holds if a file says nothing", to "greatest";
//! }
//! ```
//!
//! Types are `f64` for a probability, `Bytes`, `BitRate`, `NonZeroU32`, `Distribution<Span>` and `Onset`. An impairment before
//! the queue knows the size of an IP packet (`EntryMechanism`), one of the channel its bits with framing (`Passage`).
//!
//! `shared` says that it has a state, which both directions may have together; `each`, that it acts in each direction by
//! itself. `titled` gives the name in forms where it is not the one in files, in words. `refused by netem` says why, where
//! the kernel has no equal; files' documents and the plane have it from here. Onsets and quantities have no default; `to` is
//! checked of durations, and is in the schema of all. In the words a probability is a percentage, `{value:#}` the number
//! itself.

/// Hands every kind of impairment to a macro, behind what it is to be given besides.
#[macro_export]
macro_rules! impairments {
    ($callback:ident! $($given:tt)*) => {
        $callback! { $($given)* {
            /// The link delivers nothing for a while, keeps its packets and those that arrive, then releases them in
            /// order.
            Hold = "hold", shared, "delivery pauses for {length}, {every}" {
                /// When it begins: at a packet; in time from the end of one to the beginning of the next; or `between
                /// onsets`, of a process that has long been going on when the run begins, or `from` a given time.
                every: $crate::model::Onset, to "10 h";
                /// How long it lasts.
                length: $crate::model::Distribution<windlull_units::Span>, to "1 h";
            }
            /// The link sends nothing for a while: waiting packets stay in the queue, packets on their way arrive.
            Suspend = "suspend", shared, "transmission pauses for {length}, {every}",
                refused by netem: "the kernel pauses deliveries (`kind = \"hold\"`), not what is sent" {
                /// When it begins: at a packet; in time from the end of one to the beginning of the next; or `between
                /// onsets`, of a process that has long been going on when the run begins, or `from` a given time.
                every: $crate::model::Onset, to "10 h";
                /// How long it lasts.
                length: $crate::model::Distribution<windlull_units::Span>, to "1 h";
            }
            /// Arriving packets wait in front of the queue for a while, whatever its limit, and are then let in at
            /// once; queue, sending and delivery continue.
            HoldArrivals = "hold-arrivals", shared, "what arrives waits before the queue for {length}, {every}",
                refused by netem: "the kernel pauses deliveries (`hold`), not what arrives" {
                /// When it begins: at a packet; in time from the end of one to the beginning of the next; or `between
                /// onsets`, of a process that has long been going on when the run begins, or `from` a given time.
                every: $crate::model::Onset, to "10 h";
                /// How long it lasts.
                length: $crate::model::Distribution<windlull_units::Span>, to "1 h";
            }
            /// The link loses every packet for a while.
            Drop = "drop", shared, "everything is lost for {length}, {every}" {
                /// When it begins: at a packet; in time from the end of one to the beginning of the next; or `between
                /// onsets`, of a process that has long been going on when the run begins, or `from` a given time.
                every: $crate::model::Onset, to "10 h";
                /// How long it lasts.
                length: $crate::model::Distribution<windlull_units::Span>, to "1 h";
            }
            /// The path changes, as from one satellite or cell to the next: its delay takes another value that stays until the
            /// next handover; about the change packets may be kept, or lost.
            Handovers = "handovers", shared,
                "the path changes {every}: delay + {delay}, {hold} without delivery, {loss} of packets lost for {outage}" {
                /// When: in time from one to the next; `between onsets`, if the run begins at some instant of a process
                /// that has long been going on, or `from` a given time.
                every: $crate::model::Onset, to "10 h";
                /// What is added to the path's delay until the next handover, drawn at each, and for the start of the run.
                delay: $crate::model::Distribution<windlull_units::Span>, to "10 s";
                /// For how long nothing is delivered from a handover on; what arrives is kept, and released in order.
                hold: $crate::model::Distribution<windlull_units::Span> = "0 s", to "1 h";
                /// For how long packets are lost from a handover on.
                outage: $crate::model::Distribution<windlull_units::Span> = "0 s", to "1 h";
                /// Probability of each packet to be lost meanwhile.
                loss: f64 = "1";
            }
            /// A policer before the queue: what exceeds the rate by more than the burst is lost, nothing waits (the
            /// committed bucket of RFC 2697, section 3, in color-blind mode).
            Policer = "policer", each, "what exceeds {rate} and a burst of {burst} is lost",
                refused by netem: "what this plane makes of tc shapes, and has no policer" {
                /// How fast the bucket fills, which passes in the long run. Packets count without framing.
                rate: windlull_units::BitRate;
                /// How much the bucket holds, which may pass at once; it is full when the run begins. A packet that is
                /// larger never passes.
                burst: windlull_units::Bytes;
            }
            /// Packets wait before the queue and come in together, as Wi-Fi, cable modems and mobile networks gather what they
            /// send at once.
            Aggregation = "aggregation", each, "packets wait and come to the queue together, every {every} or {most} at a time",
                refused by netem: "what this plane makes of tc gathers no packets" {
                /// From each instant at which they are let in to the next, whether any wait or not.
                every: $crate::model::Distribution<windlull_units::Span>, to "10 s";
                /// When so many wait, they are let in at once; a block of Wi-Fi has at most 64.
                most: std::num::NonZeroU32 = "64";
            }
            /// An acknowledgement that comes to the queue takes the place of one that waits and says no more (RFC 3449, section
            /// 5.2.1). Those with SACK blocks or other echoes of congestion stay.
            AckThinning = "ack-thinning", each, "{waiting} of a connection's acknowledgements may wait, newer ones take places",
                refused by netem: "what this plane makes of tc does not know acknowledgements" {
                /// How many of a connection's acknowledgements may wait, the newest among them.
                waiting: std::num::NonZeroU32 = "1";
            }
            /// Independent loss.
            Loss = "loss", each, "{probability} of packets are lost" {
                /// Probability of each packet.
                probability: f64;
            }
            /// Independent loss with a bound: after so many packets of a direction that were lost in a row, the next one passes.
            BoundedLoss = "bounded-loss", each, "{probability} of packets are lost, at most {most} in a row",
                refused by netem: "netem loses packets at random, however many in a row" {
                /// Probability of each packet that may be lost.
                probability: f64;
                /// How many packets in a row are lost at most.
                most: std::num::NonZeroU32;
            }
            /// Loss at even intervals: one packet in every so many of a direction is lost (Mathis and others 1997,
            /// section 2).
            PeriodicLoss = "periodic-loss", each, "1 packet in {one_in} is lost, at even intervals",
                refused by netem: "netem loses packets at random, not at even intervals" {
                /// After how many packets the last of them is lost; 1 loses all.
                one_in: std::num::NonZeroU32;
            }
            /// Single losses in time: after each of some instants the next packet is lost, however many come in between, as when
            /// the response of a congestion control to a loss every so many seconds is measured.
            TimedLoss = "timed-loss", each, "one packet is lost every {every}",
                refused by netem: "netem loses packets by their number, not by the time" {
                /// From each instant to the next, whether a packet came or not.
                every: $crate::model::Distribution<windlull_units::Span>, to "10 h";
            }
            /// Gilbert-Elliott loss: two states, a transition drawn at each packet.
            GilbertElliott = "gilbert-elliott" titled "Gilbert-Elliott", shared,
                "per packet to bad {to_bad}, to good {to_good}; {loss_good} lost in good, {loss_bad} in bad" {
                /// Probability to go from good to bad.
                to_bad: f64;
                /// Probability to go from bad to good.
                to_good: f64;
                /// Loss in the good state.
                loss_good: f64 = "0";
                /// Loss in the bad state.
                loss_bad: f64 = "1";
            }
            /// Two states that alternate in time, loss in each; the run begins in the good one.
            TwoState = "two-state", shared, "good for {good}, bad for {bad}; {loss_good} lost in good, {loss_bad} in bad" {
                /// How long a good state lasts.
                good: $crate::model::Distribution<windlull_units::Span>, to "10 h";
                /// How long a bad state lasts.
                bad: $crate::model::Distribution<windlull_units::Span>, to "10 h";
                /// Loss in the good state.
                loss_good: f64 = "0";
                /// Loss in the bad state.
                loss_bad: f64 = "1";
            }
            /// Bit errors that the link layer detects: the packet is lost.
            BitError = "bit-error", each, "bit error rate {rate:#}",
                refused by netem: "netem loses packets by their number, not by their length" {
                /// Probability of each bit of the packet and its framing.
                rate: f64;
            }
            /// A packet is delayed and may be overtaken.
            Reorder = "reorder", each, "{probability} of packets come later by {by}" {
                /// Probability of each packet.
                probability: f64;
                /// By how much it is delayed.
                by: $crate::model::Distribution<windlull_units::Span>, to "10 min";
            }
            /// A packet arrives twice.
            Duplicate = "duplicate", each, "{probability} of packets come twice" {
                /// Probability of each packet.
                probability: f64;
            }
            /// Flipped bits that the link layer does not detect; the TCP checksum does.
            Corrupt = "corrupt", each, "{probability} of packets are corrupted" {
                /// Probability of each packet.
                probability: f64;
            }
        } }
    };
}
