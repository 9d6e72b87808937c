//! Two captures as one story: each keeps its order, and nothing arrives before it was sent, whatever the clocks say.

/// One of the two captures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum At {
    Sender,
    Receiver,
}

/// The order in which the packets of both captures happened. There are so many `packets` in each; `time` gives a packet's stamp;
/// `needs` names, for a packet of one capture, the packet of the other one that must come first.
pub(super) fn merge(
    packets: [usize; 2],
    time: impl Fn(At, usize) -> u64,
    needs: impl Fn(At, usize) -> Option<usize>,
) -> impl Iterator<Item = (At, usize)> {
    let [senders, receivers] = packets;
    let (mut s, mut r) = (0, 0);
    std::iter::from_fn(move || {
        let sender_first = match (s < senders, r < receivers) {
            (true, true) => time(At::Sender, s) <= time(At::Receiver, r),
            (true, false) => true,
            (false, true) => false,
            (false, false) => return None,
        };
        // What arrives waits for what was sent, unless both wait: then the stamps decide.
        let sender_waits = s < senders && needs(At::Sender, s).is_some_and(|needed| needed >= r);
        let receiver_waits = r < receivers && needs(At::Receiver, r).is_some_and(|needed| needed >= s);
        let take_sender = match (sender_waits && r < receivers, receiver_waits && s < senders) {
            (true, false) => false,
            (false, true) => true,
            _ => sender_first,
        };
        if take_sender {
            s += 1;
            Some((At::Sender, s - 1))
        } else {
            r += 1;
            Some((At::Receiver, r - 1))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::At::{Receiver, Sender};
    use super::*;

    fn merged(times: [&[u64]; 2], needs: impl Fn(At, usize) -> Option<usize>) -> Vec<(At, usize)> {
        let time = |at, place: usize| times[usize::from(at == Receiver)][place];
        merge(times.map(<[u64]>::len), time, needs).collect()
    }

    #[test]
    fn what_is_sent_comes_before_what_arrives_whatever_the_clocks_say() {
        // The receiver's clock is 100 behind: data 0 and 1 arrive at 5 and 6, its answer 2 leaves at 7.
        let needs = |at, place| match (at, place) {
            (Receiver, 0) => Some(0),
            (Receiver, 1) => Some(1),
            (Sender, 2) => Some(2),
            _ => None,
        };
        let order = merged([&[100, 101, 110], &[5, 6, 7]], needs);
        assert_eq!(
            order,
            [
                (Sender, 0),
                (Receiver, 0),
                (Sender, 1),
                (Receiver, 1),
                (Receiver, 2),
                (Sender, 2)
            ]
        );
    }

    #[test]
    fn contradictions_end_by_the_stamps() {
        let order = merged([&[1, 2], &[1, 2]], |_, place| Some(place + 1));
        assert_eq!(order.len(), 4);
    }
}
