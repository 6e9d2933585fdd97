//! What becomes of a word: values in the place of variables, of sums and of what commands print; braces; quotation marks.

use super::run::Shell;
use super::tokens::is_name;

/// A word grows no longer, and becomes no more words.
const WORD_BYTES_MAX: usize = 1 << 14;
pub(super) const WORDS_MAX: usize = 1 << 11;
/// Values stand in each other no deeper.
const NESTED_MAX: u32 = 16;

/// The words that one becomes.
#[derive(Default)]
struct Fields {
    done: Vec<String>,
    word: String,
    /// Whether there is a word, be it an empty one in quotation marks.
    has: bool,
}

impl Fields {
    fn push(&mut self, letter: char) {
        if self.word.len() < WORD_BYTES_MAX {
            self.word.push(letter);
        }
        self.has = true;
    }

    fn add(&mut self, text: &str) {
        text.chars().for_each(|letter| self.push(letter));
    }

    fn end(&mut self) {
        if std::mem::take(&mut self.has) && self.done.len() < WORDS_MAX {
            self.done.push(std::mem::take(&mut self.word));
        }
    }

    /// Values, each a word of its own, the first with what is there already; those without quotation marks become several at blanks.
    fn values(&mut self, values: &[String], quoted: bool) {
        for (place, value) in values.iter().enumerate() {
            if place > 0 {
                self.end();
            }
            if quoted {
                self.add(value);
                self.has = true;
                continue;
            }
            for (place, part) in value.split(char::is_whitespace).enumerate() {
                if place > 0 {
                    self.end();
                }
                self.add(part);
            }
        }
    }
}

