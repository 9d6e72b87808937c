//! Models as the Rust that makes them.
//!
//! Every field and every variant is named here, so that a model that gets another one is not written without it.

use std::fmt::Write as _;
use std::num::NonZeroU32;
use std::sync::Arc;

use windlull_link::model::{
    Action, AdaptiveRedModel, AllocationModel, ArqModel, CakeModel, CodelModel, ContentionModel, Distribution,
    DrrModel, DualPi2Model, FqCodelModel, GrantsModel, Impairment, ImpairmentKind, InOrder, LightModel, LinkModel,
    Onset, PathModel, Persistence, PieModel, QueueLimit, QueueModel, QueueSize, RateModel, RecordedPath, RecordedRow,
    Recording, RedAim, RedModel, Scope, ScriptEntry, Selector, ServiceModel, Start, Train, TransportCondition, Trigger,
    Zeros,
};
use windlull_units::{BitRate, Bytes, Direction, Span, Time};

/// A value that can be written as an expression of Rust.
pub(crate) trait Source {
    /// Appends the expression. The types that it names are in scope where it stands, and `rate` and `count`, which make a
    /// rate of bits per second and a count that is not zero.
    fn source(&self, out: &mut String);
}

/// Appends what is formatted.
macro_rules! put {
    ($out:ident, $($format:tt)+) => {
        write!($out, $($format)+).expect("a string takes everything")
    };
}

/// Structs by their fields.
macro_rules! structs {
    ($($type:ident { $($field:ident),+ $(,)? })+) => { $(
        impl Source for $type {
            fn source(&self, out: &mut String) {
                let Self { $($field),+ } = self;
                out.push_str(concat!(stringify!($type), " { "));
                $(
                    out.push_str(concat!(stringify!($field), ": "));
                    $field.source(out);
                    out.push_str(", ");
                )+
                out.push('}');
            }
        }
    )+ };
}

/// Enums by their variants and what these hold.
macro_rules! enums {
    ($($type:ident $(<$of:ident>)? {
        $($variant:ident $(($($value:ident),+))? $({ $($field:ident),+ })?),+ $(,)?
    })+) => { $(
        impl Source for $type $(<$of>)? {
            fn source(&self, out: &mut String) {
                match self {
                    $(Self::$variant $(($($value),+))? $({ $($field),+ })? => {
                        out.push_str(concat!(stringify!($type), "::", stringify!($variant)));
                        $(
                            out.push('(');
                            $(
                                $value.source(out);
                                out.push_str(", ");
                            )+
                            out.push(')');
                        )?
                        $(
                            out.push_str(" { ");
                            $(
                                out.push_str(concat!(stringify!($field), ": "));
                                $field.source(out);
                                out.push_str(", ");
                            )+
                            out.push('}');
                        )?
                    })+
                }
            }
        }
    )+ };
}

impl Source for LinkModel {
    fn source(&self, out: &mut String) {
        let Self {
            down,
            up,
            impairments,
            script,
            recording,
            replay,
            rebinding,
            start,
        } = self;
        // What the packets of one run met belongs to a result, not to a link that everybody has.
        assert!(replay.is_none(), "no link in profiles/links may have `replay`");
        // A NAT belongs to who carries real packets; the crate's link has none.
        assert!(rebinding.is_none(), "no link in profiles/links may have `rebinding`");
        out.push_str("LinkModel {\n        down: ");
        down.source(out);
        out.push_str(",\n        up: ");
        up.source(out);
        out.push_str(",\n        impairments: ");
        impairments.source(out);
        out.push_str(",\n        script: ");
        script.source(out);
        out.push_str(",\n        recording: ");
        recording.source(out);
        out.push_str(",\n        replay: None,\n        rebinding: None,\n        start: ");
        start.source(out);
        out.push_str(",\n    }");
    }
}

structs! {
    PathModel { rate, delay, framing, queue, arq, allocation, light, service, in_order }
    RedModel { limit, minimum, maximum, probability, weight, gentle, mean_packet, spare, ecn }
    AdaptiveRedModel { limit, aim, weight, mean_packet, spare, ecn }
    CodelModel { limit, target, interval, ecn }
    PieModel { limit, target, burst, mean_packet, ecn }
    CakeModel { limit, round_trip }
    DrrModel { limit, quantum, flows }
    FqCodelModel { limit, quantum, flows, target, interval, ecn }
    DualPi2Model { limit, target, round_trip, threshold, range, coupling, classic_share }
    ArqModel { send_buffer, receive_buffer, persistence, retry_after }
    AllocationModel { idle_after, delay }
    LightModel { idle_after, trains, period }
    Train { at, opportunities }
    GrantsModel { cycle, sr_period, grant_delay, error, round_trip, attempts }
    ContentionModel {
        contenders, contender_airtime, slot, spacing, cw_min, cw_max, aggregate, airtime, overhead, error, attempts,
    }
    Impairment { name, scope, kind }
    ScriptEntry { scope, trigger, action }
    Recording { rows, period, zeros }
    RecordedRow { at, down, up }
    RecordedPath { rate_bps, delay, loss }
}

