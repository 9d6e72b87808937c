//! Scripts are read strictly, and reading what was written gives the same script.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use windlull_packetdrill::{
    Action, Call, Direction, Errno, Event, EventTime, ExpectedOptions, Expression, Ip, Packet, Script, ScriptOption,
    TcpOption, read,
};
use windlull_units::{Ecn, Span};
use windlull_wire::Flags;

/// In the manner of what is published: relative times, a listening socket, flags as tcpdump has them.
const USUAL: &str = "\
// A segment is lost and sent again.
--tolerance_usecs=4000
--define=CC=\"reno\"

`sysctl -q net.ipv4.tcp_congestion_control=reno`

    0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
   +0 setsockopt(3, SOL_SOCKET, SO_REUSEADDR, [1], 4) = 0
   +0 bind(3, ..., ...) = 0
   +0 listen(3, 1) = 0
  +.1 < S 0:0(0) win 32792 <mss 1460,sackOK,nop,nop,nop,wscale 7>
   +0 > S. 0:0(0) ack 1 <mss 1460,nop,nop,sackOK,nop,wscale 8>
  +.1 < . 1:1(0) ack 1 win 257
   +0 accept(3, ..., ...) = 4
   +0 fcntl(4, F_GETFL) = 0x2 (flags O_RDWR)
   +0 fcntl(4, F_SETFL, O_RDWR|O_NONBLOCK) = 0
   +0 read(4, ..., 1000) = -1 EAGAIN (Resource temporarily unavailable)
+0...2.5 recv(4, ..., 1000, MSG_WAITALL) = 1000
   +0 setsockopt(4, SOL_SOCKET, SO_LINGER, {onoff=1, linger=0}, 8) = 0
   +0 write(4, ..., 2920) = 2920
   +0 > P. 1:2921(2920) ack 1 <nop,nop,TS val 100 ecr 7>
   +0 %{ assert tcpi_snd_cwnd == 10 }%
    * > [ect01] .5 1:1(0) ack 1 <...>
+.1~+.2 > (ce) SEWA 1:1(0)
 1.5 < [noecn] . 1:1(0) ack 1 win 257 <nop,nop,sack 1461:2921 5:6>
   +0 `sysctl -q net.ipv4.tcp_sack=0`
// The end.
`cleanup.sh`
";

#[test]
fn what_is_usual_is_read() {
    let script = read(USUAL).expect("it is a script");
    assert_eq!(script.head, ["A segment is lost and sent again."]);
    assert_eq!(script.options.len(), 2);
    assert_eq!(script.options[1].value.as_deref(), Some("CC=\"reno\""));
    assert_eq!(
        script.first_command.as_deref(),
        Some("sysctl -q net.ipv4.tcp_congestion_control=reno")
    );
    assert_eq!(script.last_command.as_deref(), Some("cleanup.sh"));
    assert_eq!(script.foot, ["The end."]);
    let syn = script.events.iter().find(|event| event.line == 11).expect("a segment");
    assert_eq!(syn.time, EventTime::Relative(Span::from_ms(100)));
    let Action::Packet(Direction::Inbound, packet) = &syn.action else {
        panic!("it comes in");
    };
    assert_eq!((packet.flags, packet.window), (Flags::SYN, Some(32_792)));
    let counted = script.events.iter().find(|event| event.time == EventTime::Any);
    let Some(Action::Packet(Direction::Outbound, packet)) = counted.map(|event| &event.action) else {
        panic!("it goes out");
    };
    assert_eq!(packet.flags, Flags::ACK.with(Flags::ECE).with(Flags::AE));
    assert_eq!(
        (packet.ip, &packet.options),
        (Some(Ip::AnyCapable), &ExpectedOptions::Any)
    );
    assert_eq!(read(&script.to_string()), Ok(script));
}

