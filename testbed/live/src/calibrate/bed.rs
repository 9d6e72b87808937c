//! A link between two kernels, to be measured.

use std::io;
use std::net::Ipv4Addr;

use windlull_link::model::{LinkModel, PathModel, QueueLimit, QueueModel, RateModel};
use windlull_netns::{Lab, LabSpec, Node, RouterKind, address};
use windlull_plane::model::{Log, Pace, Port, Running, Setup, start};
use windlull_plane::{Epoch, WallClock};
use windlull_units::{BitRate, Host, Network, Seed, Span};

use super::CalibrateError;

/// The namespaces and a plane at work in the router.
pub(super) struct Bed {
    lab: Lab,
    running: Running,
    epoch: Epoch,
}

impl Bed {
    pub(super) fn new(link: &LinkModel, seed: Seed, pace: Pace) -> Result<Self, CalibrateError> {
        let lab = lab(RouterKind::Userspace)?;
        let port = |device| lab.namespace(Node::Router).run(|| Port::open(device));
        let (to_server, to_client) = (port("to-server")??, port("to-client")??);
        let epoch = Epoch::begin();
        let setup = Setup {
            link,
            access: None,
            crossing: &[],
            network: Network::Ipv4,
            seed,
            epoch,
            pace,
        };
        Ok(Self {
            running: start(setup, to_server, to_client)?,
            lab,
            epoch,
        })
    }

    pub(super) const fn lab(&self) -> &Lab {
        &self.lab
    }

    pub(super) const fn epoch(&self) -> Epoch {
        self.epoch
    }

    /// For stamps of the kernel.
    pub(super) fn wall_clock(&self) -> WallClock {
        self.epoch.wall_clock()
    }

    /// Packets in the link.
    pub(super) fn inside(&self) -> u64 {
        self.running.packets_inside()
    }

    pub(super) fn stop(self) -> Result<Log, CalibrateError> {
        Ok(self.running.stop()?)
    }
}

/// Two kernels, and a router between them.
pub(super) fn lab(router: RouterKind) -> Result<Lab, CalibrateError> {
    Ok(Lab::build(&LabSpec {
        kernel_answers: [true, true],
        network: Network::Ipv4,
        router,
    })?)
}

/// Does something in a host's namespace, given its address.
pub(super) fn at<T: Send>(lab: &Lab, host: Host, work: impl FnOnce(Ipv4Addr) -> io::Result<T> + Send) -> io::Result<T> {
    lab.namespace(host.into())
        .run(|| work(address(host)))
        .and_then(|result| result)
}

/// A link that is alike in both directions and on which nothing happens.
pub(super) fn plain(rate: Option<BitRate>, delay: Span, queue: QueueLimit) -> LinkModel {
    let path = PathModel {
        queue: QueueModel::DropTail(queue),
        ..PathModel::plain(rate.map(RateModel::Constant), delay)
    };
    LinkModel::symmetric(path)
}
