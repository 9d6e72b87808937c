//! `export`: a link, or an episode of a run, in the words of another tool.

mod script;

use clap::{Args, ValueEnum};
use windlull_experiment::{Library, Link};
use windlull_plane::netem::{self, Carriage, Devices, Fidelity, Heading, Request};
use windlull_units::{Bytes, Network, Seed, Span, parse_bytes, parse_span};

use crate::answer;
use crate::built::VERSION;
use crate::failure::Failure;
use crate::run::carry::unsupported_parts;

use script::OfEpisode;

/// The arguments of `export`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// For tc, a link: its name, or the path of its file. For packetdrill, the directory of a run.
    what: String,
    /// In whose words.
    #[arg(long, value_enum)]
    format: Format,
    #[command(flatten)]
    link: OfLink,
    #[command(flatten)]
    episode: OfEpisode,
}

/// How a link is exported.
#[derive(Debug, Args)]
struct OfLink {
    /// The seed of the link's random processes.  [default: 1]
    #[arg(long)]
    seed: Option<u64>,
    /// How long the link's random processes and script go on.  [default: 10 min]
    #[arg(long = "for", value_name = "SPAN", value_parser = parse_span)]
    span: Option<Span>,
    /// Refuse what tc and nft cannot express, instead of taking the nearest that there is.
    #[arg(long)]
    exact: bool,
    /// The size of the IP packets that are assumed where the nearest depends on it.  [default: 1500 B]
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    packet_size: Option<Bytes>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// A link as a shell script for a Linux router, of tc and nft.
    Tc,
    /// An episode as a script of packetdrill, for a kernel.
    Packetdrill,
}

/// Prints the link, or the episode.
pub(crate) fn export(library: &Library, arguments: &Arguments) -> Result<(), Failure> {
    let (link, episode) = (&arguments.link, &arguments.episode);
    let given = |flags: &[(&'static str, bool)]| flags.iter().find(|(_, given)| *given).map(|(flag, _)| *flag);
    let of_link = given(&[
        ("--seed", link.seed.is_some()),
        ("--for", link.span.is_some()),
        ("--exact", link.exact),
        ("--packet-size", link.packet_size.is_some()),
    ]);
    let of_episode = given(&[
        ("--episode", episode.episode.is_some()),
        ("--side", episode.side.is_some()),
        ("--tolerance", episode.tolerance.is_some()),
        ("--experiment", episode.experiment.is_some()),
    ]);
    match (arguments.format, of_link, of_episode) {
        (Format::Packetdrill, Some(flag), _) => Err(Failure::input(format!(
            "{flag} is of links; an episode goes with --episode, --side and --tolerance"
        ))),
        (Format::Tc, _, Some(flag)) => Err(Failure::input(format!("{flag} goes with --format packetdrill"))),
        (Format::Packetdrill, None, _) => script::episode(library, &arguments.what, episode),
        (Format::Tc, _, None) => tc(library, &arguments.what, link),
    }
}

fn tc(library: &Library, name: &str, options: &OfLink) -> Result<(), Failure> {
    let link = Link::load(library, name)?;
    let seed = Seed::new(options.seed.unwrap_or(1));
    let horizon = options.span.unwrap_or(Span::from_secs(600));
    let schedule = netem::compile_as(&Request {
        model: &link.model,
        seed,
        horizon,
        devices: &Devices::variables(),
        carriage: Carriage::Forwarding,
        network: Network::Ipv4,
        fidelity: if options.exact {
            Fidelity::Exact
        } else {
            Fidelity::Nearest {
                packet: options.packet_size.unwrap_or(Bytes::new(1500)),
            }
        },
    })
    .map_err(|unsupported| Failure::input(unsupported_parts(&link.name, &unsupported).join("\n")))?;
    let heading = Heading {
        profile: link.name,
        made_by: format!("windlull {VERSION}"),
        seed,
        horizon,
    };
    answer::text(&netem::script(&schedule, &heading))
}
