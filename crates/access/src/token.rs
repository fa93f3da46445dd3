//! The caller token: a JWT (RFC 7519) signed with Ed25519 (RFC 8037), one minute long, for one audience.
use std::{collections::HashMap, sync::Arc, time::Duration};

use clock::Clock;
use ids::{KeyId, MemberId, OrgId, WorkspaceId};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use moka::sync::Cache;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::{Caller, Scopes};

/// How long a token lives.
const LIFE: Duration = Duration::from_mins(1);
/// How much of its life a token must still have to be handed out again.
const SPARE: Duration = Duration::from_secs(30);
/// How far in the future a token may be issued, for clocks that differ between machines.
const SKEW: Duration = Duration::from_secs(5);
const REMEMBERED: u64 = 10_000;

/// The service that a token is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Audience {
    Registry,
    Search,
}

/// The token is no proof of who calls. Which check failed is logged, not told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the caller token is missing, malformed, expired, or not for this service")]
pub struct InvalidToken;

/// Signs caller tokens.
#[derive(Clone)]
pub struct Signer {
    key: Arc<EncodingKey>,
    key_id: Arc<str>,
    clock: Clock,
    minted: Cache<(Caller, Audience), (Arc<str>, OffsetDateTime)>,
}

/// Checks caller tokens for one service.
#[derive(Clone)]
pub struct Verifier {
    audience: Audience,
    keys: Arc<HashMap<String, DecodingKey>>,
    clock: Clock,
    seen: Cache<Box<str>, (Caller, OffsetDateTime)>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Claims {
    iss: String,
    aud: String,
    iat: i64,
    exp: i64,
    org: OrgId,
    workspace: WorkspaceId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    member: Option<MemberId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    key: Option<KeyId>,
    scopes: Vec<String>,
}

const ISSUER: &str = "loadout";

impl Audience {
    const fn name(self) -> &'static str {
        match self {
            Self::Registry => "loadout-registry",
            Self::Search => "loadout-search",
        }
    }
}

impl Signer {
    pub(crate) fn new(key: EncodingKey, key_id: &str, clock: Clock) -> Self {
        let minted = Cache::builder().max_capacity(REMEMBERED).time_to_live(LIFE).build();
        Self { key: Arc::new(key), key_id: key_id.into(), clock, minted }
    }

    /// A token that proves to one service who calls. It lives for one minute; the same one is handed
    /// out for the first half of that.
    pub fn token(
        &self,
        caller: &Caller,
        audience: Audience,
    ) -> Result<Arc<str>, jsonwebtoken::errors::Error> {
        let now = self.clock.now();
        let slot = (caller.clone(), audience);
        if let Some((token, expiry)) = self.minted.get(&slot)
            && now + SPARE <= expiry
        {
            return Ok(token);
        }
        let expiry = now + LIFE;
        let token: Arc<str> = self.sign(caller, audience, now, expiry)?.into();
        self.minted.insert(slot, (Arc::clone(&token), expiry));
        Ok(token)
    }

    fn sign(
        &self,
        caller: &Caller,
        audience: Audience,
        now: OffsetDateTime,
        expiry: OffsetDateTime,
    ) -> Result<String, jsonwebtoken::errors::Error> {
        let Caller { org, workspace, member, key, scopes } = caller.clone();
        let claims = Claims {
            iss: ISSUER.to_owned(),
            aud: audience.name().to_owned(),
            iat: now.unix_timestamp(),
            exp: expiry.unix_timestamp(),
            org,
            workspace,
            member,
            key,
            scopes: scopes.names().into_iter().map(str::to_owned).collect(),
        };
        let header = Header { kid: Some(self.key_id.to_string()), ..Header::new(Algorithm::EdDSA) };
        jsonwebtoken::encode(&header, &claims, &self.key)
    }
}

impl Verifier {
    pub(crate) fn new(
        audience: Audience,
        keys: HashMap<String, DecodingKey>,
        clock: Clock,
    ) -> Self {
        let seen = Cache::builder().max_capacity(REMEMBERED).time_to_live(LIFE).build();
        Self { audience, keys: Arc::new(keys), clock, seen }
    }

    /// Whom the token stands for.
    pub fn verify(&self, token: &str) -> Result<Caller, InvalidToken> {
        let now = self.clock.now();
        if let Some((caller, expiry)) = self.seen.get(token) {
            return if now < expiry { Ok(caller) } else { Err(InvalidToken) };
        }
        let claims = self.check(token, now).map_err(|reason| {
            tracing::warn!(reason, "refused a caller token");
            InvalidToken
        })?;
        let expiry = OffsetDateTime::from_unix_timestamp(claims.exp).map_err(|_| InvalidToken)?;
        let caller = Caller::from(claims);
        self.seen.insert(token.into(), (caller.clone(), expiry));
        Ok(caller)
    }

    fn check(&self, token: &str, now: OffsetDateTime) -> Result<Claims, &'static str> {
        let header = jsonwebtoken::decode_header(token).map_err(|_| "malformed")?;
        let key = header.kid.and_then(|kid| self.keys.get(&kid)).ok_or("unknown signing key")?;
        let data = jsonwebtoken::decode::<Claims>(token, key, &self.validation())
            .map_err(|_| "wrong signature, issuer or audience")?;
        let claims = data.claims;
        if claims.exp <= now.unix_timestamp() {
            return Err("expired");
        }
        let longest = i64::try_from((LIFE + SKEW).as_secs()).unwrap_or(i64::MAX);
        if claims.iat > (now + SKEW).unix_timestamp() || claims.exp > claims.iat + longest {
            return Err("longer than tokens live, or not valid yet");
        }
        Ok(claims)
    }

    fn validation(&self) -> Validation {
        let mut validation = Validation::new(Algorithm::EdDSA);
        validation.set_audience(&[self.audience.name()]);
        validation.set_issuer(&[ISSUER]);
        validation.set_required_spec_claims(&["exp", "aud", "iss"]);
        // Ours to check, by our clock.
        validation.validate_exp = false;
        validation
    }
}

impl From<Claims> for Caller {
    fn from(claims: Claims) -> Self {
        let Claims { iss: _, aud: _, iat: _, exp: _, org, workspace, member, key, scopes } = claims;
        Self { org, workspace, member, key, scopes: Scopes::of_signed(&scopes) }
    }
}

impl std::fmt::Debug for Signer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Signer").field("key_id", &self.key_id).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Verifier {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Verifier").field("audience", &self.audience).finish_non_exhaustive()
    }
}
