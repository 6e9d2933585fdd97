//! A script from its beginning to its end: what it sets, which way it takes, and what it calls.

use super::arithmetic::{Names, evaluated};
use super::builtin::declares;
use super::expand::{WORDS_MAX, assigned, subscript};
use super::parse::{Command, Item, Joint, Simple, commands};
use super::test::UNKNOWN;
use super::tokens::{is_name, tokens};
use super::{Around, Call, Script};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Commands that are followed, and calls that are kept: more are a mistake.
const STEPS_MAX: u32 = 50_000;
const CALLS_MAX: usize = 4096;
/// Times that a loop of which nobody knows when it ends goes round.
pub(super) const ROUNDS_MAX: u32 = 4096;
/// Functions call each other no deeper.
const DEPTH_MAX: u32 = 12;
/// Letters that are looked at in all.
const WORK_MAX: usize = 1 << 23;

/// Where a script goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    On,
    Break,
    Continue,
    Return,
    Exit,
}

/// What has been printed, where somebody wants to know; none of it where that isn't known.
pub(super) type Printed = Option<String>;

pub(super) struct Shell<'a> {
    pub(super) around: &'a Around<'a>,
    values: BTreeMap<String, Vec<String>>,
    functions: BTreeMap<String, Rc<Vec<Item>>>,
    called: BTreeSet<String>,
    /// The arguments of the function at hand; the script's own aren't known.
    pub(super) arguments: Option<Vec<String>>,
    pub(super) status: Option<bool>,
    pub(super) printed: Option<Printed>,
    pub(super) script: Script,
    in_background: bool,
    pub(super) beside: bool,
    pub(super) flow: Flow,
    pub(super) line: u32,
    steps: u32,
    depth: u32,
    work: usize,
    pub(super) nested: u32,
}

impl<'a> Shell<'a> {
    pub(super) fn new(around: &'a Around<'a>) -> Self {
        Self {
            around,
            values: BTreeMap::new(),
            functions: BTreeMap::new(),
            called: BTreeSet::new(),
            arguments: None,
            status: Some(true),
            printed: None,
            script: Script::default(),
            in_background: false,
            beside: false,
            flow: Flow::On,
            line: 1,
            steps: 0,
            depth: 0,
            work: 0,
            nested: 0,
        }
    }

    pub(super) fn script(mut self, text: &str) -> Script {
        self.items(&commands(&tokens(text, 1)));
        if self.script.calls.is_empty() {
            // A file of functions that others call.
            let uncalled: Vec<String> =
                self.functions.keys().filter(|name| !self.called.contains(*name)).cloned().collect();
            for name in uncalled {
                self.flow = Flow::On;
                if let Some(body) = self.functions.get(&name).cloned() {
                    self.items(&body);
                }
            }
        }
        self.script
    }

    /// Looks at so many letters more; whether it may.
    pub(super) fn spend(&mut self, letters: usize) -> bool {
        self.work = self.work.saturating_add(letters);
        if self.work > WORK_MAX {
            (self.script.is_cut, self.flow) = (true, Flow::Exit);
        }
        self.work <= WORK_MAX
    }

    fn items(&mut self, items: &[Item]) {
        let mut skipped = false;
        for item in items {
            if self.flow != Flow::On {
                return;
            }
            self.steps += 1;
            if self.steps > STEPS_MAX || self.script.calls.len() >= CALLS_MAX {
                self.script.is_cut = true;
                self.flow = Flow::Exit;
                return;
            }
            let runs = match item.joint {
                Joint::Then => true,
                Joint::Pipe => !skipped,
                Joint::And => self.status != Some(false),
                Joint::Or => self.status == Some(false),
            };
            skipped = !runs;
            if !runs {
                continue;
            }
            let outer = self.in_background;
            self.in_background |= item.background;
            // Lines of a text within the text are told by those of the outer.
            if self.depth == 0 {
                self.line = item.line;
            }
            // What goes into a pipe isn't printed.
            if item.joint == Joint::Pipe
                && let Some(printed) = &mut self.printed
            {
                *printed = None;
            }
            self.command(&item.command);
            self.in_background = outer;
            if item.negated {
                self.status = self.status.map(|status| !status);
            }
        }
    }

