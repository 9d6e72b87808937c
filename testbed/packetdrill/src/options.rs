//! TCP options between scripts and segments, in the order and with the padding of Linux.

use windlull_wire::{Options, SackBlock, SackBlocks, SeqNumber, Timestamps};

use crate::script::TcpOption;

/// The options of a segment as its header has them.
pub(crate) fn written(options: &Options) -> Vec<TcpOption> {
    let mut out = Vec::new();
    if let Some(mss) = options.mss {
        out.push(TcpOption::Mss(mss));
    }
    if let Some(Timestamps { value, echo }) = options.timestamps {
        if options.sack_permitted {
            out.push(TcpOption::SackPermitted);
        } else {
            out.extend([TcpOption::Nop, TcpOption::Nop]);
        }
        out.push(TcpOption::Timestamps { value, echo });
    } else if options.sack_permitted {
        out.extend([TcpOption::Nop, TcpOption::Nop, TcpOption::SackPermitted]);
    }
    if let Some(shift) = options.window_scale {
        out.extend([TcpOption::Nop, TcpOption::WindowScale(shift)]);
    }
    if !options.sack.is_empty() {
        let blocks = options.sack.as_slice().iter();
        let blocks = blocks.map(|block| (block.left.0, block.right.0)).collect();
        out.extend([TcpOption::Nop, TcpOption::Nop, TcpOption::Sack(blocks)]);
    }
    out
}

/// What a segment with these options says; the padding says nothing.
pub(crate) fn meant(written: &[TcpOption]) -> Options {
    let mut options = Options::default();
    for option in written {
        match option {
            TcpOption::Nop => {}
            TcpOption::EndOfList => break,
            TcpOption::Mss(mss) => options.mss = Some(*mss),
            TcpOption::WindowScale(shift) => options.window_scale = Some(*shift),
            TcpOption::SackPermitted => options.sack_permitted = true,
            TcpOption::Sack(blocks) => {
                options.sack = SackBlocks::NONE;
                for &(left, right) in blocks {
                    options.sack.push(SackBlock {
                        left: SeqNumber(left),
                        right: SeqNumber(right),
                    });
                }
            }
            &TcpOption::Timestamps { value, echo } => options.timestamps = Some(Timestamps { value, echo }),
        }
    }
    options
}

/// Octets of the options (RFC 9293, section 3.2; RFC 7323; RFC 2018).
pub(crate) fn length(options: &[TcpOption]) -> usize {
    options
        .iter()
        .map(|option| match option {
            TcpOption::Nop | TcpOption::EndOfList => 1,
            TcpOption::Mss(_) => 4,
            TcpOption::WindowScale(_) => 3,
            TcpOption::SackPermitted => 2,
            TcpOption::Sack(blocks) => 2 + 8 * blocks.len(),
            TcpOption::Timestamps { .. } => 10,
        })
        .sum()
}
