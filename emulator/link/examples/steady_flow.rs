//! What becomes of a steady flow to the client on a link that Windlull ships: its delays, and its losses by cause.
//!
//! ```text
//! cargo run -p windlull-link --example steady_flow -- satellite-low-orbit
//! ```

#![expect(clippy::print_stdout, reason = "its output is its purpose")]

use std::collections::BTreeMap;

use windlull_link::{Datagram, Direction, Fate, Link, Outcome, Seed, Span, Time, UnknownLink};

/// A datagram every 10 ms for a minute.
const DATAGRAMS: u64 = 6_000;
const INTERVAL: Span = Span::from_ms(10);

/// What became of each datagram of the flow.
fn fates(mut link: Link<Datagram>) -> Vec<Fate> {
    let mut fates = Vec::new();
    let mut now = Time::ZERO;
    for _ in 0..DATAGRAMS {
        link.send(now, Direction::Down, Datagram::new([0; 1200]), &mut fates);
        while link.pop_delivery().is_some() {}
        now += INTERVAL;
    }
    // The link's own state may change for ever: it is played until nothing is on its way.
    while let Some(next) = link.poll_at().filter(|_| link.packets_inside() > 0) {
        link.advance(next, &mut fates);
        while link.pop_delivery().is_some() {}
    }
    fates
}

fn main() -> Result<(), UnknownLink> {
    let name = std::env::args().nth(1).unwrap_or_else(|| "lte-train".to_owned());
    let (mut delays, mut drops) = (Vec::new(), BTreeMap::new());
    for fate in fates(Link::named(&name, Seed::new(1))?) {
        match fate.outcome {
            Outcome::Delivered { at } => delays.push(at - fate.entered),
            Outcome::Dropped { by, .. } => *drops.entry(by.name()).or_insert(0) += 1,
        }
    }
    delays.sort_unstable();
    for percent in [0, 50, 95, 99] {
        if let Some(delay) = delays.get(delays.len() * percent / 100) {
            println!("{percent:3} % arrive within {delay}");
        }
    }
    println!("{} of {DATAGRAMS} arrive", delays.len());
    for (cause, number) in drops {
        println!("{number} are lost by {cause}");
    }
    Ok(())
}
