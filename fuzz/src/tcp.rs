//! A TCP endpoint against anything: a network that loses, delays, repeats and reorders, and a peer that lies.

use windlull_tcp::{DelayedAck, Detection, Endpoint, Recovery, Response, TimerSettings, Variant};
use windlull_units::{Bytes, Ecn, Span, Time};
use windlull_wire::{Flags, Options, SackBlock, SackBlocks, Segment, SeqNumber, Timestamps};

/// The most segments one call may release; a receive window holds far fewer.
const BURST: u32 = 20_000;
/// Segments under way that are remembered.
const UNDER_WAY: usize = 256;

/// Octets as a supply of small decisions; zeroes when used up.
struct Supply<'a>(&'a [u8]);

impl Supply<'_> {
    fn octet(&mut self) -> u8 {
        match self.0.split_first() {
            Some((&first, rest)) => {
                self.0 = rest;
                first
            }
            None => 0,
        }
    }

    fn short(&mut self) -> u16 {
        u16::from_be_bytes([self.octet(), self.octet()])
    }

    fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[usize::from(self.octet()) % all.len()]
    }
}

/// A setting that decisions vary.
trait Varied {
    /// Another value, or the same.
    fn vary(&mut self, _: &mut Supply<'_>) {}
}

macro_rules! varied_choices {
    ($($choice:ty,)+) => {
        $(impl Varied for $choice {
            fn vary(&mut self, supply: &mut Supply<'_>) {
                *self = supply.pick(Self::ALL);
            }
        }
        impl Varied for Option<$choice> {
            fn vary(&mut self, supply: &mut Supply<'_>) {
                *self = (supply.octet() & 1 != 0).then(|| supply.pick(<$choice>::ALL));
            }
        })+
    };
}
windlull_tcp::choices!(varied_choices!);

impl Varied for bool {
    fn vary(&mut self, supply: &mut Supply<'_>) {
        *self = supply.octet() & 1 != 0;
    }
}

impl Varied for u16 {}
impl Varied for u32 {
    fn vary(&mut self, supply: &mut Supply<'_>) {
        *self = u32::from(supply.octet() & 15).max(1);
    }
}
impl Varied for Option<u32> {
    fn vary(&mut self, supply: &mut Supply<'_>) {
        *self = Some(u32::from(supply.octet() & 7)).filter(|number| *number > 0);
    }
}
impl Varied for Bytes {}
impl Varied for Option<Bytes> {
    fn vary(&mut self, supply: &mut Supply<'_>) {
        *self = (supply.octet() & 1 != 0).then(|| Bytes::new(400_000));
    }
}
impl Varied for Span {}
impl Varied for DelayedAck {
    fn vary(&mut self, supply: &mut Supply<'_>) {
        *self = Self::from_name(supply.pick(Self::NAMES), Span::from_ms(200)).expect("a policy's name");
    }
}

macro_rules! vary {
    ($settings:expr, $supply:expr, { $(
        $(#[$doc:meta])+ $key:ident: $type:ty = $default:expr
            $(, or $words:literal)? $(, from $least:literal)? $(, to $most:literal)?;
            $part:literal, $label:literal;
    )+ }) => {
        $($settings.$key.vary($supply);)+
    };
}

impl Varied for TimerSettings {
    fn vary(&mut self, supply: &mut Supply<'_>) {
        windlull_tcp::timer_settings!(vary! self, supply,);
    }
}

fn variant(supply: &mut Supply<'_>) -> Variant {
    let mut variant = Variant {
        recovery: supply.pick(Recovery::ALL),
        detection: supply.pick(Detection::ALL),
        response: supply.pick(Response::ALL),
        ..Variant::default()
    };
    windlull_tcp::settings!(vary! variant, supply,);
    variant.mss = 64 + u16::from(supply.octet()) * 8;
    variant.receive_window = Bytes::new(if variant.window_scale { 200_000 } else { 20_000 });
    variant.largest_receive_window = variant.largest_receive_window.filter(|_| variant.window_scale);
    variant
}

/// Two ends and everything that is under way between them.
struct World {
    now: Time,
    ends: [Endpoint; 2],
    isns: [SeqNumber; 2],
    under_way: [Vec<Segment>; 2],
}

impl World {
    fn new(variant: &Variant, isns: [SeqNumber; 2]) -> Self {
        let mut ends = isns.map(|isn| Endpoint::new(variant, isn));
        ends[1].listen();
        ends[0].connect(Time::ZERO);
        Self {
            now: Time::ZERO,
            ends,
            isns,
            under_way: [Vec::new(), Vec::new()],
        }
    }

    /// Takes what an end sends; it must come to an end.
    fn transmit(&mut self, from: usize) {
        for _ in 0..BURST {
            let Some((segment, _)) = self.ends[from].poll_transmit(self.now, &mut ()) else {
                return;
            };
            if self.under_way[from].len() < UNDER_WAY {
                self.under_way[from].push(segment);
            }
        }
        panic!("an endpoint sends without end: {:?}", self.ends[from]);
    }

    fn deliver(&mut self, to: usize, segment: &Segment) {
        self.ends[to].on_segment(self.now, segment, &mut ());
        self.transmit(to);
    }

    /// Jumps to the next wake-up, or a little.
    fn pass(&mut self, milliseconds: u64) {
        let wake = self.ends.iter().filter_map(Endpoint::poll_at).min();
        self.now = match wake {
            Some(at) if milliseconds == 0 => at.max(self.now),
            _ => self.now + Span::from_ms(milliseconds),
        };
        for end in 0..2 {
            if self.ends[end].poll_at().is_some_and(|at| at <= self.now) {
                self.ends[end].on_timer(self.now, &mut ());
                self.transmit(end);
                assert!(
                    self.ends[end].poll_at().is_none_or(|at| at > self.now),
                    "a timer that fired is due again at once: {:?}",
                    self.ends[end]
                );
            }
        }
    }

    /// A segment near the connection's numbers that no honest peer need have sent.
    fn forge(&self, to: usize, supply: &mut Supply<'_>) -> Segment {
        let from = 1 - to;
        let near = |isn: SeqNumber, offset: u16| isn.add(u32::from(offset)).add(0_u32.wrapping_sub(100));
        let mut sack = SackBlocks::NONE;
        let shape = supply.octet();
        for _ in 0..shape & 3 {
            sack.push(SackBlock {
                left: near(self.isns[to], supply.short()),
                right: near(self.isns[to], supply.short()),
            });
        }
        Segment {
            seq: near(self.isns[from], supply.short()),
            ack: near(self.isns[to], supply.short()),
            flags: Flags(supply.short() & 0x1FF),
            ecn: Ecn::of_octet(shape >> 6),
            window: supply.short(),
            options: Options {
                mss: (shape & 4 != 0).then(|| supply.short()),
                timestamps: (shape & 8 != 0).then(|| Timestamps {
                    value: u32::from(supply.short()),
                    echo: u32::from(supply.short()),
                }),
                sack_permitted: shape & 16 != 0,
                window_scale: (shape & 32 != 0).then(|| supply.octet()),
                sack,
            },
            payload_len: u32::from(supply.short() & 0x0FFF),
        }
    }
}

/// A connection whose network and peer the input decides upon, step by step.
///
/// # Panics
/// If an endpoint panics, sends without end, or leaves a timer due that has just fired.
pub fn tcp(octets: &[u8]) {
    let mut supply = Supply(octets);
    let variant = variant(&mut supply);
    if variant.validate().is_err() {
        return;
    }
    let isns = [
        SeqNumber(u32::from(supply.short()) << 16 | 0xFF00),
        SeqNumber(u32::from(supply.short())),
    ];
    let mut world = World::new(&variant, isns);
    world.transmit(0);
    while !supply.0.is_empty() {
        let step = supply.octet();
        let end = usize::from(step & 1);
        match step >> 1 & 7 {
            0 => {
                world.ends[end].write(world.now, u64::from(supply.short()));
                world.transmit(end);
            }
            1 => world.pass(u64::from(supply.short())),
            2 => world.pass(0),
            // The oldest arrives; any arrives; any arrives and will again; the oldest is lost.
            3 if !world.under_way[1 - end].is_empty() => {
                let segment = world.under_way[1 - end].remove(0);
                world.deliver(end, &segment);
            }
            4 if !world.under_way[1 - end].is_empty() => {
                let place = usize::from(supply.octet()) % world.under_way[1 - end].len();
                let segment = if step & 16 == 0 {
                    world.under_way[1 - end].remove(place)
                } else {
                    world.under_way[1 - end][place]
                };
                world.deliver(end, &segment);
            }
            5 if !world.under_way[end].is_empty() => {
                world.under_way[end].remove(0);
            }
            6 => {
                let segment = world.forge(end, &mut supply);
                world.deliver(end, &segment);
            }
            7 => {
                match step >> 4 & 3 {
                    0 => world.ends[end].close(world.now),
                    1 if step & 64 != 0 => world.ends[end].abort(world.now),
                    _ => {
                        let readable = world.ends[end].readable();
                        world.ends[end].read(world.now, readable.min(u64::from(supply.short())));
                    }
                }
                world.transmit(end);
            }
            _ => {}
        }
    }
}
