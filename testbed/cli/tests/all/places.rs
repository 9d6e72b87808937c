//! Which runs of a plan a text stands for.

use windlull_cli::RunRanges;

fn places(text: &str) -> Vec<u64> {
    text.parse::<RunRanges>()
        .expect("these are places")
        .between(0, u64::MAX)
}

#[test]
fn places_are_in_order_and_each_once() {
    assert_eq!(places("3"), [3]);
    assert_eq!(places("0-2,600"), [0, 1, 2, 600]);
    assert_eq!(places("5-6, 0-1,6-7,1-2"), [0, 1, 2, 5, 6, 7]);
    assert_eq!(RunRanges::all(3).between(0, 10), [0, 1, 2]);
    assert_eq!(RunRanges::all(0).between(0, 10), Vec::<u64>::new());
}

#[test]
fn some_of_them() {
    let places: RunRanges = "1-4,8-9".parse().expect("these are places");
    assert_eq!(places.between(3, 9), [3, 4, 8]);
    assert_eq!(places.last(), Some(9));
}

#[test]
fn nonsense_is_refused() {
    for text in ["", "a", "2-1", "1,", "-1", "1-", "1-2-3", "4294967296", "0x1"] {
        assert!(text.parse::<RunRanges>().is_err(), "{text:?}");
    }
}
