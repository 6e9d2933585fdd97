//! Tokens as commands: loops, conditions and functions with what is in them. What never ends, or isn't what it seemed, is the commands in
//! it, one after the other.

use super::tokens::{Token, is_name};

/// A command.
#[derive(Clone, Debug)]
pub(super) enum Command {
    Simple(Simple),
    /// `for NAME in WORDS`; without `in`, the script's own arguments.
    For {
        name: String,
        words: Option<Vec<String>>,
        body: Vec<Item>,
    },
    /// `for ((begin; test; step))`.
    Counting {
        parts: [String; 3],
        body: Vec<Item>,
    },
    While {
        until: bool,
        test: Vec<Item>,
        body: Vec<Item>,
    },
    If {
        branches: Vec<(Vec<Item>, Vec<Item>)>,
        otherwise: Vec<Item>,
    },
    Case {
        word: String,
        arms: Vec<(Vec<String>, Vec<Item>)>,
    },
    Function {
        name: String,
        body: Vec<Item>,
    },
    Group(Vec<Item>),
}

/// Words, as they stand there, and where input and output go.
#[derive(Clone, Debug, Default)]
pub(super) struct Simple {
    pub(super) words: Vec<String>,
    pub(super) output: Option<String>,
    pub(super) appends: bool,
    pub(super) input: Option<(String, bool)>,
}

/// A command among others.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) line: u32,
    pub(super) command: Command,
    pub(super) joint: Joint,
    pub(super) negated: bool,
    pub(super) background: bool,
}

/// How a command follows the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Joint {
    Then,
    And,
    Or,
    Pipe,
}

/// Commands lie in each other no deeper.
const DEPTH_MAX: u32 = 16;

/// The commands of tokens.
pub(super) fn commands(tokens: &[(u32, Token)]) -> Vec<Item> {
    let mut parser = Parser { tokens, at: 0, depth: 0 };
    let mut all = Vec::new();
    while parser.at < tokens.len() {
        all.append(&mut parser.list(&[]));
        // What closes nothing.
        parser.at += 1;
    }
    all
}

struct Parser<'t> {
    tokens: &'t [(u32, Token)],
    at: usize,
    depth: u32,
}