#[test]
fn what_is_wrong_is_told_with_its_place_and_what_would_be_right() {
    let begin = "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n";
    for (text, place, said) in [
        ("", "1:1", "at least one event"),
        ("--tolerance_usec=4\n", "1:1", "did you mean `tolerance_usecs`?"),
        ("--mss=\n", "1:7", "a whole number"),
        ("+0 < S 0:0(0) <mss 1460>\n", "2:15", "as `win 65535`"),
        (
            "+0 < S 0:0(0) win 1 <...>\n",
            "2:22",
            "is for segments that are expected",
        ),
        ("+0 < S 0:0(0) win 65536\n", "2:19", "up to 65535"),
        (
            "+0 > . 1:1001(999) ack 1\n",
            "2:8",
            "1 and 999 octets are 1000, not 1001",
        ),
        ("+0 > X. 1:1(0) ack 1\n", "2:6", "`X` is no flag"),
        ("+0 > .8 1:1(0) ack 1\n", "2:6", "one digit from 0 to 7"),
        ("+0 > . 1:1(0) ack 1 <TS val 1 ecr 2>\n", "2:21", "add 2 nop"),
        (
            "+0 > . 1:1(0) ack 1 <nop,nop,ts val 1 ecr 2>\n",
            "2:30",
            "there is no option `ts`",
        ),
        (
            "+0 > . 1:1(0) ack 1 <nop,nop,FO abcd>\n",
            "2:30",
            "does not speak the option `FO`",
        ),
        (
            "+0 > . 1:1(0) ack 1 <nop,nop,sack 1:2 1:2 1:2 1:2 1:2>\n",
            "2:51",
            "at most four blocks",
        ),
        (
            "+0 > . 1:1(0) <nop,nop,TS val 1 ecr 2,nop,nop,sack 1:2 1:2 1:2 1:2>\n",
            "2:15",
            "take 48 octets; a header has room for 40",
        ),
        ("+0 > udp (1000)\n", "2:6", "segments of TCP, not `udp`"),
        ("+0 > 80 > 8080 S 0:0(0)\n", "2:6", "ports are packetdrill's own"),
        ("+0 > . 1:1(0) ack 1 urg 5\n", "2:21", "no urgent pointer"),
        ("* write(3, ..., 1) = 1\n", "2:1", "only a segment that is expected"),
        ("+1~+2 < . 1:1(0) win 5\n", "2:1", "only a segment that is expected"),
        ("+.2~+.1 > . 1:1(0)\n", "2:4", "ends before it begins"),
        ("+.1~.2 > . 1:1(0)\n", "2:5", "`+` on both sides"),
        ("-1 write(3, ..., 1) = 1\n", "2:1", "not negative"),
        ("+0 wirte(3, ..., 1) = 1\n", "2:4", "did you mean `write`?"),
        ("+0 write(3, ..., 1)\n", "2:20", "what the call returns"),
        ("+0 write(3 ...) = 1\n", "2:12", "`,` and another value"),
        (
            "+0 ioctl(3, [[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]) = 1\n",
            "2:29",
            "at most 16 deep",
        ),
        ("+0 read(3, ..., 1) = -1 EAGAIN\n", "2:31", "the error's words"),
        ("+0\n", "2:3", "expected behind the time"),
        ("# no comment\n", "2:1", "comments begin with `//`"),
        ("`a`\n+0 close(3) = 0\n", "3:1", "the last command ends the script"),
    ] {
        let all = if text.starts_with("--") || text.is_empty() {
            text.to_owned()
        } else {
            format!("{begin}{text}")
        };
        let error = read(&all).expect_err(text).to_string();
        assert!(error.starts_with(&format!("{place}: ")), "{text}: {error}");
        assert!(error.contains(said), "{text}: {error}");
    }
}

fn span() -> impl Strategy<Value = Span> {
    prop_oneof![
        (0_u64..3_000_000).prop_map(Span::from_us),
        (0_u64..4_000_000_000_000).prop_map(Span::from_ns)
    ]
}

fn comment() -> impl Strategy<Value = String> {
    "([a-z0-9#`\"<>=.]+( [a-z0-9/*{}:]+)*)?"
}

fn word() -> impl Strategy<Value = String> {
    "[A-Z][A-Z_]{0,9}"
}

fn tcp_options() -> impl Strategy<Value = Vec<TcpOption>> {
    let stamps = (any::<u32>(), any::<u32>()).prop_map(|(value, echo)| TcpOption::Timestamps { value, echo });
    let blocks = vec(any::<(u32, u32)>(), 1..=3).prop_map(TcpOption::Sack);
    let padded = |option: TcpOption| vec![TcpOption::Nop, TcpOption::Nop, option];
    prop_oneof![
        Just(Vec::new()),
        any::<u16>().prop_map(|mss| vec![TcpOption::Mss(mss)]),
        any::<u8>().prop_map(|shift| vec![TcpOption::Nop, TcpOption::WindowScale(shift)]),
        Just(vec![TcpOption::SackPermitted, TcpOption::EndOfList, TcpOption::Nop]),
        stamps.clone().prop_map(padded),
        (stamps, blocks).prop_map(move |(stamps, blocks)| [padded(stamps), padded(blocks)].concat()),
    ]
    .prop_filter("a header is a multiple of four", |options| {
        !options.contains(&TcpOption::EndOfList)
    })
}

fn packet(direction: Direction) -> impl Strategy<Value = Packet> {
    let ecn = prop_oneof![Just(Ecn::NotEct), Just(Ecn::Ect0), Just(Ecn::Ect1), Just(Ecn::Ce)].prop_map(Ip::Ecn);
    let (ip, options, window) = match direction {
        Direction::Inbound => (
            ecn.boxed(),
            tcp_options().prop_map(ExpectedOptions::These).boxed(),
            any::<u16>().prop_map(Some).boxed(),
        ),
        Direction::Outbound => (
            prop_oneof![ecn, Just(Ip::AnyCapable)].boxed(),
            prop_oneof![
                tcp_options().prop_map(ExpectedOptions::These),
                Just(ExpectedOptions::Any)
            ]
            .boxed(),
            option::of(any::<u16>()).boxed(),
        ),
    };
    (
        option::of(ip),
        0_u16..0x200,
        0..=u32::MAX - 65_535,
        any::<u16>(),
        option::of(any::<u32>()),
        window,
        options,
    )
        .prop_map(|(ip, flags, seq, payload_len, ack, window, options)| Packet {
            ip,
            flags: Flags(flags),
            seq,
            payload_len,
            ack,
            window,
            options,
        })
}

