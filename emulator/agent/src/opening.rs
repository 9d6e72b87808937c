//! What is to stand when the process begins.

use std::path::PathBuf;

use windlull_units::{PlaneKind, Seed};

use crate::kept::{Keeper, Kept, KeptChange};
use crate::plane::{NoPlane, Planes};
use crate::profile::{Profile, Source};

/// The link of the command line, for where none was kept.
pub(crate) struct First {
    pub(crate) link: Profile,
    pub(crate) seed: Seed,
}

/// What is to stand at the start.
pub(crate) struct Opening {
    pub(crate) keeper: Keeper,
    pub(crate) planes: Planes,
    pub(crate) link: Profile,
    pub(crate) seed: Seed,
    pub(crate) plane: PlaneKind,
    pub(crate) changes: Vec<KeptChange>,
    /// Whether it stood before a restart.
    pub(crate) restored: bool,
    /// Why what stood before cannot stand again, or not on its plane.
    pub(crate) lost: Option<String>,
}

impl Opening {
    /// What was kept, or `first` where nothing was, or nothing that can be read. Where there is no netem plane, the
    /// model plays what was to stand on it.
    pub(crate) fn of(keeper: Keeper, planes: Planes, profiles: &[PathBuf], first: First) -> Result<Self, NoPlane> {
        let read = |kept: Kept| match Profile::read(profiles, kept.link) {
            Ok(link) => Ok((link, kept.seed, kept.plane, kept.changes)),
            Err(problems) => Err(format!("the link that stood can no longer be read: {problems}")),
        };
        let last = keeper.last().and_then(|kept| kept.map(read).transpose());
        let restored = matches!(last, Ok(Some(_)));
        let (last, mut lost) = match last {
            Ok(last) => (last, None),
            Err(why) => (None, Some(why)),
        };
        let usual = planes.usual;
        let (link, seed, mut plane, changes) = last.unwrap_or((first.link, first.seed, usual, Vec::new()));
        let is_for_the_model = planes.can_play(PlaneKind::Model, &link.model).is_ok();
        match planes.can_play(plane, &link.model) {
            Ok(()) => {}
            Err(why) if restored && is_for_the_model => {
                lost = Some(format!("it stands on the model plane instead of netem: {why}"));
                plane = PlaneKind::Model;
            }
            Err(NoPlane::Missing(_)) if is_for_the_model => plane = PlaneKind::Model,
            Err(why) => return Err(why),
        }
        Ok(Self {
            keeper,
            planes,
            link,
            seed,
            plane,
            changes,
            restored,
            lost,
        })
    }
}

/// The link of the command line.
pub(crate) fn first(profiles: &[PathBuf], name: Option<&str>, seed: Seed) -> Result<First, windlull_profile::Problems> {
    let link = Profile::read(profiles, Source::asked(name))?;
    Ok(First { link, seed })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn opened(planes: Planes, keeper: Keeper, name: &str) -> Result<Opening, NoPlane> {
        let profiles = [Path::new(env!("CARGO_MANIFEST_DIR")).join("../../profiles")];
        let first = first(&profiles, Some(name), Seed::new(1)).expect("a link");
        Opening::of(keeper, planes, &profiles, first)
    }

    fn planes(without_netem: Option<&str>) -> Planes {
        Planes {
            usual: PlaneKind::Netem,
            without_netem: without_netem.map(str::to_owned),
        }
    }

    #[test]
    fn the_model_plays_where_there_is_no_netem() {
        let opening = opened(planes(None), Keeper(None), "bufferbloat").expect("netem plays it");
        assert_eq!((opening.plane, opening.lost), (PlaneKind::Netem, None));
        let opening = opened(planes(Some("no sch_netem")), Keeper(None), "bufferbloat").expect("the model plays it");
        assert_eq!((opening.plane, opening.lost), (PlaneKind::Model, None));
    }

    #[test]
    fn a_link_that_netem_cannot_play_is_refused_by_its_parts() {
        let said = opened(planes(None), Keeper(None), "gprs")
            .err()
            .map(|why| why.to_string());
        assert!(said.as_deref().is_some_and(|said| said.contains("arq")), "{said:?}");
    }

    #[test]
    fn a_link_that_stood_on_a_plane_that_has_gone_stands_on_the_model_and_says_so() {
        let directory = std::env::temp_dir().join(format!("windlull-opening-{}", std::process::id()));
        std::fs::create_dir_all(&directory).expect("a directory");
        let keeper = Keeper(Some(directory));
        let kept = Kept::new(Source::Transparent {}, Seed::new(3), PlaneKind::Netem, Vec::new());
        keeper.keep(&kept).expect("room");
        let opening = opened(planes(None), keeper.clone(), "gprs").expect("it stands");
        assert_eq!(
            (opening.plane, opening.restored, &opening.lost),
            (PlaneKind::Netem, true, &None)
        );
        let opening = opened(planes(Some("no sch_netem")), keeper, "gprs").expect("it stands");
        assert_eq!((opening.plane, opening.restored), (PlaneKind::Model, true));
        let lost = opening.lost.expect("it is said");
        assert!(lost.contains("no sch_netem") && lost.contains("model plane"), "{lost}");
    }
}
