//! What a caller token proves, and to whom.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]
use std::{path::Path, time::Duration};

use access::{
    Audience, Caller, InvalidToken, Scope, Signer, SignerSettings, Verifier, VerifierSettings,
    make_signing_key,
};
use clock::Clock;
use ids::{KeyId, MemberId, OrgId, WorkspaceId};
use time::OffsetDateTime;

struct Pair {
    signer: Signer,
    verifier: Verifier,
    clock: Clock,
}

fn pair(folder: &Path, audience: Audience) -> Pair {
    let (private, public) = (folder.join("private.pem"), folder.join("public.pem"));
    if !private.exists() {
        make_signing_key(&private, &public).unwrap();
    }
    let clock = Clock::held_at(OffsetDateTime::UNIX_EPOCH + Duration::from_hours(500_000));
    let signer = SignerSettings { signing_key_file: private }.signer(clock.clone()).unwrap();
    let settings = VerifierSettings { trusted_key_files: vec![public] };
    let verifier = settings.verifier(audience, clock.clone()).unwrap();
    Pair { signer, verifier, clock }
}

fn someone() -> Caller {
    Caller {
        org: OrgId::new(),
        workspace: WorkspaceId::new(),
        member: Some(MemberId::new()),
        key: Some(KeyId::new()),
        scopes: [Scope::SkillsRead, Scope::SearchWrite].into_iter().collect(),
    }
}

#[test]
fn a_token_proves_exactly_who_calls() {
    let folder = tempfile::tempdir().unwrap();
    let Pair { signer, verifier, .. } = pair(folder.path(), Audience::Search);
    let caller = someone();
    let token = signer.token(&caller, Audience::Search).unwrap();

    assert_eq!(verifier.verify(&token), Ok(caller.clone()));
    assert_eq!(verifier.verify(&token), Ok(caller), "also from the cache");
}

#[test]
fn a_token_for_another_service_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let Pair { signer, verifier, .. } = pair(folder.path(), Audience::Search);
    let token = signer.token(&someone(), Audience::Registry).unwrap();
    assert_eq!(verifier.verify(&token), Err(InvalidToken));
}

#[test]
fn a_token_of_an_untrusted_key_is_refused() {
    let (ours, theirs) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let verifier = pair(ours.path(), Audience::Search).verifier;
    let forged = pair(theirs.path(), Audience::Search).signer;
    let token = forged.token(&someone(), Audience::Search).unwrap();
    assert_eq!(verifier.verify(&token), Err(InvalidToken));
}

#[test]
fn a_token_ends_after_one_minute_also_in_the_cache() {
    let folder = tempfile::tempdir().unwrap();
    let Pair { signer, verifier, clock } = pair(folder.path(), Audience::Search);
    let token = signer.token(&someone(), Audience::Search).unwrap();

    clock.advance(Duration::from_secs(59));
    assert!(verifier.verify(&token).is_ok());
    clock.advance(Duration::from_secs(1));
    assert_eq!(verifier.verify(&token), Err(InvalidToken));
}

#[test]
fn a_token_is_handed_out_again_for_half_of_its_life() {
    let folder = tempfile::tempdir().unwrap();
    let Pair { signer, clock, .. } = pair(folder.path(), Audience::Search);
    let caller = someone();
    let first = signer.token(&caller, Audience::Search).unwrap();

    clock.advance(Duration::from_secs(30));
    assert_eq!(signer.token(&caller, Audience::Search).unwrap(), first);
    clock.advance(Duration::from_secs(1));
    assert_ne!(signer.token(&caller, Audience::Search).unwrap(), first);
}

#[test]
fn a_token_changed_anywhere_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let Pair { signer, verifier, .. } = pair(folder.path(), Audience::Search);
    let token = signer.token(&someone(), Audience::Search).unwrap();
    // The last character of the signature carries two unused bits, so it is left out.
    for at in 0..token.len() - 1 {
        let other = if &token[at..=at] == "A" { "B" } else { "A" };
        let changed = format!("{}{other}{}", &token[..at], &token[at + 1..]);
        assert_eq!(verifier.verify(&changed), Err(InvalidToken), "{at}");
    }
}

#[test]
fn an_unsigned_token_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let verifier = pair(folder.path(), Audience::Search).verifier;
    for token in ["", "x", "eyJhbGciOiJub25lIn0.eyJleHAiOjk5OTk5OTk5OTl9."] {
        assert_eq!(verifier.verify(token), Err(InvalidToken), "{token}");
    }
}
