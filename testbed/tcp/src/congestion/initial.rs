//! The initial window.

/// What may leave before anything is acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InitialWindow {
    /// By the size of segments (RFC 5681, section 3.1).
    BySize,
    /// So many segments, whatever their size; with 1460 octets ten are what RFC 6928 allows.
    Segments(u32),
}

impl InitialWindow {
    pub(crate) const fn new(segments: Option<u32>) -> Self {
        match segments {
            Some(segments) => Self::Segments(segments),
            None => Self::BySize,
        }
    }

    /// Its octets, with full segments of `smss`.
    pub(crate) const fn octets(self, smss: u64) -> u64 {
        match self {
            Self::Segments(segments) => segments as u64 * smss,
            Self::BySize if smss > 2190 => 2 * smss,
            Self::BySize if smss > 1095 => 3 * smss,
            Self::BySize => 4 * smss,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 5681, section 3.1, at its bounds.
    #[test]
    fn smaller_segments_make_more() {
        let segments = |smss| InitialWindow::BySize.octets(smss) / smss;
        assert_eq!([536, 1095, 1096, 2190, 2191, 8960].map(segments), [4, 4, 3, 3, 2, 2]);
        assert_eq!(InitialWindow::Segments(10).octets(1448), 14_480);
    }
}
