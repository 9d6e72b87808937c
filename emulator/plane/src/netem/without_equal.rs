//! Kinds of impairments of which the kernel has no equal, from their rows.

use windlull_link::model::ImpairmentKind;

macro_rules! declare {
    ({ $(
        $(#[$doc:meta])+ $kind:ident = $name:literal $(titled $title:literal)?, $sharing:ident, $words:literal
        $(, refused by netem: $why:literal)? {
            $($values:tt)+
        }
    )+ }) => {
        /// Why a kind is refused. An export loses as large a share of packets in its place, or leaves it out if it has none.
        pub(super) fn without_equal(kind: &ImpairmentKind) -> Option<&'static str> {
            match kind {
                $(ImpairmentKind::$kind { .. } => [$($why)?].first().copied(),)+
            }
        }
    };
}
windlull_link::impairments!(declare!);
