//! What the channels have to do: which command's pages are next on each, and what is left of each command. No net, no
//! time.

use petrio_colours::BlockRequest;
use petrio_persist::Persist;
use petrio_stage::slab::Slab;
use petrio_units::numbers::{as_index, as_number};
use std::collections::VecDeque;

/// Pages of one command on one channel, of which one is worked on at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) struct Part {
    /// The command, by its number among those at work.
    pub(super) command: u32,
    pub(super) channel: u32,
    /// The page that is worked on.
    pub(super) page: u64,
    /// Pages with those behind it.
    pub(super) pages: u64,
    pub(super) is_write: bool,
}

/// The channels of a drive.
#[derive(Clone, Debug, Persist)]
pub(super) struct Channels {
    /// Parts of each channel, the one at work first.
    parts: Vec<VecDeque<Part>>,
    /// Commands of which pages aren't done, and how many these are.
    commands: Slab<(BlockRequest, u64)>,
}

impl Channels {
    pub(super) fn new(channels: u32) -> Self {
        Self { parts: vec![VecDeque::new(); channels as usize], commands: Slab::new() }
    }

    /// Takes a command of so many pages: its number.
    pub(super) fn open(&mut self, request: BlockRequest, pages: u64) -> u32 {
        self.commands.insert((request, pages))
    }

    /// A command at work.
    pub(super) fn command(&self, command: u32) -> Option<&BlockRequest> {
        self.commands.get(command).map(|(request, _)| request)
    }

    /// All pages of a command are to be worked on: so many from the first. `begin` is told of each part whose channel was
    /// idle.
    pub(super) fn accept(
        &mut self,
        (command, is_write): (u32, bool),
        (first, pages): (u64, u64),
        mut begin: impl FnMut(Part),
    ) {
        let channels = self.parts.len() as u64;
        for number in 0..pages.min(channels) {
            let page = first + number;
            let channel = page % channels;
            // Of a run of pages each channel has every so many.
            let pages = (pages - number).div_ceil(channels);
            let part = Part { command, channel: as_number(channel), page, pages, is_write };
            let waiting = &mut self.parts[as_index(channel)];
            waiting.push_back(part);
            if waiting.len() == 1 {
                begin(part);
            }
        }
    }

    /// The page that a part is at is done: what its channel works on next.
    pub(super) fn page_done(&mut self, part: Part) -> Option<Part> {
        let channels = self.parts.len() as u64;
        let waiting = &mut self.parts[part.channel as usize];
        match waiting.front_mut() {
            Some(front) if front.pages > 1 => {
                front.pages -= 1;
                front.page += channels;
            }
            _ => {
                waiting.pop_front();
            }
        }
        waiting.front().copied()
    }

    /// The drive is done with a page of a command: the command, where that was its last.
    pub(super) fn close_page(&mut self, command: u32) -> Option<BlockRequest> {
        let (_, left) = self.commands.get_mut(command)?;
        *left -= 1;
        let is_last = *left == 0;
        if is_last { self.commands.remove(command).map(|(request, _)| request) } else { None }
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
            let mut worked = Vec::new();
            let mut ended = 0;
            for &run in &commands {
                let command = drive.open(BlockRequest::default(), run.1);
                drive.accept((command, false), run, |part| at_work.push_back(part));
                prop_assert!(at_work.len() <= channels as usize);
            }
            while let Some(part) = at_work.pop_front() {
                prop_assert_eq!(part.page % u64::from(channels), u64::from(part.channel));
                worked.push(part.page);
                at_work.extend(drive.page_done(part));
                ended += usize::from(drive.close_page(part.command).is_some());
            }
            let mut wanted: Vec<u64> = commands.iter().flat_map(|&(first, pages)| first..first + pages).collect();
            worked.sort_unstable();
            wanted.sort_unstable();
            prop_assert_eq!(worked, wanted);
            prop_assert_eq!(ended, commands.len());
        }
    }
}
