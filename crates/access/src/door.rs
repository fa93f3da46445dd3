//! The door of every service: nothing comes in without a caller token.
use fault::Fault;
use tonic::{Request, Response, Status, service::Interceptor};

use crate::{Caller, Verifier};

/// Reads the caller from a request's token; every service is behind it.
#[derive(Clone, Debug)]
pub struct Door(Verifier);

impl Door {
    /// A door that `verifier` guards.
    #[must_use]
    pub fn new(verifier: Verifier) -> Self {
        Self(verifier)
    }
}

impl Interceptor for Door {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        let header = request.metadata().get("authorization");
        let token = header.and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
        let caller = self.0.verify(token.unwrap_or_default());
        let caller = caller.map_err(|error| Status::unauthenticated(error.to_string()))?;
        request.extensions_mut().insert(caller);
        Ok(request)
    }
}

/// Answers one gRPC call: finds out who calls, acts, and turns a fault into a status.
pub async fn answer<M, R, E, F>(
    request: Request<M>,
    act: impl FnOnce(Caller, M) -> F,
) -> Result<Response<R>, Status>
where
    E: Fault,
    F: Future<Output = Result<R, E>>,
{
    let caller = request.extensions().get::<Caller>().cloned();
    let caller = caller.ok_or_else(|| Status::unauthenticated("no caller"))?;
    match act(caller, request.into_inner()).await {
        Ok(message) => Ok(Response::new(message)),
        Err(error) => Err(fault::status(&error)),
    }
}
