//! Who is calling, and what they may do.
mod caller;
mod door;
mod key;
mod scope;
mod settings;
mod token;

pub use caller::{Caller, Denied};
pub use door::{Door, answer};
pub use key::{InvalidKey, KeyText, SecretHash};
pub use scope::{Scope, Scopes, UnknownScope};
pub use settings::{SettingsError, SignerSettings, VerifierSettings, make_signing_key};
pub use token::{Audience, InvalidToken, Signer, Verifier};
