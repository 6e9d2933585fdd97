//! What the channels have to do: which command's pages are next on each, and what is left of each command. No net, no
//! time.

use crate::slab::Slab;
use petrio_colours::BlockRequest;
use std::collections::VecDeque;

/// Pages of one command on one channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// The command, by its number among those at work.
    command: u32,
    pub(super) channel: u32,
    pub(super) pages: u32,
    pub(super) is_write: bool,
}

/// The channels of a drive.
#[derive(Clone, Debug)]
pub(super) struct Channels {
    /// Parts of each channel, the one at work first.
    parts: Vec<VecDeque<Part>>,
    /// Commands with parts that aren't done, and how many these are.
    commands: Slab<(BlockRequest, u32)>,
}

impl Channels {
    pub(super) fn new(channels: u32) -> Self {
        Self { parts: vec![VecDeque::new(); channels as usize], commands: Slab::new() }
    }

    /// Takes the pages of a command: so many from the first. `begin` is told of each part whose channel was idle.
    pub(super) fn accept(
        &mut self,
        request: BlockRequest,
        (first, pages): (u64, u64),
        is_write: bool,
        mut begin: impl FnMut(Part),
    ) {
        let channels = self.parts.len() as u64;
        let touched = pages.min(channels);
        let command = self.commands.insert((request, touched as u32));
        for number in 0..touched {
            let channel = (first + number) % channels;
            // Of a run of pages each channel has every so many.
            let pages = (pages - number).div_ceil(channels);
            let pages = u32::try_from(pages).unwrap_or(u32::MAX);
            let part = Part { command, channel: channel as u32, pages, is_write };
            let waiting = &mut self.parts[channel as usize];
            waiting.push_back(part);
            if waiting.len() == 1 {
                begin(part);
            }
        }
    }

    /// A part is done: the next one of its channel, and the command where this was its last.
    pub(super) fn done(&mut self, part: Part) -> (Option<Part>, Option<BlockRequest>) {
        let waiting = &mut self.parts[part.channel as usize];
        waiting.pop_front();
        let next = waiting.front().copied();
        let Some((_, left)) = self.commands.get_mut(part.command) else { return (next, None) };
        *left -= 1;
        let is_last = *left == 0;
        let finished = if is_last { self.commands.remove(part.command) } else { None };
        (next, finished.map(|(request, _)| request))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn each_page_is_worked_on_once_and_each_command_ends_once(
            channels in 1u32..9,
            commands in prop::collection::vec((0u64..50, 1u64..40), 1..30),
        ) {
            let mut drive = Channels::new(channels);
            let mut at_work: VecDeque<Part> = VecDeque::new();
            let (mut worked, mut ended) = (0, 0);
            for &run in &commands {
                drive.accept(BlockRequest::default(), run, false, |part| at_work.push_back(part));
                prop_assert!(at_work.len() <= channels as usize);
            }
            while let Some(part) = at_work.pop_front() {
                worked += u64::from(part.pages);
                let (next, finished) = drive.done(part);
                at_work.extend(next);
                ended += usize::from(finished.is_some());
            }
            prop_assert_eq!(worked, commands.iter().map(|run| run.1).sum::<u64>());
            prop_assert_eq!(ended, commands.len());
        }
    }
}
