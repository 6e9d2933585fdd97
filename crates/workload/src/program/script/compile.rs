//! From statements to steps: names become numbers, repeats become loops or are unrolled, and what isn't there is an
//! error.

use super::instruction::{Code, Compiled, Instruction};
use super::lengths;
use super::names::{Located, Names, Node, Sort};
use super::parse::ScriptError;
use super::statement::{Action, Position, Script, Statement};
use petrio_colours::Operation;
use petrio_units::Bytes;
use petrio_units::numbers::as_number;

/// Most steps of a script once repeats that leave other names behind are unrolled.
pub const STEPS_MAX: usize = 1 << 20;

/// Compiles a script whose statements but the declarations are repeated `repeat` times. The directories of `places` are
/// there, and lie on file systems of their own.
pub(super) fn compile(script: &Script, repeat: u64, places: &[&str]) -> Result<Compiled, ScriptError> {
    let mut compiler =
        Compiler { names: Names::default(), instructions: Vec::new(), places: as_number(places.len()) };
    for place in places {
        let at = compiler.locate(Position { line: 1, column: 1 }, place, None)?;
        compiler.names.declare(at, true, 0, false);
    }
    let declares =
        |statement: &&Statement| matches!(statement.action, Action::File { .. } | Action::Directory { .. });
    let declared = script.statements.iter().take_while(declares).count();
    let (declarations, rest) = script.statements.split_at(declared);
    for statement in declarations {
        compiler.declare(statement)?;
    }
    let start = Position { line: 1, column: 1 };
    if !rest.iter().any(|statement| statement.action.operates()) {
        return Err(ScriptError::at(start, "the script has no operation in it"));
    }
    // The whole script is no block of its own: `%` stands for the repetitions that the script writes itself.
    compiler.repeat(start, repeat, rest, false)?;
    let compiled = Compiled { instructions: compiler.instructions, entries: compiler.names.into_entries() };
    lengths::check(&compiled)?;
    Ok(compiled)
}

struct Compiler {
    names: Names,
    /// So many of the first files are directories on other file systems.
    places: u32,
    instructions: Vec<Instruction>,
}

/// Whether a block's own statements have `%` in a name.
fn is_numbered(body: &[Statement]) -> bool {
    let numbered = |name: &String| name.contains('%');
    body.iter().any(|statement| match &statement.action {
        Action::OnName { name, .. }
        | Action::Access { name, .. }
        | Action::Append { name, .. }
        | Action::Truncate { name, .. }
        | Action::SetXattr { name, .. }
        | Action::Symlink { name, .. }
        | Action::Allocate { name, .. }
        | Action::SyncRange { name, .. } => numbered(name),
        Action::Rename { name, new } | Action::Link { name, new } => numbered(name) || numbered(new),
        _ => false,
    })
}

impl Compiler {
    fn push(&mut self, position: Position, instruction: Instruction) -> Result<(), ScriptError> {
        if self.instructions.len() >= STEPS_MAX {
            let problem = format!("the script has more than {STEPS_MAX} steps here");
            return Err(ScriptError::at(position, problem).with_help(
                "a repeat is unrolled when it leaves other names behind than it found, or has % in a name; \
                 remove what it makes within it, or repeat it less often",
            ));
        }
        self.instructions.push(instruction);
        Ok(())
    }

    fn declare(&mut self, statement: &Statement) -> Result<(), ScriptError> {
        let (name, is_directory, size, cached) = match &statement.action {
            Action::File { name, size, cached } => (name, false, size.get(), *cached),
            Action::Directory { name } => (name, true, 0, false),
            _ => return Ok(()),
        };
        let position = statement.position;
        if size > i64::MAX as u64 {
            return Err(ScriptError::at(position, "a file can't be longer than 8 EiB"));
        }
        let at = self.locate(position, name, None)?;
        if at.node.is_some() {
            return Err(ScriptError::at(position, format!("there is a \"{name}\" already")));
        }
        self.names.declare(at, is_directory, size, cached);
        Ok(())
    }

