//! What a kernel lacks of the settings that a variant has for it.

use windlull_cli::Kernel;
use windlull_experiment::WaitingEntry;
use windlull_stack::Linux;

#[test]
fn what_a_kernel_lacks() {
    let kernel = |release: &str| Kernel {
        release: release.to_owned(),
        congestion_controls: vec!["reno".to_owned(), "cubic".to_owned()],
    };
    let bbr = Linux {
        congestion_control: Some("bbr".to_owned()),
        ..Linux::default()
    };
    let [why] = kernel("6.1.0").lacks(&bbr).try_into().expect("one thing is missing");
    assert!(why.contains("\"bbr\"") && why.contains("reno, cubic"), "{why}");
    let no_rack = Linux {
        rack: Some(false),
        ..Linux::default()
    };
    assert_eq!(kernel("6.16.9").lacks(&no_rack), Vec::<String>::new());
    assert_eq!(kernel("6.17.0").lacks(&no_rack).len(), 1);
    assert_eq!(kernel("7.0.1").lacks(&no_rack).len(), 1);
    assert!(kernel("6.17.0").lacks(&Linux::default()).is_empty());
}

#[test]
fn an_old_kernel_does_not_tell_how_far_its_senders_have_got() {
    let kernel = |release: &str| Kernel {
        release: release.to_owned(),
        congestion_controls: Vec::new(),
    };
    let mut waiting = WaitingEntry {
        link: "l",
        number: 2,
        when: "on entering recovery".to_owned(),
        is_told_by_packets: false,
    };
    let why = kernel("4.18.0-553").does_not_tell(&waiting).expect("4.18 does not");
    assert!(why.contains("script entry 2") && why.contains("4.19"), "{why}");
    assert_eq!(kernel("4.19.0").does_not_tell(&waiting), None);
    waiting.is_told_by_packets = true;
    assert_eq!(kernel("4.18.0-553").does_not_tell(&waiting), None, "the link sees it");
}
