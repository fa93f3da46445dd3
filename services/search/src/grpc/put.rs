//! Putting subjects into the index.
use access::{Caller, Scope};
use contract::search::{PutSubjectsRequest, PutSubjectsResponse, Refusal};

use super::{Result, check, convert};
use crate::engine::Engine;

const MAX_SUBJECTS: usize = 256;

#[tracing::instrument(name = "subjects.put", skip_all, fields(subjects = message.subjects.len()))]
pub(super) async fn put(
    engine: &Engine,
    caller: Caller,
    message: PutSubjectsRequest,
) -> Result<PutSubjectsResponse> {
    caller.require(Scope::SearchWrite)?;
    check("subjects", "subjects", 0..=MAX_SUBJECTS, message.subjects.len())?;
    let (mut subjects, mut refusals) = (Vec::new(), Vec::new());
    for subject in message.subjects {
        let subject_id = subject.subject_id.clone();
        match convert::subject(caller.org, subject) {
            Ok(subject) => subjects.push(subject),
            Err(reason) => refusals.push(Refusal { subject_id, reason: reason.to_string() }),
        }
    }

    engine.put(subjects).await?;

    Ok(PutSubjectsResponse { index_id: engine.index_id().await?.to_string(), refusals })
}