    /// A block and how often it is run; its repetitions are `numbered` where it is a repeat of the script.
    fn repeat(
        &mut self,
        position: Position,
        count: u64,
        body: &[Statement],
        numbered: bool,
    ) -> Result<(), ScriptError> {
        let number = |iteration: u64| numbered.then_some(iteration);
        if count == 1 || numbered && is_numbered(body) {
            return (1..=count).try_for_each(|iteration| self.block(body, number(iteration)));
        }
        let (head, mark) = (self.instructions.len(), self.names.mark());
        self.push(position, Instruction::Repeat { count, end: 0 })?;
        self.block(body, number(1))?;
        let is_loop = self.names.as_at(mark);
        let end = as_number(self.instructions.len());
        self.instructions[head] = Instruction::Repeat { count: if is_loop { count } else { 1 }, end };
        if is_loop {
            return Ok(());
        }
        (2..=count).try_for_each(|iteration| self.block(body, number(iteration)))
    }

    fn block(&mut self, body: &[Statement], number: Option<u64>) -> Result<(), ScriptError> {
        body.iter().try_for_each(|statement| self.statement(statement, number))
    }

    fn locate(&self, position: Position, name: &str, number: Option<u64>) -> Result<Located, ScriptError> {
        let refuse = |problem| Err(ScriptError::at(position, problem));
        let located = match (name.contains('%'), number) {
            (false, _) => self.names.locate(name),
            (true, Some(number)) => self.names.locate(&name.replace('%', &number.to_string())),
            (true, None) => {
                return refuse("% is the number of the repetition, and nothing is repeated here".into());
            }
        };
        located.or_else(refuse)
    }

    /// A file or directory that is there.
    fn there(
        &self,
        position: Position,
        name: &str,
        number: Option<u64>,
    ) -> Result<(Located, Node), ScriptError> {
        let at = self.locate(position, name, number)?;
        match at.node {
            Some(node) => Ok((at, node)),
            None => Err(ScriptError::at(position, format!("there is no \"{name}\" here"))
                .with_help(format!("say `file {name} 4 KiB` at the beginning, or `create {name}` before"))),
        }
    }

    fn file(
        &self,
        position: Position,
        name: &str,
        number: Option<u64>,
    ) -> Result<(Located, Node), ScriptError> {
        match self.there(position, name, number)? {
            (_, node) if node.is_directory => {
                Err(ScriptError::at(position, format!("\"{name}\" is a directory; a file is needed")))
            }
            (_, node) if node.sort == Sort::Symlink => Err(ScriptError::at(
                position,
                format!("\"{name}\" is a symbolic link, which isn't followed here; name the file"),
            )),
            found => Ok(found),
        }
    }

