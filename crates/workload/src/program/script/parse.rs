//! From text to statements, with a place for everything that is wrong.

use super::statement::{Action, FLAGS, MODES, PhaseWord, Position, Script, Statement};
use miette::Diagnostic;
use petrio_colours::{AccessFlags, Fallocate, Operation};
use petrio_units::{Bytes, Duration, UnitError, nearest};
use std::str::FromStr;
use thiserror::Error;

/// A script that can't be read, or that asks for what isn't there.
#[derive(Clone, Debug, PartialEq, Eq, Diagnostic, Error)]
#[error("line {line}, column {column}: {problem}")]
pub struct ScriptError {
    /// The line, from 1.
    pub line: u32,
    /// The column, in characters, from 1.
    pub column: u32,
    /// What is wrong, and what was expected.
    pub problem: String,
    /// What to do about it, where that isn't said by the problem.
    #[help]
    pub help: Option<String>,
}

impl ScriptError {
    pub(super) fn at(position: Position, problem: impl Into<String>) -> Self {
        Self { line: position.line, column: position.column, problem: problem.into(), help: None }
    }

    pub(super) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// Repeats within repeats: deeper ones are a mistake, and each is a frame of the reader's stack.
const DEPTH_MAX: usize = 16;

/// The longest text: a script is written by a person, or by a small program.
const TEXT_BYTES_MAX: usize = 1 << 20;

/// The longest name of a file (ext2 and its successors: EXT2_NAME_LEN).
const NAME_BYTES_MAX: usize = 255;

/// The largest extended attribute: what fits into a block of its own, and into a leaf of XFS (`xfs_attr_leaf_entsize_local_max`).
const XATTR_BYTES_MAX: u64 = 3_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'a> {
    Word(&'a str),
    /// A semicolon or the end of a line.
    End,
    Open,
    Close,
}

struct Reader<'a> {
    tokens: Vec<(Position, Token<'a>)>,
    next: usize,
    /// Where the text ends.
    end: Position,
}

fn tokens(text: &str) -> Reader<'_> {
    let mut tokens = Vec::new();
    let mut end = Position { line: 1, column: 1 };
    for (line, content) in text.split('\n').enumerate() {
        let line = u32::try_from(line + 1).unwrap_or(u32::MAX);
        let content = content.find('#').map_or(content, |comment| &content[..comment]);
        let mut start = None;
        let mut column = 0;
        for (at, character) in content.char_indices() {
            column += 1;
            let position = Position { line, column };
            let single = match character {
                ';' => Some(Token::End),
                '{' => Some(Token::Open),
                '}' => Some(Token::Close),
                _ => None,
            };
            if single.is_some() || character.is_whitespace() {
                if let Some((from, position)) = start.take() {
                    tokens.push((position, Token::Word(&content[from..at])));
                }
                tokens.extend(single.map(|token| (position, token)));
            } else {
                start.get_or_insert((at, position));
            }
        }
        if let Some((from, position)) = start {
            tokens.push((position, Token::Word(&content[from..])));
        }
        end = Position { line, column: column + 1 };
        tokens.push((end, Token::End));
    }
    Reader { tokens, next: 0, end }
}

/// A word of the text made fit for a message.
fn shown(word: &str) -> String {
    const LENGTH_MAX: usize = 40;
    let mut text: String = word.chars().take(LENGTH_MAX).flat_map(char::escape_debug).collect();
    if word.chars().nth(LENGTH_MAX).is_some() {
        text.push('…');
    }
    text
}

