//! Which testbeds and link planes work on this machine, found out by trying them in namespaces that nobody keeps.

mod component;
mod container;
mod tries;

use schemars::JsonSchema;
use serde::Serialize;

use crate::command::tool;
use crate::ledger::Ledger;
pub use component::Component;
pub use container::is_container;
use tries::{Kernel, Tried};
pub use tries::{has_rack_alone, tells_what_is_sent};

/// What works on this machine, and what earlier runs left on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Health {
    /// Where experiments run: `sim`, `netns`; whoever knows of more adds them.
    pub testbeds: Vec<Component>,
    /// What carries the packets of live runs: `model`, `netem`.
    pub planes: Vec<Component>,
    /// Programs that are called.
    pub tools: Vec<Component>,
    /// What the kernel's TCP can be asked for.
    pub kernel: Vec<Component>,
    /// What killed runs have left.
    pub leftovers: Vec<String>,
}

/// Tries everything. The process enters a user namespace (see [`crate::enter`]) and should then do nothing else; it must
/// have one thread.
pub fn examine() -> Health {
    let leftovers = match Ledger::leftovers() {
        Ok(left) => left.into_iter().map(|leftover| leftover.what).collect(),
        Err(error) => vec![format!("unknown: the ledgers cannot be read: {error}")],
    };
    let tried = Tried::here();
    Health {
        testbeds: testbeds(&tried),
        planes: vec![tried.model.clone(), netem(&tried)],
        tools: tools(),
        kernel: kernel(&tried.kernel),
        leftovers,
    }
}

fn testbeds(tried: &Tried) -> Vec<Component> {
    vec![
        Component::works("sim", "our TCP in virtual time; it needs nothing of the machine"),
        tried.netns.clone(),
    ]
}

/// The netem plane needs all of its parts; the first that is missing is told, and how to get it.
fn netem(tried: &Tried) -> Component {
    if !tried.netns.works {
        return Component::fails(
            "netem",
            "the netns testbed does not work here",
            tried.netns.remedy.as_deref(),
        );
    }
    let missing: Vec<&Component> = tried.netem.iter().filter(|part| !part.works).collect();
    if missing.is_empty() {
        let queues = match tried.no_queues.as_slice() {
            [] => "; all disciplines of managed queues are there".to_owned(),
            missing => {
                let modules: Vec<String> = missing.iter().map(|queue| format!("sch_{queue}")).collect();
                format!("; for managed queues the kernel has no {}", modules.join(", "))
            }
        };
        return Component::works(
            "netem",
            format!("tc and nft put delay, rate, queue and drops on a device, in a namespace of its own{queues}"),
        );
    }
    let join = |words: Vec<&str>| words.join("; ");
    let why = join(missing.iter().map(|part| part.why.as_str()).collect());
    let mut remedies: Vec<&str> = missing.iter().filter_map(|part| part.remedy.as_deref()).collect();
    remedies.dedup();
    let instead = if tried.model.works {
        ". The model plane works here and does all that netem does, and more"
    } else {
        ""
    };
    Component::fails("netem", format!("{why}{instead}"), Some(&join(remedies)))
}

fn tools() -> Vec<Component> {
    [
        ("ip", "iproute2", "live runs"),
        ("tc", "iproute2", "the netem plane"),
        ("nft", "nftables", "the netem plane"),
    ]
    .map(|(name, package, user)| match tool(name) {
        Some(path) => Component::works(name, path.display().to_string()),
        None => Component::fails(
            name,
            format!("not found; {user} cannot do without"),
            Some(&format!(
                "install the package {package} (so it is called in Debian, Ubuntu and Fedora)"
            )),
        ),
    })
    .into()
}

fn kernel(kernel: &Kernel) -> Vec<Component> {
    let mut parts = vec![Component::works("release", kernel.release.clone())];
    for name in ["reno", "cubic", "bbr"] {
        parts.push(if kernel.congestion.iter().any(|there| there == name) {
            Component::works(name, "congestion control that a connection can ask for")
        } else {
            Component::fails(
                name,
                format!(
                    "congestion control that is not loaded; there is {}",
                    kernel.congestion.join(", ")
                ),
                Some(&format!(
                    "`modprobe tcp_{name}` as root, or a kernel with CONFIG_TCP_CONG_{}",
                    name.to_uppercase()
                )),
            )
        });
    }
    parts.push(if kernel.can_do_without_rack {
        Component::works("without-rack", "tcp_recovery turns RACK off")
    } else {
        Component::fails(
            "without-rack",
            "since Linux 6.17 RACK is the only loss detection of connections with SACK",
            Some("a kernel before 6.17; or `sack = false`, which has NewReno's"),
        )
    });
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tried(netem: Vec<Component>) -> Tried {
        Tried {
            netns: Component::works("netns", "tried"),
            model: Component::works("model", "tried"),
            netem,
            no_queues: vec!["pie"],
            kernel: Kernel {
                release: "6.18".to_owned(),
                congestion: vec!["reno".to_owned()],
                can_do_without_rack: false,
            },
        }
    }

    #[test]
    fn netem_names_what_is_missing_and_what_works_instead() {
        let parts = vec![
            Component::works("tbf", ""),
            Component::fails("netem", "the kernel has no sch_netem", Some("CONFIG_NET_SCH_NETEM")),
        ];
        let plane = netem(&tried(parts));
        assert!(!plane.works && plane.why.contains("sch_netem") && plane.why.contains("model plane works"));
        assert_eq!(plane.remedy.as_deref(), Some("CONFIG_NET_SCH_NETEM"));
        let plane = netem(&tried(vec![Component::works("netem", "")]));
        assert!(plane.works && plane.why.ends_with("for managed queues the kernel has no sch_pie"));
    }

    #[test]
    fn a_congestion_control_that_is_not_there_is_told_with_its_module() {
        let parts = kernel(&tried(Vec::new()).kernel);
        let of = |name: &str| parts.iter().find(|part| part.name == name).expect("it is examined");
        assert!(of("reno").works && !of("bbr").works);
        assert!(
            of("bbr")
                .remedy
                .as_deref()
                .is_some_and(|remedy| remedy.contains("CONFIG_TCP_CONG_BBR"))
        );
    }
}
