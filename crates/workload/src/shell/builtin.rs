//! What a shell does itself, and commands whose output is known from their words.

use super::run::{Flow, ROUNDS_MAX, Shell};
use super::test::{UNKNOWN, test};
use super::tokens::is_name;

impl Shell<'_> {
    /// What the shell does itself, and what prints something that is known.
    pub(super) fn builtin(&mut self, words: &[String], input: Option<&str>) -> bool {
        let name = words[0].as_str();
        let rest = &words[1..];
        let mut status = Some(true);
        match name {
            "exit" => self.flow = Flow::Exit,
            "return" => self.flow = Flow::Return,
            "break" => self.flow = Flow::Break,
            "continue" => self.flow = Flow::Continue,
            ":" | "true" | "set" | "sleep" | "sync" | "unset" => {}
            "false" => status = Some(false),
            "wait" => self.beside = false,
            "let" => {
                let value = rest.iter().map(|sum| self.sum(sum)).last().flatten();
                status = value.map(|value| value != 0);
            }
            "[" | "[[" | "test" => status = test(words),
            _ if words.last().is_some_and(|last| last == "]]") => status = test(words),
            "shift" => {
                let count = rest.first().and_then(|count| count.parse().ok()).unwrap_or(1_usize);
                if let Some(arguments) = &mut self.arguments {
                    arguments.drain(..count.min(arguments.len()));
                }
            }
            _ if declares(name) => {}
            "eval" => {
                let text = rest.join(" ");
                self.within(&text);
                return true;
            }
            // In a Makefile: NAME = value.
            _ if rest.len() > 1 && matches!(rest[0].as_str(), "=" | ":=" | "?=") && is_name(name) => {
                self.set(name, vec![rest[1..].join(" ")]);
            }
            "echo" | "printf" | "cat" | "seq" | "nproc" | "basename" | "dirname" => {
                self.print(name, rest, input);
            }
            _ => return false,
        }
        self.status = status;
        true
    }

    fn print(&mut self, name: &str, rest: &[String], input: Option<&str>) {
        let text = match name {
            "echo" | "printf" => {
                let shown =
                    rest.iter().skip_while(|word| matches!(word.as_str(), "-n" | "-e" | "-en" | "-ne"));
                let text = shown.cloned().collect::<Vec<_>>().join(" ");
                let is_plain = name == "echo" || !text.contains('%');
                is_plain.then(|| format!("{}\n", text.replace("\\n", "\n")))
            }
            "cat" => match rest {
                [] => input.map(str::to_owned),
                _ if rest[0] == "-" => input.map(str::to_owned),
                files => files.iter().map(|file| self.script.files.get(file).cloned()).collect(),
            },
            "seq" => {
                let numbers: Option<Vec<i64>> = rest.iter().map(|word| word.parse().ok()).collect();
                let lines = match numbers.as_deref() {
                    Some([to]) => Some(sequence(1, 1, *to)),
                    Some([from, to]) => Some(sequence(*from, 1, *to)),
                    Some([from, step, to]) => Some(sequence(*from, *step, *to)),
                    _ => None,
                };
                lines.map(|lines| lines.join("\n"))
            }
            "nproc" => {
                self.script.asks_for_processors.push(self.line);
                Some(self.around.processors.to_string())
            }
            _ => rest.first().filter(|path| !path.contains(UNKNOWN)).map(|path| {
                let (folder, own) = path.rsplit_once('/').unwrap_or((".", path));
                if name == "basename" { own.to_owned() } else { folder.to_owned() }
            }),
        };
        self.spend(text.as_ref().map_or(0, String::len));
        if let Some(printed) = &mut self.printed {
            *printed = printed.take().zip(text).map(|(before, text)| before + &text);
        }
    }
}

/// The numbers from one to another, as texts.
pub(super) fn sequence(from: i64, step: i64, to: i64) -> Vec<String> {
    let (mut found, mut number) = (Vec::new(), from);
    while step != 0
        && (step > 0 && number <= to || step < 0 && number >= to)
        && found.len() < ROUNDS_MAX as usize
    {
        found.push(number.to_string());
        number = number.saturating_add(step);
    }
    found
}

/// Whether a command declares variables.
pub(super) fn declares(name: &str) -> bool {
    matches!(name, "export" | "local" | "declare" | "readonly" | "typeset")
}
