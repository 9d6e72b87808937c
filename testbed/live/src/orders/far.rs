//! The parts of a run that are other processes, as who asks for the run has them.

use windlull_plane::Epoch;

use super::Orders;
use super::error::OrdersError;
use super::line::Line;
use super::protocol::{HostAnswer, HostOrder, LinkAnswer, LinkOrder, Who};
use crate::LiveError;
use crate::hosts::Settings;
use crate::part::{HostLeft, HostPart, HostTask, LinkLeft, LinkPart, LinkState, LinkTask, Progress};

/// A host that is another process.
#[derive(Debug)]
pub(super) struct Host {
    line: Line,
    progress: Progress,
}

/// A link that is another process.
#[derive(Debug)]
pub(super) struct Link {
    line: Line,
    state: LinkState,
}

impl Host {
    pub(super) fn reach(orders: &Orders<'_>, host: windlull_units::Host) -> Result<Self, OrdersError> {
        Ok(Self {
            line: Line::reach(orders, host.into())?,
            progress: Progress::default(),
        })
    }

    pub(super) fn provenance(&self) -> Settings {
        self.line.provenance()
    }

    /// Has the host make its settings, and says which.
    pub(super) fn prepare(&mut self, task: HostTask) -> Result<Settings, OrdersError> {
        self.line.send(&HostOrder::Prepare(Box::new(task)))?;
        match self.line.hear()? {
            HostAnswer::Prepared(settings) => Ok(settings),
            HostAnswer::Failed(what) => Err(self.line.failed(what)),
            other => Err(self.line.unexpected(&other)),
        }
    }

    fn order(&mut self, order: &HostOrder) -> Result<HostAnswer, OrdersError> {
        self.line.send(order)?;
        loop {
            match self.line.hear()? {
                HostAnswer::Progress(progress) => self.progress = progress,
                HostAnswer::Failed(what) => return Err(self.line.failed(what)),
                answer => return Ok(answer),
            }
        }
    }

    fn done(&mut self, order: &HostOrder) -> Result<(), LiveError> {
        match self.order(order)? {
            HostAnswer::Done => Ok(()),
            other => Err(self.line.unexpected(&other).into()),
        }
    }
}

impl HostPart for Host {
    fn capture(&mut self, epoch: Epoch) -> Result<(), LiveError> {
        self.done(&HostOrder::Capture(epoch))
    }

    fn start(&mut self) -> Result<(), LiveError> {
        self.done(&HostOrder::Start)
    }

    fn progress(&mut self) -> Result<Progress, LiveError> {
        while let Some(said) = self.line.news()? {
            match said {
                HostAnswer::Progress(progress) => self.progress = progress,
                HostAnswer::Failed(what) => return Err(self.line.failed(what).into()),
                other => return Err(self.line.unexpected(&other).into()),
            }
        }
        Ok(self.progress)
    }

    fn fall_silent(&mut self) -> Result<(), LiveError> {
        self.done(&HostOrder::FallSilent)
    }

    fn stop_capture(&mut self) -> Result<(), LiveError> {
        self.done(&HostOrder::StopCapture)
    }

    fn finish(&mut self) -> Result<HostLeft, LiveError> {
        let file = match self.order(&HostOrder::Finish)? {
            HostAnswer::Left(file) => file,
            other => return Err(self.line.unexpected(&other).into()),
        };
        let path = self.line.path_of(&file)?;
        let left: HostLeft = self.line.read(&path)?;
        Ok(HostLeft {
            // Its host sees the same directory by another path.
            spool: left.spool.within(path.parent().unwrap_or(&self.line.directory)),
            ..left
        })
    }
}

impl Link {
    pub(super) fn reach(orders: &Orders<'_>) -> Result<Self, OrdersError> {
        Ok(Self {
            line: Line::reach(orders, Who::Emulator)?,
            state: LinkState {
                alive: true,
                empty: Some(false),
            },
        })
    }

    pub(super) fn provenance(&self) -> Settings {
        self.line.provenance()
    }

    /// Has the link made ready.
    pub(super) fn prepare(&mut self, task: LinkTask) -> Result<(), LiveError> {
        self.done(&LinkOrder::Prepare(Box::new(task)))
    }

    fn order(&mut self, order: &LinkOrder) -> Result<LinkAnswer, OrdersError> {
        self.line.send(order)?;
        loop {
            match self.line.hear()? {
                LinkAnswer::State(state) => self.state = state,
                LinkAnswer::Failed(what) => return Err(self.line.failed(what)),
                answer => return Ok(answer),
            }
        }
    }

    fn done(&mut self, order: &LinkOrder) -> Result<(), LiveError> {
        match self.order(order)? {
            LinkAnswer::Done => Ok(()),
            other => Err(self.line.unexpected(&other).into()),
        }
    }
}

impl LinkPart for Link {
    fn start(&mut self, epoch: Epoch) -> Result<(), LiveError> {
        self.done(&LinkOrder::Start(epoch))
    }

    fn state(&mut self) -> Result<LinkState, LiveError> {
        while let Some(said) = self.line.news()? {
            match said {
                LinkAnswer::State(state) => self.state = state,
                LinkAnswer::Failed(what) => return Err(self.line.failed(what).into()),
                other => return Err(self.line.unexpected(&other).into()),
            }
        }
        Ok(self.state)
    }

    fn stop(&mut self) -> Result<(), LiveError> {
        self.done(&LinkOrder::Stop)
    }

    fn finish(&mut self) -> Result<LinkLeft, LiveError> {
        let file = match self.order(&LinkOrder::Finish)? {
            LinkAnswer::Left(file) => file,
            other => return Err(self.line.unexpected(&other).into()),
        };
        let path = self.line.path_of(&file)?;
        let left: LinkLeft = self.line.read(&path)?;
        // Its process sees the same directory by another path.
        let seen_here = path.parent().unwrap_or(&self.line.directory);
        Ok(LinkLeft {
            capture: left.capture.map(|capture| capture.within(seen_here)),
            ..left
        })
    }
}
