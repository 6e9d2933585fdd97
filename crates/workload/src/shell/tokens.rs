//! A text as words, as they stand there with their quotation marks, and operators.

/// What a text is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A word, with its quotation marks and what is still to be put in place of its `$`.
    Word(String),
    /// `;`, `&`, `|`, `(` and their like; a new line is `;`.
    Operator(&'static str),
    /// The text of a here-document, and whether variables in it stay as they are.
    Here { text: String, plain: bool },
}

/// The operators, longest first.
const OPERATORS: [&str; 15] =
    [";;&", "<<<", ";;", "&&", "||", "|&", "&>", ">>", "<<", "&", "|", ";", ">", "<", "\n"];

/// A here-document that begins behind this line: its end, whether tabs before it count, and where it goes.
struct Awaited {
    end: String,
    strips: bool,
    plain: bool,
    place: usize,
}

pub(super) struct Tokens<'t> {
    letters: &'t [char],
    at: usize,
    line: u32,
    found: Vec<(u32, Token)>,
    awaited: Vec<Awaited>,
}

/// The tokens of a text, each with its line from `first_line` on.
pub(super) fn tokens(text: &str, first_line: u32) -> Vec<(u32, Token)> {
    let letters: Vec<char> = text.chars().filter(|letter| *letter != '\r').collect();
    let mut reading =
        Tokens { letters: &letters, at: 0, line: first_line, found: Vec::new(), awaited: Vec::new() };
    while reading.at < letters.len() {
        reading.next();
    }
    reading.found
}

