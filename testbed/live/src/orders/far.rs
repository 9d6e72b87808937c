//! The parts of a run that are other processes, as who asks for the run has them.

use std::path::PathBuf;

use serde::Serialize;
use serde::de::DeserializeOwned;
use windlull_plane::Epoch;

use super::Orders;
use super::error::OrdersError;
use super::line::Line;
use super::protocol::{Answer, HostOrder, LinkOrder, Who};
use crate::LiveError;
use crate::hosts::Settings;
use crate::part::{HostLeft, HostPart, HostTask, LinkLeft, LinkPart, LinkState, LinkTask, Progress};

/// A host or a link that is another process, and how it was when it last said so.
#[derive(Debug)]
pub(super) struct Far {
    line: Line,
    /// The host's own engine, where another makes the run: while it is held, it makes none.
    _held: Option<Line>,
    progress: Progress,
    state: LinkState,
}

impl Far {
    pub(super) fn reach(orders: &Orders<'_>, who: Who) -> Result<Self, OrdersError> {
        let own = Line::reach(orders, who)?;
        let (line, held) = match orders.stack.filter(|_| who != Who::Emulator) {
            None => (own, None),
            Some(stack) => (Line::reach_stack(orders, who, stack)?, Some(own)),
        };
        Ok(Self {
            line,
            _held: held,
            progress: Progress::default(),
            state: LinkState {
                alive: true,
                empty: Some(false),
            },
        })
    }

    pub(super) fn provenance(&self) -> Settings {
        self.line.provenance()
    }

    /// Has a host make its settings, and says which.
    pub(super) fn prepare_host(&mut self, task: HostTask) -> Result<Settings, OrdersError> {
        match self.order(&HostOrder::Prepare(Box::new(task)))? {
            Answer::Prepared(settings) => Ok(settings),
            other => Err(self.line.unexpected(&other)),
        }
    }

    /// Has a link made ready.
    pub(super) fn prepare_link(&mut self, task: LinkTask) -> Result<(), LiveError> {
        self.done(&LinkOrder::Prepare(Box::new(task)))
    }

    fn order(&mut self, order: &impl Serialize) -> Result<Answer, OrdersError> {
        self.line.send(order)?;
        loop {
            let said = self.line.hear()?;
            if let Some(answer) = self.note(said)? {
                return Ok(answer);
            }
        }
    }

    fn done(&mut self, order: &impl Serialize) -> Result<(), LiveError> {
        match self.order(order)? {
            Answer::Done => Ok(()),
            other => Err(self.line.unexpected(&other).into()),
        }
    }

    /// Hears what it has said unasked.
    fn listen(&mut self) -> Result<(), LiveError> {
        while let Some(said) = self.line.news()? {
            if let Some(other) = self.note(said)? {
                return Err(self.line.unexpected(&other).into());
            }
        }
        Ok(())
    }

    /// Notes how it is; hands back what is an answer.
    fn note(&mut self, said: Answer) -> Result<Option<Answer>, OrdersError> {
        match said {
            Answer::Progress(progress) => self.progress = progress,
            Answer::State(state) => self.state = state,
            Answer::Failed(what) => return Err(self.line.failed(what)),
            answer => return Ok(Some(answer)),
        }
        Ok(None)
    }

    /// What it leaves, and the directory of that: its process sees it by another path.
    fn left<T: DeserializeOwned>(&mut self, order: &impl Serialize) -> Result<(T, PathBuf), LiveError> {
        let file = match self.order(order)? {
            Answer::Left(file) => file,
            other => return Err(self.line.unexpected(&other).into()),
        };
        let path = self.line.path_of(&file)?;
        let directory = path.parent().unwrap_or(&self.line.directory);
        Ok((self.line.read(&path)?, directory.to_owned()))
    }
}

impl HostPart for Far {
    fn capture(&mut self, epoch: Epoch) -> Result<(), LiveError> {
        self.done(&HostOrder::Capture(epoch))
    }

    fn start(&mut self) -> Result<(), LiveError> {
        self.done(&HostOrder::Start)
    }

    fn progress(&mut self) -> Result<Progress, LiveError> {
        self.listen()?;
        Ok(self.progress)
    }

    fn fall_silent(&mut self) -> Result<(), LiveError> {
        self.done(&HostOrder::FallSilent)
    }

    fn stop_capture(&mut self) -> Result<(), LiveError> {
        self.done(&HostOrder::StopCapture)
    }

    fn finish(&mut self) -> Result<HostLeft, LiveError> {
        let (left, directory) = self.left::<HostLeft>(&HostOrder::Finish)?;
        Ok(HostLeft {
            spool: left.spool.within(&directory),
            ..left
        })
    }
}

impl LinkPart for Far {
    fn start(&mut self, epoch: Epoch) -> Result<(), LiveError> {
        self.done(&LinkOrder::Start(epoch))
    }

    fn state(&mut self) -> Result<LinkState, LiveError> {
        self.listen()?;
        Ok(self.state)
    }

    fn stop(&mut self) -> Result<(), LiveError> {
        self.done(&LinkOrder::Stop)
    }

    fn finish(&mut self) -> Result<LinkLeft, LiveError> {
        let (left, directory) = self.left::<LinkLeft>(&LinkOrder::Finish)?;
        Ok(LinkLeft {
            capture: left.capture.map(|capture| capture.within(&directory)),
            ..left
        })
    }
}
