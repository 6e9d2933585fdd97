//! Words and signs of a parameter file.

use super::error::{ImportError, Problem};

/// A sign or a word.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token<'a> {
    Open,
    Close,
    OpenList,
    CloseList,
    Equals,
    Comma,
    Word(&'a str),
}

impl Token<'_> {
    /// What it is, for messages.
    pub(super) fn describe(self) -> String {
        match self {
            Self::Open => "\"{\"".to_owned(),
            Self::Close => "\"}\"".to_owned(),
            Self::OpenList => "\"[\"".to_owned(),
            Self::CloseList => "\"]\"".to_owned(),
            Self::Equals => "\"=\"".to_owned(),
            Self::Comma => "a comma".to_owned(),
            Self::Word(word) => format!("\"{}\"", shortened(word)),
        }
    }
}

/// Cuts a text into tokens.
pub(super) struct Lexer<'a> {
    file: &'a str,
    rest: &'a str,
    line: u32,
    /// The token looked at but not taken, and the line after it.
    peeked: Option<(Option<Token<'a>>, &'a str, u32)>,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(file: &'a str, text: &'a str) -> Self {
        Self { file, rest: text, line: 1, peeked: None }
    }

    pub(super) fn file(&self) -> &'a str {
        self.file
    }

    /// The line of the token taken last, from 1.
    pub(super) fn line(&self) -> u32 {
        self.line
    }

    pub(super) fn peek(&mut self) -> Result<Option<Token<'a>>, ImportError> {
        if self.peeked.is_none() {
            self.peeked = Some(self.scan()?);
        }
        Ok(self.peeked.and_then(|(token, ..)| token))
    }

    pub(super) fn next(&mut self) -> Result<Option<Token<'a>>, ImportError> {
        let (token, rest, line) = match self.peeked.take() {
            Some(peeked) => peeked,
            None => self.scan()?,
        };
        (self.rest, self.line) = (rest, line);
        Ok(token)
    }

    fn scan(&self) -> Result<(Option<Token<'a>>, &'a str, u32), ImportError> {
        let (mut rest, mut line) = (self.rest, self.line);
        loop {
            let Some(first) = rest.chars().next() else { return Ok((None, rest, line)) };
            let sign = match first {
                '\n' => {
                    line += 1;
                    rest = &rest[1..];
                    continue;
                }
                '#' => {
                    rest = rest.find('\n').map_or("", |end| &rest[end..]);
                    continue;
                }
                _ if first.is_whitespace() => {
                    rest = &rest[first.len_utf8()..];
                    continue;
                }
                '{' => Token::Open,
                '}' => Token::Close,
                '[' => Token::OpenList,
                ']' => Token::CloseList,
                '=' => Token::Equals,
                ',' => Token::Comma,
                _ if first.is_control() => {
                    let found = format!("the control character {:#04x}", u32::from(first));
                    let problem = Problem::Syntax { expected: "text", found };
                    return Err(ImportError::new(self.file, line, problem));
                }
                _ => {
                    let ends = |c: char| c.is_whitespace() || c.is_control() || "{}[]=,#".contains(c);
                    let end = rest.find(ends).unwrap_or(rest.len());
                    return Ok((Some(Token::Word(&rest[..end])), &rest[end..], line));
                }
            };
            return Ok((Some(sign), &rest[1..], line));
        }
    }
}

/// At most 40 characters, for messages.
pub(super) fn shortened(text: &str) -> &str {
    text.char_indices().nth(40).map_or(text, |(at, _)| &text[..at])
}
