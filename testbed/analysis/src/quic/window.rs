//! What is known of packets by their numbers, which rise.

use std::collections::VecDeque;

use windlull_units::PacketId;

/// Entries of packets between the first and the last that are known.
#[derive(Debug)]
pub(super) struct Window<T> {
    entries: VecDeque<Option<T>>,
    first: u64,
}

impl<T> Default for Window<T> {
    fn default() -> Self {
        Self {
            entries: VecDeque::new(),
            first: 0,
        }
    }
}

impl<T> Window<T> {
    /// Numbers that are left out stay free: copies that the link makes have them.
    pub(super) fn insert(&mut self, id: PacketId, entry: T) {
        if self.entries.is_empty() {
            self.first = id.0;
        }
        let Some(place) = self.place(id) else { return };
        while self.entries.len() <= place {
            self.entries.push_back(None);
        }
        self.entries[place] = Some(entry);
    }

    pub(super) fn get(&self, id: PacketId) -> Option<&T> {
        self.entries.get(self.place(id)?)?.as_ref()
    }

    pub(super) fn remove(&mut self, id: PacketId) {
        if let Some(entry) = self.place(id).and_then(|place| self.entries.get_mut(place)) {
            *entry = None;
        }
        while matches!(self.entries.front(), Some(None)) {
            self.entries.pop_front();
            self.first += 1;
        }
    }

    fn place(&self, id: PacketId) -> Option<usize> {
        usize::try_from(id.0.checked_sub(self.first)?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_were_left_out_can_come_later() {
        let mut window = Window::default();
        for (id, entry) in [(10, 'a'), (12, 'c'), (11, 'b')] {
            window.insert(PacketId(id), entry);
        }
        let known = [10, 11, 12, 13].map(|id| window.get(PacketId(id)).copied());
        assert_eq!(known, [Some('a'), Some('b'), Some('c'), None]);
        window.remove(PacketId(11));
        window.remove(PacketId(10));
        assert_eq!((window.get(PacketId(10)), window.get(PacketId(12))), (None, Some(&'c')));
        window.remove(PacketId(12));
        window.insert(PacketId(40), 'd');
        assert_eq!(window.get(PacketId(40)), Some(&'d'));
    }
}
