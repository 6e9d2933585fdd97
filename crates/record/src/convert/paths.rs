//! Paths without what goes nowhere: `.`, `..` and double slashes. Links in them are left as they are.

/// A path as short as it can be told without looking at it.
pub(super) fn tidied(path: &str) -> String {
    if !path.starts_with('/') {
        return path.to_owned();
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            name => parts.push(name),
        }
    }
    format!("/{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::tidied;

    #[test]
    fn what_goes_nowhere_is_left_out() {
        assert_eq!(tidied("/a/./b//../c"), "/a/c");
        assert_eq!(tidied("/.."), "/");
        assert_eq!(tidied("pipe:[5]"), "pipe:[5]");
    }
}
