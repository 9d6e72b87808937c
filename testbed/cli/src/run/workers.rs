//! Independent work on several threads; results come one at a time, in order of completion.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use crate::failure::Failure;
use crate::run::interrupt::Stop;

/// Does `work` on every item, `jobs` at a time and begun in order, and hands each result to `take` on this thread.
/// The first failure, of either, or an interrupt ends it; what is under way is finished and still handed over.
pub(crate) fn each<I: Sync, T: Send>(
    items: &[I],
    jobs: NonZeroUsize,
    stop: &Stop,
    work: impl Fn(&I) -> Result<T, Failure> + Sync,
    mut take: impl FnMut(T) -> Result<(), Failure>,
) -> Result<(), Failure> {
    if jobs.get().min(items.len()) <= 1 {
        return in_turn(items, stop, work, take);
    }
    let next = AtomicUsize::new(0);
    let failed = AtomicBool::new(false);
    let (give, results) = mpsc::sync_channel(jobs.get() * 2);
    let mut outcome = Ok(());
    thread::scope(|scope| {
        for _ in 0..jobs.get().min(items.len()) {
            let give = give.clone();
            let (next, failed, work) = (&next, &failed, &work);
            scope.spawn(move || {
                while !stop.asked() && !failed.load(Ordering::Relaxed) {
                    let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) else {
                        break;
                    };
                    let result = work(item);
                    // Said here, not only where results are taken: the next item must not slip through in between.
                    failed.fetch_or(result.is_err(), Ordering::Relaxed);
                    // Nobody listens any more only after a failure that is known already.
                    if give.send(result).is_err() {
                        break;
                    }
                }
            });
        }
        drop(give);
        for result in results {
            if let Err(failure) = result.and_then(&mut take) {
                failed.store(true, Ordering::Relaxed);
                if outcome.is_ok() {
                    outcome = Err(failure);
                }
            }
        }
    });
    outcome?;
    if stop.asked() && next.load(Ordering::Relaxed) < items.len() {
        return Err(Failure::Interrupted);
    }
    Ok(())
}

/// One at a time, on this thread: short runs would take longer to hand over than to make.
fn in_turn<I, T>(
    items: &[I],
    stop: &Stop,
    work: impl Fn(&I) -> Result<T, Failure>,
    mut take: impl FnMut(T) -> Result<(), Failure>,
) -> Result<(), Failure> {
    for item in items {
        if stop.asked() {
            return Err(Failure::Interrupted);
        }
        work(item).and_then(&mut take)?;
    }
    Ok(())
}