enums! {
    Start { Beginning, Random, At(span) }
    Zeros { Hold, Outage }
    Direction { Down, Up }
    RateModel { Constant(rate), Stepped { steps, period }, Trace { opportunities, period } }
    QueueModel {
        DropTail(model), Red(model), AdaptiveRed(model), Codel(model), Pie(model), Drr(model), FqCodel(model), DualPi2(model),
        Cake(model),
    }
    RedAim { Delay(span), Thresholds { minimum, maximum } }
    QueueSize { Packets(number), Bytes(size) }
    QueueLimit { Unlimited, Packets(number), Bytes(size) }
    Persistence { None, Unlimited, Retries(number), For(span) }
    InOrder { Always, Never, For(span) }
    ServiceModel { Grants(model), Contention(model) }
    Distribution<Span> {
        Constant(amount), Uniform { min, max }, Exponential { mean }, Normal { mean, deviation }, LogNormal { mean, deviation },
        Pareto { min, shape }, Weibull { scale, shape }, Empirical(samples),
    }
    Scope { One(direction), Each, Shared }
    Onset { PacketWithProbability(probability), Renewal(gaps), Intervals(gaps), IntervalsFrom(gaps, first) }
    Trigger { At { at, lasts }, Packets { which, lasts }, Transport { when, lasts } }
    TransportCondition {
        AfterByte(octet), Retransmission(nth), AfterLastTransmission { rto_thousandths }, WindowExceeds { segments }, Recovery,
    }
    Selector {
        DataSegments { first, last }, Packet(number), Byte(number), RetransmissionOfByte { byte, nth },
        RetransmissionOfSegment { segment, nth },
    }
    Action {
        Hold, HoldArrivals, Drop, Delay(span), SetRate(rate), SetDelay(span), SetLoss(probability), SetQueue(limit),
    }
}

/// The kinds of impairments from their rows.
macro_rules! kinds {
    ({ $(
        $(#[$doc:meta])+ $kind:ident = $name:literal $(titled $title:literal)?, $sharing:ident, $words:literal
        $(, refused by netem: $why:literal)? {
            $($(#[$value_doc:meta])+ $value:ident: $type:ty $(= $default:literal)? $(, to $most:literal)?;)+
        }
    )+ }) => {
        enums! { ImpairmentKind { $($kind { $($value),+ }),+ } }
    };
}
windlull_link::impairments!(kinds!);

impl<T: Source> Source for Option<T> {
    fn source(&self, out: &mut String) {
        match self {
            None => out.push_str("None"),
            Some(value) => {
                out.push_str("Some(");
                value.source(out);
                out.push(')');
            }
        }
    }
}

impl<T: Source> Source for [T] {
    fn source(&self, out: &mut String) {
        out.push('[');
        for value in self {
            value.source(out);
            out.push_str(", ");
        }
        out.push(']');
    }
}

impl<T: Source> Source for Vec<T> {
    fn source(&self, out: &mut String) {
        out.push_str("vec!");
        self.as_slice().source(out);
    }
}

impl<T: Source> Source for Arc<[T]> {
    fn source(&self, out: &mut String) {
        let values: &[T] = self;
        out.push_str("Arc::from(");
        values.source(out);
        out.push(')');
    }
}

impl<A: Source, B: Source> Source for (A, B) {
    fn source(&self, out: &mut String) {
        out.push('(');
        self.0.source(out);
        out.push_str(", ");
        self.1.source(out);
        out.push(')');
    }
}

impl Source for String {
    fn source(&self, out: &mut String) {
        put!(out, "{self:?}.to_owned()");
    }
}

impl Source for bool {
    fn source(&self, out: &mut String) {
        put!(out, "{self}");
    }
}

impl Source for u32 {
    fn source(&self, out: &mut String) {
        put!(out, "{self}");
    }
}

impl Source for u64 {
    fn source(&self, out: &mut String) {
        put!(out, "{self}");
    }
}

impl Source for f64 {
    /// With as many digits as tell it from every other.
    fn source(&self, out: &mut String) {
        put!(out, "{self:?}");
    }
}

impl Source for NonZeroU32 {
    fn source(&self, out: &mut String) {
        put!(out, "count({self})");
    }
}

impl Source for BitRate {
    fn source(&self, out: &mut String) {
        put!(out, "rate({})", self.as_bps());
    }
}

impl Source for Bytes {
    fn source(&self, out: &mut String) {
        put!(out, "Bytes::new({})", self.get());
    }
}

impl Source for Time {
    fn source(&self, out: &mut String) {
        put!(out, "Time::from_ns({})", self.as_ns());
    }
}

impl Source for Span {
    /// In the largest unit in which it is a whole number.
    fn source(&self, out: &mut String) {
        let ns = self.as_ns();
        let units = [("secs", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000)];
        match units.into_iter().find(|(_, length)| ns % length == 0) {
            Some((unit, length)) => put!(out, "Span::from_{unit}({})", ns / length),
            None => put!(out, "Span::from_ns({ns})"),
        }
    }
}
