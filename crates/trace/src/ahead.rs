//! A trace of which the next record is known already, by which the place is found again up to which another run had read.
//!
//! ```text
//!  whole   │ first │ … read … │ next │ …        begins with the same record: on to where the next one was
//!  rest                 │ … │ next │ …          begins with the next one, or with one shortly before
//! ```
//!
//! What is left of a trace keeps its clock, or begins with the next record at time zero. Of a format whose records can't be read without
//! those before (the steps of a request, say) there is no rest: it is read again from its beginning.

use super::error::TraceError;
use super::reader::{Parsed, Place, Reader};
use petrio_persist::{self as persist, Damage, Persist, Writer};
use petrio_time::Time;
use std::cmp::Ordering;

/// A trace and its next record.
pub(super) struct Ahead<R: Parsed> {
    pub(super) reader: Reader<R>,
    /// By how much its times are moved.
    shift: Time,
    pub(super) next: Option<R>,
    /// The first one.
    first: Option<R>,
    /// How many before the next one have its time.
    ties: u64,
}

/// Where one stood.
#[derive(Persist)]
struct Stood<R> {
    first: Option<R>,
    next: Option<R>,
    /// The clocks of both, and the one that is time zero.
    clocks: (u128, u128, u128),
    shift: Time,
    ties: u64,
    /// How many records were read, the next among them, and where that begins.
    read: u64,
    place: Place,
    /// Whether what follows can be read without them.
    alone: bool,
}

impl<R: Parsed> Ahead<R> {
    /// With the first record read.
    pub(super) fn new(reader: Reader<R>, shift: Time) -> Result<Self, TraceError> {
        let mut ahead = Self { reader, shift, next: None, first: None, ties: 0 };
        ahead.advance()?;
        ahead.first.clone_from(&ahead.next);
        ahead.ties = 0;
        Ok(ahead)
    }

    /// Reads the next record; its time.
    pub(super) fn advance(&mut self) -> Result<Option<Time>, TraceError> {
        let before = self.reader.clocks().1;
        self.next = self.reader.next().transpose()?.map(|record| {
            let time = record.time().saturating_add(self.shift);
            record.at(time)
        });
        self.ties = if before == self.reader.clocks().1 { self.ties + 1 } else { 0 };
        Ok(self.next.as_ref().map(R::time))
    }

    fn stood(&self) -> Stood<R> {
        let (read, place) = self.reader.place();
        Stood {
            first: self.first.clone(),
            next: self.next.clone(),
            clocks: self.reader.clocks(),
            shift: self.shift,
            ties: self.ties,
            read,
            place,
            alone: self.reader.stands_alone(),
        }
    }

    /// Of the whole trace: on to where it stood.
    fn go_on(&mut self, stood: &Stood<R>, from: &mut persist::Reader<'_>) -> Result<(), Damage> {
        let (_, clock, zero) = stood.clocks;
        self.reader.set_origin(zero);
        self.shift = stood.shift;
        let Some(next) = stood.next.clone() else {
            self.next = None;
            return Ok(());
        };
        if stood.read > 1 {
            if stood.alone {
                self.reader.go_to(stood.place).map_err(|error| unread(&error))?;
                self.reader.restore(from)?;
                self.advance().map_err(|error| unread(&error))?;
            } else {
                while self.reader.place().0 < stood.read && self.next.is_some() {
                    self.advance().map_err(|error| unread(&error))?;
                }
            }
        } else if stood.alone {
            self.reader.restore(from)?;
        }
        let is_next = self.next.clone().map(R::unnumbered) == Some(next.clone().unnumbered());
        if self.reader.clocks().1 != clock || !is_next {
            return Err(self.other(stood.read, "begins as the one that was read and goes on otherwise"));
        }
        (self.next, self.ties) = (Some(next), stood.ties);
        Ok(())
    }

    /// Of what is left of it: on to the next record.
    fn begin_rest(&mut self, stood: &Stood<R>, from: &mut persist::Reader<'_>) -> Result<(), Damage> {
        let (_, clock, zero) = stood.clocks;
        let Some(next) = stood.next.clone().filter(|_| stood.alone) else {
            let how = "isn't the one that was read; of one that was read to its end, and of this format, the whole is needed";
            return Err(self.other(stood.read, how));
        };
        let wanted = next.clone().unnumbered();
        let is_next = |ahead: &Self| ahead.next.clone().map(R::unnumbered).as_ref() == Some(&wanted);
        if self.reader.clocks().1 == 0 && clock > 0 && is_next(self) {
            self.reader.set_origin(0);
            self.shift = next.time();
        } else {
            // Those before it that have its time may be like it.
            let mut ties = 0;
            let mut is_from_before = false;
            loop {
                match self.next.as_ref().map(|_| self.reader.clocks().1.cmp(&clock)) {
                    Some(Ordering::Less) => is_from_before = true,
                    Some(Ordering::Equal) if (!is_from_before || ties == stood.ties) && is_next(self) => {
                        break;
                    }
                    Some(Ordering::Equal) if ties < stood.ties => ties += 1,
                    _ => {
                        let how = "is neither the one that was read nor what is left of it";
                        return Err(self.other(stood.read, how));
                    }
                }
                self.advance().map_err(|error| unread(&error))?;
            }
            self.reader.set_origin(zero);
            self.shift = stood.shift;
        }
        self.reader.restore(from)?;
        (self.next, self.ties) = (Some(next), stood.ties);
        Ok(())
    }