impl<'t> Parser<'t> {
    fn word(&self) -> Option<&'t str> {
        match self.tokens.get(self.at) {
            Some((_, Token::Word(word))) => Some(word),
            _ => None,
        }
    }

    fn is(&self, operator: &str) -> bool {
        matches!(self.tokens.get(self.at), Some((_, Token::Operator(found))) if *found == operator)
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let is_it = self.word() == Some(word);
        self.at += usize::from(is_it);
        is_it
    }

    fn takes(&mut self, operator: &str) -> bool {
        let is_it = self.is(operator);
        self.at += usize::from(is_it);
        is_it
    }

    fn skip_ends(&mut self) {
        while self.takes(";") {}
    }

    /// Commands up to one of these words, or what closes a bracket around them.
    fn list(&mut self, ends: &[&str]) -> Vec<Item> {
        let mut items: Vec<Item> = Vec::new();
        let mut joint = Joint::Then;
        while let Some((line, token)) = self.tokens.get(self.at) {
            match token {
                Token::Operator(")" | ";;") => return items,
                Token::Operator(operator @ ("&&" | "||" | "|" | ";" | "&")) => {
                    self.at += 1;
                    match *operator {
                        "&&" => joint = Joint::And,
                        "||" => joint = Joint::Or,
                        "|" => joint = Joint::Pipe,
                        // What is joined may stand on the next line.
                        ";" if joint != Joint::Then => {}
                        _ => joint = Joint::Then,
                    }
                    if *operator == "&"
                        && let Some(last) = items.last_mut()
                    {
                        last.background = true;
                    }
                    continue;
                }
                Token::Word(word) if ends.contains(&word.as_str()) => return items,
                // What closes nothing that is open here.
                Token::Word(word)
                    if matches!(word.as_str(), "done" | "fi" | "esac" | "then" | "do" | "}") =>
                {
                    self.at += 1;
                    continue;
                }
                _ => {}
            }
            let negated = self.takes_word("!");
            let begin = self.at;
            // A line that was broken where it was pasted: it goes on with an option.
            let goes_on = self.word().is_some_and(|word| word.starts_with('-') && word.contains('='));
            if let Some(Item { command: Command::Simple(before), .. }) = items.last_mut().filter(|_| goes_on)
            {
                let mut more = self.simple();
                before.words.append(&mut more.words);
                continue;
            }
            let command = self.command();
            if self.at == begin {
                self.at += 1;
            }
            items.push(Item { line: *line, command, joint, negated, background: false });
            joint = Joint::Then;
        }
        items
    }

    fn command(&mut self) -> Command {
        if self.depth >= DEPTH_MAX {
            return Command::Simple(self.simple());
        }
        self.depth += 1;
        let command = self.compound().unwrap_or_else(|| Command::Simple(self.simple()));
        self.depth -= 1;
        command
    }

    /// A command that holds others; none where it only begins like one.
    fn compound(&mut self) -> Option<Command> {
        let begin = self.at;
        if self.is("(") {
            return Some(self.brackets());
        }
        let word = self.word()?;
        let found = match word {
            "{" => {
                self.at += 1;
                let inside = self.list(&["}"]);
                self.takes_word("}");
                Some(Command::Group(inside))
            }
            "if" => Some(self.condition()),
            "while" | "until" => {
                self.at += 1;
                let test = self.list(&["do"]);
                let body = self.body();
                Some(Command::While { until: word == "until", test, body })
            }
            "for" => self.for_loop(),
            "case" => self.case(),
            "function" => {
                self.at += 1;
                let name = self.word().map(str::to_owned);
                self.at += 1;
                name.and_then(|name| self.function(name.trim_end_matches("()").to_owned()))
            }
            _ => {
                let opens = |ahead: usize, operator: &str| matches!(self.tokens.get(begin + ahead), Some((_, Token::Operator(found))) if *found == operator);
                if opens(1, "(") && opens(2, ")") {
                    self.at += 1;
                    self.function(word.to_owned())
                } else {
                    None
                }
            }
        };
        if found.is_none() {
            self.at = begin;
        }
        found
    }

    /// `( commands )`, or `(( sum ))`.
    fn brackets(&mut self) -> Command {
        let begin = self.at;
        if let Some(sum) = self.sum() {
            return Command::Simple(Simple { words: vec!["let".to_owned(), sum], ..Simple::default() });
        }
        self.at = begin + 1;
        let inside = self.list(&[]);
        self.takes(")");
        Command::Group(inside)
    }

    /// What stands between `((` and `))`, as a word in quotation marks.
    fn sum(&mut self) -> Option<String> {
        if !self.takes("(") || !self.takes("(") {
            return None;
        }
        let (mut text, mut depth) = (String::new(), 0_u32);
        loop {
            match &self.tokens.get(self.at)?.1 {
                Token::Operator(")") if depth == 0 => break,
                Token::Operator(operator) => {
                    depth = match *operator {
                        "(" => depth + 1,
                        ")" => depth - 1,
                        _ => depth,
                    };
                    text.push_str(operator);
                }
                Token::Word(word) => {
                    if text.ends_with(|last: char| last.is_alphanumeric()) {
                        text.push(' ');
                    }
                    text.push_str(word);
                }
                Token::Here { .. } => return None,
            }
            self.at += 1;
        }
        self.at += 1;
        self.takes(")").then(|| format!("\"{text}\""))
    }

    fn condition(&mut self) -> Command {
        let (mut branches, mut otherwise) = (Vec::new(), Vec::new());
        self.at += 1;
        loop {
            let test = self.list(&["then", "elif", "else", "fi"]);
            self.takes_word("then");
            let body = self.list(&["elif", "else", "fi"]);
            branches.push((test, body));
            if self.takes_word("elif") {
                continue;
            }
            if self.takes_word("else") {
                otherwise = self.list(&["fi"]);
            }
            self.takes_word("fi");
            return Command::If { branches, otherwise };
        }
    }

    /// `do commands done`.
    fn body(&mut self) -> Vec<Item> {
        self.skip_ends();
        if self.takes_word("do") {
            let body = self.list(&["done"]);
            self.takes_word("done");
            return body;
        }
        if self.takes_word("{") {
            let body = self.list(&["}"]);
            self.takes_word("}");
            return body;
        }
        Vec::new()
    }

    fn for_loop(&mut self) -> Option<Command> {
        self.at += 1;
        if self.is("(") {
            let sum = self.sum()?;
            let mut parts = sum.trim_matches('"').splitn(3, ';').map(|part| part.trim().to_owned());
            let parts = [parts.next()?, parts.next()?, parts.next()?];
            return Some(Command::Counting { parts, body: self.body() });
        }
        let name = self.word().filter(|name| is_name(name))?.to_owned();
        self.at += 1;
        let words = self.takes_word("in").then(|| {
            let mut words = Vec::new();
            while let Some(word) = self.word() {
                words.push(word.to_owned());
                self.at += 1;
            }
            words
        });
        self.skip_ends();
        let is_loop = matches!(self.word(), Some("do" | "{"));
        is_loop.then(|| Command::For { name, words, body: self.body() })
    }

    fn case(&mut self) -> Option<Command> {
        self.at += 1;
        let word = self.word()?.to_owned();
        self.at += 1;
        self.skip_ends();
        if !self.takes_word("in") {
            return None;
        }
        let mut arms = Vec::new();
        loop {
            self.skip_ends();
            if self.takes_word("esac") || self.at >= self.tokens.len() {
                return Some(Command::Case { word, arms });
            }
            self.takes("(");
            let mut patterns = Vec::new();
            while let Some(pattern) = self.word() {
                patterns.push(pattern.to_owned());
                self.at += 1;
                if !self.takes("|") {
                    break;
                }
            }
            if !self.takes(")") {
                return None;
            }
            let body = self.list(&["esac"]);
            arms.push((patterns, body));
            self.takes(";;");
        }
    }

    fn function(&mut self, name: String) -> Option<Command> {
        if self.takes("(") && !self.takes(")") {
            return None;
        }
        self.skip_ends();
        if !matches!(self.word(), Some("{")) && !self.is("(") {
            return None;
        }
        let body = match self.command() {
            Command::Group(body) => body,
            _ => return None,
        };
        Some(Command::Function { name, body })
    }

    fn simple(&mut self) -> Simple {
        let mut simple = Simple::default();
        while let Some((_, token)) = self.tokens.get(self.at) {
            match token {
                Token::Word(word) => simple.words.push(word.clone()),
                Token::Here { text, plain } => simple.input = Some((text.clone(), *plain)),
                Token::Operator(operator @ (">" | ">>" | "2>" | "<" | "<<<")) => {
                    self.at += 1;
                    let Some(word) = self.word() else { continue };
                    match *operator {
                        ">" | ">>" => {
                            simple.output = Some(word.to_owned());
                            simple.appends = *operator == ">>";
                        }
                        "<<<" => simple.input = Some((word.to_owned(), false)),
                        _ => {}
                    }
                }
                // A bracket in the middle of a command is prose.
                Token::Operator("(") if !simple.words.is_empty() => {}
                Token::Operator(_) => return simple,
            }
            self.at += 1;
        }
        simple
    }
}
