//! Whether the kernel of this network namespace has all that the plane needs, found out by making a link.

use std::fs;
use std::net::Ipv4Addr;
use std::path::Path;

use windlull_link::model::{Action, Distribution, LinkModel, PathModel, QueueLimit, QueueModel, RateModel};
use windlull_link::model::{Scope, ScriptEntry, Trigger};
use windlull_units::{BitRate, Bytes, Seed, Span, Time};

use super::layout::Layout;
use super::{Carriage, Devices, Fidelity, Request, Schedule, Step, Tools, compile_at, set_up, statistics, tear_down};
use crate::gateway::{Network, Side};

/// A link that is made on a pair of devices which lead nowhere.
const SENDS: &str = "netem-try";
const RECEIVES: &str = "netem-tried";

/// Makes a link with every stage on devices of its own, and removes it. What an emulator that was killed had left of
/// the plane in this namespace is removed as well, so no link may stand here.
///
/// # Errors
/// What is missing, in the words of the command that failed.
pub fn examine() -> Result<(), String> {
    let devices = Devices {
        to_server: SENDS.to_owned(),
        to_client: RECEIVES.to_owned(),
    };
    let sides = [1, 2].map(|net| Side {
        ethernet: [2, 0, 0, 0, 0, net],
        networks: vec![Network {
            address: Ipv4Addr::new(198, 18, net, 254),
            mask: 0xFFFF_FF00,
        }],
    });
    let request = Request {
        model: &with_every_stage(),
        seed: Seed::new(1),
        horizon: Span::from_secs(2),
        devices: &devices,
        carriage: Carriage::Wire,
        network: windlull_units::Network::Ipv4,
        fidelity: Fidelity::Exact,
    };
    // A gateway's link has all that a wire between bridges has, and more.
    let schedule = compile_at(&request, Layout::gateway(&devices, &sides)).map_err(|error| error.to_string())?;
    let place = std::env::temp_dir().join(format!("windlull-netem-{}", std::process::id()));
    fs::create_dir_all(&place).map_err(|error| format!("cannot make {}: {error}", place.display()))?;
    let tried = try_out(&schedule, &place);
    // A directory that stays does no harm.
    let _ = fs::remove_dir_all(&place);
    tried
}

fn try_out(schedule: &Schedule, place: &Path) -> Result<(), String> {
    let tools = Tools::ready(schedule, place).map_err(|error| error.to_string())?;
    let pair = |what: &str| Step::ip(&format!("link {what}"));
    let no_devices = pair(&format!("del dev {SENDS}"));
    let _ = tools.run(&no_devices);
    tear_down(schedule, |step| tools.run(step));
    tools
        .run(&pair(&format!("add {SENDS} type veth peer name {RECEIVES}")))
        .map_err(|error| error.to_string())?;
    let made = set_up(schedule, |step| tools.run(step));
    let played = made
        .map_err(|error| format!("{error}: {}", error.source))
        .and_then(|()| {
            let mut changes = schedule.timeline.iter();
            changes.try_for_each(|(_, step)| {
                tools
                    .run(step)
                    .map_err(|error| format!("the step `{step}` failed: {error}"))
            })
        })
        .and_then(|()| statistics::read(&tools).map(drop).map_err(|error| error.to_string()));
    tear_down(schedule, |step| tools.run(step));
    let _ = tools.run(&no_devices);
    played
}

/// A rate, a queue, a delay, a hold and an outage, both ways: every device, discipline and table that there can be.
fn with_every_stage() -> LinkModel {
    let mut path = PathModel::plain(BitRate::from_bps(1_000_000).map(RateModel::Constant), Span::ZERO);
    path.delay = Distribution::Exponential {
        mean: Span::from_ms(10),
    };
    path.queue = QueueModel::DropTail(QueueLimit::Bytes(Bytes::new(50_000)));
    let mut model = LinkModel::symmetric(path);
    for action in [Action::Hold, Action::Drop, Action::SetLoss(0.5)] {
        model.script.push(ScriptEntry {
            scope: Scope::Each,
            trigger: Trigger::At {
                at: Time::ZERO + Span::from_ms(1),
                lasts: Some(Span::from_ms(1)),
            },
            action,
        });
    }
    model
}
