//! How many of something a call may carry or ask for.

/// A number is not within its limits.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{what}` is {actual}; it must be {least} to {most}")]
pub(crate) struct OutOfRange {
    pub(crate) what: &'static str,
    pub(crate) actual: usize,
    pub(crate) least: usize,
    pub(crate) most: usize,
}

/// The length of a page that was asked for: 1 to 200, 50 where it is 0.
pub(crate) fn page_size(limit: u32) -> Result<i64, OutOfRange> {
    match limit {
        0 => Ok(50),
        1..=200 => Ok(i64::from(limit)),
        _ => Err(OutOfRange { what: "limit", actual: limit as usize, least: 1, most: 200 }),
    }
}

/// Refuses more than `most` of something.
pub(crate) fn at_most(what: &'static str, actual: usize, most: usize) -> Result<(), OutOfRange> {
    if actual <= most { Ok(()) } else { Err(OutOfRange { what, actual, least: 0, most }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_1_to_200_long_and_50_unless_asked() {
        assert_eq!([0, 1, 200].map(|limit| page_size(limit).unwrap()), [50, 1, 200]);
        let message = page_size(201).unwrap_err().to_string();
        assert_eq!(message, "`limit` is 201; it must be 1 to 200");
    }
}
