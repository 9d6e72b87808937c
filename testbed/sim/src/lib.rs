//! Virtual time: two endpoints, one link, no clock.
