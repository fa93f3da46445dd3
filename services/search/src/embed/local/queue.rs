//! What waits for the model: queries first, then documents.
use std::{
    collections::VecDeque,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
};

use tokio::sync::oneshot;

use super::model::Tokens;
use crate::embed::Error;

/// How many queries may wait. At the measured speed the last of them waits a few seconds.
pub(super) const MAX_WAITING_QUERIES: usize = 512;

/// Texts to embed together, and who waits for their vectors.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) texts: Vec<Tokens>,
    pub(super) answer: oneshot::Sender<Result<Vec<Vec<f32>>, Error>>,
}

/// How soon a job is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Priority {
    Query,
    Documents,
}

#[derive(Debug, Default)]
pub(super) struct Queue {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Waiting {
    queries: VecDeque<Job>,
    documents: VecDeque<Job>,
    is_closed: bool,
}

impl Queue {
    /// Adds a job. Documents are bounded by their sender; a query too many is refused.
    pub(super) fn push(&self, priority: Priority, job: Job) -> Result<(), Error> {
        let mut waiting = self.lock();
        match priority {
            Priority::Query if waiting.queries.len() >= MAX_WAITING_QUERIES => {
                return Err(Error::Busy { limit: MAX_WAITING_QUERIES });
            }
            Priority::Query => waiting.queries.push_back(job),
            Priority::Documents => waiting.documents.push_back(job),
        }
        drop(waiting);
        self.changed.notify_one();
        Ok(())
    }

    /// Waits for the next job that someone still wants; none once the queue is closed.
    pub(super) fn pop(&self) -> Option<Job> {
        let mut waiting = self.lock();
        loop {
            if waiting.is_closed {
                return None;
            }
            match waiting.queries.pop_front().or_else(|| waiting.documents.pop_front()) {
                Some(job) if job.answer.is_closed() => {}
                Some(job) => return Some(job),
                None => {
                    waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }

    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Answer = oneshot::Receiver<Result<Vec<Vec<f32>>, Error>>;

    fn job(token: u32) -> (Job, Answer) {
        let (answer, wanted) = oneshot::channel();
        (Job { texts: vec![vec![token]], answer }, wanted)
    }

    #[test]
    fn a_query_goes_before_documents_that_came_first() {
        let (queue, documents, query) = (Queue::default(), job(1), job(2));
        queue.push(Priority::Documents, documents.0).unwrap();
        queue.push(Priority::Query, query.0).unwrap();
        assert_eq!(queue.pop().unwrap().texts, [[2]]);
        assert_eq!(queue.pop().unwrap().texts, [[1]]);
    }

    #[test]
    fn a_job_that_nobody_waits_for_is_skipped() {
        let (queue, gone, wanted) = (Queue::default(), job(1), job(2));
        queue.push(Priority::Query, gone.0).unwrap();
        drop(gone.1);
        queue.push(Priority::Query, wanted.0).unwrap();
        assert_eq!(queue.pop().unwrap().texts, [[2]]);
    }

    #[test]
    fn one_query_more_than_the_limit_is_refused() {
        let queue = Queue::default();
        let jobs: Vec<_> = (0..=512).map(job).collect();
        let results: Vec<_> =
            jobs.into_iter().map(|(job, _)| queue.push(Priority::Query, job)).collect();
        assert!(results[..512].iter().all(Result::is_ok));
        assert!(matches!(results[512], Err(Error::Busy { limit: 512 })));
    }

    #[test]
    fn a_closed_queue_has_nothing_more() {
        let (queue, last) = (Queue::default(), job(1));
        queue.push(Priority::Query, last.0).unwrap();
        queue.close();
        assert!(queue.pop().is_none());
    }
}