impl Tokens<'_> {
    fn letter(&self, ahead: usize) -> Option<char> {
        self.letters.get(self.at + ahead).copied()
    }

    fn begins(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(ahead, letter)| self.letter(ahead) == Some(letter))
    }

    fn next(&mut self) {
        let Some(letter) = self.letter(0) else { return };
        if letter == '\n' {
            self.end_line();
        } else if letter.is_whitespace() {
            self.at += 1;
        } else if letter == '#' || self.begins("```") {
            // A comment, or a fence of Markdown's.
            while self.letter(0).is_some_and(|letter| letter != '\n') {
                self.at += 1;
            }
        } else if self.continues() {
            self.skip_continuation();
        } else if matches!(letter, '(' | ')') {
            self.at += 1;
            self.found.push((self.line, Token::Operator(if letter == '(' { "(" } else { ")" })));
        } else if let Some(operator) = OPERATORS.into_iter().find(|operator| self.begins(operator)) {
            self.operator(operator);
        } else {
            self.word();
        }
    }

    fn end_line(&mut self) {
        self.at += 1;
        self.found.push((self.line, Token::Operator(";")));
        self.line += 1;
        for awaited in std::mem::take(&mut self.awaited) {
            if let Some(text) = self.here(&awaited) {
                self.found[awaited.place].1 = Token::Here { text, plain: awaited.plain };
            }
        }
    }

    /// The lines up to the one that ends a here-document; none where it never ends.
    fn here(&mut self, awaited: &Awaited) -> Option<String> {
        let (begin, mut at, mut lines, mut text) = (self.at, self.at, 0, String::new());
        while at < self.letters.len() {
            let rest = &self.letters[at..];
            let length = rest.iter().position(|letter| *letter == '\n').unwrap_or(rest.len());
            let line: String = rest[..length].iter().collect();
            let line = if awaited.strips { line.trim_start_matches('\t') } else { &line };
            (at, lines) = (at + length + 1, lines + 1);
            if line.trim_end() == awaited.end {
                self.at = at.min(self.letters.len());
                self.line += lines;
                return Some(text);
            }
            text.push_str(line);
            text.push('\n');
        }
        self.at = begin;
        None
    }

    fn operator(&mut self, operator: &'static str) {
        self.at += operator.len();
        match operator {
            "<<" => self.begin_here(),
            // To a stream that there is: 2>&1.
            ">" | ">>" | "<" if self.letter(0) == Some('&') => {
                self.drop_stream();
                self.at += 1;
                while self.letter(0).is_some_and(|letter| letter.is_ascii_digit() || letter == '-') {
                    self.at += 1;
                }
            }
            ">" | ">>" | "<" | "&>" => {
                // >| file
                if self.letter(0) == Some('|') {
                    self.at += 1;
                }
                let is_stream = operator != "&>" && self.drop_stream() != '1';
                let name = match operator {
                    "<" => "<",
                    // What goes to another stream is no output.
                    _ if is_stream => "2>",
                    ">>" => ">>",
                    _ => ">",
                };
                self.found.push((self.line, Token::Operator(name)));
            }
            ";;&" => self.found.push((self.line, Token::Operator(";;"))),
            "|&" => self.found.push((self.line, Token::Operator("|"))),
            other => self.found.push((self.line, Token::Operator(other))),
        }
    }

    /// A number just before a redirection is that of a stream; which it is.
    fn drop_stream(&mut self) -> char {
        let number =
            self.letters[..self.at].iter().rev().find(|letter| !matches!(letter, '>' | '<' | '&' | '|'));
        let number = number.copied().filter(char::is_ascii_digit);
        let is_it = |token: &Token| matches!(token, Token::Word(word) if word.len() == 1 && number.is_some_and(|number| word.starts_with(number)));
        if self.found.last().is_some_and(|(_, token)| is_it(token)) {
            self.found.pop();
            return number.unwrap_or('1');
        }
        '1'
    }

    fn begin_here(&mut self) {
        let strips = self.letter(0) == Some('-');
        self.at += usize::from(strips);
        while self.letter(0).is_some_and(|letter| letter == ' ' || letter == '\t') {
            self.at += 1;
        }
        let begin = self.at;
        while self
            .letter(0)
            .is_some_and(|letter| !letter.is_whitespace() && !matches!(letter, ';' | '|' | '&' | '>' | ')'))
        {
            self.at += 1;
        }
        let written: String = self.letters[begin..self.at].iter().collect();
        let end: String = written.chars().filter(|letter| !matches!(letter, '\'' | '"' | '\\')).collect();
        if end.is_empty() {
            return;
        }
        self.awaited.push(Awaited { plain: end != written, end, strips, place: self.found.len() });
        self.found.push((self.line, Token::Here { text: String::new(), plain: true }));
    }

    /// Whether a backslash ends the line here, with blanks or a comment behind it, too, which people leave there.
    fn continues(&self) -> bool {
        if self.letter(0) != Some('\\') {
            return false;
        }
        let rest = &self.letters[self.at + 1..];
        let blanks = rest.iter().take_while(|letter| matches!(letter, ' ' | '\t')).count();
        matches!(rest.get(blanks), Some('\n') | None) || blanks > 0 && rest.get(blanks) == Some(&'#')
    }

    fn skip_continuation(&mut self) {
        while self.letter(0).is_some_and(|letter| letter != '\n') {
            self.at += 1;
        }
        self.at += 1;
        self.line += 1;
    }

    fn word(&mut self) {
        let (line, mut word) = (self.line, String::new());
        while let Some(letter) = self.letter(0) {
            match letter {
                _ if letter.is_whitespace() => break,
                '\\' if self.continues() => {
                    self.skip_continuation();
                    // What begins the next line at once belongs to the word.
                    if self.letter(0).is_none_or(char::is_whitespace) {
                        break;
                    }
                }
                '\\' => {
                    word.push(letter);
                    word.extend(self.letter(1));
                    self.at += 2;
                }
                '\'' | '"' | '`' => self.quoted(letter, &mut word),
                '$' if matches!(self.letter(1), Some('(' | '{')) => {
                    self.take(2, &mut word);
                    let (open, close) = if word.ends_with('(') { ('(', ')') } else { ('{', '}') };
                    self.matched(open, close, &mut word);
                }
                '(' if word.ends_with('=') && is_name(word.trim_end_matches(['=', '+'])) => {
                    self.take(1, &mut word);
                    self.matched('(', ')', &mut word);
                }
                // What is to be put there by hand: --filename=<device name>.
                '<' if word.ends_with('=') && self.is_blank_to_fill() => {
                    word.push('"');
                    while self.letter(0).is_some_and(|letter| letter != '>') {
                        self.take(1, &mut word);
                    }
                    self.take(1, &mut word);
                    word.push('"');
                }
                ';' | '|' | '&' | '(' | ')' | '<' | '>' => break,
                _ => self.take(1, &mut word),
            }
        }
        self.found.push((line, Token::Word(word)));
    }

    fn is_blank_to_fill(&self) -> bool {
        let inside = self.letters[self.at + 1..].iter();
        let fine = |letter: &&char| letter.is_alphanumeric() || matches!(letter, ' ' | '_' | '-' | '/' | '.');
        let length = inside.take_while(fine).count();
        length > 0 && self.letter(length + 1) == Some('>')
    }

    fn take(&mut self, count: usize, word: &mut String) {
        for _ in 0..count {
            if let Some(letter) = self.letter(0) {
                self.line += u32::from(letter == '\n');
                word.push(letter);
                self.at += 1;
            }
        }
    }

    /// What stands between quotation marks; one that never closes, or stands in the middle of a word (don't), is a letter.
    fn quoted(&mut self, mark: char, word: &mut String) {
        let is_letter = |letter: Option<char>| letter.is_some_and(char::is_alphabetic);
        let inside_word = mark == '\'' && is_letter(word.chars().last()) && is_letter(self.letter(1));
        let end = if inside_word { None } else { self.closing(mark) };
        match end {
            Some(end) => self.take(end - self.at + 1, word),
            None => {
                word.extend(['\\', mark]);
                self.at += 1;
            }
        }
    }

    fn closing(&self, mark: char) -> Option<usize> {
        let mut at = self.at + 1;
        let mut depth = 0_u32;
        while let Some(&letter) = self.letters.get(at) {
            match letter {
                '\\' if mark != '\'' => at += 1,
                '(' if mark == '"' && self.letters[at - 1] == '$' => depth += 1,
                ')' if depth > 0 => depth -= 1,
                _ if letter == mark && depth == 0 => return Some(at),
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// Up to the bracket that closes the one before.
    fn matched(&mut self, open: char, close: char, word: &mut String) {
        let mut depth = 1_u32;
        while let Some(letter) = self.letter(0) {
            match letter {
                '\'' | '"' | '`' if open == '(' => {
                    self.quoted(letter, word);
                    continue;
                }
                '\\' => self.take(1, word),
                _ if letter == open => depth += 1,
                _ if letter == close => depth -= 1,
                _ => {}
            }
            self.take(1, word);
            if depth == 0 {
                return;
            }
        }
    }
}

/// Whether a text may be a variable's name.
pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(|first: char| first.is_ascii_digit())
        && text.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}