impl Shell<'_> {
    /// The words that a word becomes.
    pub(super) fn fields(&mut self, raw: &str) -> Vec<String> {
        let mut found = Vec::new();
        for word in braces(raw, 0) {
            let mut fields = Fields::default();
            self.expand(&word, false, &mut fields);
            fields.end();
            found.append(&mut fields.done);
        }
        found
    }

    /// The one text that a word becomes.
    pub(super) fn text(&mut self, raw: &str) -> String {
        let mut fields = Fields::default();
        self.expand(raw, false, &mut fields);
        fields.end();
        fields.done.join(" ")
    }

    /// A text between quotation marks, or of a here-document.
    pub(super) fn quoted_text(&mut self, text: &str) -> String {
        let mut fields = Fields::default();
        self.expand(text, true, &mut fields);
        fields.end();
        fields.done.join(" ")
    }

    fn expand(&mut self, raw: &str, quoted: bool, fields: &mut Fields) {
        if self.nested >= NESTED_MAX || !self.spend(raw.len()) {
            return;
        }
        self.nested += 1;
        self.expand_letters(&raw.chars().collect::<Vec<char>>(), quoted, fields);
        self.nested -= 1;
    }

    fn expand_letters(&mut self, letters: &[char], quoted: bool, fields: &mut Fields) {
        let mut at = 0;
        while let Some(&letter) = letters.get(at) {
            let next = letters.get(at + 1).copied();
            match letter {
                // \\.\PhysicalDrive1
                '\\' if letters[at..].starts_with(&['\\', '\\', '.', '\\']) => {
                    fields.add("\\\\.\\");
                    at += 3;
                }
                '\\' if quoted && !matches!(next, Some('$' | '"' | '\\' | '`' | '\n')) => fields.push('\\'),
                '\\' => {
                    // A colon that belongs to a name stays marked.
                    if next == Some(':') {
                        fields.push('\\');
                    }
                    next.into_iter().filter(|next| *next != '\n').for_each(|next| fields.push(next));
                    at += 1;
                }
                '\'' if !quoted => {
                    let end = position(letters, at + 1, '\'');
                    letters[at + 1..end].iter().for_each(|letter| fields.push(*letter));
                    fields.has = true;
                    at = end;
                }
                '"' if !quoted => {
                    let end = closing(letters, at + 1);
                    let inside: String = letters[at + 1..end].iter().collect();
                    fields.has = true;
                    let is_list = ["$@", "${@}"].contains(&inside.as_str());
                    self.expand(&inside, true, fields);
                    if is_list && fields.word.is_empty() {
                        fields.has = false;
                    }
                    at = end;
                }
                '`' => {
                    let end = position(letters, at + 1, '`');
                    let inside: String = letters[at + 1..end].iter().collect();
                    let value = self.printed(&inside);
                    fields.values(&[value], quoted);
                    at = end;
                }
                '$' => at = self.dollar(letters, at, quoted, fields),
                _ => fields.push(letter),
            }
            at += 1;
        }
    }

    /// What stands behind a `$`; where it ends.
    fn dollar(&mut self, letters: &[char], at: usize, quoted: bool, fields: &mut Fields) -> usize {
        let text = |from: usize, to: usize| letters[from.min(to)..to].iter().collect::<String>();
        match letters.get(at + 1) {
            Some('(') => {
                let end = bracket(letters, at + 2, '(', ')');
                let inside = text(at + 2, end);
                let sum = inside.strip_prefix('(').and_then(|inside| inside.strip_suffix(')'));
                let value = match sum {
                    Some(sum) => self.sum(sum).map_or_else(|| "${sum}".to_owned(), |value| value.to_string()),
                    None => self.printed(&inside),
                };
                fields.values(&[value], quoted);
                end
            }
            Some('{') => {
                let end = bracket(letters, at + 2, '{', '}');
                let values = self.parameter(&text(at + 2, end));
                self.spend(values.iter().map(String::len).sum());
                fields.values(&values, quoted);
                end
            }
            Some(first) if first.is_ascii_alphabetic() || *first == '_' => {
                let fine = |letter: &&char| letter.is_ascii_alphanumeric() || **letter == '_';
                let length = letters[at + 1..].iter().take_while(fine).count();
                let name = text(at + 1, at + 1 + length);
                let values = match name.as_str() {
                    // Words of fio's own.
                    "pagesize" | "mb_memory" | "ncpus" | "jobnum" | "jobname" | "filenum"
                        if self.lookup(&name).is_none() =>
                    {
                        vec![format!("${name}")]
                    }
                    _ => self.parameter(&name),
                };
                self.spend(values.iter().map(String::len).sum());
                fields.values(&values, quoted);
                at + length
            }
            Some(special) if special.is_ascii_digit() || "@*#?$!-".contains(*special) => {
                let values = self.parameter(&special.to_string());
                fields.values(&values, quoted);
                at + 1
            }
            _ => {
                fields.push('$');
                at
            }
        }
    }

    /// The values of what stands in `${ }`.
    fn parameter(&mut self, inside: &str) -> Vec<String> {
        let unknown = || vec![format!("${{{}}}", inside.replace(['{', '}', ' '], ""))];
        if let Some(name) = inside.strip_prefix('#').filter(|name| !name.is_empty()) {
            let (name, index) = subscript(name);
            let Some(values) = self.lookup(name) else { return unknown() };
            let count = if index.is_some() { values.len() } else { values.concat().chars().count() };
            return vec![count.to_string()];
        }
        let fine = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let end = match inside.chars().next() {
            Some(first) if "@*#?$!-".contains(first) => 1,
            _ => inside.find(|letter: char| !fine(letter)).unwrap_or(inside.len()),
        };
        let (name, rest) = inside.split_at(end);
        let (index, rest) = match rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((index, rest)) => (Some(index), rest),
            None => (None, rest),
        };
        let found = self.lookup(name).map(|values| match index {
            Some("@" | "*") => values,
            None if matches!(name, "@" | "*") => values,
            Some(index) => {
                let place = self.sum(index).and_then(|index| usize::try_from(index).ok());
                place.and_then(|place| values.get(place).cloned()).into_iter().collect()
            }
            None => values.into_iter().take(1).collect(),
        });
        let is_empty = |values: &Vec<String>| values.concat().is_empty();
        let (sign, other) = match rest.strip_prefix(':') {
            Some(after) if after.starts_with(['-', '=', '+', '?']) => (&rest[..2], &after[1..]),
            _ if rest.starts_with(['-', '=', '+', '?']) => (&rest[..1], &rest[1..]),
            _ => {
                return found.map_or_else(unknown, |values| {
                    values.iter().map(|value| altered(value, rest)).collect()
                });
            }
        };
        let is_set = found.as_ref().is_some_and(|values| sign.len() == 1 || !is_empty(values));
        match (sign.trim_start_matches(':'), is_set) {
            ("+", true) => vec![self.text(other)],
            ("+", false) => vec![String::new()],
            (_, true) => found.unwrap_or_default(),
            ("?", false) => vec![format!("${{{name}}}")],
            // The script's own arguments are there, though nobody knows what they say.
            (sign, false) => {
                let value = self.text(other);
                if sign == "=" {
                    self.set(name, vec![value.clone()]);
                }
                vec![value]
            }
        }
    }
}

/// A name with what stands in brackets behind it.
pub(super) fn subscript(text: &str) -> (&str, Option<&str>) {
    match text.split_once('[') {
        Some((name, index)) => (name, index.strip_suffix(']')),
        None => (text, None),
    }
}

/// Longer values are left whole.
const PATTERN_BYTES_MAX: usize = 1 << 10;

