//! Whatever a file or a text says, reading it ends with a value or with problems that say where.

use std::collections::BTreeMap;
use std::path::PathBuf;

use proptest::prelude::*;
use windlull_link::model::{QueueLimit, QueueSize};
use windlull_profile::text::{Begin, Occurrence, Probability, Rate, SpanDistribution, Written};
use windlull_profile::{Library, Link};

const GOOD: &str = r#"title = "x"
[both]
rate = { kind = "stepped", period = "30 s", steps = [{ at = "0 s", rate = "1 Mbit/s" }] }
delay = "normal(mean 200 ms, deviation 20 ms)"
queue = { kind = "droptail", limit = "7 packets" }
arq = { send_buffer = "1776 B", receive_buffer = "1776 B", persistence = "3 retries", retry_after = "1 s" }
allocation = { idle_after = "1 s", delay = "500 ms" }
[down]
queue = { kind = "red", limit = "50 packets", minimum = "5 packets", weight = 0.002, gentle = true, ecn = true }
[up]
queue = { kind = "codel", limit = "64 kB", target = "5 ms", interval = "100 ms" }
[[impairment]]
name = "spikes"
on = "each"
kind = "hold"
every = "packet with probability 0.02"
length = "exponential(mean 3.5 s)"
[[script]]
on = "down"
at = "first retransmission of segment 12"
for = "3 s"
do = "hold"
"#;

fn load(text: &str) {
    let files = BTreeMap::from([(PathBuf::from("p/links/x.toml"), text.to_owned())]);
    let lines = u32::try_from(text.lines().count()).expect("a short text");
    match Link::load(&Library::new("p", files), "x") {
        Ok(link) => assert!(!link.summary().is_empty()),
        Err(problems) => {
            assert!(problems.iter().count() > 0);
            for problem in &problems {
                assert!(
                    problem.line.is_none_or(|line| line >= 1 && line <= lines + 1),
                    "{problem}"
                );
                assert!(problem.file.ends_with("x.toml"), "{problem}");
            }
        }
    }
}

fn read_and_write<T: Written + PartialEq + std::fmt::Debug>(text: &str) {
    if let Ok(value) = T::read(text) {
        let written = value.write();
        assert_eq!(T::read(&written).as_ref(), Ok(&value), "{written}");
    }
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in ".{0,200}") {
        load(&text);
    }

    #[test]
    fn a_good_file_with_a_hole_is_read_or_refused(from in 0..GOOD.len(), length in 0..40usize, filling in "[ -~\n]{0,12}") {
        let to = (from + length).min(GOOD.len());
        load(&format!("{}{filling}{}", &GOOD[..from], &GOOD[to..]));
    }

    #[test]
    fn a_value_becomes_another(line in 0..22usize, value in "(\"[a-z0-9 .()%-]{0,20}\"|-?[0-9]{1,20}|true|\\[\\]|\\{\\}|[0-9]e9)") {
        let changed: Vec<String> = GOOD.lines().enumerate().map(|(i, text)| match text.split_once(" = ") {
            Some((key, _)) if i == line => format!("{key} = {value}"),
            _ => text.to_owned(),
        }).collect();
        load(&changed.join("\n"));
    }

    #[test]
    fn any_scenario_is_a_link_or_refused(
        name in "(simple-p2p|asymmetric-p2p|drop-rate|blackhole|droplist|rebind|nat)",
        delay in "[0-9.]{1,4}(ms|s|us|m|)", rate in "[0-9.]{1,5}([kKMG]i?[bB](ps|/s)|)", queue in "[0-9]{1,4}",
        more in "( (--)?[a-z_-]{1,12}=?[0-9a-z.,]{0,6}){0,3}",
    ) {
        let text = format!("{name} --delay={delay} --bandwidth={rate} --queue={queue}{more}");
        match Link::load(&Library::new("p", BTreeMap::<PathBuf, String>::new()), &text) {
            Ok(link) => prop_assert!(!link.summary().is_empty()),
            Err(problems) => prop_assert!(problems.iter().count() > 0),
        }
    }

    #[test]
    fn what_is_read_is_written_the_same(
        word in "(uniform|exponential|normal|lognormal|pareto|weibull|empirical|packet with probability|packet|data segments|byte|first retransmission of segment|)",
        rest in "[ (]?(mean |min |scale |)[0-9]{0,3}(\\.[0-9]{1,3})?[ .,]{0,2}(ms|s|%|kbit/s|packets?|kB|)[ ,]{0,2}(deviation |shape |)[0-9]{0,3} ?(ms|s|)[)]?",
    ) {
        let text = format!("{word}{rest}");
        read_and_write::<SpanDistribution>(&text);
        read_and_write::<Occurrence>(&text);
        read_and_write::<Begin>(&text);
        read_and_write::<Rate>(&text);
        read_and_write::<QueueSize>(&text);
        read_and_write::<QueueLimit>(&text);
        read_and_write::<Probability>(&text);
    }
}
