//! The link by the kernel's own means: a model compiled to `ip`, `tc` and `nft` commands and a timeline of changes.
//!
//! Each direction of a model becomes a chain of stages on the router, in the order of the model's own:
//!
//! ```text
//!   in  -nft-> [down-queue: htb, fifo] -veth-> down-wire -nft-> [down-bits: netem rate] -> forwarding -> [out: netem, plug] -> out
//!      arrives                start of service              last bit sent           nft: outages, losses      delay    holds
//! ```
//!
//! HTB lets a packet go when its service begins, and its fifo is the model's queue, which does not count the packet in
//! service. The first netem then takes the time that the packet's bits take, so that what follows meets the packet at
//! the instant at which the model's channel does. The last netem keeps each packet for its propagation delay; what
//! comes out of it goes through a plug, which lets everything pass, or nothing.
//!
//! What this cannot express is refused by name ([`Unsupported`]); where it differs a little, a [`Note`] says how.

mod apply;
mod delay;
mod examine;
mod heading;
mod layout;
mod managed;
mod nearest;
mod note;
mod path;
mod plan;
mod queue_counts;
mod refusal;
mod rules;
mod script;
mod stages;
mod standing;
mod state;
mod statistics;
mod step;
mod timeline;
mod tools;
mod without_equal;

#[cfg(test)]
mod tests;

pub use apply::{Applied, PlayError, play, set_up, tear_down};
pub use delay::Table;
pub use examine::examine;
pub use heading::Heading;
pub use layout::Carriage;
pub use nearest::{Approximation, Instead};
pub use note::Note;
pub use plan::Fidelity;
pub use queue_counts::{QueueCounts, queue_counts};
pub use refusal::{ProfileItem, Reason, Refusal, Unsupported};
pub use script::script;
pub use standing::{CannotChange, Standing, StandingError, can_stand, stand};
pub use step::{Devices, Step};
pub use tools::{ToolError, Tools};

use windlull_link::model::LinkModel;
use windlull_units::{Direction, Network, Seed, Span, Time};

/// A link as commands: what to do at first, what at which time, what in the end.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    /// Delay distributions, to lie as `NAME.dist` where `tc` finds them (`TC_LIB_DIR`) before the first step.
    pub tables: Vec<Table>,
    /// Makes the link.
    pub setup: Vec<Step>,
    /// Changes it, in order of time since the start of the run.
    pub timeline: Vec<(Time, Step)>,
    /// Removes all that `setup` made, also after a part of it.
    pub teardown: Vec<Step>,
    /// Where the kernel's link differs a little from the model's.
    pub notes: Vec<Note>,
    /// What was replaced by the nearest that there is; empty unless that was asked for.
    pub approximations: Vec<Approximation>,
}

/// A link, and how it is to be compiled.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    pub model: &'a LinkModel,
    /// Of its random processes.
    pub seed: Seed,
    /// The end of the timeline.
    pub horizon: Span,
    /// Between which devices it stands.
    pub devices: &'a Devices,
    /// Who carries packets between them.
    pub carriage: Carriage,
    /// The version of IP of the hosts' packets.
    pub network: Network,
    /// What becomes of parts that `tc` and `nft` cannot express.
    pub fidelity: Fidelity,
}

/// Compiles a link for packets of IPv4. Random processes in time come from the same streams of `seed` as everywhere, so that
/// every plane meets the same link_state; draws about packets are the kernel's own. The timeline ends at `horizon`.
///
/// # Errors
/// If the link has parts that `tc` and `nft` cannot express: all of them, by name.
pub fn compile(model: &LinkModel, seed: Seed, horizon: Span, devices: &Devices) -> Result<Schedule, Unsupported> {
    compile_as(&Request {
        model,
        seed,
        horizon,
        devices,
        carriage: Carriage::Forwarding,
        network: Network::Ipv4,
        fidelity: Fidelity::Exact,
    })
}

/// As [`compile`], with a choice of who carries packets, of their network, and of what becomes of parts that cannot be expressed.
///
/// # Errors
/// As [`compile`]; of the nearest link only what has no substitute.
pub fn compile_as(request: &Request<'_>) -> Result<Schedule, Unsupported> {
    let layout = layout::Layout::between(request.devices, request.carriage, request.network);
    compile_at(request, layout)
}

fn compile_at(request: &Request<'_>, layout: layout::Layout<'_>) -> Result<Schedule, Unsupported> {
    let &Request {
        model,
        seed,
        horizon,
        fidelity,
        ..
    } = request;
    let replaced = match fidelity {
        Fidelity::Exact => None,
        Fidelity::Nearest { packet } => Some(nearest::nearest(model, packet)),
    };
    let (model, stops) = replaced
        .as_ref()
        .map_or((model, [None; 2]), |nearest| (&nearest.model, nearest.stops));
    let plans = plan::plan(model, seed, horizon, fidelity, stops)?;
    let [down, up] = &plans.paths;
    let paths = [(Direction::Down, down), (Direction::Up, up)];
    let tables = paths.iter().filter_map(|(_, path)| path.delay.table().cloned());
    Ok(Schedule {
        tables: tables.collect(),
        setup: stages::set_up(&plans.paths, &plans.states[0].1, layout, seed),
        timeline: timeline::changes(&plans.paths, &plans.states, layout, seed),
        teardown: stages::tear_down(&plans.paths, layout),
        notes: note::of(model, &plans.paths),
        approximations: replaced.map_or_else(Vec::new, |nearest| nearest.approximations),
    })
}