fn expression() -> impl Strategy<Value = Expression> {
    let leaf = prop_oneof![
        Just(Expression::Ellipsis),
        any::<i64>().prop_map(Expression::Integer),
        any::<u64>().prop_map(Expression::Hexadecimal),
        word().prop_map(Expression::Word),
        "[a-z `/]*".prop_map(Expression::Text),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            vec(word().prop_map(Expression::Word), 2..4).prop_map(Expression::Or),
            vec(inner.clone(), 0..3).prop_map(Expression::List),
            vec(inner.clone(), 0..3).prop_map(Expression::Structure),
            (word(), inner.clone()).prop_map(|(name, value)| match value {
                // `name = A|B` is read as `name = A`, or B.
                Expression::Or(_) => Expression::Word(name),
                value => Expression::Named(name, Box::new(value)),
            }),
            inner.prop_map(|value| match value {
                Expression::Or(_) => value,
                value => Expression::Applied("htons".to_owned(), Box::new(value)),
            }),
        ]
    })
}

fn call() -> impl Strategy<Value = Call> {
    (
        option::of(span()),
        prop_oneof![Just("write"), Just("setsockopt"), Just("recv")],
        vec(expression(), 0..4),
        -1_i64..9,
        option::of((word(), "[a-z]{1,5}( [a-z]{1,5}){0,2}")),
        option::of("[a-z]{1,5}"),
    )
        .prop_map(|(returns, name, arguments, result, errno, note)| Call {
            returns,
            name: name.to_owned(),
            arguments,
            result: Expression::Integer(result),
            errno: errno.map(|(name, words)| Errno { name, words }),
            note,
        })
}

fn event() -> impl Strategy<Value = Event> {
    let fixed = || {
        prop_oneof![
            span().prop_map(EventTime::Relative),
            span().prop_map(EventTime::Absolute)
        ]
    };
    let range = || (span(), span()).prop_map(|(a, b)| (a.min(b), a.max(b)));
    let free = prop_oneof![
        fixed(),
        Just(EventTime::Any),
        range().prop_map(|(from, to)| EventTime::RelativeRange(from, to)),
        range().prop_map(|(from, to)| EventTime::AbsoluteRange(from, to)),
    ];
    let action = prop_oneof![
        packet(Direction::Inbound).prop_map(|packet| Action::Packet(Direction::Inbound, packet)),
        call().prop_map(Action::Call),
        "[a-z =/\"\n]{1,20}".prop_map(Action::Command),
        "[a-z=]{1,5}( [a-z=]{1,5}){0,3}".prop_map(Action::Code),
    ];
    let outbound = packet(Direction::Outbound).prop_map(|packet| Action::Packet(Direction::Outbound, packet));
    let timed = prop_oneof![(fixed(), action), (free, outbound)];
    (vec(comment(), 0..3), timed).prop_map(|(comments, (time, action))| Event {
        line: 0,
        comments,
        time,
        action,
    })
}

fn script() -> impl Strategy<Value = Script> {
    let option = (
        prop_oneof![Just("tolerance_usecs"), Just("mtu"), Just("define")],
        option::of(prop_oneof![
            (0_u32..100_000).prop_map(|number| number.to_string()),
            Just("CC=\"reno\"".to_owned()),
            Just("192.0.2.1".to_owned())
        ]),
    );
    let option = option.prop_map(|(name, value)| ScriptOption {
        name: name.to_owned(),
        value,
    });
    (
        vec(comment(), 0..3),
        // Without an option, what stands above the first event is the script's.
        vec(option, 1..3),
        option::of("[a-z /=\n]{1,30}"),
        vec(event(), 1..8),
        option::of("[a-z /=\n]{1,30}"),
    )
        .prop_map(|(head, options, first_command, events, last_command)| Script {
            head,
            options,
            first_command,
            events,
            last_command,
            foot: Vec::new(),
        })
}

proptest! {
    #[test]
    fn what_was_written_is_read_as_it_was(script in script()) {
        let text = script.to_string();
        let again = read(&text);
        prop_assert!(again.is_ok(), "{again:?}\n{text}");
        prop_assert_eq!(again.as_ref(), Ok(&script), "{}", text);
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "\\PC*", cut in 0_usize..2_000) {
        let _ = read(&text);
        let _ = read(USUAL.get(..cut).unwrap_or(USUAL));
    }
}