    fn command(&mut self, command: &Command) {
        match command {
            Command::Simple(simple) => self.simple(simple),
            Command::Group(items) => self.items(items),
            Command::Function { name, body } => {
                self.functions.insert(name.clone(), Rc::new(body.clone()));
                self.status = Some(true);
            }
            Command::If { branches, otherwise } => self.branches(branches, otherwise),
            Command::For { name, words, body } => {
                let values: Vec<String> = match words {
                    Some(words) => words.iter().flat_map(|word| self.fields(word)).collect(),
                    None => self.arguments.clone().unwrap_or_else(|| vec!["${@}".to_owned()]),
                };
                for value in values {
                    self.set(name, vec![value]);
                    if !self.round(body) {
                        return;
                    }
                }
            }
            Command::Counting { parts: [begin, test, step], body } => {
                self.sum(begin);
                for _ in 0..ROUNDS_MAX {
                    let known = if test.is_empty() { None } else { self.sum(test) };
                    if known == Some(0) || !self.round(body) || known.is_none() {
                        return;
                    }
                    self.sum(step);
                }
                self.script.is_cut = true;
            }
            Command::While { until, test, body } => {
                for _ in 0..ROUNDS_MAX {
                    self.items(test);
                    // Who goes round for ever, or until something happens elsewhere, goes round once.
                    let forever = matches!(test.as_slice(), [Item { command: Command::Simple(simple), .. }]
                        if matches!(simple.words.first().map(String::as_str), Some("true" | ":")));
                    let goes = self.status.filter(|_| !forever).map(|holds| holds != *until);
                    if goes == Some(false) || !self.round(body) || goes.is_none() {
                        return;
                    }
                }
                self.script.is_cut = true;
            }
            Command::Case { word, arms } => {
                let word = self.text(word);
                for (patterns, body) in arms {
                    let fits = patterns.iter().any(|pattern| {
                        let pattern = self.text(pattern);
                        // What isn't known takes the first way.
                        word.contains(UNKNOWN) || super::expand::matches(&pattern, &word)
                    });
                    if fits && !(word.contains(UNKNOWN) && leaves(body, self.around.program)) {
                        self.items(body);
                        return;
                    }
                }
            }
        }
    }

    /// Goes once through a loop; whether it goes on.
    fn round(&mut self, body: &[Item]) -> bool {
        self.items(body);
        if matches!(self.flow, Flow::Break | Flow::Continue) {
            let ends = self.flow == Flow::Break;
            self.flow = Flow::On;
            return !ends;
        }
        self.flow == Flow::On
    }

    fn branches(&mut self, branches: &[(Vec<Item>, Vec<Item>)], otherwise: &[Item]) {
        for (test, body) in branches {
            self.items(test);
            let known = self.status;
            if known.unwrap_or_else(|| !leaves(body, self.around.program)) {
                self.items(body);
                return;
            }
        }
        self.items(otherwise);
    }

    fn simple(&mut self, simple: &Simple) {
        let mut words: Vec<String> = Vec::new();
        for raw in &simple.words {
            // What is set before the command, or instead of one.
            if words.is_empty()
                && let Some((name, adds, value)) = assigned(raw)
            {
                self.assign(name, adds, value);
                self.status = Some(true);
                continue;
            }
            match raw.split_once('=') {
                // Behind names that declare, values stay in one piece.
                Some(_) if words.first().is_some_and(|first| declares(first)) && assigned(raw).is_some() => {
                    if let Some((name, adds, value)) = assigned(raw) {
                        self.assign(name, adds, value);
                    }
                }
                _ => {
                    let mut fields = self.fields(raw);
                    words.append(&mut fields);
                }
            }
        }
        if words.is_empty() {
            return;
        }
        let input = simple
            .input
            .as_ref()
            .map(|(text, plain)| if *plain { text.clone() } else { self.quoted_text(text) });
        let target = simple.output.as_ref().map(|file| self.text(file));
        let outer = target.as_ref().map(|_| self.printed.replace(Some(String::new())));
        self.call(words, input);
        if let (Some(file), Some(outer)) = (target, outer)
            && let Some(Some(text)) = std::mem::replace(&mut self.printed, outer)
        {
            let whole = self.script.files.entry(file).or_default();
            if !simple.appends {
                whole.clear();
            }
            whole.push_str(&text);
        }
    }

    fn call(&mut self, words: Vec<String>, input: Option<String>) {
        let name = words[0].as_str();
        if let Some(body) = self.functions.get(name).cloned() {
            self.called.insert(name.to_owned());
            return self.function(&body, &words[1..]);
        }
        if self.builtin(&words, input.as_deref()) {
            return;
        }
        self.status = None;
        if let Some(printed) = &mut self.printed {
            *printed = None;
        }
        if (self.around.is_call)(&words) {
            let beside = std::mem::replace(&mut self.beside, self.in_background);
            self.script.calls.push(Call { line: self.line, words, input, beside });
        } else {
            // A command in a command: ssh host "…", bash -c '…'.
            let held: Vec<&String> = words[1..].iter().filter(|word| self.is_command(word)).collect();
            for text in held {
                self.within(text);
            }
            if let Some(text) = input.filter(|_| matches!(name, "ssh" | "bash" | "sh" | "sudo")) {
                self.within(&text);
            }
        }
    }

    /// Whether a word is the text of a command that is looked for.
    fn is_command(&self, word: &str) -> bool {
        word.contains(self.around.program) && word.contains(" -")
    }

    pub(super) fn within(&mut self, text: &str) {
        if self.depth < DEPTH_MAX && self.spend(text.len()) {
            self.depth += 1;
            self.items(&commands(&tokens(text, self.line)));
            self.depth -= 1;
        }
    }

    fn function(&mut self, body: &[Item], arguments: &[String]) {
        if self.depth >= DEPTH_MAX {
            self.script.is_cut = true;
            return;
        }
        self.depth += 1;
        let outer = self.arguments.replace(arguments.to_vec());
        self.items(body);
        self.arguments = outer;
        self.depth -= 1;
        if self.flow == Flow::Return {
            self.flow = Flow::On;
        }
    }

