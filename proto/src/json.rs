//! How protobuf's own types look in JSON.
use serde::{Serialize, Serializer, ser::Error};
use time::{OffsetDateTime, format_description::BorrowedFormatItem, macros::format_description};

const RFC_3339_MILLISECONDS: &[BorrowedFormatItem<'_>] =
    format_description!("[year]-[month]-[day]T[hour]:[minute]:[second].[subsecond digits:3]Z");

#[expect(clippy::ref_option, reason = "serde passes the field by reference")]
pub(crate) fn timestamp<S: Serializer>(
    value: &Option<prost_types::Timestamp>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let text = value.as_ref().map(|at| rfc3339(at).map_err(S::Error::custom)).transpose()?;
    text.serialize(serializer)
}

/// RFC 3339 in UTC with milliseconds, as every time that Loadout prints.
fn rfc3339(at: &prost_types::Timestamp) -> Result<String, String> {
    let nanoseconds = i128::from(at.seconds) * 1_000_000_000 + i128::from(at.nanos);
    let at = OffsetDateTime::from_unix_timestamp_nanos(nanoseconds).map_err(|e| e.to_string())?;
    at.format(RFC_3339_MILLISECONDS).map_err(|error| error.to_string())
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes the field by reference")]
pub(crate) fn enumeration<E, S>(value: &i32, serializer: S) -> Result<S::Ok, S::Error>
where
    E: TryFrom<i32> + Serialize,
    S: Serializer,
{
    let known = E::try_from(*value).map_err(|_| S::Error::custom("unknown enum value"))?;
    known.serialize(serializer)
}

pub(crate) fn object<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    let object: serde_json::Value = serde_json::from_str(text).map_err(S::Error::custom)?;
    object.serialize(serializer)
}
