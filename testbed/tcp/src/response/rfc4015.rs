//! The standard's Eifel response: RFC 4015, section 3.2. The window becomes what is outstanding and what the acknowledgement
//! at hand may release, so that no burst follows; the threshold becomes `pipe_prev`. If a mark is echoed, nothing is taken back.
//!
//! The RFC adapts the retransmission timer as well: that is `timer.after_spurious = "rfc4015"`, a choice of its own.

use crate::congestion::Congestion;
use crate::sender::View;

use super::{Moment, SpuriousResponse, Windows};

/// `cwnd` = FlightSize + min(bytes acknowledged, initial window); `ssthresh` = `pipe_prev`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rfc4015;

impl SpuriousResponse for Rfc4015 {
    fn respond(&self, view: &View, moment: &Moment) -> Windows {
        if moment.marked {
            let Congestion { cwnd, ssthresh, .. } = view.congestion;
            return Windows {
                cwnd: cwnd.min(ssthresh),
                ssthresh,
            };
        }
        let released = moment.acknowledged.min(moment.initial_window);
        Windows {
            // The RFC has an acceptable ACK at hand. A detector that answers on a duplicate may find nothing outstanding, and a
            // window of nothing would never open again.
            cwnd: (view.stream.flight() + released).max(view.stream.smss),
            // `pipe_prev`, taken before the timeout changed anything.
            ssthresh: moment.flight_before.max(moment.before.ssthresh),
        }
    }

    fn restores(&self, moment: &Moment) -> bool {
        !moment.marked
    }
}
