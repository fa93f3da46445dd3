//! Caller tokens, true and false ones.
use std::{sync::Arc, time::Duration};

use access::{Audience, Caller, Signer, SignerSettings};
use clock::Clock;
use tonic::{Request, metadata::MetadataValue};

const EXPIRED_FOR: Duration = Duration::from_mins(2);

/// Signs tokens, and makes false ones.
#[derive(Clone, Debug)]
pub struct Tokens {
    right: Signer,
    late: Signer,
    strange: Signer,
}

impl Tokens {
    pub(crate) fn of(settings: &SignerSettings) -> Self {
        let right = settings.signer(Clock::default()).unwrap();
        let past = Clock::held_at(Clock::default().now() - EXPIRED_FOR);
        let late = settings.signer(past).unwrap();
        Self { right, late, strange: strange_signer() }
    }

    pub fn good(&self, caller: &Caller, audience: Audience) -> Arc<str> {
        self.right.token(caller, audience).unwrap()
    }

    /// Signed by the right key, a minute too long ago.
    pub fn expired(&self, caller: &Caller, audience: Audience) -> Arc<str> {
        self.late.token(caller, audience).unwrap()
    }

    /// Signed by a key that nobody trusts.
    pub fn forged(&self, caller: &Caller, audience: Audience) -> Arc<str> {
        self.strange.token(caller, audience).unwrap()
    }

    /// The claims of one token under the signature of another.
    pub fn spliced(&self, claims_of: &Caller, signed_for: &Caller, audience: Audience) -> Arc<str> {
        let (claims, signed) = (self.good(claims_of, audience), self.good(signed_for, audience));
        let parts: Vec<&str> = claims.split('.').collect();
        let signature = signed.rsplit('.').next().unwrap();
        format!("{}.{}.{signature}", parts[0], parts[1]).into()
    }

    /// The claims of a token under the strange key's signature, with the true key's id in its header.
    pub fn renamed(&self, caller: &Caller, audience: Audience) -> Arc<str> {
        let (good, forged) = (self.good(caller, audience), self.forged(caller, audience));
        let header = good.split('.').next().unwrap();
        let (_, rest) = forged.split_once('.').unwrap();
        format!("{header}.{rest}").into()
    }
}

/// A request with a token.
pub fn request<M>(token: &str, message: M) -> Request<M> {
    let mut request = Request::new(message);
    let bearer = MetadataValue::try_from(format!("Bearer {token}")).unwrap();
    request.metadata_mut().insert("authorization", bearer);
    request
}

fn strange_signer() -> Signer {
    let folder = tempfile::tempdir().unwrap();
    let (private, public) = (folder.path().join("key"), folder.path().join("key.pub"));
    access::make_signing_key(&private, &public).unwrap();
    SignerSettings { signing_key_file: private }.signer(Clock::default()).unwrap()
}
