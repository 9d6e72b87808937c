//! Who listens to an endpoint.

use windlull_units::Time;
use windlull_wire::SenderEvent;

/// Hears what the sending half of an endpoint says of itself.
pub trait EndpointObserver {
    /// The sender said something at `now`.
    fn sender(&mut self, now: Time, event: &SenderEvent);
}

/// Nobody listens.
impl EndpointObserver for () {
    fn sender(&mut self, _: Time, _: &SenderEvent) {}
}

/// Keeps all events, for tests and small tools.
impl EndpointObserver for Vec<(Time, SenderEvent)> {
    fn sender(&mut self, now: Time, event: &SenderEvent) {
        self.push((now, event.clone()));
    }
}