    fn statement(&mut self, statement: &Statement, number: Option<u64>) -> Result<(), ScriptError> {
        let position = statement.position;
        let refuse = |problem: &str| Err(ScriptError::at(position, problem));
        let instruction = match &statement.action {
            Action::File { .. } | Action::Directory { .. } => {
                return refuse("declarations of files and directories stand before all other statements");
            }
            Action::Repeat { count, body } => return self.repeat(position, *count, body, true),
            Action::Think(time) => Instruction::Think(time.time()),
            Action::ThinkAbout(mean) => Instruction::ThinkAbout(mean.time()),
            Action::Compute(time) => {
                let length = time.time().as_picos();
                Instruction::Operation(Code { operation: Operation::Compute, length, ..Code::default() })
            }
            Action::Barrier => Instruction::Barrier,
            Action::Phase(phase) => Instruction::Phase(*phase),
            Action::Sync => Instruction::Operation(Code { operation: Operation::Sync, ..Code::default() }),
            Action::OnName { operation, name } => {
                Instruction::Operation(self.on_name(position, *operation, name, number)?)
            }
            Action::Access { operation, name, offset, length, flags } => {
                let code = self.range(position, *operation, name, (*offset, *length), number)?;
                if code.operation == Operation::Read && (flags.sync || flags.data_sync) {
                    return refuse("a read has nothing that could be made durable (sync, data-sync)");
                }
                Instruction::Operation(Code { flags: *flags, ..code })
            }
            Action::Append { name, length, flags } => {
                let (_, node) = self.file(position, name, number)?;
                Instruction::Append { file: node.file, length: length.get(), flags: *flags }
            }
            Action::Truncate { name, length } => {
                let (_, node) = self.file(position, name, number)?;
                if length.get() > i64::MAX as u64 {
                    return refuse("a file can't be longer than 8 EiB");
                }
                let (operation, file, length) = (Operation::Truncate, node.file, length.get());
                Instruction::Operation(Code { operation, file, length, ..Code::default() })
            }
            Action::Rename { name, new } => Instruction::Operation(self.rename(position, name, new, number)?),
            Action::Link { name, new } => Instruction::Operation(self.link(position, name, new, number)?),
            Action::Symlink { target, name } => {
                let code = self.on_name(position, Operation::Symlink, name, number)?;
                Instruction::Operation(Code { length: target.len() as u64, ..code })
            }
            Action::SetXattr { name, length } => {
                let (_, node) = self.there(position, name, number)?;
                let (operation, file, length) = (Operation::SetXattr, node.file, length.get());
                Instruction::Operation(Code { operation, file, length, ..Code::default() })
            }
            Action::Allocate { name, offset, length, mode } => {
                let code = self.range(position, Operation::Allocate, name, (*offset, *length), number)?;
                if code.length == 0 {
                    return refuse("a range of no bytes gets no blocks; say how long it is");
                }
                Instruction::Operation(Code { fallocate: *mode, ..code })
            }
            Action::SyncRange { name, offset, length } => {
                let code = self.range(position, Operation::SyncRange, name, (*offset, *length), number)?;
                Instruction::Operation(code)
            }
        };
        self.push(position, instruction)
    }

    /// An operation on some of a file.
    fn range(
        &self,
        position: Position,
        operation: Operation,
        name: &str,
        (offset, length): (Bytes, Bytes),
        number: Option<u64>,
    ) -> Result<Code, ScriptError> {
        let file = self.file(position, name, number)?.1.file;
        let (offset, length) = (offset.get(), length.get());
        if offset.checked_add(length).is_none_or(|end| end > i64::MAX as u64) {
            return Err(ScriptError::at(position, "the access reaches beyond 8 EiB"));
        }
        Ok(Code { operation, position, file, offset, length, ..Code::default() })
    }

    fn on_name(
        &mut self,
        position: Position,
        operation: Operation,
        name: &str,
        number: Option<u64>,
    ) -> Result<Code, ScriptError> {
        let refuse = |problem: String| Err(ScriptError::at(position, problem));
        let code = |file, parent| Code { operation, file, parent, ..Code::default() };
        match operation {
            Operation::Create | Operation::Mkdir | Operation::Symlink | Operation::Tmpfile => {
                let at = self.locate(position, name, number)?;
                if at.node.is_some() {
                    return refuse(format!("there is a \"{name}\" already"));
                }
                let parent = at.parent;
                let sort = match operation {
                    Operation::Symlink => Sort::Symlink,
                    Operation::Tmpfile => Sort::Handle,
                    _ => Sort::Plain,
                };
                Ok(code(self.names.make(at, operation == Operation::Mkdir, sort), parent))
            }
            Operation::Unlink => {
                let (at, node) = self.there(position, name, number)?;
                if node.sort == Sort::Handle {
                    return refuse(format!(
                        "\"{name}\" is a file without a name, and goes when it is closed"
                    ));
                }
                if node.is_directory {
                    return refuse(format!("\"{name}\" is a directory; rmdir removes it"));
                }
                let parent = at.parent;
                self.names.remove(at, node);
                Ok(code(node.file, parent))
            }
            Operation::Close => {
                let (at, node) = self.file(position, name, number)?;
                if node.sort == Sort::Handle {
                    self.names.remove(at, node);
                }
                Ok(code(node.file, 0))
            }
            Operation::Rmdir | Operation::Readdir => {
                let (at, node) = self.there(position, name, number)?;
                if !node.is_directory {
                    return refuse(format!("\"{name}\" is a file; a directory is needed"));
                }
                let parent = at.parent;
                if operation == Operation::Rmdir {
                    if node.file == 0 {
                        return refuse("the directory in which the script runs can't be removed".into());
                    }
                    if node.file <= self.places {
                        return refuse(format!(
                            "\"{name}\" is where another file system begins, and can't be removed"
                        ));
                    }
                    if !self.names.is_empty(node.file) {
                        return refuse(format!("the directory \"{name}\" isn't empty"));
                    }
                    self.names.remove(at, node);
                }
                Ok(code(node.file, parent))
            }
            Operation::Open => Ok(code(self.file(position, name, number)?.1.file, 0)),
            _ => Ok(code(self.there(position, name, number)?.1.file, 0)),
        }
    }