/// The statements' words, for suggestions.
const WORDS: [&str; 31] = [
    "file",
    "directory",
    "create",
    "open",
    "close",
    "read",
    "write",
    "append",
    "truncate",
    "fsync",
    "fdatasync",
    "mkdir",
    "rmdir",
    "rename",
    "unlink",
    "readdir",
    "stat",
    "chmod",
    "setxattr",
    "removexattr",
    "link",
    "symlink",
    "tmpfile",
    "fallocate",
    "sync_file_range",
    "sync",
    "think",
    "compute",
    "barrier",
    "phase",
    "repeat",
];

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<(Position, Token<'a>)> {
        self.tokens.get(self.next).copied()
    }

    fn position(&self) -> Position {
        self.peek().map_or(self.end, |(position, _)| position)
    }

    fn peek_word(&self) -> Option<&'a str> {
        match self.peek() {
            Some((_, Token::Word(word))) => Some(word),
            _ => None,
        }
    }

    fn word(&mut self, expected: &str) -> Result<(Position, &'a str), ScriptError> {
        let position = self.position();
        match self.peek_word() {
            Some(word) => {
                self.next += 1;
                Ok((position, word))
            }
            None => Err(ScriptError::at(position, format!("{expected} is missing"))),
        }
    }

    fn name(&mut self, expected: &str) -> Result<String, ScriptError> {
        let (position, word) = self.word(expected)?;
        let wrong = |problem: &str| Err(ScriptError::at(position, format!("\"{}\" {problem}", shown(word))));
        if word == "." {
            return Ok(word.to_owned());
        }
        if word.starts_with('/') {
            return wrong("begins at the root; names begin in the directory in which the script runs");
        }
        for part in word.split('/') {
            match part {
                "" => return wrong("has an empty name between its slashes"),
                "." | ".." => return wrong("has . or .. on its way; write the names themselves"),
                _ if part.len() > NAME_BYTES_MAX => {
                    return wrong("is longer than a file's name can be (255 bytes)");
                }
                _ if part.contains(|character: char| character == '~' || character.is_control()) => {
                    return wrong(
                        "has a character in it that no name of a script has (~, control characters)",
                    );
                }
                _ => {}
            }
        }
        Ok(word.to_owned())
    }

    /// A quantity of one word or of two ("4KiB", "4 KiB").
    fn quantity<Q: FromStr<Err = UnitError>>(&mut self, expected: &str) -> Result<Q, ScriptError> {
        let (position, number) = self.word(expected)?;
        let wrong = |error: UnitError| ScriptError::at(position, format!("{expected}: {error}"));
        let bare = number.ends_with(|last: char| last.is_ascii_digit() || last == '.');
        let unit = self.peek_word().filter(|_| bare);
        if let Some(quantity) = unit.and_then(|unit| format!("{number} {unit}").parse().ok()) {
            self.next += 1;
            return Ok(quantity);
        }
        // Nothing is nothing in any unit.
        if bare && !number.contains(|digit| digit != '0') {
            return "0 B".parse().or_else(|_| "0 s".parse()).map_err(wrong);
        }
        // A word that could be a misspelt unit is shown with its number.
        let near = |unit: &&str| !FLAGS.iter().any(|(flag, _)| flag == unit) && *unit != "cached";
        match unit.filter(near) {
            Some(unit) if !unit.starts_with(|first: char| first.is_ascii_digit()) => {
                format!("{number} {unit}").parse().map_err(wrong)
            }
            _ => number.parse().map_err(wrong),
        }
    }

    fn flags(&mut self) -> Result<AccessFlags, ScriptError> {
        let mut flags = AccessFlags::default();
        while let Some(word) = self.peek_word() {
            let Some((_, flag)) = FLAGS.iter().find(|(name, _)| *name == word) else {
                let names = FLAGS.map(|(name, _)| name);
                let advice = match nearest(word, names) {
                    Some(name) => format!("did you mean \"{name}\"?"),
                    None => format!("they are {}", names.join(", ")),
                };
                let problem = format!("\"{}\" is no flag of an access; {advice}", shown(word));
                return Err(ScriptError::at(self.position(), problem));
            };
            if std::mem::replace(flag(&mut flags), true) {
                return Err(ScriptError::at(self.position(), format!("\"{word}\" stands here twice")));
            }
            self.next += 1;
        }
        Ok(flags)
    }

    /// What a fallocate does, where it doesn't give blocks and length.
    fn mode(&mut self) -> Result<Fallocate, ScriptError> {
        let Some(word) = self.peek_word() else { return Ok(Fallocate::Extend) };
        let Some((_, mode)) = MODES.iter().find(|(known, _)| *known == word) else {
            let advice = match nearest(word, MODES.map(|(known, _)| known)) {
                Some(known) => format!("did you mean \"{known}\"?"),
                None => format!("they are {}", MODES.map(|(known, _)| known).join(", ")),
            };
            let problem = format!("\"{}\" is no mode of fallocate; {advice}", shown(word));
            return Err(ScriptError::at(self.position(), problem));
        };
        self.next += 1;
        Ok(*mode)
    }

    fn finish(&mut self, after: &str) -> Result<(), ScriptError> {
        match self.peek() {
            None => Ok(()),
            Some((_, Token::End)) => {
                self.next += 1;
                Ok(())
            }
            Some((_, Token::Close)) => Ok(()),
            Some((position, Token::Open)) => {
                Err(ScriptError::at(position, "{ stands here; only a repeat has a block"))
            }
            Some((position, Token::Word(word))) => {
                let problem = format!("\"{}\" is one word too many after \"{after}\"", shown(word));
                Err(ScriptError::at(position, problem).with_help("end a statement with ; or a new line"))
            }
        }
    }

    /// The statements up to the end of the block, or of the text.
    fn block(&mut self, depth: usize) -> Result<Vec<Statement>, ScriptError> {
        let mut statements = Vec::new();
        while let Some((position, token)) = self.peek() {
            match token {
                Token::End => self.next += 1,
                Token::Close if depth > 0 => break,
                Token::Close => return Err(ScriptError::at(position, "} stands here, and no block is open")),
                Token::Open => {
                    let problem = "{ stands here; only a repeat has a block";
                    return Err(ScriptError::at(position, problem).with_help("write repeat 10 { … }"));
                }
                Token::Word(word) => {
                    self.next += 1;
                    let action = self.action(position, word, depth)?;
                    self.finish(word)?;
                    statements.push(Statement { position, action });
                }
            }
        }
        Ok(statements)
    }

    fn action(&mut self, position: Position, word: &str, depth: usize) -> Result<Action, ScriptError> {
        const NAME: &str = "the file's name";
        const DIRECTORY: &str = "the directory's name";
        let (operation, expected) = match word {
            "create" => (Operation::Create, NAME),
            "open" => (Operation::Open, NAME),
            "close" => (Operation::Close, NAME),
            "fsync" => (Operation::Fsync, NAME),
            "fdatasync" => (Operation::Fdatasync, NAME),
            "unlink" => (Operation::Unlink, NAME),
            "stat" => (Operation::Stat, NAME),
            "setattr" | "chmod" | "chown" | "utimes" => (Operation::SetAttributes, NAME),
            "tmpfile" => (Operation::Tmpfile, NAME),
            "mkdir" => (Operation::Mkdir, DIRECTORY),
            "rmdir" => (Operation::Rmdir, DIRECTORY),
            "readdir" => (Operation::Readdir, DIRECTORY),
            _ => return self.longer_action(position, word, depth),
        };
        Ok(Action::OnName { operation, name: self.name(expected)? })
    }

    fn longer_action(&mut self, position: Position, word: &str, depth: usize) -> Result<Action, ScriptError> {
        const NAME: &str = "the file's name";
        Ok(match word {
            "file" => {
                let (name, size) = (self.name(NAME)?, self.quantity("the file's size")?);
                let cached = self.peek_word() == Some("cached");
                self.next += usize::from(cached);
                Action::File { name, size, cached }
            }
            "directory" => Action::Directory { name: self.name("the directory's name")? },
            "read" | "write" => Action::Access {
                operation: if word == "read" { Operation::Read } else { Operation::Write },
                name: self.name(NAME)?,
                offset: self.quantity("the offset")?,
                length: self.quantity("the length")?,
                flags: self.flags()?,
            },
            "append" => Action::Append {
                name: self.name(NAME)?,
                length: self.quantity("the length")?,
                flags: self.flags()?,
            },
            "truncate" => {
                Action::Truncate { name: self.name(NAME)?, length: self.quantity("the new length")? }
            }
            "rename" => Action::Rename { name: self.name("the old name")?, new: self.name("the new name")? },
            "link" | "symlink" | "setxattr" | "removexattr" | "fallocate" | "sync_file_range" => {
                self.inode_action(word)?
            }
            "sync" => Action::Sync,
            "think" if self.peek_word() == Some("about") => {
                self.next += 1;
                Action::ThinkAbout(self.quantity::<Duration>("the mean time to think")?)
            }
            "think" => Action::Think(self.quantity::<Duration>("the time to think")?),
            "compute" => Action::Compute(self.quantity::<Duration>("the time to compute")?),
            "barrier" => Action::Barrier,
            "phase" => {
                let (position, word) = self.word("the phase")?;
                let phase = PhaseWord::ALL.into_iter().find(|phase| phase.word() == word);
                let words = PhaseWord::ALL.map(PhaseWord::word).join(", ");
                let problem = || format!("\"{}\" is no phase; they are {words}", shown(word));
                Action::Phase(phase.ok_or_else(|| ScriptError::at(position, problem()))?)
            }
            "repeat" => self.repeat(position, depth)?,
            _ => {
                let advice = match nearest(word, WORDS) {
                    Some(known) => format!("did you mean \"{known}\"?"),
                    None => format!("statements begin with {}", WORDS.join(", ")),
                };
                let problem = format!("\"{}\" is no statement; {advice}", shown(word));
                return Err(ScriptError::at(position, problem));
            }
        })
    }

    /// What changes an inode, its names or some of its blocks.
    fn inode_action(&mut self, word: &str) -> Result<Action, ScriptError> {
        const NAME: &str = "the file's name";
        Ok(match word {
            "link" => Action::Link { name: self.name(NAME)?, new: self.name("the new name")? },
            "symlink" => {
                let (_, target) = self.word("what it points to")?;
                Action::Symlink { target: target.to_owned(), name: self.name("the link's name")? }
            }
            "removexattr" => Action::SetXattr { name: self.name(NAME)?, length: Bytes(0) },
            "setxattr" => {
                let name = self.name(NAME)?;
                let at = self.position();
                let length: Bytes = self.quantity("the attribute's size")?;
                if !(1..=XATTR_BYTES_MAX).contains(&length.get()) {
                    let problem =
                        format!("an attribute has 1 B to {}, this one {length}", Bytes(XATTR_BYTES_MAX));
                    return Err(ScriptError::at(at, problem).with_help("removexattr takes it away"));
                }
                Action::SetXattr { name, length }
            }
            "sync_file_range" => Action::SyncRange {
                name: self.name(NAME)?,
                offset: self.quantity("the offset")?,
                length: self.quantity("the length")?,
            },
            _ => Action::Allocate {
                name: self.name(NAME)?,
                offset: self.quantity("the offset")?,
                length: self.quantity("the length")?,
                mode: self.mode()?,
            },
        })
    }

    fn repeat(&mut self, position: Position, depth: usize) -> Result<Action, ScriptError> {
        if depth == DEPTH_MAX {
            return Err(ScriptError::at(position, format!("more than {DEPTH_MAX} repeats within repeats")));
        }
        let (at, number) = self.word("how often to repeat")?;
        let digits: String = number.chars().filter(|&digit| digit != '_').collect();
        let count = match digits.parse::<u64>() {
            Ok(0) => return Err(ScriptError::at(at, "repeated 0 times; leave the block out")),
            Ok(count) if digits.starts_with(|first: char| first.is_ascii_digit()) => count,
            _ => {
                let problem = format!("\"{}\" is no number of repetitions, such as 1000", shown(number));
                return Err(ScriptError::at(at, problem));
            }
        };
        // The block may begin on the next line.
        while matches!(self.peek(), Some((_, Token::End))) {
            self.next += 1;
        }
        match self.peek() {
            Some((_, Token::Open)) => self.next += 1,
            _ => return Err(ScriptError::at(self.position(), "{ is missing: what is to be repeated")),
        }
        let body = self.block(depth + 1)?;
        if self.peek().is_none() {
            return Err(ScriptError::at(position, "the } of this repeat is missing"));
        }
        self.next += 1;
        if !body.iter().any(|statement| statement.action.operates()) {
            return Err(ScriptError::at(position, "this repeat has no operation in it"));
        }
        Ok(Action::Repeat { count, body })
    }
}

impl FromStr for Script {
    type Err = ScriptError;

    fn from_str(text: &str) -> Result<Self, ScriptError> {
        if text.len() > TEXT_BYTES_MAX {
            let problem = format!("the script is longer than {TEXT_BYTES_MAX} bytes");
            return Err(ScriptError::at(Position { line: 1, column: 1 }, problem).with_help("use repeat"));
        }
        Ok(Self { statements: tokens(text).block(0)? })
    }
}
