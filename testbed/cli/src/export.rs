//! `export`: a link in the words of another tool.

use clap::{Args, ValueEnum};
use windlull_experiment::{Library, Link};
use windlull_plane::netem::{self, Carriage, Devices, Fidelity, Heading, Request};
use windlull_units::{Bytes, Seed, Span, parse_bytes, parse_span};

use crate::answer;
use crate::built::VERSION;
use crate::failure::Failure;
use crate::run::carry::unsupported_parts;

/// The arguments of `export`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The link's name, or the path of its file.
    link: String,
    /// In whose words.
    #[arg(long, value_enum)]
    format: Format,
    /// The seed of the link's random processes.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How long the link's random processes and script go on.
    #[arg(long = "for", value_name = "SPAN", default_value = "10 min", value_parser = parse_span)]
    span: Span,
    /// Refuse what tc and nft cannot express, instead of taking the nearest that there is.
    #[arg(long)]
    exact: bool,
    /// The size of the IP packets that are assumed where the nearest depends on it.
    #[arg(long, value_name = "SIZE", default_value = "1500 B", value_parser = parse_bytes)]
    packet_size: Bytes,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// A shell script for a Linux router, of tc and nft.
    Tc,
}

/// Prints the link.
pub(crate) fn export(library: &Library, arguments: &Arguments) -> Result<(), Failure> {
    let Format::Tc = arguments.format;
    let link = Link::load(library, &arguments.link)?;
    let seed = Seed::new(arguments.seed);
    let schedule = netem::compile_as(&Request {
        model: &link.model,
        seed,
        horizon: arguments.span,
        devices: &Devices::variables(),
        carriage: Carriage::Forwarding,
        fidelity: if arguments.exact {
            Fidelity::Exact
        } else {
            Fidelity::Nearest {
                packet: arguments.packet_size,
            }
        },
    })
    .map_err(|unsupported| Failure::input(unsupported_parts(&link.name, &unsupported).join("\n")))?;
    let heading = Heading {
        profile: link.name,
        made_by: format!("windlull {VERSION}"),
        seed,
        horizon: arguments.span,
    };
    answer::text(&netem::script(&schedule, &heading))
}
