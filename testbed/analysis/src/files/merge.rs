//! Two captures as one story: each keeps its order, and nothing arrives before it was sent, whatever the clocks say.

/// One of the two captures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum At {
    Sender,
    Receiver,
}

/// The order in which the packets of both captures happened. `times` are the stamps of each; `needs` names, for a
/// packet of one capture, the packet of the other one that must come first.
pub(super) fn merge(times: [&[u64]; 2], needs: impl Fn(At, usize) -> Option<usize>) -> Vec<(At, usize)> {
    let [sender, receiver] = times;
    let mut told = Vec::with_capacity(sender.len() + receiver.len());
    let (mut s, mut r) = (0, 0);
    while s < sender.len() || r < receiver.len() {
        let sender_first = match (sender.get(s), receiver.get(r)) {
            (Some(a), Some(b)) => a <= b,
            (Some(_), None) => true,
            _ => false,
        };
        // What arrives waits for what was sent, unless both wait: then the stamps decide.
        let sender_waits = s < sender.len() && needs(At::Sender, s).is_some_and(|needed| needed >= r);
        let receiver_waits = r < receiver.len() && needs(At::Receiver, r).is_some_and(|needed| needed >= s);
        let take_sender = match (sender_waits && r < receiver.len(), receiver_waits && s < sender.len()) {
            (true, false) => false,
            (false, true) => true,
            _ => sender_first,
        };
        if take_sender {
            told.push((At::Sender, s));
            s += 1;
        } else {
            told.push((At::Receiver, r));
            r += 1;
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use super::At::{Receiver, Sender};
    use super::*;

    #[test]
    fn what_is_sent_comes_before_what_arrives_whatever_the_clocks_say() {
        // The receiver's clock is 100 behind: data 0 and 1 arrive at 5 and 6, its answer 2 leaves at 7.
        let needs = |at, place| match (at, place) {
            (Receiver, 0) => Some(0),
            (Receiver, 1) => Some(1),
            (Sender, 2) => Some(2),
            _ => None,
        };
        let told = merge([&[100, 101, 110], &[5, 6, 7]], needs);
        assert_eq!(
            told,
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
        let told = merge([&[1, 2], &[1, 2]], |_, place| Some(place + 1));
        assert_eq!(told.len(), 4);
    }
}
