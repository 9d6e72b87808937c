//! Where a connection stands.

use windlull_units::{Direction, Span};

/// Where the connection stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    /// The first unacknowledged position.
    pub(crate) una: u64,
    /// The position behind all that was sent.
    pub(crate) max: u64,
    /// The position behind FIN, once that was sent.
    pub(crate) fin_end: Option<u64>,
    /// The smoothed round trip, once one was measured.
    pub(crate) srtt: Option<Span>,
    /// The direction of the data.
    pub(crate) data: Direction,
}

impl View {
    pub(super) fn outstanding(self) -> Waiting {
        let (una, max) = self.octets(self.una, self.max);
        Waiting {
            octets: max - una,
            syn: self.una == 0 && self.max > 0,
            fin: self.fin_end.is_some_and(|end| self.una < end),
        }
    }

    /// The octets of the stream between two positions, from the first to behind the last; SYN and FIN are none.
    pub(super) fn octets(self, start: u64, end: u64) -> (u64, u64) {
        let end = self.fin_end.map_or(end, |fin| end.min(fin - 1));
        (octet(start), octet(end.max(start)))
    }
}

/// What is sent and not acknowledged.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    /// Octets of the stream.
    pub(super) octets: u64,
    pub(super) syn: bool,
    pub(super) fin: bool,
}

impl Waiting {
    /// The part of the connection that is no octet of the stream, if that is all.
    pub(super) const fn flag(self) -> Option<&'static str> {
        match self {
            Self { octets: 1.., .. } => None,
            Self { syn: true, .. } => Some("the SYN"),
            Self { fin: true, .. } => Some("the FIN"),
            Self { .. } => None,
        }
    }

    pub(super) fn in_words(self) -> String {
        match (self.flag(), self.octets) {
            (Some(flag), _) => format!("{flag} was outstanding"),
            (None, 0) => "nothing was outstanding".to_owned(),
            (None, 1) => "1 octet was outstanding".to_owned(),
            (None, octets) => format!("{octets} octets were outstanding"),
        }
    }
}

/// A position as an offset of the stream: SYN is before its first octet.
pub(super) const fn octet(position: u64) -> u64 {
    position.saturating_sub(1)
}
