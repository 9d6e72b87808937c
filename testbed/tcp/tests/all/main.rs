//! All tests of the crate from outside, in one program: each more would be linked by itself.

mod pair;
mod registry;
mod script;
mod scripts;
mod variants;
