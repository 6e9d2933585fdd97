//! Colours in a reader's words: what a token is, and not how the program holds it.

/// A type's short name in words: `Box<SmallMessage>` is a small message, `(u32, OwnId)` a number and an own id; a plain
/// token is nothing more.
pub(super) fn colour(name: &str) -> String {
    let name = name.trim().trim_start_matches('&');
    for wrapper in ["Box<", "Arc<", "Rc<"] {
        if let Some(inner) = name.strip_prefix(wrapper).and_then(|rest| rest.strip_suffix('>')) {
            return colour(inner);
        }
    }
    for (wrapper, words) in [("Vec<", "list of "), ("Option<", "perhaps ")] {
        if let Some(inner) = name.strip_prefix(wrapper).and_then(|rest| rest.strip_suffix('>')) {
            return format!("{words}{}", colour(inner));
        }
    }
    if let Some(inner) = name.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        let parts: Vec<String> =
            parts(inner).into_iter().map(colour).filter(|words| !words.is_empty()).collect();
        return parts.join(", ");
    }
    match name {
        "" => String::new(),
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "i32" | "i64" | "f32" | "f64" => {
            "number".to_owned()
        }
        "String" | "str" => "text".to_owned(),
        "bool" => "yes or no".to_owned(),
        other => in_words(other.split('<').next().unwrap_or(other)),
    }
}

/// What stands between the commas that aren't within brackets.
fn parts(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut begin) = (Vec::new(), 0i32, 0);
    for (at, letter) in text.char_indices() {
        match letter {
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[begin..]);
    parts
}

/// `SmallMessage` as `small message`.
fn in_words(name: &str) -> String {
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !words.is_empty() && !words.ends_with(' ') {
            words.push(' ');
        }
        words.extend(letter.to_lowercase());
    }
    words.replace('_', " ")
}

#[cfg(test)]
mod tests {
    use super::colour;

    #[test]
    fn colours_are_words() {
        for (name, words) in [
            ("()", ""),
            ("u64", "number"),
            ("SmallMessage", "small message"),
            ("Box<SmallMessage>", "small message"),
            ("Vec<OwnId>", "list of own id"),
            ("Option<(u32, OwnId)>", "perhaps number, own id"),
            ("(u32, (u64, bool))", "number, number, yes or no"),
            ("Timed<Command>", "timed"),
            ("&str", "text"),
        ] {
            assert_eq!(colour(name), words, "{name}");
        }
    }
}
