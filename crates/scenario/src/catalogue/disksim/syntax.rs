//! The grammar of DiskSim's parameter files (its library libparam): blocks, lists, included files, comments.
//!
//! ```text
//! file      = { "source" FILE | TYPE NAME block | "instantiate" list "as" NAME | "topology" component }
//! block     = "{" { NAME "=" value [","] } "}"
//! value     = "source" FILE | TYPE [NAME] block | list | words
//! list      = "[" { value [","] } "]"
//! component = TYPE NAME "[" { component [","] } "]"
//! ```
//!
//! Names and values may contain blanks; `#` begins a comment.

use super::error::{ImportError, Problem};
use super::files::{Files, load};
use super::lexer::{Lexer, Token, shortened};

/// Blocks and files may be nested so deep.
const MOST_DEPTH: usize = 32;

/// A value with where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Located<T> {
    pub(super) value: T,
    pub(super) line: u32,
}

/// What stands behind a `=` or in a list.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// A number or a word, as written.
    Words(String),
    List(Vec<Located<Self>>),
    Block(Block),
}

impl Value {
    /// What it is, for messages.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Words(words) => format!("\"{}\"", shortened(words)),
            Self::List(items) => format!("a list of {} values", items.len()),
            Self::Block(block) => format!("a block of type {}", shortened(&block.kind)),
        }
    }
}

/// A block with its parameters in the order of the file.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Block {
    pub(super) kind: String,
    pub(super) name: String,
    pub(super) file: String,
    pub(super) line: u32,
    pub(super) parameters: Vec<Parameter>,
}

/// A parameter of a block.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) line: u32,
    pub(super) value: Value,
}

/// A component of a topology with those below it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Component {
    pub(super) kind: String,
    pub(super) name: String,
    pub(super) below: Vec<Self>,
}

/// Everything at the top level of a file and of those that it includes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Document {
    pub(super) blocks: Vec<Block>,
    /// Instances by name, with the block that they are of.
    pub(super) instances: Vec<(String, String)>,
    pub(super) topologies: Vec<Component>,
}

/// Reads a file and all that it includes.
pub(super) fn read(files: &dyn Files, name: &str) -> Result<Document, ImportError> {
    let mut document = Document::default();
    read_into(&mut document, files, name, 0)?;
    Ok(document)
}