    /// Of `read` records the last one is the next.
    fn other(&self, read: u64, how: &str) -> Damage {
        let (name, before) = (self.reader.name(), read.saturating_sub(1));
        Damage::Input(format!("the trace {name} {how}: {before} of its records are over"))
    }
}

fn unread(error: &TraceError) -> Damage {
    Damage::Input(error.to_string())
}

impl<R: Parsed> Persist for Ahead<R> {
    fn save(&self, to: &mut Writer<'_>) {
        let stood = self.stood();
        stood.save(to);
        if stood.alone && stood.next.is_some() {
            self.reader.save(to);
        }
    }

    fn load(from: &mut persist::Reader<'_>) -> Result<Self, Damage> {
        Err(from.not_from_nothing("a trace"))
    }

    fn restore(&mut self, from: &mut persist::Reader<'_>) -> Result<(), Damage> {
        let stood = Stood::<R>::load(from)?;
        let begins = |first: &Option<R>| first.clone().map(R::unnumbered);
        let is_whole =
            begins(&self.first) == begins(&stood.first) && self.reader.clocks().0 == stood.clocks.0;
        if is_whole { self.go_on(&stood, from) } else { self.begin_rest(&stood, from) }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::event::Event;
    use crate::write::{OutputFormat, TraceWriter};
    use crate::{
        Alignment, DeviceMap, EventReader, FormatName, MergedRecord, MergedTraces, OneTrace, TraceOptions,
        TraceReader,
    };
    use petrio_files::inputs::Inputs;
    use petrio_persist::{Damage, Persist, Reader, SharedParts, Writer};
    use std::io::Cursor;

    const RECORDS: u64 = 40;

    /// What stands before the records of a format, and the record of a number, at its time or so many milliseconds earlier.
    type Text = (FormatName, &'static str, fn(u64, u64) -> String);

    /// Two of the same time follow each other.
    fn millis(number: u64) -> u64 {
        7 + number / 2 * 13
    }

    const TEXTS: [Text; 4] = [
        (FormatName::DisksimAscii, "", |number, less| {
            format!("{}.0 0 {} 8 1\n", millis(number) - less, number % 3 * 8)
        }),
        (FormatName::Petrio, "time_ms,operation,address_blocks,length_blocks\n", |number, less| {
            format!("{},R,{},16\n", millis(number) - less, number * 64)
        }),
        // Hosts are numbered as they show up.
        (FormatName::Msr, "", |number, less| {
            let ticks = (millis(number) - less) * 10_000 + 128_166_372_000_000_000;
            format!("{ticks},host{},{},Read,{},4096,100\n", number / 9, number % 2, number * 4096)
        }),
        // So are devices by their major and minor numbers.
        (FormatName::Fiu, "", |number, less| {
            let nanos = (millis(number) - less) * 1_000_000;
            format!("{nanos} {} cp {} 8 W 8 {} 0\n", 100 + number % 3, number * 8, 16 * (number / 10))
        }),
    ];

    fn options(format: Text) -> TraceOptions {
        TraceOptions { format: Some(format.0), ..TraceOptions::default() }
    }

    fn text((_, head, line): Text, from: u64, less: u64) -> String {
        head.to_owned() + &(from..RECORDS).map(|number| line(number, less)).collect::<String>()
    }

    fn merged(texts: &[(Text, u64, u64)]) -> MergedTraces {
        let open = |&(format, from, less): &(Text, u64, u64)| {
            let source = Cursor::new(text(format, from, less).into_bytes());
            (TraceReader::from_reader("trace", source, &options(format)).unwrap(), DeviceMap::Same)
        };
        MergedTraces::new(texts.iter().map(open).collect(), Alignment::Each).unwrap()
    }

    /// What is written of one from which so many were read.
    fn stood<T>(
        trace: &mut (impl Iterator<Item = Result<T, crate::TraceError>> + Persist),
        read: u64,
    ) -> Vec<u8> {
        let known = SharedParts::default();
        trace.take(read as usize).for_each(|record| drop(record.unwrap()));
        let mut to = Writer::new(&known);
        trace.save(&mut to);
        to.finish().unwrap()
    }

    /// What another one gives that goes on from there.
    fn goes_on<T>(
        mut trace: impl Iterator<Item = Result<T, crate::TraceError>> + Persist,
        stood: &[u8],
    ) -> Result<Vec<T>, Damage> {
        let known = SharedParts::default();
        let mut from = Reader::new(&known, stood);
        trace.restore(&mut from)?;
        from.end()?;
        Ok(trace.map(Result::unwrap).collect())
    }

    #[test]
    fn the_whole_and_each_rest_go_on_alike_and_what_lacks_a_record_is_refused() {
        for format in TEXTS {
            let whole = || merged(&[(format, 0, 0)]);
            let all: Vec<MergedRecord> = whole().map(Result::unwrap).collect();
            for read in [0, 1, 2, 17, 18, RECORDS - 1] {
                let stood = stood(&mut whole(), read);
                for cut in 0..=read {
                    let rest = goes_on(merged(&[(format, cut, 0)]), &stood);
                    assert_eq!(
                        rest.unwrap(),
                        all[read as usize..],
                        "{} up to {read}, cut at {cut}",
                        format.0
                    );
                }
                if (1..RECORDS - 3).contains(&read) {
                    let lacks = goes_on(merged(&[(format, read + 3, 0)]), &stood).unwrap_err();
                    assert!(lacks.to_string().contains("is neither"), "{lacks}");
                }
            }
        }
    }

    #[test]
    fn a_rest_may_begin_at_time_zero() {
        let (read, format) = (18, TEXTS[1]);
        let whole = || merged(&[(format, 0, 0)]);
        let stood = stood(&mut whole(), read);
        let rest = goes_on(merged(&[(format, read, millis(read))]), &stood).unwrap();
        let all: Vec<MergedRecord> = whole().map(Result::unwrap).collect();
        assert_eq!(rest, all[read as usize..]);
        assert!(goes_on(merged(&[(format, read + 2, millis(read + 2))]), &stood).is_err());
    }

    #[test]
    fn merged_traces_go_on_whichever_of_them_is_cut() {
        let whole = || merged(&[(TEXTS[1], 0, 0), (TEXTS[2], 0, 0)]);
        let all: Vec<MergedRecord> = whole().map(Result::unwrap).collect();
        let stood = stood(&mut whole(), 41);
        for [first, second] in [[0, 0], [20, 0], [0, 20], [19, 20]] {
            let rest = merged(&[(TEXTS[1], first, 0), (TEXTS[2], second, 0)]);
            assert_eq!(goes_on(rest, &stood).unwrap(), all[41..], "{first} {second}");
        }
    }

    #[test]
    fn events_go_on_in_petrios_own_file_and_as_text() {
        let folder = tempfile::tempdir().unwrap();
        let source = Cursor::new(text(TEXTS[3], 0, 0).into_bytes());
        let events: Vec<Event> = EventReader::from_reader("trace", source, &options(TEXTS[3]))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        for format in [OutputFormat::Native, OutputFormat::EventsCsv] {
            let open = |from: usize| {
                let path = folder.path().join(format!("{from}"));
                let mut to =
                    TraceWriter::create(&path, &Inputs::none(), format, &Default::default()).unwrap();
                events[from..].iter().for_each(|event| to.push(event).unwrap());
                to.finish().unwrap();
                OneTrace::new(EventReader::open(&path, &TraceOptions::default()).unwrap()).unwrap()
            };
            for read in [1, 5, 33] {
                let stood = stood(&mut open(0), read);
                for cut in [0, 1, read as usize] {
                    assert_eq!(
                        goes_on(open(cut), &stood).unwrap(),
                        events[read as usize..],
                        "{format:?} {read} {cut}"
                    );
                }
                assert!(goes_on(open(read as usize + 3), &stood).is_err());
            }
        }
    }

    #[test]
    fn what_needs_the_records_before_is_read_again_and_has_no_rest() {
        let options = TraceOptions { reorder_window: Some(4), ..options(TEXTS[1]) };
        let open = |from| {
            let source = Cursor::new(text(TEXTS[1], from, 0).into_bytes());
            OneTrace::new(TraceReader::from_reader("trace", source, &options).unwrap()).unwrap()
        };
        let all: Vec<_> = open(0).map(Result::unwrap).collect();
        let stood = stood(&mut open(0), 18);
        assert_eq!(goes_on(open(0), &stood).unwrap(), all[18..]);
        assert!(goes_on(open(10), &stood).unwrap_err().to_string().contains("the whole is needed"));
    }
}
