//! Where a run goes on from, and where it is put aside.

use crate::build::System;
use crate::loaded::Loaded;
use crate::run::RunFailure;
use crate::run::execute::RunPlan;
use crate::state::SavedRun;
use petrio_engine::{Engine, EngineError};
use petrio_persist::{Persist, SharedParts, Writer};
use petrio_random::fnv1a;
use std::sync::OnceLock;

/// What a System is like before anything has happened in it, but for its speeds: a state of one fits another that is like it.
pub(super) fn likeness(system: &System, seed: u64) -> Result<u64, RunFailure> {
    Ok(fnv1a(Engine::new(&system.driven, seed, 0).save()?))
}

/// The states of a run that is about to begin.
pub(super) struct Aside<'a> {
    from: Option<&'a SavedRun>,
    saves: Option<&'a OnceLock<SavedRun>>,
    /// What all of them share; of a run without any, nothing.
    known: SharedParts,
}

impl<'a> Aside<'a> {
    /// Of an engine and its load, neither of which has done anything.
    pub(super) fn of(RunPlan { from, saves, .. }: RunPlan<'a>, engine: &Engine, load: &impl Persist) -> Self {
        let known = match (from, saves) {
            (None, None) => SharedParts::default(),
            _ => SharedParts::of_all(|to| save(engine, load, to)).with(engine.system().net.kinds()),
        };
        Self { from, saves, known }
    }

    /// Brings both to where the run goes on from, if it does, with the random numbers of a seed and replication.
    pub(super) fn go_on(
        &self,
        engine: &mut Engine,
        load: &mut impl Persist,
        drawn: (u64, u64),
    ) -> Result<(), RunFailure> {
        let Some(from) = self.from else { return Ok(()) };
        let mut reader = from.reader(&self.known, drawn);
        engine.resume_from(&mut reader)?;
        Ok(load.restore(&mut reader).and_then(|()| reader.end()).map_err(EngineError::from)?)
    }

    /// Puts both aside, where that is wanted.
    pub(super) fn put(
        &self,
        (loaded, system): (&Loaded, &System),
        engine: &Engine,
        load: &impl Persist,
    ) -> Result<(), RunFailure> {
        let Some(saves) = self.saves else { return Ok(()) };
        let mut to = Writer::new(&self.known);
        save(engine, load, &mut to);
        let bytes = to.finish().map_err(EngineError::from)?;
        let like = likeness(system, loaded.scenario.seed)?;
        saves.get_or_init(|| SavedRun::new(loaded, (engine.now(), like), bytes));
        Ok(())
    }
}

fn save(engine: &Engine, load: &impl Persist, to: &mut Writer<'_>) {
    engine.save_to(to);
    load.save(to);
}
