//! The links that the crate has by name are those in `profiles/links`, as their files have them.

use windlull_link::model::LinkModel;
use windlull_link::{Datagram, Direction, Fate, Link, NamedLink, Seed, Span, Time, UnknownLink, named_links};
use windlull_profile::{Kind, Library};

fn library() -> Library {
    Library::open(concat!(env!("CARGO_MANIFEST_DIR"), "/../../profiles"))
}

#[test]
fn every_file_is_there_and_says_the_same() {
    let library = library();
    let names: Vec<&str> = named_links().iter().map(NamedLink::name).collect();
    assert_eq!(
        names,
        library.names(Kind::Link),
        "`make generate` writes the links of the crate"
    );
    assert!(names.len() > 100, "{} links", names.len());
    for link in named_links() {
        let file = windlull_profile::Link::load(&library, link.name()).expect("a valid link");
        assert_eq!(link.title(), file.title);
        assert!(
            link.model() == file.model,
            "{} is another one in its file; `make generate` writes the links of the crate",
            link.name()
        );
    }
}

#[test]
fn another_link_is_not_the_same() {
    let model = |name| LinkModel::named(name).expect("a link");
    assert!(model("lte-good") != model("lte-cell-edge"));
}

#[test]
fn a_link_by_name_is_the_one_of_its_model_and_seed() {
    let by_name = |seed| Link::named("lte-train", seed).expect("a link");
    let by_model = |seed| Link::new(&LinkModel::named("lte-train").expect("a link"), seed);
    let fates = |mut link: Link<Datagram>| {
        let mut fates: Vec<Fate> = Vec::new();
        for ms in 0..120_000 {
            let now = Time::ZERO + Span::from_ms(ms);
            link.send(now, Direction::Down, Datagram::new([0; 1200]), &mut fates);
            while link.pop_delivery().is_some() {}
        }
        fates
    };
    let named = fates(by_name(Seed::new(1)));
    assert!(
        named.iter().any(|fate| fate.held > Span::ZERO),
        "the train met no handover"
    );
    assert!(named == fates(by_model(Seed::new(1))));
    assert!(named != fates(by_name(Seed::new(2))));
}

#[test]
fn an_unknown_name_says_which_one_may_have_been_meant() {
    let unknown = |name: &str| LinkModel::named(name).expect_err("no link");
    assert_eq!(
        unknown("lte-cel-edge").to_string(),
        "there is no link `lte-cel-edge`; the nearest name is `lte-cell-edge`"
    );
    assert_eq!(
        unknown("xyz"),
        UnknownLink {
            name: "xyz".to_owned(),
            nearest: None
        }
    );
    assert_eq!(
        unknown("").to_string(),
        "there is no link ``; `windlull_link::named_links()` has the names"
    );
}