    /// What a command prints.
    pub(super) fn printed(&mut self, inside: &str) -> String {
        let asks = ["/proc/cpuinfo", "_NPROCESSORS", "lscpu"].iter().any(|word| inside.contains(word));
        if asks {
            self.script.asks_for_processors.push(self.line);
            return self.around.processors.to_string();
        }
        // A Makefile's variable.
        if is_name(inside) && !inside.bytes().any(|byte| byte.is_ascii_lowercase()) {
            return self.lookup(inside).map_or_else(|| format!("${{{inside}}}"), |values| values.concat());
        }
        if self.depth >= DEPTH_MAX || !self.spend(inside.len()) {
            return "${command}".to_owned();
        }
        let outer = self.printed.replace(Some(String::new()));
        self.depth += 1;
        let items = commands(&tokens(inside, self.line));
        let flow = self.flow;
        self.items(&items);
        // What it leaves ends with it, unless all is over.
        if !self.script.is_cut {
            self.flow = flow;
        }
        self.depth -= 1;
        match std::mem::replace(&mut self.printed, outer).flatten().filter(|_| !items.is_empty()) {
            Some(text) => text.trim_end().to_owned(),
            None => {
                let fine = |letter: &char| letter.is_ascii_alphanumeric() || *letter == '-' || *letter == '_';
                let name: String = inside.trim_start().chars().take_while(fine).collect();
                format!("${{output-of-{name}}}")
            }
        }
    }

    fn assign(&mut self, name: &str, adds: bool, value: &str) {
        let list = value.strip_prefix('(').and_then(|value| value.strip_suffix(')'));
        let values: Vec<String> = match list {
            Some(list) => {
                let words = tokens(list, self.line);
                let mut found = Vec::new();
                for (_, token) in words {
                    if let super::tokens::Token::Word(word) = token {
                        found.append(&mut self.fields(&word));
                    }
                }
                found
            }
            None => vec![self.text(value)],
        };
        let (name, index) = subscript(name);
        let mut all =
            if adds || index.is_some() { self.lookup(name).unwrap_or_default() } else { Vec::new() };
        match index.and_then(|index| self.sum(index)).and_then(|index| usize::try_from(index).ok()) {
            Some(place) if place < ROUNDS_MAX as usize => {
                all.resize(all.len().max(place + 1), String::new());
                all[place] = values.concat();
            }
            _ if adds && list.is_none() => all = vec![all.concat() + &values.concat()],
            _ => all.extend(values),
        }
        all.truncate(WORDS_MAX);
        self.set(name, all);
    }

    pub(super) fn set(&mut self, name: &str, values: Vec<String>) {
        self.values.insert(name.to_owned(), values);
    }

    /// The values of a variable, or of what a function was called with.
    pub(super) fn lookup(&self, name: &str) -> Option<Vec<String>> {
        match name {
            "?" => return Some(vec!["0".to_owned()]),
            "$" | "!" | "RANDOM" => return Some(vec!["1".to_owned()]),
            "-" => return Some(vec![String::new()]),
            "@" | "*" => return self.arguments.clone(),
            "#" => return self.arguments.as_ref().map(|arguments| vec![arguments.len().to_string()]),
            _ => {}
        }
        if let Ok(place) = name.parse::<usize>() {
            let own =
                |place: usize| self.arguments.as_ref().map(|own| own.get(place).cloned().unwrap_or_default());
            let known = place.checked_sub(1).and_then(own).map(|value| vec![value]);
            return known.or_else(|| (self.around.variable)(name).map(|value| vec![value]));
        }
        self.values.get(name).cloned().or_else(|| (self.around.variable)(name).map(|value| vec![value]))
    }

    /// What a sum comes to.
    pub(super) fn sum(&mut self, text: &str) -> Option<i64> {
        let text = self.quoted_text(text);
        if text.contains(UNKNOWN) { None } else { evaluated(&text, self) }
    }
}

impl Names for Shell<'_> {
    fn number(&mut self, name: &str) -> Option<i64> {
        match self.lookup(name) {
            Some(values) if values.concat().is_empty() => Some(0),
            Some(values) => values.first()?.trim().parse().ok(),
            None => None,
        }
    }

    fn set(&mut self, name: &str, value: i64) {
        self.values.insert(name.to_owned(), vec![value.to_string()]);
    }
}

/// Whether commands leave the script or the function, without a word of the program that is looked for.
fn leaves(items: &[Item], program: &str) -> bool {
    let mut leaves = false;
    for item in items {
        match &item.command {
            Command::Simple(simple) => match simple.words.first().map(String::as_str) {
                Some("exit" | "return" | "usage") => leaves = true,
                Some("echo" | "printf" | "cat" | "log") => {}
                _ if simple.words.iter().any(|word| word.contains(program)) => return false,
                _ => {}
            },
            Command::Group(items) => leaves |= self::leaves(items, program),
            _ => {}
        }
    }
    leaves
}
