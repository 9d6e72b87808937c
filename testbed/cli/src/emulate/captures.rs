//! The emulator's captures, taken as those of live runs are: from the kernel's own rings.

use std::io;

use windlull_agent::{CaptureOrder, Capturer, Capturing};
use windlull_capture::Snaplen;
use windlull_live::capture::{LinkCapture, LinkCaptureSpec};
use windlull_units::LinkCaptureCounts;

use crate::built::VERSION;

/// Takes captures of the link.
pub(super) struct LinkCapturer;

impl Capturer for LinkCapturer {
    fn start(&self, order: &CaptureOrder<'_>) -> io::Result<Box<dyn Capturing>> {
        let capture = LinkCapture::start(&LinkCaptureSpec {
            devices: [&order.devices.to_server, &order.devices.to_client],
            snaplen: order.snaplen.map_or(Snaplen::Full, Snaplen::Octets),
            limit_bytes: order.limit_bytes,
            comment: order.comment,
            version: VERSION,
            epoch: None,
            path: order.path,
        })?;
        Ok(Box::new(Work(capture)))
    }
}

struct Work(LinkCapture);

impl Capturing for Work {
    fn counts(&self) -> LinkCaptureCounts {
        self.0.counts()
    }

    fn is_over(&self) -> bool {
        self.0.is_over()
    }

    fn stop(self: Box<Self>) -> io::Result<LinkCaptureCounts> {
        self.0.stop()
    }
}
