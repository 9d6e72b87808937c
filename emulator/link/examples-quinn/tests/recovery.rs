//! What quinn-proto makes of links that lose, and of one that only stands still.

use std::error::Error;

use windlull_link::{Direction, Link, Seed, Span, Time};
use windlull_link_quinn::Pair;

#[test]
fn quinn_repairs_what_was_lost_and_nothing_else() -> Result<(), Box<dyn Error>> {
    let mut pair = Pair::over(Link::named("kernel-heavy-losses", Seed::new(1))?)?;
    let end = pair.download(500_000);
    let (lost, declared) = (pair.lost(Direction::Down), pair.declared_lost(Direction::Down));
    assert!(lost > 10, "the link lost {lost}");
    assert!(0 < declared && declared <= lost, "{lost} lost, {declared} declared");
    assert!(end < Time::ZERO + Span::from_secs(60), "it took until {end}");
    Ok(())
}

#[test]
fn quinn_takes_nothing_for_lost_that_was_only_late() -> Result<(), Box<dyn Error>> {
    let mut pair = Pair::over(Link::named("one-hold", Seed::new(1))?)?;
    let end = pair.download(3_000_000);
    let (lost, declared) = (pair.lost(Direction::Down), pair.declared_lost(Direction::Down));
    assert!(declared <= lost, "{lost} lost, {declared} declared");
    let held = pair.fates().iter().any(|fate| fate.held > Span::from_secs(1));
    assert!(held, "the link never stood still");
    assert!(
        end > Time::ZERO + Span::from_ms(2_500),
        "over at {end}, before it could be"
    );
    Ok(())
}

#[test]
fn a_cell_edge_carries_a_download_at_its_rate() -> Result<(), Box<dyn Error>> {
    let mut pair = Pair::over(Link::named("lte-cell-edge", Seed::new(1))?)?;
    let end = pair.download(1_000_000);
    // 11.5 Mbit/s take 0.7 s for the octets alone, and the handshake is a round trip of 0.1 s.
    assert!(end > Time::ZERO + Span::from_ms(800), "faster than the link: {end}");
    assert!(end < Time::ZERO + Span::from_secs(10), "it took until {end}");
    Ok(())
}
