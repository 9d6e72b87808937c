//! The same as it is inside a container: nothing can be installed or set there, and other containers carry packets.

use std::path::Path;

use super::{Component, Health};

/// What container engines put into the root of each container: Docker, and Podman.
const SIGNS: [&str; 2] = ["/.dockerenv", "/run/.containerenv"];

/// Whether this process runs in a container.
pub fn is_container() -> bool {
    SIGNS.iter().any(|sign| Path::new(sign).exists())
}

impl Health {
    /// Says what helps in a container. Where runs are made between containers (`is_appliance`), the emulator's plays the
    /// link, and this one needs neither namespaces nor tools of its own. `lacks_netem` is why the emulator has no netem
    /// plane, in its own words; `None` if it has one.
    pub fn seen_from_a_container(&mut self, is_appliance: bool, lacks_netem: Option<&str>) {
        let between = self.testbeds.iter().find(|part| part.name == "compose");
        let works = between.is_some_and(|part| part.works);
        let missing = between.filter(|part| is_appliance && !part.works).cloned();
        let compose = works || is_appliance;
        let netns = self.testbeds.iter().any(|part| part.name == "netns" && part.works);
        for part in self.testbeds.iter_mut().filter(|part| !part.works) {
            part.remedy = match (part.name.as_str(), compose) {
                ("netns", true) => Some(
                    "nothing is needed: runs in real time are made between containers here, with the testbed compose"
                        .to_owned(),
                ),
                // A kernel is a program, which any container with a compiler can build and run.
                ("compose", _) | ("kernel", false) => continue,
                _ => part.remedy.take().map(|remedy| outside(&remedy)),
            };
        }
        for part in self.planes.iter_mut().filter(|part| !part.works) {
            if let (Some(missing), false) = (&missing, netns) {
                *part = Component::fails(
                    &part.name,
                    "the emulator's container plays links here, and runs between containers do not work now",
                    missing.remedy.as_deref(),
                );
            } else if compose && !netns {
                let plays = "the emulator's container plays it: the link that stands, and runs of the testbed compose";
                *part = match (part.name.as_str(), lacks_netem) {
                    ("netem", Some(why)) => Component::fails(
                        "netem",
                        format!("the emulator's container has none, and the model plays its links: {why}"),
                        Some(&outside("`modprobe sch_netem` as root, then restart the emulator")),
                    ),
                    (name, _) => Component::works(name, plays),
                };
            } else {
                part.remedy = part.remedy.take().map(|remedy| outside(&remedy));
            }
        }
        for part in self.tools.iter_mut().filter(|part| !part.works) {
            if compose && !netns {
                part.why = format!(
                    "{} is not in this image; the containers that carry packets have what they need",
                    part.name
                );
                part.remedy = None;
            } else {
                part.remedy = Some(format!(
                    "an image that has {}; nothing can be installed in this one",
                    part.name
                ));
            }
        }
        for part in self.kernel.iter_mut().filter(|part| !part.works) {
            part.remedy = part.remedy.take().map(|remedy| outside(&remedy));
        }
    }
}

/// What can be followed outside alone.
fn outside(remedy: &str) -> String {
    format!("not from inside this container; on the machine that runs it: {remedy}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn health(compose: Component) -> Health {
        let advice = Some("`sysctl -w user.max_user_namespaces=15000`");
        Health {
            testbeds: vec![
                Component::works("sim", ""),
                Component::fails("netns", "no new namespaces", advice),
                Component::fails("kernel", "there is none", Some("`windlull kernel build`")),
                compose,
            ],
            planes: vec![
                Component::fails("model", "the netns testbed does not work here", advice),
                Component::fails("netem", "the netns testbed does not work here", advice),
            ],
            tools: vec![Component::fails(
                "tc",
                "not found",
                Some("install the package iproute2"),
            )],
            kernel: vec![Component::fails(
                "bbr",
                "not loaded",
                Some("`modprobe tcp_bbr` as root"),
            )],
            leftovers: Vec::new(),
        }
    }

    fn part<'a>(parts: &'a [Component], name: &str) -> &'a Component {
        parts.iter().find(|part| part.name == name).expect("it is examined")
    }

    #[test]
    fn the_appliances_controller_has_the_emulators_plane_and_no_advice_that_it_cannot_follow() {
        let mut health = health(Component::works("compose", "all three answer"));
        health.seen_from_a_container(true, Some("unknown qdisc netem"));
        assert!(part(&health.planes, "model").works);
        let netem = part(&health.planes, "netem");
        assert!(!netem.works && netem.why.contains("unknown qdisc netem"), "{netem:?}");
        let netns = part(&health.testbeds, "netns").remedy.as_deref();
        assert!(
            netns.is_some_and(|remedy| remedy.contains("testbed compose")),
            "{netns:?}"
        );
        let all = [&health.testbeds, &health.planes, &health.tools, &health.kernel]
            .into_iter()
            .flatten();
        for part in all.filter(|part| !part.works) {
            let remedy = part.remedy.as_deref().unwrap_or_default();
            let commands = ["sysctl", "install", "modprobe", "windlull kernel"];
            assert!(
                !commands.iter().any(|command| remedy.contains(command)) || remedy.contains("not from inside"),
                "{part:?}"
            );
        }
        assert_eq!(part(&health.tools, "tc").remedy, None);
    }

    #[test]
    fn an_emulator_that_has_netem_is_told_of() {
        let mut health = health(Component::works("compose", "all three answer"));
        health.seen_from_a_container(true, None);
        let netem = part(&health.planes, "netem");
        assert!(netem.works && netem.why.contains("the link that stands"), "{netem:?}");
    }

    #[test]
    fn where_a_container_of_the_appliance_is_gone_its_start_is_the_remedy() {
        let mut health = health(Component::fails(
            "compose",
            "no process answers",
            Some("`docker compose up`"),
        ));
        health.seen_from_a_container(true, None);
        for plane in ["model", "netem"] {
            let plane = part(&health.planes, plane);
            assert_eq!(plane.remedy.as_deref(), Some("`docker compose up`"), "{plane:?}");
        }
        let netns = part(&health.testbeds, "netns").remedy.as_deref();
        assert!(
            netns.is_some_and(|remedy| remedy.starts_with("nothing is needed")),
            "{netns:?}"
        );
    }

    #[test]
    fn another_container_is_told_where_its_advice_is_to_be_followed() {
        let mut health = health(Component::fails(
            "compose",
            "nobody answers",
            Some("`docker compose up`"),
        ));
        health.seen_from_a_container(false, None);
        assert!(!part(&health.planes, "model").works);
        let remedy = part(&health.testbeds, "netns").remedy.as_deref();
        assert!(
            remedy.is_some_and(|remedy| remedy.starts_with("not from inside")),
            "{remedy:?}"
        );
        for (name, advice) in [
            ("compose", "`docker compose up`"),
            ("kernel", "`windlull kernel build`"),
        ] {
            assert_eq!(part(&health.testbeds, name).remedy.as_deref(), Some(advice));
        }
    }
}
