//! A drive as it turns in one run.

use crate::disk::drive::Drive;
use crate::disk::spin::Spin;
use petrio_persist::{Damage, Persist, Reader, Writer};
use std::ops::Deref;
use std::sync::Arc;

/// A drive, and how it turns beside others where that was drawn.
#[derive(Clone, Debug)]
pub(super) struct Turning {
    model: Arc<Drive>,
    spin: Option<Spin>,
    drive: Arc<Drive>,
}

impl Turning {
    /// As all of the model.
    pub(super) fn alike(model: &Arc<Drive>) -> Self {
        Self { model: Arc::clone(model), spin: None, drive: Arc::clone(model) }
    }

    /// As it was drawn.
    pub(super) fn beside_others(model: &Arc<Drive>, spin: Spin) -> Self {
        Self { model: Arc::clone(model), spin: Some(spin), drive: Arc::new(model.turning(spin)) }
    }
}

impl Deref for Turning {
    type Target = Drive;

    fn deref(&self) -> &Drive {
        &self.drive
    }
}

/// What is written is how it turns; the drive is the System's.
impl Persist for Turning {
    fn save(&self, to: &mut Writer<'_>) {
        self.spin.save(to);
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        Err(from.not_from_nothing("a drive"))
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), Damage> {
        *self = match Persist::load(from)? {
            None => Self::alike(&self.model),
            Some(spin) => Self::beside_others(&self.model, spin),
        };
        Ok(())
    }
}
