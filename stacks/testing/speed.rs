//! What an end costs: a transfer down over a link in memory, and the processor's time for each packet.

use std::time::Instant;

use windlull_units::{Span, Time};

use crate::lab::{Setup, download};

pub(crate) fn measure() {
    let mut arguments = std::env::args().skip(1);
    let megabytes: u64 = arguments
        .next()
        .map_or(100, |text| text.parse().expect("a number of megabytes comes first"));
    let options: Vec<String> = arguments.collect();
    let options: Vec<(&str, &str)> = options
        .iter()
        .map(|option| option.split_once('=').expect("then options as NAME=VALUE"))
        .collect();
    for is_recorded in [false, true] {
        let mut lab = Setup {
            seed: 1,
            options: &options,
            is_recorded,
        }
        .lab();
        lab.keeps = false;
        lab.link.delay = Span::from_ms(5);
        let began = Instant::now();
        let octets = megabytes * 1_000_000;
        download(&mut lab, octets);
        while lab.octets_read < octets && lab.step() {}
        let took = began.elapsed();
        assert_eq!(lab.octets_read, octets);
        println!(
            "{}: {megabytes} MB in {} of virtual time; {} datagrams; {:.3} s, {:.2} us for each datagram and both ends",
            if is_recorded { "recorded" } else { "plain" },
            lab.now - Time::ZERO,
            lab.datagrams,
            took.as_secs_f64(),
            took.as_secs_f64() * 1e6 / lab.datagrams as f64,
        );
    }
}
