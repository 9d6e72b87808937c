//! Which plane plays the standing link, and the link at work on either.

use std::sync::Arc;

use thiserror::Error;
use windlull_link::model::{LinkModel, TransportCondition};
use windlull_link::{ChangeId, LiveChange};
use windlull_plane::Epoch;
use windlull_plane::model::{self, Cause, Monitor, Pace, PlaneError, PortKind, Visible};
use windlull_plane::netem::{self, CannotChange, Devices, StandingError};
use windlull_units::{Network, PlaneKind, Seed};

/// The planes that can be had here.
#[derive(Clone, Debug)]
pub(crate) struct Planes {
    /// What plays a link of which nobody says on which plane, where it can be had.
    pub(crate) usual: PlaneKind,
    /// Why there is no netem plane, where there is none.
    pub(crate) without_netem: Option<String>,
}

/// Why a plane does not play a link.
#[derive(Debug, Error)]
pub(crate) enum NoPlane {
    #[error("the netem plane is not available here: {0}; the model plane can play the link")]
    Missing(String),
    #[error(transparent)]
    Unsupported(#[from] netem::Unsupported),
    #[error(transparent)]
    Model(#[from] PlaneError),
    #[error(
        "a standing link is told of no sender's state, by which script entry {number} begins (`{when}`); it sees `after byte N` and \
         `retransmission N`"
    )]
    SenderState { number: usize, when: TransportCondition },
}

/// Why a link is not set up.
#[derive(Debug, Error)]
pub enum StandError {
    /// On the model plane.
    #[error(transparent)]
    Model(#[from] PlaneError),
    /// On the netem plane.
    #[error(transparent)]
    Netem(#[from] StandingError),
}

impl Planes {
    /// What plays a link of which nobody says on which plane.
    pub(crate) const fn usual_here(&self) -> PlaneKind {
        match self.without_netem {
            None => self.usual,
            Some(_) => PlaneKind::Model,
        }
    }

    /// Whether this plane can play the link here.
    pub(crate) fn can_play(&self, plane: PlaneKind, link: &LinkModel) -> Result<(), NoPlane> {
        if let Some((entry, when)) = link.conditions_of_state().next() {
            let number = entry + 1;
            return Err(NoPlane::SenderState { number, when });
        }
        match (plane, &self.without_netem) {
            (PlaneKind::Model, _) => Ok(model::can_play(link)?),
            (PlaneKind::Netem, Some(why)) => Err(NoPlane::Missing(why.clone())),
            (PlaneKind::Netem, None) => Ok(netem::can_stand(link)?),
        }
    }
}

/// A link at work.
pub(crate) enum Stands {
    Model(model::Standing),
    Netem(netem::Standing),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Wish<'a> {
    pub(crate) plane: PlaneKind,
    pub(crate) link: &'a LinkModel,
    pub(crate) seed: Seed,
    /// Of the model plane.
    pub(crate) pace: Pace,
}

impl Stands {
    /// Opens the devices and starts the link on them.
    pub(crate) fn on(
        devices: &Devices,
        wish: Wish<'_>,
        monitor: &Arc<Monitor>,
        visible: &Visible,
    ) -> Result<Self, StandError> {
        let Wish { link, seed, .. } = wish;
        match wish.plane {
            PlaneKind::Model => {
                let [to_server, to_client] = visible.ports(devices, PortKind::Gateway)?;
                let setup = model::Setup {
                    link,
                    access: None,
                    crossing: &[],
                    network: Network::Ipv4,
                    seed,
                    epoch: Epoch::begin(),
                    pace: wish.pace,
                };
                Ok(Self::Model(model::stand(setup, to_server, to_client, monitor)?))
            }
            PlaneKind::Netem => Ok(Self::Netem(netem::stand(link, seed, devices, monitor)?)),
        }
    }

    /// Whether its plane can make this change.
    pub(crate) fn can(&self, change: &LiveChange) -> Result<(), CannotChange> {
        match self {
            Self::Model(_) => Ok(()),
            Self::Netem(standing) => standing.can(change),
        }
    }

    /// Changes it now; `None` if it no longer stands.
    pub(crate) fn change(&self, id: ChangeId, change: LiveChange) -> Option<()> {
        match self {
            Self::Model(standing) => standing.change(id, change).map(drop),
            Self::Netem(standing) => standing.change(id, change),
        }
    }

    /// Takes a change back now; `None` if it no longer stands.
    pub(crate) fn take_back(&self, id: ChangeId) -> Option<()> {
        match self {
            Self::Model(standing) => standing.take_back(id).map(drop),
            Self::Netem(standing) => standing.take_back(id).map(drop),
        }
    }

    /// Lets the monitor know what the plane has counted; the model's counts by itself.
    pub(crate) fn count(&self) {
        if let Self::Netem(standing) = self {
            standing.count();
        }
    }

    /// The causes of losses that the plane can tell.
    pub(crate) const fn causes(&self) -> &'static [Cause] {
        match self {
            Self::Model(_) => &Cause::ALL,
            Self::Netem(_) => &netem::Standing::CAUSES,
        }
    }

    pub(crate) fn is_alive(&self) -> bool {
        match self {
            Self::Model(standing) => standing.is_alive(),
            Self::Netem(standing) => standing.is_alive(),
        }
    }

    /// Ends it; fails if it had ended before.
    pub(crate) fn stop(self) -> Result<(), StandError> {
        match self {
            Self::Model(standing) => Ok(standing.stop()?),
            Self::Netem(standing) => Ok(standing.stop()?),
        }
    }
}
