//! A command in a Linux kernel of its own, in virtual or in real time.
//!
//! The kernel is a program (User-Mode Linux, `windlull kernel build`), so an ordinary user may do anything in it: network
//! namespaces, netem, sysctls. It sees the files of the machine, read-only but for one directory, and no network. In virtual
//! time no time passes while anything computes; when all wait, the clock jumps. One program is the runner outside and the
//! first process inside: it calls itself by the words [`KERNEL`] and [`GUEST`].

mod console;
pub mod guest;
mod host;
mod order;
mod way_out;

pub use host::{Boot, Ended, Failure, Follow, GUEST, KERNEL, become_kernel};
pub use order::Ending;
pub use way_out::way_out;
