//! From the link's and the endpoints' own observers to the one stream of the run.

use windlull_capture::Observer;
use windlull_link::LinkObserver;
use windlull_tcp::EndpointObserver;
use windlull_units::{Fate, Host, LinkEvent, Time};
use windlull_wire::SenderEvent;

/// What the link tells.
pub(crate) struct LinkTap<'a, O>(pub(crate) &'a mut O);

impl<O: Observer> LinkObserver for LinkTap<'_, O> {
    fn fate(&mut self, fate: &Fate) {
        self.0.fate(fate);
    }

    fn link(&mut self, now: Time, event: &LinkEvent) {
        self.0.link(now, event);
    }
}

/// What an endpoint tells. Only the data sender is listened to: the receiver's own congestion window moves nothing.
pub(crate) struct EndpointTap<'a, O> {
    pub(crate) host: Host,
    pub(crate) data_sender: Host,
    pub(crate) observer: &'a mut O,
}

impl<O: Observer> EndpointObserver for EndpointTap<'_, O> {
    fn sender(&mut self, now: Time, event: &SenderEvent) {
        if self.host == self.data_sender {
            self.observer.sender(now, self.host, event);
        }
    }
}