/// A value without its beginning or end, in part, or in other letters.
fn altered(value: &str, how: &str) -> String {
    let cut = |pattern: &str, from_end: bool, longest: bool| {
        if value.len() > PATTERN_BYTES_MAX {
            return value.to_owned();
        }
        let mut places: Vec<usize> =
            value.char_indices().map(|(place, _)| place).chain([value.len()]).collect();
        if from_end != longest {
            places.reverse();
        }
        let is_it =
            |place: &&usize| matches(pattern, if from_end { &value[**place..] } else { &value[..**place] });
        match places.iter().find(is_it) {
            Some(place) if from_end => value[..*place].to_owned(),
            Some(place) => value[*place..].to_owned(),
            None => value.to_owned(),
        }
    };
    if let Some(pattern) = how.strip_prefix("##") {
        cut(pattern, false, false)
    } else if let Some(pattern) = how.strip_prefix('#') {
        cut(pattern, false, true)
    } else if let Some(pattern) = how.strip_prefix("%%") {
        cut(pattern, true, true)
    } else if let Some(pattern) = how.strip_prefix('%') {
        cut(pattern, true, false)
    } else if let Some((from, to)) =
        how.strip_prefix("//").map(|how| how.split_once('/').unwrap_or((how, "")))
    {
        value.replace(from, to)
    } else if let Some((from, to)) = how.strip_prefix('/').map(|how| how.split_once('/').unwrap_or((how, "")))
    {
        value.replacen(from, to, 1)
    } else if how == "^^" {
        value.to_uppercase()
    } else if how == ",," {
        value.to_lowercase()
    } else {
        value.to_owned()
    }
}

/// Whether a text is as a pattern says, in which `*` stands for any letters and `?` for one.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut at, mut in_pattern, mut star) = (0, 0, None);
    while at < text.len() {
        match pattern.get(in_pattern) {
            Some('*') => {
                star = Some((in_pattern, at));
                in_pattern += 1;
            }
            Some(letter) if *letter == '?' || *letter == text[at] => {
                (at, in_pattern) = (at + 1, in_pattern + 1);
            }
            _ => match star {
                Some((place, begin)) => {
                    (at, in_pattern) = (begin + 1, place + 1);
                    star = Some((place, begin + 1));
                }
                None => return false,
            },
        }
    }
    pattern[in_pattern..].iter().all(|letter| *letter == '*')
}

/// `{a,b}` and `{1..5}` as the words that they stand for.
fn braces(raw: &str, depth: u32) -> Vec<String> {
    let whole = || vec![raw.to_owned()];
    if depth > 4 || !raw.contains('{') || raw.contains(['\'', '"', '`']) {
        return whole();
    }
    let letters: Vec<char> = raw.chars().collect();
    let begins =
        |at: usize| letters[at] == '{' && (at == 0 || letters[at - 1] != '$' && letters[at - 1] != '\\');
    let Some(begin) = (0..letters.len()).find(|&at| begins(at)) else { return whole() };
    let end = bracket(&letters, begin + 1, '{', '}');
    if end >= letters.len() {
        return whole();
    }
    let text = |part: &[char]| part.iter().collect::<String>();
    let (inside, before, after) =
        (text(&letters[begin + 1..end]), text(&letters[..begin]), text(&letters[end + 1..]));
    let parts: Vec<String> = match inside.split_once("..") {
        Some((from, to)) => {
            let (to, step) = to.split_once("..").map_or((to, Some(1)), |(to, step)| (to, step.parse().ok()));
            let Some(((from, to), step)) = from.parse::<i64>().ok().zip(to.parse::<i64>().ok()).zip(step)
            else {
                return whole();
            };
            super::builtin::sequence(from, if from > to { -i64::abs(step) } else { i64::abs(step) }, to)
        }
        None if inside.contains(',') && !inside.contains("${") => {
            inside.split(',').map(str::to_owned).collect()
        }
        None => return whole(),
    };
    let words = parts.iter().flat_map(|part| braces(&format!("{before}{part}{after}"), depth + 1));
    words.take(WORDS_MAX).collect()
}

fn position(letters: &[char], from: usize, mark: char) -> usize {
    (from..letters.len()).find(|&at| letters[at] == mark).unwrap_or(letters.len())
}

/// Where a text in double quotation marks ends.
fn closing(letters: &[char], from: usize) -> usize {
    let (mut at, mut depth) = (from, 0_u32);
    while at < letters.len() {
        match letters[at] {
            '\\' => at += 1,
            '(' if at > 0 && letters[at - 1] == '$' => depth += 1,
            ')' if depth > 0 => depth -= 1,
            '"' if depth == 0 => return at,
            _ => {}
        }
        at += 1;
    }
    letters.len()
}

/// Where the bracket stands that closes one before.
fn bracket(letters: &[char], from: usize, open: char, close: char) -> usize {
    let (mut at, mut depth) = (from, 1_u32);
    while at < letters.len() {
        match letters[at] {
            '\\' => at += 1,
            '\'' if open == '(' => at = position(letters, at + 1, '\''),
            letter if letter == open => depth += 1,
            letter if letter == close => {
                depth -= 1;
                if depth == 0 {
                    return at;
                }
            }
            _ => {}
        }
        at += 1;
    }
    letters.len()
}

/// `name=value` and `name+=value`: the name, whether the value is added, and the value.
pub(super) fn assigned(word: &str) -> Option<(&str, bool, &str)> {
    let (name, value) = word.split_once('=')?;
    let (name, adds) = name.strip_suffix('+').map_or((name, false), |name| (name, true));
    is_name(subscript(name).0).then_some((name, adds, value))
}