fn read_into(
    document: &mut Document,
    files: &dyn Files,
    name: &str,
    depth: usize,
) -> Result<(), ImportError> {
    if depth > MOST_DEPTH {
        return Err(ImportError::new(name, 0, Problem::TooDeep(MOST_DEPTH)));
    }
    let text = load(files, name)?;
    let mut parser = Parser { lexer: Lexer::new(name, &text), files, depth };
    while let Some(first) = parser.lexer.peek()? {
        let line = parser.lexer.line();
        match first {
            Token::Word("source") => {
                parser.lexer.next()?;
                let file = parser.word("the name of a file")?;
                read_into(document, files, &beside(name, file), depth + 1).map_err(|error| {
                    // A missing file is reported where it is asked for.
                    if matches!(error.problem, Problem::Unreadable(_)) && error.line == 0 {
                        ImportError::new(name, line, error.problem)
                    } else {
                        error
                    }
                })?;
            }
            Token::Word("instantiate") => parser.instance(document)?,
            Token::Word("topology") => {
                parser.lexer.next()?;
                let component = parser.component(0)?;
                document.topologies.push(component);
            }
            Token::Word(kind) => {
                parser.lexer.next()?;
                // What stands in a file of its own, for one parameter, needs no name.
                let is_nameless = depth > 0 && parser.lexer.peek()? == Some(Token::Open);
                let block_name = if is_nameless { "" } else { parser.word("a block's name")? };
                let block = parser.block(kind, block_name, line, 0)?;
                document.blocks.push(block);
            }
            Token::Comma => {
                parser.lexer.next()?;
            }
            other => return Err(parser.syntax("a block, \"source\", \"instantiate\" or \"topology\"", other)),
        }
    }
    Ok(())
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    files: &'a dyn Files,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn syntax(&self, expected: &'static str, found: Token<'_>) -> ImportError {
        let found = found.describe();
        ImportError::new(self.lexer.file(), self.lexer.line(), Problem::Syntax { expected, found })
    }

    fn ended(&self, expected: &'static str) -> ImportError {
        let found = "the end of the file".to_owned();
        ImportError::new(self.lexer.file(), self.lexer.line(), Problem::Syntax { expected, found })
    }

    fn some(&mut self, expected: &'static str) -> Result<Token<'a>, ImportError> {
        match self.lexer.next()? {
            Some(token) => Ok(token),
            None => Err(self.ended(expected)),
        }
    }

    fn word(&mut self, expected: &'static str) -> Result<&'a str, ImportError> {
        match self.some(expected)? {
            Token::Word(word) => Ok(word),
            other => Err(self.syntax(expected, other)),
        }
    }

    fn expect(&mut self, token: Token<'static>, expected: &'static str) -> Result<(), ImportError> {
        match self.some(expected)? {
            found if found == token => Ok(()),
            other => Err(self.syntax(expected, other)),
        }
    }

    fn check_depth(&self, depth: usize) -> Result<(), ImportError> {
        if depth <= MOST_DEPTH {
            return Ok(());
        }
        Err(ImportError::new(self.lexer.file(), self.lexer.line(), Problem::TooDeep(MOST_DEPTH)))
    }

    /// `{ name = value, … }`, the type and name having been read.
    fn block(&mut self, kind: &str, name: &str, line: u32, depth: usize) -> Result<Block, ImportError> {
        self.check_depth(depth)?;
        self.expect(Token::Open, "\"{\"")?;
        let mut parameters: Vec<Parameter> = Vec::new();
        loop {
            let line = self.lexer.line();
            match self.some("a parameter or \"}\"")? {
                Token::Close => break,
                Token::Comma => {}
                Token::Word(first) => {
                    let mut name = first.to_owned();
                    let line = self.lexer.line().max(line);
                    loop {
                        match self.some("\"=\"")? {
                            Token::Word(more) => {
                                name.push(' ');
                                name.push_str(more);
                            }
                            Token::Equals => break,
                            other => return Err(self.syntax("\"=\"", other)),
                        }
                    }
                    let value = self.value(depth + 1)?;
                    if parameters.iter().any(|known| known.name == name) {
                        return Err(ImportError::new(
                            self.lexer.file(),
                            line,
                            Problem::Twice(shortened(&name).to_owned()),
                        ));
                    }
                    parameters.push(Parameter { name, line, value });
                }
                other => return Err(self.syntax("a parameter or \"}\"", other)),
            }
        }
        let (kind, name, file) = (kind.to_owned(), name.to_owned(), self.lexer.file().to_owned());
        Ok(Block { kind, name, file, line, parameters })
    }

    fn value(&mut self, depth: usize) -> Result<Value, ImportError> {
        self.check_depth(depth)?;
        match self.some("a value")? {
            Token::OpenList => self.list(depth),
            Token::Word("source") => {
                let line = self.lexer.line();
                let file = beside(self.lexer.file(), self.word("the name of a file")?);
                self.sourced(&file, line)
            }
            Token::Word(first) => {
                let line = self.lexer.line();
                let mut words = vec![first];
                loop {
                    match self.lexer.peek()? {
                        Some(Token::Word(word)) => {
                            self.lexer.next()?;
                            words.push(word);
                        }
                        Some(Token::Open) => {
                            let name = words.get(1).copied().unwrap_or_default();
                            return Ok(Value::Block(self.block(first, name, line, depth)?));
                        }
                        _ => break,
                    }
                }
                Ok(Value::Words(words.join(" ")))
            }
            other => Err(self.syntax("a value", other)),
        }
    }

    fn list(&mut self, depth: usize) -> Result<Value, ImportError> {
        let mut items = Vec::new();
        loop {
            match self.lexer.peek()? {
                Some(Token::CloseList) => {
                    self.lexer.next()?;
                    return Ok(Value::List(items));
                }
                Some(Token::Comma) => {
                    self.lexer.next()?;
                }
                Some(_) => {
                    let value = self.value(depth + 1)?;
                    items.push(Located { value, line: self.lexer.line() });
                }
                None => return Err(self.ended("\"]\"")),
            }
        }
    }

    /// A block that stands in a file of its own.
    fn sourced(&mut self, file: &str, line: u32) -> Result<Value, ImportError> {
        let mut document = Document::default();
        read_into(&mut document, self.files, file, self.depth + 1).map_err(|error| {
            if matches!(error.problem, Problem::Unreadable(_)) && error.line == 0 {
                let problem = match error.problem {
                    Problem::Unreadable(why) => Problem::Unreadable(format!("{file}: {why}")),
                    problem => problem,
                };
                ImportError::new(self.lexer.file(), line, problem)
            } else {
                error
            }
        })?;
        match document.blocks.into_iter().next() {
            Some(block) => Ok(Value::Block(block)),
            None => {
                let found = "a file without one".to_owned();
                Err(ImportError::new(file, 0, Problem::Syntax { expected: "a block", found }))
            }
        }
    }

    fn instance(&mut self, document: &mut Document) -> Result<(), ImportError> {
        self.lexer.next()?;
        self.expect(Token::OpenList, "\"[\"")?;
        let Value::List(names) = self.list(0)? else { return Ok(()) };
        match self.word("\"as\"")? {
            "as" => {}
            other => return Err(self.syntax("\"as\"", Token::Word(other))),
        }
        let of = self.word("the name of a block")?;
        for name in names {
            if let Value::Words(words) = name.value {
                for one in expanded(&words) {
                    document.instances.push((one, of.to_owned()));
                }
            }
        }
        Ok(())
    }

    fn component(&mut self, depth: usize) -> Result<Component, ImportError> {
        self.check_depth(depth)?;
        let kind = self.word("a component's type")?.to_owned();
        let name = self.word("a component's name")?.to_owned();
        self.expect(Token::OpenList, "\"[\"")?;
        let mut below = Vec::new();
        loop {
            match self.lexer.peek()? {
                Some(Token::CloseList) => {
                    self.lexer.next()?;
                    return Ok(Component { kind, name, below });
                }
                Some(Token::Comma) => {
                    self.lexer.next()?;
                }
                Some(Token::Word(_)) => below.push(self.component(depth + 1)?),
                Some(other) => return Err(self.syntax("a component or \"]\"", other)),
                None => return Err(self.ended("\"]\"")),
            }
        }
    }
}

/// `disk0 .. disk3` names four components.
fn expanded(words: &str) -> Vec<String> {
    let parts: Vec<&str> = words.split("..").map(str::trim).collect();
    if let [first, last] = parts[..] {
        let stem = first.trim_end_matches(|c: char| c.is_ascii_digit());
        let number = |text: &str| text.strip_prefix(stem).and_then(|digits| digits.parse::<u32>().ok());
        if let (Some(from), Some(to)) = (number(first), number(last))
            && to.saturating_sub(from) < 4096
        {
            return (from..=to).map(|n| format!("{stem}{n}")).collect();
        }
    }
    words.split_whitespace().map(str::to_owned).collect()
}

/// The path of a file that another names: beside it.
fn beside(file: &str, named: &str) -> String {
    match file.rfind('/') {
        Some(slash) if !named.starts_with('/') => format!("{}{named}", &file[..=slash]),
        _ => named.to_owned(),
    }
}
