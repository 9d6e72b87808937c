//! Rows that come a little out of order and are read in order, from memory and, if there is one, from a scratch file.
//!
//! A link tells what became of a packet when its way ends: of packets that overtake one another the later one first. The
//! newest rows therefore wait until those that belong before them can be expected to have come. A row that comes later yet
//! is kept in memory for good; after many of those more rows wait.

use std::io;

use super::column::{BLOCK, Column, Reader, Spill};

/// Rows that may come too late before more wait.
const MOST_LATE: usize = BLOCK / 64;
/// The most rows that wait; more packets than that overtake one another on no link that is of use.
const MOST_WAITING: usize = 1 << 22;

/// Rows of integers, in order of the first column, then of the second, and so on.
#[derive(Clone, Debug)]
pub(super) struct Sorted<const N: usize> {
    /// In the order in which they came.
    newest: Vec<[i64; N]>,
    /// In the file, in order.
    spilled: [Column; N],
    /// The last of those.
    edge: Option<[i64; N]>,
    /// That belong before it, but came too late.
    late: Vec<[i64; N]>,
    waiting: usize,
}

impl<const N: usize> Default for Sorted<N> {
    fn default() -> Self {
        Self {
            newest: Vec::new(),
            spilled: std::array::from_fn(|_| Column::default()),
            edge: None,
            late: Vec::new(),
            waiting: BLOCK,
        }
    }
}

impl<const N: usize> Sorted<N> {
    #[inline]
    pub(super) fn push(&mut self, row: [i64; N], spill: &mut Spill) {
        self.newest.push(row);
        if self.newest.len() >= self.waiting + BLOCK && spill.is_open() {
            self.relieve(spill);
        }
    }

    #[cold]
    fn relieve(&mut self, spill: &mut Spill) {
        self.newest.sort_unstable();
        if let Some(edge) = self.edge {
            let late = self.newest.partition_point(|row| *row < edge);
            self.late.extend(self.newest.drain(..late));
            if late > MOST_LATE {
                self.waiting = (self.waiting * 2).min(MOST_WAITING);
            }
        }
        while self.newest.len() >= self.waiting + BLOCK && spill.is_open() {
            let rows = &self.newest[..BLOCK];
            spill.with(|scratch| {
                let mut columns = self.spilled.iter_mut().enumerate();
                columns.try_for_each(|(place, column)| column.append(scratch, rows.iter().map(|row| row[place])))
            });
            self.edge = rows.last().copied();
            self.newest.drain(..BLOCK);
        }
    }

    /// No more rows come.
    pub(super) fn finish(&mut self) {
        self.newest.append(&mut self.late);
        self.newest.sort_unstable();
    }

    /// Calls `each` with every row in order, once [`Sorted::finish`] was called.
    pub(super) fn each<E>(
        &self,
        unreadable: impl Fn(io::Error) -> E,
        mut each: impl FnMut([i64; N]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut readers: [Reader<'_>; N] = std::array::from_fn(|place| self.spilled[place].reader());
        let mut memory = self.newest.iter().copied().peekable();
        loop {
            let mut more = false;
            for reader in &mut readers {
                more = reader.next_spilled().map_err(&unreadable)?;
            }
            if !more {
                break;
            }
            for place in 0..BLOCK {
                let row = std::array::from_fn(|column| readers[column].values()[place]);
                while let Some(before) = memory.next_if(|it| *it < row) {
                    each(before)?;
                }
                each(row)?;
            }
        }
        memory.try_for_each(each)
    }

    /// Octets of memory that it takes.
    pub(super) fn memory_bytes(&self) -> usize {
        let columns: usize = self.spilled.iter().map(Column::memory_bytes).sum();
        (self.newest.capacity() + self.late.capacity()) * size_of::<[i64; N]>() + columns
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn in_order(rows: &Sorted<2>) -> Vec<[i64; 2]> {
        let mut seen = Vec::new();
        rows.each(
            |error| error,
            |row| {
                seen.push(row);
                Ok(())
            },
        )
        .expect("memory does not fail");
        seen
    }

    #[test]
    fn rows_are_in_order_however_late_some_come() {
        let mut in_file = Spill::into_file(Box::new(|| Ok(Box::new(Cursor::new(Vec::new())))));
        let (mut spilled, mut kept) = (Sorted::<2>::default(), Sorted::<2>::default());
        let many = 50 * i64::try_from(BLOCK).expect("small");
        for number in 0..many {
            // Every third is a little late, every 1000th by more than what waits; in the last part many are.
            let by = match number {
                it if it % 1000 == 999 => 50_000,
                it if it > many / 2 && it % 10 == 0 => 60_000,
                it if it % 3 == 0 => it % 50,
                _ => 0,
            };
            let row = [(number - by).max(0), number % 2];
            spilled.push(row, &mut in_file);
            kept.push(row, &mut Spill::default());
        }
        assert!(spilled.memory_bytes() < 5_000_000, "{}", spilled.memory_bytes());
        assert!(kept.memory_bytes() > 12_000_000, "{}", kept.memory_bytes());
        spilled.finish();
        kept.finish();
        let rows = in_order(&spilled);
        assert!(rows.is_sorted());
        assert_eq!(rows, in_order(&kept));
    }
}
