//! The link, sans-IO: what happens to a packet between two ends, as a function of the model, the seed and `now`.

pub mod model;
