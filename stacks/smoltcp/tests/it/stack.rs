//! The stack as the engine sees it: its name, options and what it refuses.

use windlull_smoltcp::Smoltcp;
use windlull_transport::{Answers, Role, Stack, StreamId, Write};
use windlull_units::{Carries, Time};

use crate::lab::Setup;

#[test]
fn its_version_is_the_one_that_is_built() {
    let lock = include_str!("../../Cargo.lock");
    let version = Smoltcp.version();
    let (name, version) = version.split_once(' ').expect("a name and a version");
    assert!(
        lock.contains(&format!("name = \"{name}\"\nversion = \"{version}\"\n")),
        "{name} {version}"
    );
    assert_eq!((Smoltcp.name(), Smoltcp.carries()), ("smoltcp", Carries::Packets));
}

#[test]
fn an_option_that_is_not_known_is_refused() {
    let setup = Setup {
        options: &[("cwnd", "9")],
        ..Setup::default()
    };
    let broken = Smoltcp.begin(&setup.start(Role::Client)).err();
    let broken = broken.map(|broken| broken.0).unwrap_or_default();
    assert!(
        broken.starts_with("smoltcp has no option `cwnd`; it has congestion, "),
        "{broken}"
    );
}

#[test]
fn what_is_asked_out_of_order_is_refused() {
    for role in Role::ALL {
        let mut end = Smoltcp.begin(&Setup::default().start(role)).expect("no option is set");
        let answers = &mut Answers::default();
        assert_eq!(end.connect(Time::ZERO, answers).is_ok(), role == Role::Client);
        assert!(end.connect(Time::ZERO, answers).is_err(), "{role:?} connects twice");
        let mut write = |stream, ends| {
            let write = Write {
                stream,
                length: 1,
                ends,
            };
            end.write(Time::ZERO, write, answers).err().map(|broken| broken.0)
        };
        let second = write(StreamId::one_way(role, 1), true).unwrap_or_default();
        assert!(
            second.ends_with("a connection of TCP has one stream each way"),
            "{second}"
        );
        let own = StreamId::one_way(role, 0);
        assert_eq!(write(own, true), None);
        let expected = format!("something was written behind the end of stream {}", own.0);
        assert_eq!(write(own, true), Some(expected));
    }
}
