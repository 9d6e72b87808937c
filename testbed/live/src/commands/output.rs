//! What a program writes: the end of it, within a bound.

use std::collections::VecDeque;
use std::io::Read;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

/// Octets that are kept of each of a program's streams: the last ones, where it says what went wrong.
const KEPT: usize = 64 << 10;

/// The end of a stream that is read as it comes.
#[derive(Clone, Debug, Default)]
pub(super) struct Tail(Arc<Mutex<Text>>);

#[derive(Debug, Default)]
struct Text {
    octets: VecDeque<u8>,
    left_out: u64,
}

impl Tail {
    /// Reads on a thread until the stream ends: a program whose pipe is full would wait.
    pub(super) fn read(&self, mut stream: impl Read + Send + 'static) -> std::io::Result<JoinHandle<()>> {
        let tail = self.clone();
        thread::Builder::new().name("output".to_owned()).spawn(move || {
            let mut piece = [0; 1 << 12];
            // Of a pipe that breaks, what came counts.
            while let Ok(len @ 1..) = stream.read(&mut piece) {
                tail.add(&piece[..len]);
            }
        })
    }

    fn add(&self, octets: &[u8]) {
        let mut text = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        text.octets.extend(octets);
        let beyond = text.octets.len().saturating_sub(KEPT);
        text.octets.drain(..beyond);
        text.left_out += beyond as u64;
    }

    /// What was kept, as text, and how many octets were left out before it.
    pub(super) fn take(&self) -> (String, u64) {
        let mut text = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let octets: Vec<u8> = std::mem::take(&mut text.octets).into();
        (String::from_utf8_lossy(&octets).into_owned(), text.left_out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_kept() {
        let tail = Tail::default();
        let written = [vec![b'a'; 10], vec![b'b'; KEPT]].concat();
        tail.read(std::io::Cursor::new(written))
            .expect("a thread")
            .join()
            .expect("reading does not panic");
        let (text, left_out) = tail.take();
        assert_eq!((text.len(), left_out), (KEPT, 10));
        assert!(text.bytes().all(|octet| octet == b'b'));
    }
}
