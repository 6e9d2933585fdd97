//! A command on its way through the drive.

use crate::disk::drive::{Begun, Class, Demand};
use petrio_colours::{BlockRequest, Cause, Direction};
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_units::numbers::as_number;
use std::ops::{Deref, DerefMut};

/// A command as a token: its sheet lies apart, because it passes a dozen places, each of which moves its tokens.
#[derive(Clone, Debug, Persist)]
pub(super) struct Command(Box<Sheet>);

impl Deref for Command {
    type Target = Sheet;

    fn deref(&self) -> &Sheet {
        &self.0
    }
}

impl DerefMut for Command {
    fn deref_mut(&mut self) -> &mut Sheet {
        &mut self.0
    }
}

/// A sheet of a command that is done, if there is one. It is written anew, so that a drive at work allocates nothing.
fn written(spare: Option<Command>, sheet: Sheet) -> Command {
    match spare {
        Some(mut command) => {
            *command = sheet;
            command
        }
        None => Command(Box::new(sheet)),
    }
}

/// The controller is free. With it goes the sheet of the command that it was done with last.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct Controller(Option<Command>);

impl Controller {
    /// It begins a command.
    pub(super) fn begin(self, sheet: Sheet) -> Command {
        written(self.0, sheet)
    }

    /// It is done with a command.
    pub(super) fn after(command: Command) -> Self {
        Self(Some(command))
    }
}

/// Sheets of the arm's own copies of commands, and of what it writes by itself.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct SpareSheets(Vec<Command>);

impl SpareSheets {
    /// A new command.
    pub(super) fn command(&mut self, sheet: Sheet) -> Command {
        written(self.0.pop(), sheet)
    }

    /// The same command once more.
    pub(super) fn copy(&mut self, command: &Command) -> Command {
        self.command(Sheet::clone(command))
    }

    /// A command is done.
    pub(super) fn take_back(&mut self, command: Command) {
        self.0.push(command);
    }
}

/// A request, what the drive has found out about it, and up to when its time is accounted for.
#[derive(Clone, Debug, Persist)]
pub(super) struct Sheet {
    pub(super) request: BlockRequest,
    pub(super) demand: Demand,
    /// `None` for a flush, which has no data, and for the writing of what was held, which nobody asked for.
    pub(super) begun: Option<Begun>,
    /// When the controller began it.
    pub(super) began: Time,
    /// When the arm was granted.
    pub(super) granted: Time,
    /// When its first sector starts under the head, as the platter turns.
    pub(super) starts: Time,
    /// How long it takes until the last block of a read has passed the bus, too, once all have passed the head.
    pub(super) bus_rest: Time,
    /// Since when it has had a bus that others use, too.
    pub(super) bus_had: Time,
    /// Blocks of a write that the cache holds already, of one that it takes in piece by piece.
    pub(super) taken: u64,
    /// Up to when its time is charged.
    pub(super) charged: Time,
    /// The arm visits cylinder 0 before.
    pub(super) via_zero: bool,
    /// The controller takes it in while another waits for the arm.
    pub(super) beside: bool,
}

/// A write's part of [`Class`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Store {
    /// Completion is reported when the data are in the cache.
    pub(super) reported: bool,
    /// It continues data that are on their way to the medium.
    pub(super) continues: bool,
    /// The drive lets go of the bus once more before the data move.
    pub(super) early_disconnect: bool,
    /// The segment that holds the data.
    pub(super) segment: usize,
}

impl Sheet {
    /// The writing of a run that was held. Its ledger is nobody's: those who wrote have been told long ago.
    pub(super) fn of_held(run: Demand, now: Time) -> Self {
        let request = BlockRequest {
            direction: Direction::Write,
            address: run.block,
            blocks: as_number(run.blocks),
            issued: now,
            ..BlockRequest::default()
        };
        Self {
            request,
            demand: run,
            begun: None,
            began: now,
            granted: now,
            starts: now,
            bus_rest: Time::ZERO,
            bus_had: now,
            taken: 0,
            charged: now,
            via_zero: false,
            beside: false,
        }
    }

    /// Whether it writes what was held.
    pub(super) fn is_of_held(&self) -> bool {
        self.begun.is_none() && self.demand.write
    }

    /// Whether the controller leaves it to the arm when its data are there, and goes on with others meanwhile, in a drive
    /// that takes several commands.
    pub(super) fn is_left_to_arm(&self, several: bool) -> bool {
        several && self.store().is_some_and(|store| !store.reported)
    }

    /// Charges what has passed since the last charge.
    pub(super) fn charge(&mut self, cause: Cause, now: Time) {
        self.request.ledger.charge(cause, now - self.charged);
        self.charged = now;
    }

    /// What kind of write it is, if it is one.
    pub(super) fn store(&self) -> Option<Store> {
        match self.begun?.class {
            Class::Store { reported, continues, early_disconnect, segment } => {
                Some(Store { reported, continues, early_disconnect, segment })
            }
            _ => None,
        }
    }

    /// Whether it reads from the medium.
    pub(super) fn is_fetch(&self) -> bool {
        matches!(self.begun, Some(Begun { class: Class::Fetch { .. }, .. }))
    }

    /// The first block that must come from or go to the medium.
    pub(super) fn from(&self) -> u64 {
        match self.begun {
            Some(Begun { class: Class::Fetch { from, .. }, .. }) => from,
            _ => self.demand.block,
        }
    }

    /// When the bus can first move its data. A write's data wait for the arm, unless they continue what is in the cache.
    pub(super) fn bus_start(&self) -> Time {
        let Some(begun) = self.begun else { return self.began };
        match self.store() {
            None => self.began + begun.bus_start,
            Some(Store { continues: true, .. }) => self.began + begun.bus_start,
            Some(_) => self.granted + (begun.bus_start - begun.overhead),
        }
    }
}
