//! The one thread that changes the store: it writes, makes durable, and tidies when nobody writes.
use std::{
    sync::{
        Arc, PoisonError, RwLock,
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use super::{
    super::{Error, VectorKind},
    check::Origin,
    folder::Folder,
    shard::Shard,
};
use crate::model::IndexedSubject;

/// How many writes may wait; one more waits before it is sent.
const WAITING: usize = 64;
/// How many subjects are made durable together, at most.
const SUBJECTS_PER_FLUSH: usize = 1_024;
/// After how long without a write the store is tidied.
const IDLE: Duration = Duration::from_secs(2);
/// After how many subjects the store is tidied although writes go on.
const SUBJECTS_UNTIDIED: usize = 20_000;
/// After how many subjects the store is opened anew, to let go of its write-ahead log.
const SUBJECTS_LOGGED: usize = 5_000;

/// The open store. It is missing while it is opened anew, and after that failed.
pub(super) type Open = RwLock<Option<Shard>>;

/// The way to the thread.
#[derive(Debug)]
pub(super) struct Writer {
    sender: Option<Sender<Put>>,
    turns: Arc<Semaphore>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Put {
    subjects: Vec<IndexedSubject>,
    done: oneshot::Sender<Result<(), Error>>,
    turn: OwnedSemaphorePermit,
}

impl Writer {
    /// Starts the thread.
    pub(super) fn start(open: Arc<Open>, folder: Folder, kind: VectorKind) -> Result<Self, Error> {
        let (sender, receiver) = channel();
        let work = Work { open, folder, kind, untidied: 0, logged: 0 };
        let thread = thread::Builder::new().name("index-writer".into());
        let thread = thread.spawn(move || work.run(&receiver));
        let thread = thread.map_err(|error| Error::Failed(format!("no thread: {error}")))?;
        let turns = Arc::new(Semaphore::new(WAITING));
        Ok(Self { sender: Some(sender), turns, thread: Some(thread) })
    }

    /// Writes, and returns once it is durable.
    pub(super) async fn put(&self, subjects: Vec<IndexedSubject>) -> Result<(), Error> {
        let stopped = || Error::Unavailable("its writer stopped".into());
        let turn = self.turns.clone().acquire_owned().await.map_err(|_| stopped())?;
        let (done, answer) = oneshot::channel();
        let put = Put { subjects, done, turn };
        self.sender.as_ref().ok_or_else(stopped)?.send(put).map_err(|_| stopped())?;
        answer.await.map_err(|_| stopped())?
    }
}

impl Drop for Writer {
    /// Lets the thread finish what waits, and close the store.
    fn drop(&mut self) {
        drop(self.sender.take());
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the index's writer panicked");
        }
    }
}

struct Work {
    open: Arc<Open>,
    folder: Folder,
    kind: VectorKind,
    untidied: usize,
    logged: usize,
}

impl Work {
    fn run(mut self, receiver: &Receiver<Put>) {
        loop {
            match receiver.recv_timeout(IDLE) {
                Ok(first) => {
                    self.write(gather(first, receiver));
                    if self.untidied >= SUBJECTS_UNTIDIED {
                        self.tidy();
                    }
                }
                Err(RecvTimeoutError::Timeout) => self.tidy(),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        self.close();
    }

    fn write(&mut self, puts: Vec<Put>) {
        let (subjects, waiting): (Vec<_>, Vec<_>) =
            puts.into_iter().map(|put| (put.subjects, (put.done, put.turn))).unzip();
        let subjects: Vec<IndexedSubject> = subjects.into_iter().flatten().collect();
        let count = subjects.len();
        let written = self.write_in_the_end(subjects);
        if written.is_ok() {
            self.untidied += count;
            self.logged += count;
        }
        for (done, _turn) in waiting {
            let answer = match &written {
                Ok(()) => Ok(()),
                Err(error) => Err(Error::Unavailable(error.to_string())),
            };
            // Who asked may have gone meanwhile.
            let _ = done.send(answer);
        }
    }

    /// Writes. If that fails the store is opened anew and asked again; if that fails too, it is made
    /// anew: what is written has been checked, so the fault is the store's.
    fn write_in_the_end(&mut self, subjects: Vec<IndexedSubject>) -> Result<(), Error> {
        let Err(error) = self.try_write(subjects.clone()) else { return Ok(()) };
        tracing::error!(%error, "an index write failed; the index is opened anew");
        self.reopen(Origin::Found);
        let Err(error) = self.try_write(subjects) else { return Ok(()) };
        self.close();
        self.folder.set_aside(&error)?;
        self.reopen(Origin::Found);
        Err(error)
    }

    fn try_write(&self, subjects: Vec<IndexedSubject>) -> Result<(), Error> {
        self.with(|shard| {
            shard.write(subjects)?;
            shard.flush()
        })
    }

    /// Rebuilds what has grown, then lets go of the log and of what the rebuilding left behind.
    fn tidy(&mut self) {
        if self.untidied == 0 {
            return;
        }
        self.untidied = 0;
        let tidied = self.with(|shard| {
            let rebuilt = shard.optimize()?;
            shard.flush()?;
            Ok(rebuilt)
        });
        match tidied {
            Ok(rebuilt) if rebuilt || self.logged >= SUBJECTS_LOGGED => {
                self.reopen(Origin::JustClosed);
            }
            Ok(_) => {}
            Err(error) => {
                tracing::error!(%error, "tidying the index failed; it is opened anew");
                self.reopen(Origin::Found);
            }
        }
    }

    /// Closes the store and opens it again; queries wait for it.
    fn reopen(&mut self, origin: Origin) {
        self.logged = 0;
        let mut open = self.open.write().unwrap_or_else(PoisonError::into_inner);
        close(open.take());
        match self.folder.open(&self.kind, origin) {
            Ok(shard) => *open = Some(shard),
            Err(error) => tracing::error!(%error, "the index cannot be opened"),
        }
    }

    fn with<T>(&self, work: impl FnOnce(&Shard) -> Result<T, Error>) -> Result<T, Error> {
        let open = self.open.read().unwrap_or_else(PoisonError::into_inner);
        let shard = open.as_ref().ok_or_else(|| Error::Unavailable("it is not open".into()))?;
        work(shard)
    }

    fn close(&self) {
        close(self.open.write().unwrap_or_else(PoisonError::into_inner).take());
    }
}

/// What waits already, so that one flush serves all of it.
fn gather(first: Put, receiver: &Receiver<Put>) -> Vec<Put> {
    let mut subjects = first.subjects.len();
    let mut puts = vec![first];
    while subjects < SUBJECTS_PER_FLUSH
        && let Ok(next) = receiver.try_recv()
    {
        subjects += next.subjects.len();
        puts.push(next);
    }
    puts
}

fn close(shard: Option<Shard>) {
    if let Some(Err(error)) = shard.map(Shard::close) {
        tracing::error!(%error, "the index was not closed well");
    }
}
