//! The link's part in this process.

use std::path::Path;
use std::sync::Arc;

use windlull_netns::Namespace;
use windlull_plane::Epoch;
use windlull_plane::model::Monitor;
use windlull_plane::netem::Devices;

use super::{LinkPart, LinkState, LinkTask};
use crate::LiveError;
use crate::plane::{self, Plane, Played, Prepared};

/// A link whose threads and sockets are this process'.
pub(crate) struct LinkHere {
    task: LinkTask,
    monitor: Option<Arc<Monitor>>,
    stage: Stage,
}

enum Stage {
    Ready(Prepared),
    Running(Plane),
    /// Stopped, or failed to start.
    Gone,
}

impl LinkHere {
    /// Makes a link ready between two devices of this namespace. `scratch` is a directory for what tools read; `monitor`
    /// counts, as far as the plane tells.
    pub(crate) fn prepare(
        task: LinkTask,
        router: &Namespace,
        devices: &Devices,
        scratch: &Path,
        monitor: Option<Arc<Monitor>>,
    ) -> Result<Self, LiveError> {
        let ready = plane::prepare(&task, router, devices, scratch)?;
        Ok(Self {
            task,
            monitor,
            stage: Stage::Ready(ready),
        })
    }
}

impl LinkPart for LinkHere {
    fn start(&mut self, epoch: Epoch) -> Result<(), LiveError> {
        match std::mem::replace(&mut self.stage, Stage::Gone) {
            Stage::Ready(ready) => self.stage = Stage::Running(ready.start(&self.task, epoch, self.monitor.take())?),
            other => self.stage = other,
        }
        Ok(())
    }

    fn state(&mut self) -> Result<LinkState, LiveError> {
        Ok(match &self.stage {
            Stage::Running(plane) => LinkState {
                alive: plane.is_alive(),
                empty: plane.is_empty(),
            },
            Stage::Ready(_) | Stage::Gone => LinkState {
                alive: false,
                empty: Some(true),
            },
        })
    }

    fn stop(&mut self) -> Result<Played, LiveError> {
        match std::mem::replace(&mut self.stage, Stage::Gone) {
            Stage::Running(plane) => plane.stop(),
            Stage::Ready(_) | Stage::Gone => unreachable!("a link is stopped once, after its start"),
        }
    }
}
