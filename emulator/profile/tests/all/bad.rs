//! Link files that are wrong, and what is said of each, word for word.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use windlull_profile::{Kind, Library, Link, Problems};

/// What is said of `files`, of which the first is loaded; without the profiles directory's name.
fn said(files: &[(&str, &str)]) -> String {
    let problems = load(files).expect_err("the file is wrong");
    problems.to_string().replace("profiles/links/", "")
}

fn load(files: &[(&str, &str)]) -> Result<Link, Problems> {
    let map: BTreeMap<PathBuf, String> = files
        .iter()
        .map(|(name, text)| (PathBuf::from(format!("profiles/links/{name}")), (*text).to_owned()))
        .collect();
    let name = files[0].0.trim_end_matches(".toml");
    Link::load(&Library::new("profiles", map), name)
}

const PLAIN: &str = "title = \"x\"
[both]
rate = \"28.8 kbit/s\"
delay = \"200 ms\"
queue = { kind = \"droptail\", limit = \"7 packets\" }
";

/// `text` is wrong by itself.
fn alone(text: &str) -> String {
    said(&[("x.toml", text)])
}

/// `text` is wrong after five good lines.
fn after(text: &str) -> String {
    alone(&format!("{PLAIN}{text}"))
}

#[test]
fn what_is_not_toml() {
    assert_eq!(
        alone(
            r#"title = "x
rate = 3"#
        ),
        r#"x.toml:1: not valid TOML: invalid basic string, expected `"`"#
    );
    assert_eq!(
        alone(
            r#"title = "x"
title = "y""#
        ),
        r#"x.toml:2: title: not valid TOML: duplicate key"#
    );
    assert_eq!(
        alone("title = = 7\n"),
        "x.toml:1: not valid TOML: extra `=`, expected nothing"
    );
}

#[test]
fn unknown_keys() {
    assert_eq!(
        after(
            r#"[[impairment]]
name = "spikes"
on = "down"
kind = "hold"
evry = "exponential(mean 20 s)"
length = "3 s"
"#
        ),
        r#"x.toml:10: impairment[0].evry: unknown key; did you mean "every"?"#
    );
    assert_eq!(
        after(
            r#"[dwon]
rate = "1 Mbit/s"
"#
        ),
        r#"x.toml:6: dwon: unknown key; did you mean "down"?"#
    );
    assert_eq!(
        alone(
            r#"title = "x"
[both]
bandwidth = "1 Mbit/s"
delay = "1 s"
queue = { kind = "droptail", limit = "7 packets" }
"#
        ),
        r#"x.toml:3: both.bandwidth: unknown key; use one of allocation, arq, delay, framing, in_order, light, queue, rate, service"#
    );
    // What is a random process, whichever direction it is written in, or none.
    assert_eq!(
        after(
            r#"[down]
loss = "1 %"
"#
        ),
        r#"x.toml:7: down.loss: unknown key; write an entry [[impairment]] with name, on, kind = "loss", probability"#
    );
    assert_eq!(
        alone(
            r#"title = "x"
bit_error = "1e-6"
[both]
rate = "1 Mbit/s"
delay = "1 s"
queue = { kind = "droptail", limit = "7 packets" }
"#
        ),
        r#"x.toml:2: bit_error: unknown key; write an entry [[impairment]] with name, on, kind = "bit-error", rate"#
    );
    // A table of a table has no such entries.
    assert_eq!(
        after(
            r#"[down]
queue = { kind = "droptail", limit = "7 packets", loss = "1 %" }
"#
        ),
        r#"x.toml:7: down.queue.loss: unknown key; use one of kind, limit"#
    );
    assert_eq!(
        after(
            r#"[down]
arq = { send_bufer = "1776 B", receive_buffer = "1776 B", persistence = "none" }
"#
        ),
        r#"x.toml:7: down.arq.send_bufer: unknown key; did you mean "send_buffer"?"#
    );
}

/// The kinds of impairments, in the order of their rows.
fn kinds() -> Vec<&'static str> {
    macro_rules! names {
        ({ $(
            $(#[$doc:meta])+ $kind:ident = $name:literal $(titled $title:literal)?, $sharing:ident, $words:literal
            $(, refused by netem: $why:literal)? { $($values:tt)+ }
        )+ }) => {
            vec![$($name),+]
        };
    }
    windlull_link::impairments!(names!)
}

#[test]
fn missing_keys() {
    assert_eq!(
        alone(
            r#"title = "x"
"#
        ),
        r#"x.toml: both.delay: missing; give it in [both], as in `delay = "200 ms"`
x.toml: both.queue: missing; give it in [both], as in `queue = { kind = "droptail", limit = "7 packets" }`
x.toml: both.rate: missing; give it in [both], as in `rate = "28.8 kbit/s"`"#
    );
    assert_eq!(
        alone(
            r#"[both]
rate = "unlimited"
delay = "0 s"
queue = { kind = "droptail", limit = "unlimited" }
"#
        ),
        r#"x.toml: title: missing; give a text"#
    );
    assert_eq!(
        alone(
            r#"title = "x"
[down]
rate = "unlimited"
[both]
delay = "0 s"
queue = { limit = "7 packets" }
"#
        ),
        r#"x.toml:6: both.queue.kind: missing; use one of droptail, red, adaptive-red, codel, pie, drr, fq-codel, dualpi2, cake"#
    );
    assert_eq!(
        after(
            r#"[[impairment]]
name = "a"
on = "down"
[[script]]
at = "3 s"
"#
        ),
        format!(
            "x.toml:6: impairment[0].kind: missing; use one of {}",
            kinds().join(", ")
        )
    );
    assert_eq!(
        after(
            r#"[down]
arq = { send_buffer = "1 kB", receive_buffer = "1 kB", persistence = "unlimited" }
"#
        ),
        r#"x.toml:7: down.arq.retry_after: missing; give it as in `retry_after = "1 s"`; only `persistence = "none"` does without"#
    );
}

#[test]
fn wrong_types() {
    assert_eq!(
        after(
            r#"[up]
rate = 28800
framing = true
queue = "7 packets"
delay = ["1 s"]
"#
        ),
        r#"x.toml:7: up.rate: is a number, but should be a text, as in "28.8 kbit/s" or a table
x.toml:8: up.framing: is true or false, but should be a text, as in "1776 B"
x.toml:9: up.queue: is a text, but should be a table
x.toml:10: up.delay: is a list, but should be a text, as in "200 ms""#
    );
    assert_eq!(
        alone(
            r#"title = 3
impairment = 1979-05-27
[both]
rate = { kind = 3 }
"#
        ),
        r#"x.toml:1: title: is a number, but should be a text
x.toml:2: impairment: is a date, but should be a list
x.toml:4: both.rate.kind: is a number, but should be a text"#
    );
}

#[test]
fn units_and_ranges() {
    assert_eq!(
        after(
            r#"[up]
rate = "28.8"
delay = "200"
framing = "8"
queue = { kind = "droptail", limit = "7" }
"#
        ),
        r#"x.toml:7: up.rate: `28.8` has no unit; write it as in `28.8 kbit/s`
x.toml:8: up.delay: `200` has no unit; write it as in `200 ms`
x.toml:9: up.framing: `8` has no unit; write it as in `1776 B`
x.toml:10: up.queue.limit: "7" is not a queue's limit; write it as in "7 packets" or "64 kB" or "unlimited""#
    );
    assert_eq!(
        after(
            r#"[up]
rate = "28.8 kb/s"
delay = "-1 ms"
framing = "1 MB"
queue = { kind = "droptail", limit = "0 packets" }
"#
        ),
        r#"x.toml:7: up.rate: `kb/s` is not a unit of rate; use one of bit/s, kbit/s, Mbit/s, Gbit/s
x.toml:8: up.delay: `-1 ms` is out of range for a duration: from 0 ns to 100 h
x.toml:9: up.framing: 1 MB is out of bounds; write at most 10 kB
x.toml:10: up.queue.limit: the queue's limit is 0 packets, but must be from 1 to 10000000 packets"#
    );
    assert_eq!(
        after(
            r#"[up]
rate = "0 kbit/s"
delay = "2 h"
queue = { kind = "droptial", limit = "7 packets" }
"#
        ),
        r#"x.toml:7: up.rate: `0 kbit/s` is out of range for a rate: from 1 bit/s to 1000 Gbit/s
x.toml:8: up.delay: 2 h is out of bounds; write at most 10 min
x.toml:9: up.queue.kind: "droptial" is not possible here; did you mean "droptail"?"#
    );
    assert_eq!(
        after(
            r#"[[impairment]]
name = "loss"
on = "each"
kind = "loss"
probability = 1.5
"#
        ),
        r#"x.toml:10: impairment[0].probability: `1.5` is out of range for a probability: from 0 to 1, or 0 % to 100 %"#
    );
    assert_eq!(
        after(
            r#"[[impairment]]
name = "loss"
on = "each"
kind = "loss"
probability = "-2 %"
[[impairment]]
name = "bits"
on = "each"
kind = "bit-error"
rate = nan
"#
        ),
        r#"x.toml:10: impairment[0].probability: `-2 %` is out of range for a probability: from 0 to 1, or 0 % to 100 %
x.toml:15: impairment[1].rate: `nan` is out of range for a probability: from 0 to 1, or 0 % to 100 %"#
    );
    assert_eq!(
        after(
            r#"[up]
arq = { send_buffer = "0 B", receive_buffer = "1 kB", persistence = "three", retry_after = "1 us" }
"#
        ),
        r#"x.toml:7: up.arq.persistence: "three" is not a persistence; write it as in "none" or "unlimited" or "3 retries" or "5 s"
x.toml:7: up.arq.retry_after: 1 us is out of bounds; write at least 1 ms
x.toml:7: up.arq.send_buffer: 0 B is out of bounds; write at least 1 B"#
    );
}

#[test]
fn kinds_and_places() {
    assert_eq!(
        after(
            r#"[[impairment]]
name = "a"
on = "down"
kind = "holds"
every = "1 s"
"#
        ),
        r#"x.toml:9: impairment[0].kind: "holds" is not possible here; did you mean "hold"?"#
    );
    assert_eq!(
        after(
            r#"[[impairment]]
name = "a"
on = "downlink"
kind = "loss"
probability = 0.5
"#
        ),
        r#"x.toml:8: impairment[0].on: "downlink" is not possible here; use one of down, up, each, both"#
    );
    assert_eq!(
        after(
            r#"[[impairment]]
name = "a"
on = "both"
kind = "loss"
probability = 0.5
"#
        ),
        r#"x.toml:8: impairment[0].on: this kind acts in each direction by itself, so there is nothing to share; write `on = "each"`"#
    );
    assert_eq!(
        after(
            r#"[[impairment]]
name = "a"
on = "up"
kind = "loss"
probability = 0.5
[[impairment]]
name = "a"
on = "down"
kind = "loss"
probability = 0.5
[[impairment]]
name = "Big Loss"
on = "down"
kind = "loss"
probability = 0.5
[[impairment]]
name = "ack"
on = "up"
kind = "loss"
probability = 0.5
"#
        ),
        r#"x.toml:12: impairment[1].name: "a" is the name of impairment[0] already; give this one another
x.toml:17: impairment[2].name: must be lower-case letters, digits and hyphens, as in `sudden-delays`
x.toml:22: impairment[3].name: "ack" is what the link calls a random stream of its own; choose another name"#
    );
}

#[test]
fn distributions() {
    assert_eq!(
        after(
            r#"[down]
delay = "exponental(mean 3 s)"
[up]
delay = "uniform(3 s)"
"#
        ),
        r#"x.toml:7: down.delay: "exponental" is not a distribution; did you mean "exponential"?
x.toml:9: up.delay: uniform takes the smallest and the largest duration, not "3 s"; write it as in "uniform(0.1 s, 20 s)""#
    );
    assert_eq!(
        after(
            r#"[down]
delay = "uniform(3 s, 1 s)"
[up]
delay = "exponential(3 s)"
"#
        ),
        r#"x.toml:7: down.delay: uniform: 3 s is above 1 s; write the smaller one first
x.toml:9: up.delay: exponential takes its mean, not "3 s"; write it as in "exponential(mean 3.5 s)""#
    );
    assert_eq!(
        after(
            r#"[down]
delay = "normal(mean 3 s)"
[up]
delay = "normal(mean 3, deviation 1 s)"
"#
        ),
        r#"x.toml:7: down.delay: normal takes its mean and deviation, not "mean 3 s"; write it as in "normal(mean 200 ms, deviation 20 ms)"
x.toml:9: up.delay: `3` has no unit; write it as in `200 ms`"#
    );
    assert_eq!(
        after(
            r#"[down]
delay = "pareto(min 1 s, shape 0)"
[up]
delay = "gamma(3 s, 1)"
"#
        ),
        r#"x.toml:7: down.delay: shape is 0, but must be a number from 0.01 to 1000
x.toml:9: up.delay: "gamma" is not a distribution; use one of uniform, exponential, normal, lognormal, pareto, weibull, empirical, or a plain duration"#
    );
    assert_eq!(
        after(
            r#"[down]
delay = "uniform(1 s, 2 s"
[up]
delay = "exponential"
"#
        ),
        r#"x.toml:7: down.delay: "uniform(1 s, 2 s" is not a distribution; write it as in "exponential(mean 3.5 s)"
x.toml:9: up.delay: exponential takes its mean, not ""; write it as in "exponential(mean 3.5 s)""#
    );
    assert_eq!(
        after(
            r#"[down]
delay = "exponential(mean 0 s)"
[up]
delay = "lognormal(mean 20 min, deviation 1 s)"
"#
        ),
        r#"x.toml:7: down.delay: mean is 0 s, but must be above zero
x.toml:9: up.delay: lognormal(mean 20 min, deviation 1 s) is out of bounds; write at most 10 min"#
    );
}

#[test]
fn processes() {
    assert_eq!(
        after(
            r#"[[impairment]]
name = "a"
on = "down"
kind = "hold"
every = "packet with probability 2"
length = "3 s"
"#
        ),
        r#"x.toml:10: impairment[0].every: `2` is out of range for a probability: from 0 to 1, or 0 % to 100 %"#
    );
    assert_eq!(
        after(
            r#"[[impairment]]
name = "a"
on = "down"
kind = "hold"
every = "packet sometimes"
length = "2 h"
"#
        ),
        r#"x.toml:10: impairment[0].every: "packet sometimes" is not a beginning; write it as in "packet with probability 0.02" or "exponential(mean 20 s)" or "uniform(20 s, 40 s) between onsets" or "uniform(20 s, 40 s) between onsets from 1 s"
x.toml:11: impairment[0].length: 2 h is out of bounds; write at most 1 h"#
    );
    assert_eq!(
        after(
            r#"[[impairment]]
name = "a"
on = "down"
kind = "drop"
every = "10 us"
length = "1 s"
[[impairment]]
name = "b"
on = "both"
kind = "two-state"
good = "0 s"
bad = "0 s"
"#
        ),
        r#"x.toml:10: impairment[0].every: must be 1 ms or more on average
x.toml:16: impairment[1].good: good and bad together must last 1 ms or more on average"#
    );
}

#[test]
fn policers() {
    let wrong_unit =
        after("[[impairment]]\nname = \"a\"\non = \"up\"\nkind = \"policer\"\nrate = \"10 Mbit\"\nburst = 1500\n");
    assert_eq!(
        wrong_unit,
        "x.toml:10: impairment[0].rate: `Mbit` is not a unit of rate; use one of bit/s, kbit/s, Mbit/s, Gbit/s\n\
         x.toml:11: impairment[0].burst: `1500` has no unit; write it as in `1776 B`"
    );
    assert_eq!(
        after(
            r#"[[impairment]]
name = "a"
on = "both"
kind = "policer"
rate = "10 Mbit/s"
burst = "25 kB"
[[impairment]]
name = "b"
on = "up"
kind = "policer"
rate = "10 Mbit/s"
burst = "0 B"
"#
        ),
        r#"x.toml:8: impairment[0].on: this kind acts in each direction by itself, so there is nothing to share; write `on = "each"`
x.toml:17: impairment[1].burst: must be above 0 B, or nothing passes; a full packet has 1500 B"#
    );
}

#[test]
fn losses_in_time() {
    let of = |every: &str| {
        after(&format!(
            "[[impairment]]\nname = \"a\"\non = \"both\"\nkind = \"timed-loss\"\nevery = \"{every}\"\n"
        ))
    };
    let alone = "x.toml:8: impairment[0].on: this kind acts in each direction by itself, so there is nothing to share; write \
                 `on = \"each\"`";
    assert_eq!(
        of("0.9 ms"),
        format!("{alone}\nx.toml:10: impairment[0].every: must be 1 ms or more on average")
    );
    assert_eq!(
        of("11 h"),
        "x.toml:10: impairment[0].every: 11 h is out of bounds; write at most 10 h"
    );
}

#[test]
fn aggregations() {
    let wrong_values =
        after("[[impairment]]\nname = \"a\"\non = \"up\"\nkind = \"aggregation\"\nevery = \"11 s\"\nmost = 0\n");
    assert_eq!(
        wrong_values,
        "x.toml:10: impairment[0].every: 11 s is out of bounds; write at most 10 s\n\
         x.toml:11: impairment[0].most: 0 is out of bounds; write a number not below 1"
    );
    assert_eq!(
        after(
            r#"[[impairment]]
name = "a"
on = "each"
kind = "aggregation"
every = "0.9 ms"
[[impairment]]
name = "b"
on = "up"
kind = "aggregation"
every = "5 ms"
[[impairment]]
name = "c"
on = "both"
kind = "aggregation"
every = "5 ms"
"#
        ),
        r#"x.toml:10: impairment[0].every: must be 1 ms or more on average
x.toml:14: impairment[1].kind: a direction can have one impairment of this kind, and "a" is it
x.toml:18: impairment[2].on: this kind acts in each direction by itself, so there is nothing to share; write `on = "each"`
x.toml:19: impairment[2].kind: a direction can have one impairment of this kind, and "a" is it"#
    );
    let base = format!("{PLAIN}[[impairment]]\nname = \"a\"\non = \"up\"\nkind = \"aggregation\"\nevery = \"5 ms\"\n");
    let own = |name: &str| {
        let extends = "title = \"x\"\nextends = \"y\"\n[[impairment]]\n";
        format!("{extends}name = \"{name}\"\non = \"up\"\nkind = \"aggregation\"\nevery = \"9 ms\"\n")
    };
    assert_eq!(
        said(&[("x.toml", &own("b")), ("y.toml", &base)]),
        "x.toml:6: impairment[0].kind: a direction can have one impairment of this kind, and \"a\" is it"
    );
    assert!(
        load(&[("x.toml", &own("a")), ("y.toml", &base)]).is_ok(),
        "it replaces the other"
    );
}

#[test]
fn handovers() {
    assert_eq!(
        after(
            r#"[[impairment]]
name = "a"
on = "both"
kind = "handovers"
every = "packet with probability 1 %"
delay = "11 s"
[[impairment]]
name = "b"
on = "down"
kind = "handovers"
every = "15 s between onsets"
delay = "5 ms"
outage = "2 h"
"#
        ),
        "x.toml:11: impairment[0].delay: 11 s is out of bounds; write at most 10 s
x.toml:18: impairment[1].outage: 2 h is out of bounds; write at most 1 h"
    );
    assert_eq!(
        after(
            r#"[[impairment]]
name = "a"
on = "both"
kind = "handovers"
every = "packet with probability 1 %"
delay = "5 ms"
[[impairment]]
name = "b"
on = "down"
kind = "handovers"
every = "15 s between onsets"
delay = "5 ms"
"#
        ),
        "x.toml:10: impairment[0].every: handovers come by the clock, whoever sends; write it as in `15 s between onsets`
x.toml:15: impairment[1].kind: a direction can have one impairment of this kind, and \"a\" is it"
    );
}

#[test]
fn thinned_acknowledgements() {
    assert_eq!(
        after("[[impairment]]\nname = \"a\"\non = \"up\"\nkind = \"ack-thinning\"\nwaiting = 0\n"),
        "x.toml:10: impairment[0].waiting: 0 is out of bounds; write a number not below 1"
    );
    assert_eq!(
        after(
            r#"[up]
queue = { kind = "fq-codel", limit = "1000 packets" }
[[impairment]]
name = "a"
on = "each"
kind = "ack-thinning"
[[impairment]]
name = "b"
on = "up"
kind = "ack-thinning"
"#
        ),
        r#"x.toml:7: up.queue: is several queues, and "a" thins out acknowledgements only where all flows have one, such as `droptail`
x.toml:15: impairment[1].kind: a direction can have one impairment of this kind, and "a" is it"#
    );
}

#[test]
fn varying_rates() {
    assert_eq!(
        after(
            r#"[down]
rate = { kind = "stepped" }
[up]
rate = { kind = "trace", file = "a", milliseconds = [1] }
"#
        ),
        r#"x.toml:7: down.rate: needs either `steps` or a `file`, one of the two
x.toml:9: up.rate: needs either `milliseconds` or a `file`, one of the two"#
    );
    assert_eq!(
        after(
            r#"[down]
rate = { kind = "stepped", period = "5 s", steps = [{ at = "0 s", rate = "1 Mbit/s" }, { at = "5 s", rate = "2 Mbit/s" }] }
[up]
rate = { kind = "stepped", steps = [{ at = "1 s", rate = "1 Mbit/s" }, { at = "1 s", rate = "2 Mbit/s" }] }
"#
        ),
        r#"x.toml:7: down.rate.period: must be longer than 5 s, where the last step is
x.toml:9: up.rate.steps[0].at: the first step must be at `0 s`
x.toml:9: up.rate.steps[1].at: must be after 1 s, where the step before it is"#
    );
    assert_eq!(
        after(
            r#"[down]
rate = { kind = "trace", milliseconds = [5, 3] }
[up]
rate = { kind = "trace", file = "none.trace" }
"#
        ),
        r#"x.toml:7: down.rate.milliseconds: line 2: 3 ms is earlier than 5 ms on the line before
x.toml:9: up.rate.file: cannot read "none.trace": there is no such file"#
    );
}

#[test]
fn recordings() {
    let recording = |text: &str| after(&format!("[recording]\n{text}"));
    let both_or_none = "x.toml:6: recording: needs either a `file` or `csv`, one of the two";
    assert_eq!(recording("period = \"5 s\"\n"), both_or_none);
    assert_eq!(recording("file = \"a.csv\"\ncsv = \"time_s,up_bps\"\n"), both_or_none);
    assert_eq!(
        recording("file = \"none.csv\"\n"),
        r#"x.toml:7: recording.file: cannot read "none.csv": there is no such file"#
    );
    assert_eq!(
        recording("csv = \"time_s,down_bps\\n0,5\\n2,x\"\n"),
        "x.toml:7: recording.csv: line 3: `down_bps` is a whole number of bits per second up to 10^12, not \"x\""
    );
    assert_eq!(
        recording("csv = \"time_s,down_bps\\n0,5\\n2,0\\n3,5\"\n"),
        "x.toml:6: recording.zeros: the rate is 0 at 2 s: say what that is, `zeros = \"hold\"` (packets wait in the \
         queue) or `zeros = \"outage\"` (packets are lost)"
    );
    assert_eq!(
        recording("csv = \"time_s,down_bps\\n0,5\\n2,7\"\nperiod = \"2 s\"\n"),
        "x.toml:8: recording.period: must be longer than 2 s, where the last row is"
    );
    assert_eq!(
        alone(&format!("start = \"anywhere\"\n{PLAIN}")),
        r#"x.toml:1: start: "anywhere" is not where what repeats begins; write it as in "beginning" or "random" or "12.5 s""#
    );
    assert_eq!(
        alone(&format!("start = \"2 s\"\n{PLAIN}")),
        "x.toml:1: start: nothing of this link repeats: give the recording or a stepped rate a `period`, or leave it out"
    );
}

#[test]
fn scripts() {
    assert_eq!(
        after(
            r#"[[script]]
at = "3 s"
"#
        ),
        r#"x.toml:6: script[0]: does not say what happens; give one of do, rate, delay, loss, queue"#
    );
    assert_eq!(
        after(
            r#"[[script]]
at = "3 s"
do = "hold"
[[script]]
at = "9 s"
do = "drop"
"#
        ),
        r#"x.toml:6: script[0].for: missing; a hold has to end; give it as in `for = "3 s"`
x.toml:9: script[1].for: missing; a drop has to end; give it as in `for = "3 s"`"#
    );
    assert_eq!(
        after(
            r#"[[script]]
at = "3 s"
do = "delay"
by = "1 s"
[[script]]
at = "packet 3"
do = "delay"
"#
        ),
        r#"x.toml:7: script[0].at: `do = "delay"` is for chosen packets, as in `at = "data segment 9"`; at an instant write `delay = ...` or `do = "hold"`
x.toml:10: script[1].by: missing; `do = "delay"` needs it, as in `by = "1 s"`"#
    );
    assert_eq!(
        after(
            r#"[[script]]
at = "3 s"
rate = "1 Mbit/s"
delay = "1 s"
"#
        ),
        r#"x.toml:6: script[0]: says 2 things at once (rate, delay); make them entries of their own"#
    );
    assert_eq!(
        after(
            r#"[[script]]
at = "packet 3"
rate = "1 Mbit/s"
[[script]]
at = "packet 3"
do = "drop"
by = "1 s"
"#
        ),
        r#"x.toml:7: script[0].at: a setting changes at an instant, as in `at = "10 s"`, not at packets
x.toml:12: script[1].by: goes with `do = "delay"` alone; leave it out"#
    );
    assert_eq!(
        after(
            r#"[[script]]
at = "data segments 15..9"
do = "drop"
[[script]]
at = "packet 0"
do = "drop"
[[script]]
at = "later"
do = "drop"
[[script]]
at = "eleventh retransmission of byte 7"
do = "drop"
"#
        ),
        r#"x.toml:7: script[0].at: data segments: 15 is above 9; write the smaller one first
x.toml:10: script[1].at: packet is 0, but must be at least 1; the first one is 1
x.toml:13: script[2].at: "later" is not an instant, a choice of packets, or a condition of the transport; write it as in "10 s" or "packet 12" or "data segment 9" or "data segments 9..15" or "byte 200000" or "first retransmission of byte 200000" or "second retransmission of segment 12" or "after byte 200000" or "retransmission 3" or "1.5 RTO after the last transmission" or "when the window first exceeds 20 segments" or "on entering recovery"
x.toml:16: script[3].at: "eleventh retransmission of byte 7" is not an instant, a choice of packets, or a condition of the transport; write it as in "10 s" or "packet 12" or "data segment 9" or "data segments 9..15" or "byte 200000" or "first retransmission of byte 200000" or "second retransmission of segment 12" or "after byte 200000" or "retransmission 3" or "1.5 RTO after the last transmission" or "when the window first exceeds 20 segments" or "on entering recovery""#
    );
}

#[test]
fn scripts_that_wait_for_a_transport() {
    assert_eq!(
        after(
            r#"[[script]]
at = "retransmission 0"
do = "drop"
[[script]]
at = "0 RTO after the last transmission"
do = "drop"
[[script]]
at = "1.2345 RTO after the last transmission"
do = "drop"
[[script]]
at = "when the window first exceeds 0 segments"
do = "drop"
"#
        ),
        r#"x.toml:7: script[0].at: retransmission is 0, but must be at least 1; the first one is 1
x.toml:10: script[1].at: RTO is 0, but must be a number from 0.001 to 1000 with at most three decimals
x.toml:13: script[2].at: RTO is 1.2345, but must be a number from 0.001 to 1000 with at most three decimals
x.toml:16: script[3].at: window is 0 segments, but must be at least 1 segment"#
    );
    for text in ["3 RTT", "1.5 RTT after the last transmission", "2rtt"] {
        assert_eq!(
            after(&format!("[[script]]\nat = \"{text}\"\ndo = \"drop\"\n")),
            format!(
                "x.toml:7: script[0].at: \"{text}\" is not possible, as no entry waits for round trips; silence is counted in \
                 retransmission timeouts; write it as in \"1.5 RTO after the last transmission\""
            )
        );
    }
    let examples = r#"write it as in "10 s" or "packet 12" or "data segment 9" or "data segments 9..15" or "byte 200000" or "first retransmission of byte 200000" or "second retransmission of segment 12" or "after byte 200000" or "retransmission 3" or "1.5 RTO after the last transmission" or "when the window first exceeds 20 segments" or "on entering recovery""#;
    for text in [
        "after byte many",
        "2 RTO after the last packet",
        "1.5 rto after the last transmission",
        "2RTO",
        "when the window exceeds 20 segments",
        "on leaving recovery",
    ] {
        assert_eq!(
            after(&format!("[[script]]\nat = \"{text}\"\ndo = \"drop\"\n")),
            format!(
                "x.toml:7: script[0].at: \"{text}\" is not an instant, a choice of packets, or a condition of the transport; {examples}"
            )
        );
    }
    assert_eq!(
        after(
            r#"[[script]]
at = "on entering recovery"
do = "drop"
[[script]]
at = "after byte 7"
do = "delay"
by = "1 s"
"#
        ),
        r#"x.toml:6: script[0].for: missing; a drop has to end; give it as in `for = "3 s"`
x.toml:10: script[1].at: `do = "delay"` is for chosen packets, as in `at = "data segment 9"`; when the transport meets a condition write `delay = ...` or `do = "hold"`"#
    );
    assert_eq!(
        after(
            r#"[[script]]
at = "on entering recovery"
for = "1 s"
do = "drop"
[[script]]
on = "up"
at = "on entering recovery"
for = "2 s"
do = "drop"
"#
        ),
        r#"x.toml:10: script[1]: overlaps with script[0]: both drop (up) on entering recovery; let one end before the other begins"#
    );
}

#[test]
fn overlapping_scripts() {
    assert_eq!(
        after(
            r#"[[script]]
on = "down"
at = "10 s"
for = "3 s"
do = "hold"
[[script]]
on = "up"
at = "10 s"
for = "3 s"
do = "hold"
[[script]]
at = "12 s"
for = "1 s"
do = "hold"
"#
        ),
        r#"x.toml:16: script[2]: overlaps with script[0]: both hold (down) at 12 s; let one end before the other begins"#
    );
    assert_eq!(
        after(
            r#"[[script]]
on = "down"
at = "data segments 3..9"
do = "drop"
[[script]]
on = "down"
at = "data segments 8..12"
do = "drop"
"#
        ),
        r#"x.toml:10: script[1]: overlaps with script[0]: both drop (down) at data segments 8..9; let one end before the other begins"#
    );
    assert_eq!(
        after(
            r#"[[script]]
at = "10 s"
rate = "1 Mbit/s"
[[script]]
at = "10 s"
rate = "2 Mbit/s"
[[script]]
at = "11 s"
rate = "3 Mbit/s"
"#
        ),
        r#"x.toml:9: script[1]: overlaps with script[0]: both set the rate (both ways) at 10 s; let one end before the other begins"#
    );
}

#[test]
fn several_at_once() {
    assert_eq!(
        after(
            r#"[down]
rate = "fast"
queue = { kind = "droptail", limit = "seven packets" }
[[impairment]]
name = "a"
on = "down"
kind = "loss"
probabilty = 0.5
[[script]]
at = "soon"
do = "hld"
"#
        ),
        r#"x.toml:7: down.rate: `fast` is not a rate; write it as in `28.8 kbit/s`
x.toml:8: down.queue.limit: "seven packets" is not a queue's limit; write it as in "7 packets" or "64 kB" or "unlimited"
x.toml:13: impairment[0].probabilty: unknown key; did you mean "probability"?
x.toml:15: script[0].at: "soon" is not an instant, a choice of packets, or a condition of the transport; write it as in "10 s" or "packet 12" or "data segment 9" or "data segments 9..15" or "byte 200000" or "first retransmission of byte 200000" or "second retransmission of segment 12" or "after byte 200000" or "retransmission 3" or "1.5 RTO after the last transmission" or "when the window first exceeds 20 segments" or "on entering recovery"
x.toml:16: script[0].do: "hld" is not possible here; did you mean "hold"?"#
    );
}

#[test]
fn a_profile_that_another_one_needs() {
    assert_eq!(
        said(&[
            (
                "x.toml",
                r#"title = "x"
extends = "gprz"
"#
            ),
            ("gprs.toml", PLAIN),
        ]),
        r#"x.toml:2: extends: there is no link "gprz"; did you mean "gprs"?"#
    );
    assert_eq!(
        said(&[(
            "x.toml",
            r#"title = "x"
extends = "gone.toml"
"#
        ),]),
        r#"x.toml:2: extends: cannot read "gone.toml": there is no such file"#
    );
    assert_eq!(
        said(&[
            (
                "x.toml",
                r#"title = "x"
extends = "y"
"#
            ),
            (
                "y.toml",
                r#"title = "y"
extends = "x"
"#
            ),
        ]),
        r#"y.toml:2: extends: extends itself: x.toml -> y.toml -> x.toml; remove one of these `extends`"#
    );
    assert_eq!(
        said(&[
            (
                "x.toml",
                r#"title = "x"
extends = "y"
[down]
delay = "3"
"#
            ),
            ("y.toml", PLAIN),
        ]),
        r#"x.toml:4: down.delay: `3` has no unit; write it as in `200 ms`"#
    );
    assert_eq!(
        said(&[
            (
                "x.toml",
                r#"title = "x"
extends = "y"
[down]
delay = "3 s"
"#
            ),
            (
                "y.toml",
                r#"title = "y"
[both]
rate = "3"
"#
            ),
        ]),
        r#"y.toml:3: both.rate: `3` has no unit; write it as in `28.8 kbit/s`"#
    );
    assert_eq!(
        said(&[
            (
                "x.toml",
                r#"title = "x"
extends = "y"
[[script]]
at = "3 s"
for = "2 s"
do = "hold"
"#
            ),
            (
                "y.toml",
                &format!(
                    "{PLAIN}{}",
                    r#"[[script]]
at = "4 s"
for = "1 s"
do = "hold"
"#
                )
            ),
        ]),
        r#"x.toml:3: script[0]: overlaps with script[0] of y.toml: both hold (both ways) at 4 s; let one end before the other begins"#
    );
}

#[test]
fn a_file_of_samples() {
    assert_eq!(
        said(&[
            (
                "x.toml",
                &format!(
                    "{PLAIN}{}",
                    r#"[up]
delay = "empirical(d.csv)"
"#
                )
            ),
            (
                "d.csv",
                r#"0.1
soon
"#
            ),
        ]),
        r#"x.toml:7: up.delay: d.csv: line 2: "soon" is not a number of seconds from 0 to 360000"#
    );
    assert_eq!(
        said(&[
            (
                "x.toml",
                &format!(
                    "{PLAIN}{}",
                    r#"[up]
rate = { kind = "stepped", file = "r.csv" }
"#
                )
            ),
            (
                "r.csv",
                r#"0,9600
1;9600
"#
            ),
        ]),
        r#"x.toml:7: up.rate.file: r.csv: line 2: "1;9600" is not `seconds,bits per second`, as in `12.5,28800`"#
    );
    assert_eq!(
        said(&[
            (
                "x.toml",
                &format!(
                    "{PLAIN}{}",
                    r#"[up]
rate = { kind = "trace", file = "t" }
"#
                )
            ),
            (
                "t", r#"1
x
"#
            ),
        ]),
        r#"x.toml:7: up.rate.file: t: line 2: `x` is not a whole number of milliseconds"#
    );
}

#[test]
fn a_chain_of_extends_has_an_end() {
    let chain: Vec<(String, String)> = (0..40)
        .map(|nth| {
            let text = format!("title = \"x\"\nextends = \"l{}\"\n", nth + 1);
            (format!("l{nth}.toml"), text)
        })
        .collect();
    let mut files: Vec<(&str, &str)> = chain
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    files.push(("l40.toml", PLAIN));
    assert_eq!(
        said(&files),
        "l32.toml:2: extends: is the end of a chain of more than 32 `extends`; put some of these files together"
    );
}

#[test]
fn a_file_of_another_kind_is_called_by_its_name() {
    let files: BTreeMap<PathBuf, String> = [(PathBuf::from("p/variants/v.toml"), "title = \"v\"\n".to_owned())].into();
    let problems = Link::load(&Library::new("p", files), "v").expect_err("it is no link");
    assert_eq!(problems.to_string(), "\"v\" is a variant, where a link is needed");
}

#[test]
fn a_name_that_two_directories_have_is_nobodys() {
    let files: BTreeMap<PathBuf, String> = ["a/links/x.toml", "b/links/x.toml"]
        .map(|path| (PathBuf::from(path), PLAIN.to_owned()))
        .into();
    let library = Library::of(vec!["a".into(), "b".into(), "./a".into()], files);
    assert_eq!(library.names(Kind::Link), ["x"]);
    let problems = Link::load(&library, "x").expect_err("there are two");
    assert_eq!(
        problems.to_string(),
        "there are several files of the link \"x\": a/links/x.toml, b/links/x.toml; rename all but one"
    );
}

#[test]
fn a_confined_library_reads_its_own_files_alone() {
    let extends = |path: &str| format!("title = \"x\"\nextends = \"{path}\"\n");
    let load = |path: &str| {
        let files: BTreeMap<PathBuf, String> = [
            ("p/links/x.toml", extends(path)),
            ("p/links/y.toml", PLAIN.to_owned()),
            ("q/links/z.toml", PLAIN.to_owned()),
            ("secret.toml", PLAIN.to_owned()),
            ("pp/secret.toml", PLAIN.to_owned()),
        ]
        .map(|(path, text)| (PathBuf::from(path), text))
        .into();
        Link::load(&Library::of(vec!["p".into(), "q".into()], files).confined(), "x")
    };
    for path in [
        "y",
        "y.toml",
        "z",
        "../links/./y.toml",
        "../../q/links/z.toml",
        "a/b/../../y.toml",
    ] {
        assert!(load(path).is_ok(), "{path}");
    }
    for path in [
        "../../secret.toml",
        "../../pp/secret.toml",
        "/secret.toml",
        "../../../../../../../../secret.toml",
    ] {
        let problems = load(path).expect_err("it is outside");
        assert_eq!(
            problems.to_string(),
            format!(
                "p/links/x.toml:2: extends: \"{}\" is outside the profiles directories; name a file that is in them",
                Path::new("p/links").join(path).display()
            )
        );
    }
}

/// What is said of a queue in line 7.
fn queue(table: &str) -> String {
    after(&format!("[up]\nqueue = {{ {table} }}\n"))
}

#[test]
fn queues_that_cannot_be() {
    assert_eq!(
        queue(r#"kind = "codle", limit = "9 packets""#),
        r#"x.toml:7: up.queue.kind: "codle" is not possible here; did you mean "codel"?"#
    );
    assert_eq!(
        queue(r#"kind = "red", minimum = "5 packets""#),
        r#"x.toml:7: up.queue.limit: missing; write it as in `limit = "7 packets"`"#
    );
    assert_eq!(
        queue(r#"kind = "red", limit = "9 packets", target = "5 ms""#),
        r#"x.toml:7: up.queue.target: unknown key; use one of ecn, gentle, kind, limit, maximum, mean_packet, minimum, probability, spare, weight"#
    );
    assert_eq!(
        queue(r#"kind = "red", limit = "9 packets", minimum = "5", maximum = "0 B""#),
        r#"x.toml:7: up.queue.maximum: the size of a queue is 0 B, but must be above 0 B
x.toml:7: up.queue.minimum: "5" is not the size of a queue; write it as in "5 packets" or "6 kB""#
    );
    assert_eq!(
        queue(r#"kind = "red", limit = "9 packets", minimum = "unlimited""#),
        r#"x.toml:7: up.queue.minimum: "unlimited" is not the size of a queue; write it as in "5 packets" or "6 kB""#
    );
    assert_eq!(
        queue(r#"kind = "red", limit = "99 packets", minimum = "15 packets", maximum = "15 packets""#),
        "x.toml:7: up.queue.maximum: must be above the minimum, 15 packets; three times that is usual"
    );
    assert_eq!(
        queue(r#"kind = "adaptive-red", limit = "99 packets", minimum = "15 packets", maximum = "15 kB""#),
        "x.toml:7: up.queue.maximum: counts otherwise than the minimum, 15 packets; give both in packets or both in octets"
    );
    assert_eq!(
        queue(r#"kind = "red", limit = "99 packets", probability = 0, weight = "0 %""#),
        "x.toml:7: up.queue.probability: must be above 0\nx.toml:7: up.queue.weight: must be above 0"
    );
    assert_eq!(
        queue(r#"kind = "red", limit = "99 packets", probability = 1.5, gentle = "yes", mean_packet = "0 B", ecn = 1"#),
        "x.toml:7: up.queue.ecn: is a number, but should be true or false\n\
         x.toml:7: up.queue.gentle: is a text, but should be true or false\n\
         x.toml:7: up.queue.mean_packet: 0 B is out of bounds; write at least 1 B\n\
         x.toml:7: up.queue.probability: `1.5` is out of range for a probability: from 0 to 1, or 0 % to 100 %"
    );
    assert_eq!(
        queue(r#"kind = "adaptive-red", limit = "99 packets", target = "5 ms", minimum = "5 packets""#),
        "x.toml:7: up.queue.target: the thresholds follow from `target` or are given; leave out `target` or `minimum`"
    );
    assert_eq!(
        queue(r#"kind = "adaptive-red", limit = "99 packets", maximum = "5 packets""#),
        "x.toml:7: up.queue.maximum: goes with a `minimum`; give that too"
    );
    assert_eq!(
        queue(r#"kind = "adaptive-red", limit = "99 packets", weight = 0"#),
        "x.toml:7: up.queue.weight: must be above 0"
    );
    assert_eq!(
        queue(r#"kind = "codel", limit = "99 packets", target = "200 ms""#),
        "x.toml:7: up.queue.target: must not be above the interval, 100 ms; RFC 8289 has a twentieth of it"
    );
    assert_eq!(
        queue(r#"kind = "codel", limit = "99 packets", target = "0 s", interval = "10""#),
        "x.toml:7: up.queue.interval: `10` has no unit; write it as in `200 ms`\n\
         x.toml:7: up.queue.target: 0 s is out of bounds; write at least 1 us"
    );
    assert_eq!(
        queue(r#"kind = "fq-codel", limit = "99 packets", target = "200 ms""#),
        "x.toml:7: up.queue.target: must not be above the interval, 100 ms; RFC 8289 has a twentieth of it"
    );
    assert_eq!(
        queue(r#"kind = "drr", limit = "99 packets", quantum = "0 B", flows = 0"#),
        "x.toml:7: up.queue.flows: 0 is out of bounds; write a number from 1 to 65536\n\
         x.toml:7: up.queue.quantum: 0 B is out of bounds; write at least 1 B"
    );
    assert_eq!(
        queue(r#"kind = "dualpi2", limit = "99 packets", coupling = 0, round_trip = "1 us""#),
        "x.toml:7: up.queue.coupling: 0 is out of bounds; write a number from 1 to 16\n\
         x.toml:7: up.queue.round_trip: 1 us is out of bounds; write at least 1 ms"
    );
    assert_eq!(
        queue(r#"kind = "dualpi2", limit = "99 packets", classic_share = 0.0"#),
        "x.toml:7: up.queue.classic_share: must be above 0"
    );
    assert_eq!(
        queue(r#"kind = "cake", limit = "99 packets""#),
        "x.toml:7: up.queue.limit: CAKE counts the memory that packets take; give it in octets, as in `limit = \"4 MB\"`, or \
         `unlimited`"
    );
    assert_eq!(
        queue(r#"kind = "pie", limit = "99 packets", target = "1 h", burst = "fast""#),
        "x.toml:7: up.queue.burst: `fast` is not a duration; write it as in `200 ms`\n\
         x.toml:7: up.queue.target: 1 h is out of bounds; write at most 10 min"
    );
}

/// What is wrong with the direction up if it has these lines besides, the first of which is the ninth of the file.
fn up(lines: &str) -> String {
    alone(&format!(
        "title = \"x\"\n[both]\nrate = \"1 Mbit/s\"\ndelay = \"1 s\"\nqueue = {{ kind = \"droptail\", limit = \"9 packets\" }}\n\n[up]\n{lines}\n"
    ))
}

#[test]
fn a_service_must_be_possible() {
    assert_eq!(
        up(r#"service = { cycle = "1 ms" }"#),
        "x.toml:8: up.service.kind: missing; use one of grants, contention"
    );
    assert_eq!(
        up(r#"service = { kind = "grants" }"#),
        r#"x.toml:8: up.service.cycle: missing; write it as in `cycle = "1 ms"`"#
    );
    assert_eq!(
        up(r#"service = { kind = "grants", cycle = "10 us", attempts = 0, error = 2, sr_period = "1 min" }"#),
        "x.toml:8: up.service.attempts: 0 is out of bounds; write a number from 1 to 1000\n\
         x.toml:8: up.service.cycle: 10 us is out of bounds; write at least 50 us\n\
         x.toml:8: up.service.error: `2` is out of range for a probability: from 0 to 1, or 0 % to 100 %\n\
         x.toml:8: up.service.sr_period: 1 min is out of bounds; write at most 10 s"
    );
    assert_eq!(
        up(r#"service = { kind = "grants", cycle = "10 ms", round_trip = "8 ms" }"#),
        "x.toml:8: up.service.round_trip: must not be below the cycle, 10 ms: a unit cannot be sent again before it ends"
    );
    assert_eq!(
        up(r#"service = { kind = "contention", cw_min = 31, cw_max = 15 }"#),
        "x.toml:8: up.service.cw_max: must not be below `cw_min`, 31"
    );
    assert_eq!(
        up(r#"service = { kind = "contention", contenders = 101, aggregate = 0, slot = "0 s" }"#),
        "x.toml:8: up.service.aggregate: 0 is out of bounds; write a number from 1 to 1024\n\
         x.toml:8: up.service.contenders: 101 is out of bounds; write a number from 0 to 100\n\
         x.toml:8: up.service.slot: 0 s is out of bounds; write at least 1 us"
    );
    assert_eq!(
        up("service = { kind = \"contention\" }\nrate = { kind = \"trace\", milliseconds = [1, 5, 9] }"),
        "x.toml:9: up.rate: cannot be a trace where stations contend: a trace's opportunities have the contention in them; give a \
         rate, or leave out `service`"
    );
    assert_eq!(
        up("service = { kind = \"contention\" }\nallocation = { idle_after = \"1 s\", delay = \"1 s\" }"),
        "x.toml:9: up.allocation: does not go with a `service`, which has a request of its own (`sr_period`, `grant_delay`); leave \
         out one of the two"
    );
}

#[test]
fn trains_after_idle_times() {
    let trains = |text: &str| up(&format!("light.trains = \"{text}\""));
    for (text, why) in [
        ("", "has no trains; give one a line, as in `0 0 4 9`"),
        (
            "0",
            "line 1: is not a time and one opportunity or more, in whole milliseconds, as in `0 0 4 9`",
        ),
        (
            "0 +4",
            "line 1: is not a time and one opportunity or more, in whole milliseconds, as in `0 0 4 9`",
        ),
        ("0 4 3", "line 1: the opportunities of a train must be in order"),
        ("5 0", "line 1: the first train must be at 0"),
        ("0 0\\n0 1", "line 2: 0 ns is not after the train before it, 0 ns"),
    ] {
        assert_eq!(trains(text), format!("x.toml:8: up.light.trains: {why}"), "{text}");
    }
    assert_eq!(
        up("light = { trains = \"0 0\\n500 1\", period = \"0.5 s\" }"),
        "x.toml:8: up.light.period: must be longer than 500 ms, where the last train is"
    );
    assert_eq!(
        up("light.trains = \"0 0\"\nservice = { kind = \"grants\", cycle = \"1 ms\" }"),
        "x.toml:8: up.light: does not go with a `service`, which has idle times of its own; leave out one of the two"
    );
}

#[test]
fn only_what_is_sent_again_is_waited_for() {
    let why = "needs a link layer that sends again, else nothing is late: give `arq`, or a `service` with an `error`";
    assert_eq!(up(r#"in_order = "35 ms""#), format!("x.toml:8: up.in_order: {why}"));
    assert_eq!(
        up("service = { kind = \"grants\", cycle = \"1 ms\" }\nin_order = \"never\""),
        format!("x.toml:9: up.in_order: {why}")
    );
    assert_eq!(
        up("service = { kind = \"contention\", error = 0.1 }\nin_order = \"soon\""),
        "x.toml:9: up.in_order: \"soon\" is not how long packets wait for order; write it as in \"always\" or \"never\" or \"35 ms\""
    );
    assert_eq!(
        up("service = { kind = \"contention\", error = 0.1 }\nin_order = \"1 h\""),
        "x.toml:9: up.in_order: 1 h is out of bounds; write at most 10 min"
    );
}

#[test]
fn adaptive_red_needs_a_rate_to_choose_by() {
    let with = |rate: &str, queue: &str| {
        alone(&format!(
            "title = \"x\"\n[both]\nrate = {rate}\ndelay = \"1 s\"\nqueue = {{ kind = \"adaptive-red\", limit = \"9 packets\"{queue} }}\n"
        ))
    };
    let why = "adaptive-red works out its thresholds and its weight from a constant rate, which this direction has not; \
               give `minimum`, `maximum` and `weight`";
    assert_eq!(with("\"unlimited\"", ""), format!("x.toml:5: both.queue: {why}"));
    let stepped = "{ kind = \"stepped\", steps = [{ at = \"0 s\", rate = \"1 Mbit/s\" }] }";
    assert_eq!(
        with(stepped, ", minimum = \"5 packets\""),
        format!("x.toml:5: both.queue: {why}")
    );
}

#[test]
fn a_family_that_there_is_not() {
    assert_eq!(
        alone(&format!("family = \"wify\"\n{PLAIN}")),
        r#"x.toml:1: family: "wify" is not possible here; did you mean "wifi"?"#
    );
}

/// What is said of a scenario of the QUIC network simulator.
fn scenario(text: &str) -> String {
    let library = Library::new("profiles", BTreeMap::<PathBuf, String>::new());
    Link::load(&library, text).expect_err("it is wrong").to_string()
}

#[test]
fn scenarios_say_what_is_wrong_with_them() {
    let said = [
        scenario("simple-p2p --delay=15ms"),
        scenario("simple-p2p --delay=15ms --bandwith=10Mbps --queue=25"),
        scenario("simple-p2p delay=15ms --bandwidth=10Mbps --queue=25"),
        scenario("simple-p2p --delay=soon --bandwidth=10Mbps --queue=25"),
        scenario("simple-p2p --delay=15ms --bandwidth=10Mbit --queue=25"),
        scenario("drop-rate --delay=15ms --bandwidth=10Mbps --queue=25 --rate_to_client=101 --rate_to_server=0"),
        scenario("blackhole --delay=15ms --bandwidth=10Mbps --queue=25 --on=5s --off=2s --direction=down"),
        scenario("rebind --delay=15ms --bandwidth=10Mbps --queue=25 --first-rebind=1s --rebind-addr"),
        scenario("nat --delay=15ms --bandwidth=10Mbps --queue=25"),
        scenario("simple-p2p"),
        scenario("drop-rat --delay=15ms"),
    ];
    assert_eq!(
        said,
        [
            "simple-p2p: --bandwidth and --queue must be given",
            "simple-p2p: there is no option --bandwith; did you mean --bandwidth?",
            "simple-p2p: \"delay=15ms\" is no option; write options as in --delay=15ms",
            "simple-p2p: --delay=soon is not a time; write it as in 15ms",
            "simple-p2p: --bandwidth=10Mbit is not a rate; write it as in 10Mbps",
            "drop-rate: --rate_to_client=101 is not a whole percentage, from 0 to 100",
            "blackhole: --direction=down is not both, toclient or toserver",
            "rebind: --rebind-addr is not possible, the link's NAT changes ports alone; leave it out",
            "the scenario nat is no link: it rewrites addresses, which a link leaves as they are; put a NAT before the client",
            "simple-p2p: --delay and --bandwidth and --queue must be given",
            "there is no scenario drop-rat; did you mean drop-rate?",
        ]
    );
}

#[test]
fn a_rebinding_has_a_first_time() {
    assert_eq!(
        after("[rebinding]\nevery = \"5 s\"\n"),
        "x.toml:6: rebinding.at: missing; write it as in `at = \"200 ms\"`"
    );
}

#[test]
fn a_scenario_is_wrong_where_it_is_named() {
    assert_eq!(
        alone("title = \"x\"\nextends = \"simple-p2p --delay=15ms\"\n"),
        "x.toml:2: extends: simple-p2p: --bandwidth and --queue must be given"
    );
}
