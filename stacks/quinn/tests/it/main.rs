//! Two ends of quinn in virtual time.

mod lab;
mod loss;
mod seeds;
mod stack;
mod streams;
mod transfer;
