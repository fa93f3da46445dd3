//! Where a page ended: opaque to clients, and good for the list that it came from only.
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use ids::OrgId;
use sha2::{Digest, Sha256};

/// The text is no cursor of this list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`cursor` is not one that this list gave out with the same filters; begin again without one"
)]
pub(crate) struct InvalidCursor;

const DIGEST_BYTES: usize = 8;
const LONGEST: usize = 1_024;

/// Makes and reads the cursors of one list.
#[derive(Clone, Debug)]
pub(crate) struct Cursor(Sha256);

impl Cursor {
    /// The cursors of `list`, for one organization and one set of filters.
    pub(crate) fn of(list: &str, org: OrgId, filters: &[&str]) -> Self {
        let mut digest = Sha256::new();
        for part in [list, &org.to_string()].iter().chain(filters) {
            digest.update((part.len() as u64).to_be_bytes());
            digest.update(part.as_bytes());
        }
        Self(digest)
    }

    /// The cursor of a page that ended at `position`.
    pub(crate) fn write(&self, position: &str) -> String {
        let mut bytes = self.digest(position.as_bytes()).to_vec();
        bytes.extend_from_slice(position.as_bytes());
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Where the last page ended; none for the first page.
    pub(crate) fn read(&self, text: &str) -> Result<Option<String>, InvalidCursor> {
        if text.is_empty() {
            return Ok(None);
        }
        let bytes = if text.len() <= LONGEST { URL_SAFE_NO_PAD.decode(text).ok() } else { None };
        let bytes = bytes.filter(|bytes| bytes.len() >= DIGEST_BYTES).ok_or(InvalidCursor)?;
        let (digest, position) = bytes.split_at(DIGEST_BYTES);
        if digest != self.digest(position) {
            return Err(InvalidCursor);
        }
        String::from_utf8(position.to_vec()).map(Some).map_err(|_| InvalidCursor)
    }

    /// Tells a cursor of another list, or one edited by hand. It guards no secret: what a page may show
    /// is decided by who asks, never by its cursor.
    fn digest(&self, position: &[u8]) -> [u8; DIGEST_BYTES] {
        let full: [u8; 32] = self.0.clone().chain_update(position).finalize().into();
        let mut short = [0; DIGEST_BYTES];
        short.copy_from_slice(&full[..DIGEST_BYTES]);
        short
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_reads_back_in_its_own_list_only() {
        let org = OrgId::new();
        let text = Cursor::of("skills", org, &["prod"]).write("tidy");

        assert_eq!(Cursor::of("skills", org, &["prod"]).read(&text), Ok(Some("tidy".to_owned())));
        for other in [
            Cursor::of("keys", org, &["prod"]),
            Cursor::of("skills", org, &["staging"]),
            Cursor::of("skills", OrgId::new(), &["prod"]),
        ] {
            assert_eq!(other.read(&text), Err(InvalidCursor));
        }
    }

    #[test]
    fn a_cursor_edited_by_hand_is_refused() {
        let cursor = Cursor::of("skills", OrgId::new(), &[]);
        let text = cursor.write("tidy");
        for edited in [&text[1..], &format!("{text}A"), "%", "AAAA", &"A".repeat(1_025)] {
            assert_eq!(cursor.read(edited), Err(InvalidCursor), "{edited}");
        }
    }
}
