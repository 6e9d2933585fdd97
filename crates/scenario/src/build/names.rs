//! Names of parts on the pages of others.

/// What a part is called on the page of the part around it: the last of its path.
pub(crate) fn name_in<'n>(name: &'n str, around: &str) -> &'n str {
    name.strip_prefix(around).and_then(|rest| rest.strip_prefix('/')).unwrap_or(name)
}
