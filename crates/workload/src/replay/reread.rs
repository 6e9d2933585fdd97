//! Records that are read again to where they were.

use petrio_persist::{Damage, Persist, Reader, Writer};

/// An iterator of which it is counted what it gave: another one over the same goes on from there.
pub(super) struct Reread<R> {
    pub(super) records: R,
    given: u64,
}

impl<R> Reread<R> {
    pub(super) const fn new(records: R) -> Self {
        Self { records, given: 0 }
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
    }

    fn load(from: &mut Reader<'_>) -> Result<Self, Damage> {
        Err(from.not_from_nothing("a trace"))
    }

    fn restore(&mut self, from: &mut Reader<'_>) -> Result<(), Damage> {
        let given = u64::load(from)?;
        while self.given < given {
            if self.next().is_none() {
                let found = format!("one of {}", self.given);
                return Err(Damage::Value { what: "a trace of as many records as were read of it", found });
            }
        }
        Ok(())
    }
}
