//! A host's part in this process.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use windlull_netns::{Node, Site};
use windlull_plane::Epoch;

use super::{HostLeft, HostPart, HostTask, Progress};
use crate::LiveError;
use crate::capture::{Spool, Tap};
use crate::commands::Starter;
use crate::ends::{self, End, Ended};
use crate::hosts::{Settings, SharedTriggers};

/// A host whose threads and sockets are this process'.
pub(crate) struct HostHere {
    site: Site,
    task: HostTask,
    /// Where its capture is spooled.
    spool: PathBuf,
    /// The run's clock, from the capture's start on.
    epoch: Option<Epoch>,
    end: Stage<ends::Ready, End, Ended>,
    capture: Stage<(), Tap, Spool>,
    /// Who tells the link the states of senders here.
    triggers: Option<Arc<SharedTriggers>>,
}

/// What becomes what, once each. A stage that failed leaves nothing.
enum Stage<Ready, Running, Over> {
    Ready(Ready),
    Running(Running),
    Over(Over),
    Gone,
}

impl<R, W, O> Stage<R, W, O> {
    fn begin(&mut self, begin: impl FnOnce(R) -> Result<W, LiveError>) -> Result<(), LiveError> {
        match std::mem::replace(self, Self::Gone) {
            Self::Ready(ready) => *self = Self::Running(begin(ready)?),
            other => *self = other,
        }
        Ok(())
    }

    fn end(&mut self, end: impl FnOnce(W) -> Result<O, LiveError>) -> Result<(), LiveError> {
        match std::mem::replace(self, Self::Gone) {
            Self::Running(running) => *self = Self::Over(end(running)?),
            other => *self = other,
        }
        Ok(())
    }

    /// What it left; it must have been ended.
    fn take(&mut self) -> O {
        match std::mem::replace(self, Self::Gone) {
            Self::Over(over) => over,
            _ => unreachable!("asked for once it is over"),
        }
    }
}

impl HostHere {
    /// Makes a host's settings, says which, and opens its sockets. `scratch` is a directory for what its capture spools.
    /// `starter` starts programs, where that is allowed.
    pub(crate) fn prepare(
        task: HostTask,
        site: Site,
        scratch: &Path,
        starter: Option<&Starter>,
    ) -> Result<(Self, Settings), LiveError> {
        let (ready, settings) = ends::prepare(&task, &site, starter)?;
        let part = Self {
            spool: scratch.join(format!("{}.spool", Node::from(site.host).name())),
            site,
            task,
            epoch: None,
            end: Stage::Ready(ready),
            capture: Stage::Ready(()),
            triggers: None,
        };
        Ok((part, settings))
    }

    /// The link of the run is to be told the states of senders here.
    pub(crate) fn trigger_by(&mut self, triggers: Option<&Arc<SharedTriggers>>) {
        self.triggers = triggers.cloned();
    }

    fn failed(&self) -> impl FnOnce(std::io::Error) -> LiveError + use<> {
        let host = self.site.host;
        move |source| LiveError::Host {
            host,
            what: "capture",
            source,
        }
    }
}

/// What it left is nobody's any more, but its threads end.
impl Drop for HostHere {
    fn drop(&mut self) {
        let _ = self.fall_silent();
        let _ = self.stop_capture();
        let _ = self.end.end(End::stop);
    }
}

impl HostPart for HostHere {
    fn capture(&mut self, epoch: Epoch) -> Result<(), LiveError> {
        self.epoch = Some(epoch);
        let failed = self.failed();
        let Self { site, task, spool, .. } = &*self;
        let tap = Tap::start(&site.namespace, &site.device, epoch, task.snaplen, spool).map_err(failed)?;
        self.capture.begin(|()| Ok(tap))
    }

    fn start(&mut self) -> Result<(), LiveError> {
        let epoch = self.epoch.expect("captures are started first");
        let triggers = self.triggers.as_ref();
        self.end.begin(|ready| ready.start(epoch, triggers))
    }

    fn progress(&mut self) -> Result<Progress, LiveError> {
        match &mut self.end {
            Stage::Running(end) => end.progress(),
            _ => Ok(Progress::default()),
        }
    }

    fn fall_silent(&mut self) -> Result<(), LiveError> {
        let Stage::Running(end) = &mut self.end else {
            return Ok(());
        };
        if end.has_kernels() {
            return end.end_ours();
        }
        self.end.end(End::stop)
    }

    fn stop_capture(&mut self) -> Result<(), LiveError> {
        let failed = self.failed();
        self.capture.end(|tap| tap.stop().map_err(failed))
    }

    fn finish(&mut self) -> Result<HostLeft, LiveError> {
        self.end.end(End::stop)?;
        Ok(HostLeft {
            ended: self.end.take(),
            spool: self.capture.take(),
        })
    }
}
