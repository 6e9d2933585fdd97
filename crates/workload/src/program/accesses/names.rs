//! What is done to the names of files and directories, one after the other (fio's `filecreate`, `dirstat` and their like).

use super::parameters::AccessKind;
use super::run::{AccessProgram, CourseState};
use crate::program::Step;
use petrio_colours::Operation;

impl AccessProgram {
    /// The file or directory of a number, and what is done to it.
    pub(super) fn name(&mut self, number: u32) {
        self.stage = CourseState::Names(number + 1);
        let file = number as usize;
        match self.parameters.operation {
            AccessKind::Create => {
                self.queue.push_back(Step::Operation(self.waited(Operation::Create, file)));
                self.queue.push_back(Step::Operation(self.waited(Operation::Close, file)));
            }
            AccessKind::RemoveDirectory => {
                self.queue.push_back(Step::Operation(self.waited(Operation::Rmdir, file)));
            }
            AccessKind::Stat | AccessKind::StatDirectory => {
                self.queue.push_back(Step::Operation(self.waited(Operation::Stat, file)));
            }
            AccessKind::Remove => self.queue.push_back(Step::Operation(self.waited(Operation::Unlink, file))),
            AccessKind::MakeDirectory => {
                self.queue.push_back(Step::Operation(self.waited(Operation::Mkdir, file)));
            }
            AccessKind::Read | AccessKind::Write | AccessKind::Mixed => {}
        }
    }
}