    /// One more name of a file, or the first of one that has none.
    fn link(
        &mut self,
        position: Position,
        name: &str,
        new: &str,
        number: Option<u64>,
    ) -> Result<Code, ScriptError> {
        let (from, node) = self.file(position, name, number)?;
        let to = self.locate(position, new, number)?;
        let refuse = |problem: String| Err(ScriptError::at(position, problem));
        if to.node.is_some() {
            return refuse(format!("there is a \"{new}\" already"));
        }
        let place = |file: u32| self.names.top(file).filter(|top| *top <= self.places);
        if place(from.parent) != place(to.parent) {
            return refuse(format!("\"{name}\" and \"{new}\" lie on different file systems: copy it"));
        }
        let code = Code { operation: Operation::Link, file: node.file, parent: to.parent, ..Code::default() };
        self.names.link(to, node);
        Ok(code)
    }

    fn rename(
        &mut self,
        position: Position,
        name: &str,
        new: &str,
        number: Option<u64>,
    ) -> Result<Code, ScriptError> {
        let refuse = |problem: String| Err(ScriptError::at(position, problem));
        let (from, node) = self.there(position, name, number)?;
        let to = self.locate(position, new, number)?;
        let place = |file: u32| self.names.top(file).filter(|top| *top <= self.places);
        if place(node.file) == Some(node.file) {
            return refuse(format!("\"{name}\" is where another file system begins, and can't be renamed"));
        }
        if place(node.file) != place(to.parent) {
            return refuse(format!(
                "\"{name}\" and \"{new}\" lie on different file systems: copy it, and remove it"
            ));
        }
        if node.sort == Sort::Handle {
            return refuse(format!("\"{name}\" is a file without a name: link gives it one"));
        }
        if node.file == 0 || to.node.is_some_and(|there| there.file == 0) {
            return refuse("the directory in which the script runs can't be renamed".into());
        }
        match to.node {
            Some(there) if there.file == node.file => {
                return refuse(format!("\"{name}\" and \"{new}\" are the same"));
            }
            Some(there) if there.is_directory != node.is_directory => {
                return refuse(format!("one of \"{name}\" and \"{new}\" is a directory, the other a file"));
            }
            Some(there) if there.is_directory && !self.names.is_empty(there.file) => {
                return refuse(format!("the directory \"{new}\" isn't empty"));
            }
            _ => {}
        }
        if node.is_directory && self.names.holds(node.file, to.parent) {
            return refuse(format!("\"{new}\" lies within \"{name}\""));
        }
        let code = Code {
            operation: Operation::Rename,
            file: node.file,
            parent: to.parent,
            replaced: to.node.map(|there| there.file),
            ..Code::default()
        };
        self.names.rename(from, to, node);
        Ok(code)
    }
}
