//! The link's part in this process.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use windlull_netns::Namespace;
use windlull_plane::Epoch;
use windlull_plane::model::{Monitor, Shown, Visible};
use windlull_plane::netem::Devices;

use super::{LinkCaptureTask, LinkCaptured, LinkLeft, LinkPart, LinkState, LinkTask};
use crate::LiveError;
use crate::capture::{LinkCapture, LinkCaptureSpec};
use crate::hosts::SharedTriggers;
use crate::plane::{self, LinkSite, Plane, Played, Prepared};

/// A link whose threads and sockets are this process'.
pub(crate) struct LinkHere {
    task: LinkTask,
    monitor: Option<Arc<Monitor>>,
    tap: Tap,
    stage: Stage,
    /// Who tells it the states of the hosts' senders.
    triggers: Option<Arc<SharedTriggers>>,
}

enum Stage {
    Ready(Prepared),
    Running(Plane, Option<Capturing>),
    Stopped(Played, Option<Capturing>),
    /// Finished, or failed.
    Gone,
}

/// Where the run's capture at the link is taken.
struct Tap {
    router: Namespace,
    devices: Devices,
    visible: Arc<Visible>,
    path: PathBuf,
}

/// The run's capture at work.
struct Capturing {
    capture: LinkCapture,
    /// What the link sends is seen until the capture has ended.
    shown: Shown,
    path: PathBuf,
}

impl LinkHere {
    /// Makes a link ready. `scratch` is a directory for what tools read and for the capture; `monitor` counts, as far as
    /// the plane tells.
    pub(crate) fn prepare(
        task: LinkTask,
        site: &LinkSite<'_>,
        scratch: &Path,
        monitor: Option<Arc<Monitor>>,
    ) -> Result<Self, LiveError> {
        let ready = plane::prepare(&task, site, scratch)?;
        Ok(Self {
            task,
            monitor,
            tap: Tap {
                router: site.router.clone(),
                devices: site.devices.clone(),
                visible: Arc::clone(&site.visible),
                path: scratch.join("emulator.pcapng"),
            },
            stage: Stage::Ready(ready),
            triggers: None,
        })
    }

    /// It is told the states of the hosts' senders.
    pub(crate) fn trigger_by(&mut self, triggers: Option<&Arc<SharedTriggers>>) {
        self.triggers = triggers.cloned();
    }
}

impl Tap {
    /// Begins the capture; when this returns, nothing is missed any more.
    fn start(&self, task: &LinkCaptureTask, epoch: Epoch) -> Result<Capturing, LiveError> {
        let shown = self.visible.show().map_err(failed)?;
        let spec = LinkCaptureSpec {
            devices: [&self.devices.to_server, &self.devices.to_client],
            snaplen: task.snaplen,
            limit_bytes: task.limit_bytes,
            comment: &task.comment,
            version: &task.version,
            epoch: Some(epoch),
            path: &self.path,
        };
        let capture = self.router.run(|| LinkCapture::start(&spec)).and_then(|begun| begun);
        Ok(Capturing {
            capture: capture.map_err(failed)?,
            shown,
            path: self.path.clone(),
        })
    }
}

impl Capturing {
    fn stop(self) -> Result<LinkCaptured, LiveError> {
        let counts = self.capture.stop().map_err(failed)?;
        drop(self.shown);
        Ok(LinkCaptured {
            path: self.path,
            counts,
        })
    }
}

impl LinkPart for LinkHere {
    fn start(&mut self, epoch: Epoch) -> Result<(), LiveError> {
        match std::mem::replace(&mut self.stage, Stage::Gone) {
            Stage::Ready(ready) => {
                let capture = self.task.capture.as_ref();
                let capturing = capture.map(|task| self.tap.start(task, epoch)).transpose()?;
                let plane = ready.start(&self.task, epoch, self.monitor.take())?;
                if let (Plane::Model(running), Some(triggers)) = (&plane, &self.triggers) {
                    triggers.tell(running.trigger_sender());
                }
                self.stage = Stage::Running(plane, capturing);
            }
            other => self.stage = other,
        }
        Ok(())
    }

    fn state(&mut self) -> Result<LinkState, LiveError> {
        Ok(match &self.stage {
            Stage::Running(plane, _) => LinkState {
                alive: plane.is_alive(),
                empty: plane.is_empty(),
            },
            Stage::Ready(_) | Stage::Stopped(..) | Stage::Gone => LinkState {
                alive: false,
                empty: Some(true),
            },
        })
    }

    fn stop(&mut self) -> Result<(), LiveError> {
        match std::mem::replace(&mut self.stage, Stage::Gone) {
            Stage::Running(plane, capturing) => {
                let played = plane.stop()?;
                // What comes now meets no link.
                if let Some(capturing) = &capturing {
                    capturing.capture.end().map_err(failed)?;
                }
                self.stage = Stage::Stopped(played, capturing);
            }
            other => self.stage = other,
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<LinkLeft, LiveError> {
        match std::mem::replace(&mut self.stage, Stage::Gone) {
            Stage::Stopped(played, capturing) => Ok(LinkLeft {
                played,
                capture: capturing.map(Capturing::stop).transpose()?,
            }),
            _ => unreachable!("asked for once it is stopped"),
        }
    }
}

fn failed(source: io::Error) -> LiveError {
    LiveError::LinkCapture(source)
}
