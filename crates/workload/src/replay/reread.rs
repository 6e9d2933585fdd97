//! Records that go on from where they were: by what they wrote of that, or read again from their beginning.

use petrio_persist::{Damage, Persist, Reader, Writer};

/// An iterator of which it is counted what it gave: another one over the same goes on from there.
pub(super) struct Reread<R> {
    pub(super) records: R,
    given: u64,
    /// How those are written and restored that know themselves where they are.
    place: Option<(Save<R>, Restore<R>)>,
}

type Save<R> = fn(&R, &mut Writer<'_>);
type Restore<R> = fn(&mut R, &mut Reader<'_>) -> Result<(), Damage>;

impl<R> Reread<R> {
    pub(super) const fn new(records: R) -> Self {
        Self { records, given: 0, place: None }
    }
}

impl<R: Persist> Reread<R> {
    /// The same, not read again.
    pub(super) fn by_place(self) -> Self {
        Self { place: Some((R::save, R::restore)), ..self }
    }
}

impl<R: Iterator> Iterator for Reread<R> {
    type Item = R::Item;

    fn next(&mut self) -> Option<R::Item> {
        let next = self.records.next();
        self.given += u64::from(next.is_some());
        next
    }
}

impl<R: Iterator> Persist for Reread<R> {
    fn save(&self, to: &mut Writer<'_>) {
        self.given.save(to);
        if let Some((save, _)) = self.place {
            save(&self.records, to);
        }
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        Err(from.not_from_nothing("a trace"))
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), Damage> {
        let given = u64::load(from)?;
        if let Some((_, restore)) = self.place {
            self.given = given;
            return restore(&mut self.records, from);
        }
        while self.given < given {
            if self.next().is_none() {
                let found = format!("one of {}", self.given);
                return Err(Damage::Value { what: "a trace of as many records as were read of it", found });
            }
        }
        Ok(())
    }
}
