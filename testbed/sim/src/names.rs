//! Which flow a packet of a link belongs to, and the number that its observer knows it by.
//!
//! A link numbers all packets that it carries; an observer sees one flow, whose packets are numbered by themselves from 0.

use std::collections::VecDeque;

use windlull_units::{Fate, Outcome, PacketId};

/// What a packet of a link is called elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) flow: usize,
    pub(crate) id: PacketId,
    /// The packet of the flow that it is a copy of, if a link before this one made it.
    pub(crate) copy_of: Option<PacketId>,
}

/// The numbers that flows give their packets.
#[derive(Clone, Debug)]
pub(crate) struct Counters(Vec<u64>);

impl Counters {
    pub(crate) fn new(flows: usize) -> Self {
        Self(vec![0; flows])
    }

    pub(crate) fn next(&mut self, flow: usize) -> PacketId {
        let id = self.0[flow];
        self.0[flow] += 1;
        PacketId(id)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    /// A copy that has not been made yet, or a packet of nobody's.
    Nameless,
    Named(Name),
    Done,
}

/// The packets of one link.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    /// Whether nothing but the first flow is on this link, and this link alone on its way: both number packets alike.
    alike: bool,
    entries: VecDeque<Entry>,
    first: u64,
}

impl Names {
    pub(crate) const fn new(alike: bool) -> Self {
        Self {
            alike,
            entries: VecDeque::new(),
            first: 0,
        }
    }

    /// Whether there is but one flow, whose observer knows packets by the link's own numbers.
    pub(crate) const fn are_alike(&self) -> bool {
        self.alike
    }

    /// Numbers a packet of this flow that gets this number on the link.
    #[inline]
    pub(crate) fn number(&mut self, id: PacketId, flow: usize, counters: &mut Counters) -> PacketId {
        if self.alike {
            return id;
        }
        let name = Name {
            flow,
            id: counters.next(flow),
            copy_of: None,
        };
        self.put(id, name);
        name.id
    }

    /// The packet that gets this number is called so.
    pub(crate) fn put(&mut self, id: PacketId, name: Name) {
        self.set(id, Entry::Named(name));
    }

    /// The packet that gets this number belongs to no flow.
    pub(crate) fn put_nobodys(&mut self, id: PacketId) {
        self.set(id, Entry::Done);
        self.forget_done();
    }

    /// The link is done with a packet: its flow, and the fate in its flow's numbers; `None` for nobody's. One that is
    /// delivered keeps its name until [`Names::take`].
    pub(crate) fn seal(&mut self, fate: &Fate, counters: &mut Counters) -> Option<(usize, Fate)> {
        let name = match fate.duplicate_of {
            None => self.get(fate.id)?,
            Some(of) => {
                let Some(original) = self.get(of) else {
                    self.put_nobodys(fate.id);
                    return None;
                };
                let copy = Name {
                    flow: original.flow,
                    id: counters.next(original.flow),
                    copy_of: Some(original.id),
                };
                self.put(fate.id, copy);
                copy
            }
        };
        if matches!(fate.outcome, Outcome::Dropped { .. }) {
            self.take(fate.id);
        }
        let final_fate = Fate {
            id: name.id,
            duplicate_of: name.copy_of,
            ..*fate
        };
        Some((name.flow, final_fate))
    }

    /// The name of a delivered packet, which is forgotten; `None` for nobody's.
    #[inline]
    pub(crate) fn take(&mut self, id: PacketId) -> Option<Name> {
        if self.alike {
            return Some(Name {
                flow: 0,
                id,
                copy_of: None,
            });
        }
        let name = self.get(id);
        if name.is_some() {
            self.set(id, Entry::Done);
            self.forget_done();
        }
        name
    }

    fn get(&self, id: PacketId) -> Option<Name> {
        let place = usize::try_from(id.0.checked_sub(self.first)?).ok()?;
        match self.entries.get(place) {
            Some(Entry::Named(name)) => Some(*name),
            _ => None,
        }
    }

    fn set(&mut self, id: PacketId, entry: Entry) {
        let Some(place) =
            id.0.checked_sub(self.first)
                .and_then(|place| usize::try_from(place).ok())
        else {
            return;
        };
        while self.entries.len() <= place {
            self.entries.push_back(Entry::Nameless);
        }
        self.entries[place] = entry;
    }

    fn forget_done(&mut self) {
        while self.entries.front() == Some(&Entry::Done) {
            self.entries.pop_front();
            self.first += 1;
        }
    }
}
