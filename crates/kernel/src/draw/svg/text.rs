//! How wide text is, about: drawings are made without fonts at hand.

/// Width of text in a sans-serif font of this size, pixels; on the generous side.
pub(super) fn width(text: &str, size: f64) -> f64 {
    let ems: f64 = text
        .chars()
        .map(|letter| match letter {
            'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' => 0.32,
            'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '/' | '-' | ' ' | '<' | '>' => 0.42,
            'm' | 'w' | 'M' | 'W' | '@' => 0.95,
            letter if letter.is_uppercase() => 0.72,
            _ => 0.62,
        })
        .sum();
    ems * size
}

/// Cuts a long text in the middle.
pub(super) fn shortened(text: &str, most: usize) -> String {
    let letters: Vec<char> = text.chars().collect();
    if letters.len() <= most {
        return text.to_owned();
    }
    let half = (most - 1) / 2;
    letters[..most - 1 - half].iter().chain(&['…']).chain(&letters[letters.len() - half..]).collect()
}
