//! What carries the packets of a run, made ready, at work, and what it leaves.

use windlull_netns::{Lab, Place, RouterKind};
use windlull_plane::Epoch;
use windlull_plane::model::{self, Accuracy, Log, PlaneError, Port};

use crate::{LiveError, PlaneKind, Setup};

/// A plane whose sockets are open.
pub(crate) struct Prepared {
    to_server: Port,
    to_client: Port,
}

/// A plane at work.
pub(crate) struct Plane(model::Running);

/// What a plane leaves.
pub(crate) enum Played {
    /// The model's whole story.
    Model(Box<Log>),
}

impl Played {
    /// How exactly it was played, where the plane knows.
    pub(crate) fn accuracy(&self) -> Option<&Accuracy> {
        match self {
            Self::Model(log) => Some(&log.accuracy),
        }
    }
}

/// Who must carry packets through the router.
pub(crate) const fn router(kind: PlaneKind) -> RouterKind {
    match kind {
        PlaneKind::Model => RouterKind::Userspace,
        PlaneKind::Netem => RouterKind::Forwarding,
    }
}

/// Opens what the plane needs in the router.
pub(crate) fn prepare(setup: &Setup<'_>, lab: &Lab) -> Result<Prepared, LiveError> {
    if setup.plane == PlaneKind::Netem {
        return Err(LiveError::Unsupported(
            "the netem plane carries no runs in namespaces yet: choose the model plane".to_owned(),
        ));
    }
    let port = |device: &'static str| {
        lab.namespace(Place::Router)
            .run(|| Port::open(device))
            .map_err(|error| LiveError::Plane(error.to_string()))?
            .map_err(failed)
    };
    Ok(Prepared {
        to_server: port("to-server")?,
        to_client: port("to-client")?,
    })
}

impl Prepared {
    /// Starts the link: its time is the epoch's.
    pub(crate) fn start(self, setup: &Setup<'_>, epoch: Epoch) -> Result<Plane, LiveError> {
        let plane = model::Setup {
            link: setup.link,
            seed: setup.seed,
            epoch,
            pace: setup.pace,
        };
        model::start(plane, self.to_server, self.to_client)
            .map(Plane)
            .map_err(failed)
    }
}

impl Plane {
    /// Whether no packet is in the link, as of a moment ago.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.packets_inside() == 0
    }

    /// Whether it still carries packets.
    pub(crate) fn is_alive(&self) -> bool {
        self.0.is_alive()
    }

    /// Ends it.
    pub(crate) fn stop(self) -> Result<Played, LiveError> {
        self.0.stop().map(|log| Played::Model(Box::new(log))).map_err(failed)
    }
}

#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
fn failed(error: PlaneError) -> LiveError {
    LiveError::Plane(error.to_string())
}
