//! Who listens to an endpoint.

use windlull_units::Time;
use windlull_wire::SenderEvent;

/// Hears what the sending half of an endpoint says of itself.
pub trait EndpointObserver {
    /// Whether anybody hears it: what nobody hears need not be worked out.
    fn is_heard(&self) -> bool {
        true
    }

    /// The sender said something at `now`.
    fn sender(&mut self, now: Time, event: &SenderEvent);
}

/// Nobody listens.
impl EndpointObserver for () {
    fn is_heard(&self) -> bool {
        false
    }

    fn sender(&mut self, _: Time, _: &SenderEvent) {}
}

/// Keeps all events, for tests and small tools.
impl EndpointObserver for Vec<(Time, SenderEvent)> {
    fn sender(&mut self, now: Time, event: &SenderEvent) {
        self.push((now, event.clone()));
    }
}
