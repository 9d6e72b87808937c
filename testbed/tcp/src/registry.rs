//! Every mechanism a variant can choose, one line each: its value, its name in files and what it is.
//!
//! To add a mechanism: write its file, add its line here, a folder of scripts under `tests/`, a row in the docs.

/// Declares one of the choices of a variant: a plain enum with the names that files use.
macro_rules! choice {
    ($(#[$meta:meta])* $choice:ident { $($(#[$doc:meta])* $value:ident = $name:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $choice {
            $($(#[$doc])* $value,)+
        }

        impl $choice {
            /// Every value, in the order of the registry.
            pub const ALL: &'static [Self] = &[$(Self::$value),+];

            /// The value's name in variant files.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $name,)+
                }
            }

            /// The value of this name, if there is one.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.name() == name)
            }
        }

        impl std::fmt::Display for $choice {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

choice! {
    /// How lost segments are found and repaired, and how the window moves meanwhile.
    Recovery {
        /// RFC 6582 on RFC 5681: one repair a round trip, by partial acknowledgements.
        NewReno = "newreno",
        /// RFC 6675: repair by the scoreboard of selective acknowledgements.
        Sack = "sack",
    }
}

choice! {
    /// How a sender finds out that a timeout was spurious.
    Detection {
        /// It never asks: every timeout counts as a loss.
        None = "none",
        /// Forward RTO-recovery, basic (sarolahti2003, section 3).
        Frto = "frto",
        /// Forward RTO-recovery with selective acknowledgements (RFC 5682, section 3).
        FrtoSack = "frto-sack",
        /// Eifel: by the echoed timestamp (RFC 3522).
        Eifel = "eifel",
    }
}

choice! {
    /// What a sender does to its congestion state once a timeout proved spurious.
    Response {
        /// Nothing; the variant detects nothing either.
        None = "none",
        /// Congestion window and threshold become half of what was outstanding (sarolahti2003, section 3).
        FrtoConservative = "frto-conservative",
        /// Congestion window and threshold are restored in full (gurtov2003, III.B, option 1).
        Eifel1 = "eifel-1",
    }
}

choice! {
    /// How the retransmission timeout is computed from round-trip times.
    Estimator {
        /// Smoothed mean and four mean deviations (RFC 6298).
        Rfc6298 = "rfc6298",
    }
}

choice! {
    /// What a receiver does to the timestamp it echoes when an old segment arrives again (sarolahti2003, footnotes 3 and 4).
    TimestampEcho {
        /// Nothing: only a segment that spans the last acknowledgement sent updates it (RFC 1323, section 3.4).
        Rfc1323 = "rfc1323",
        /// The duplicate's timestamp is echoed.
        UpdateOnDuplicate = "update-on-duplicate",
    }
}
