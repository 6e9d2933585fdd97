//! A recorder that listens to one device, and what it recorded.

use crate::recorder::CaptureError;
use crate::recorder::block::{BlockAccess, Commit, DeviceNumber};
use crate::recorder::catalogue::{REQUESTS_AND_COMMITS, Scope};
use crate::recorder::decode::Decoder;
use crate::recorder::format::Format;
use crate::recorder::kernel_event::{KernelEvent, RequestStage, What};
use crate::recorder::listener::{Listener, Wanted, monotonic_ns};
use crate::recorder::page::{Lost, PageLayout};

/// KiB a processor: about 100,000 events. A recording that needs more says so by what it lost.
const BUFFER_KIB: u32 = 8_192;

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Happening {
    /// A file system handed a request to the block layer (`block_bio_queue`), before merging and throttling.
    Queued(BlockAccess),
    /// A request went to the device (`block_rq_issue`).
    Issued(BlockAccess),
    /// The device completed it (`block_rq_complete`).
    Completed(BlockAccess),
    /// A journal transaction was committed (`jbd2_run_stats`).
    Commit(Commit),
    /// Whoever records marked the moment.
    Mark(String),
}

/// An event of the recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Nanoseconds on the trace's clock.
    pub time_ns: u64,
    /// What happened.
    pub what: Happening,
}

/// Listens to one device until it is dropped.
#[derive(Debug)]
pub struct Recorder {
    listener: Listener,
    lost: u64,
    marks: Vec<Event>,
}

/// What was recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    /// The events, in order of time.
    pub events: Vec<Event>,
}

impl Event {
    /// None of what isn't listened to here, and of requests whose letters aren't known.
    fn of(event: &KernelEvent) -> Option<Self> {
        let what = match event.what {
            What::Request { stage, sector, sectors, letters, .. } => {
                let access = BlockAccess::of_letters(letters, sector, sectors.into())?;
                match stage {
                    RequestStage::Queued => Happening::Queued(access),
                    RequestStage::Issued => Happening::Issued(access),
                    RequestStage::Completed => Happening::Completed(access),
                    RequestStage::Inserted => return None,
                }
            }
            What::Commit { commit, .. } => Happening::Commit(commit),
            _ => return None,
        };
        Some(Self { time_ns: event.time_ns, what })
    }
}

impl Recording {
    /// From pages of the ring buffer, one behind the other, each of 4096 bytes, as Linux 6.18 writes them on x86-64.
    ///
    /// # Errors
    /// Events that were lost: a wrong count would look right.
    pub fn of_pages(pages: &[u8]) -> Result<Self, CaptureError> {
        let decoder = usual_decoder();
        let (mut events, mut lost) = (Vec::new(), 0);
        for page in pages.chunks(4_096) {
            let page = PageLayout::USUAL.read(page);
            lost += match page.lost {
                Lost::None => 0,
                Lost::Count(events) => events,
                Lost::Some => 1,
            };
            let decoded = page.entries.filter_map(|(time_ns, record)| decoder.decode(time_ns, record));
            events.extend(decoded.filter_map(|event| Event::of(&event)));
        }
        if lost > 0 { Err(CaptureError::Lost { lost }) } else { Ok(Self { events }) }
    }

    /// Requests in the order in which they went to the device.
    pub fn issued(&self) -> impl Iterator<Item = &BlockAccess> {
        self.events.iter().filter_map(|event| match &event.what {
            Happening::Issued(access) => Some(access),
            _ => None,
        })
    }

    /// The journal's commits.
    pub fn commits(&self) -> impl Iterator<Item = &Commit> {
        self.events.iter().filter_map(|event| match &event.what {
            Happening::Commit(commit) => Some(commit),
            _ => None,
        })
    }

    /// What lies between the first mark `from` and the first mark `to` after it.
    pub fn between(&self, from: &str, to: &str) -> Self {
        let is_mark =
            |event: &&Event, text: &str| matches!(&event.what, Happening::Mark(mark) if mark == text);
        let events = self.events.iter().skip_while(|event| !is_mark(event, from)).skip(1);
        Self { events: events.take_while(|event| !is_mark(event, to)).cloned().collect() }
    }
}

impl Recorder {
    /// Listens to `device` from now on.
    ///
    /// # Errors
    /// No tracing, or no right to it.
    pub fn start(device: DeviceNumber) -> Result<Self, CaptureError> {
        let wanted = Wanted {
            scopes: &[Scope::Machine],
            events: &REQUESTS_AND_COMMITS,
            devices: &[device.in_kernel()],
            buffer_kib: BUFFER_KIB,
        };
        let listener = Listener::set_up(&wanted, |_| Ok(()))?.needs_all()?;
        listener.switch_on()?;
        Ok(Self { listener, lost: 0, marks: Vec::new() })
    }

    /// Marks this moment, so that [`Recording::between`] finds it again.
    pub fn mark(&mut self, text: &str) {
        self.marks.push(Event { time_ns: monotonic_ns(), what: Happening::Mark(text.to_owned()) });
    }

    /// What has happened since the start, or since the last call; recording goes on with an empty buffer.
    ///
    /// # Errors
    /// The trace can't be read, or not completely.
    pub fn take(&mut self) -> Result<Recording, CaptureError> {
        self.listener.switch_off();
        let mut events = std::mem::take(&mut self.marks);
        self.listener.drain(monotonic_ns(), true, |event| events.extend(Event::of(&event)))?;
        // Marks are of the same clock, and their order among themselves stays.
        events.sort_by_key(|event| event.time_ns);
        self.listener.switch_on()?;
        let lost = self.listener.lost() - std::mem::replace(&mut self.lost, self.listener.lost());
        if lost > 0 { Err(CaptureError::Lost { lost }) } else { Ok(Recording { events }) }
    }
}

/// Reads the events of [`REQUESTS_AND_COMMITS`] as Linux 6.18 lays them out on x86-64, where there is no kernel to ask.
fn usual_decoder() -> Decoder {
    const PLACES: [(u16, [(u16, u16); 5]); 4] = [
        (2097, [(8, 4), (16, 8), (24, 4), (28, 10), (0, 0)]),
        (2104, [(8, 4), (16, 8), (24, 4), (34, 10), (0, 0)]),
        (2107, [(8, 4), (16, 8), (24, 4), (34, 10), (0, 0)]),
        (1274, [(8, 4), (12, 4), (64, 4), (68, 4), (72, 4)]),
    ];
    let mut decoder = Decoder::default();
    for (listened, (id, places)) in REQUESTS_AND_COMMITS.iter().zip(PLACES) {
        let mut text = format!("ID: {id}\nfield:int common_pid; offset:4; size:4; signed:1;\n");
        for (name, (offset, size)) in listened.fields.iter().zip(places) {
            text.push_str(&format!("field:u64 {name}; offset:{offset}; size:{size}; signed:0;\n"));
        }
        decoder.learn(listened, &Format::parse(&text));
    }
    decoder
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::{JournalArea, requests_text};
    use super::*;
    use crate::recorder::block::Access;
    use proptest::prelude::*;

    /// A page as the kernel writes it: a record after the other, each 100 ns after the one before.
    fn page(records: &[Vec<u8>]) -> Vec<u8> {
        let mut data = Vec::new();
        for record in records {
            data.extend((100_u32 << 5).to_le_bytes());
            data.extend((record.len() as u32 + 4).to_le_bytes());
            data.extend(record);
        }
        let mut page = 1_000_u64.to_le_bytes().to_vec();
        page.extend((data.len() as u64).to_le_bytes());
        page.extend(data);
        page.resize(4_096, 0);
        page
    }

    fn record(id: u16, fields: &[(usize, &[u8])]) -> Vec<u8> {
        let mut record = vec![0; 76];
        record[..2].copy_from_slice(&id.to_le_bytes());
        for (offset, bytes) in fields {
            record[*offset..*offset + bytes.len()].copy_from_slice(bytes);
        }
        record
    }

    fn issued(letters: &str, sector: u64, sectors: u32) -> Vec<u8> {
        record(
            2104,
            &[
                (8, &[0, 0, 112, 0]),
                (16, &sector.to_le_bytes()),
                (24, &sectors.to_le_bytes()),
                (34, letters.as_bytes()),
            ],
        )
    }

    fn append() -> Vec<u8> {
        let commit =
            [(12, &3_u32.to_le_bytes()[..]), (64, &[2, 0, 0, 0]), (68, &[3, 0, 0, 0]), (72, &[5, 0, 0, 0])];
        page(&[
            issued("WS", 160, 8),
            issued("WSM", 80_000, 32),
            issued("FF", 0, 0),
            issued("WSM", 80_032, 8),
            record(1274, &commit),
        ])
    }

    #[test]
    fn pages_give_requests_and_commits() {
        let recording = Recording::of_pages(&append()).unwrap();
        let journal = JournalArea::new([(80_000, 90_000)]);
        assert_eq!(requests_text(recording.issued(), &journal), "W4D W16J F W4J");
        let commit = Commit { transaction: 3, handles: 2, blocks: 3, blocks_logged: 5 };
        assert_eq!(recording.commits().collect::<Vec<_>>(), [&commit]);
        assert_eq!(recording.issued().next().unwrap().access, Access::Write);
        assert_eq!(recording.events[0].time_ns, 1_100);
    }

    #[test]
    fn between_two_marks_lie_the_events_of_one_operation() {
        let mut recording = Recording::of_pages(&append()).unwrap();
        let mark = |time_ns, text: &str| Event { time_ns, what: Happening::Mark(text.to_owned()) };
        recording.events.extend([mark(1_150, "begin"), mark(1_450, "end")]);
        recording.events.sort_by_key(|event| event.time_ns);
        let operation = recording.between("begin", "end");
        assert_eq!(requests_text(operation.issued(), &JournalArea::default()), "W16D F W4D");
        assert!(operation.between("end", "begin").events.is_empty());
    }

    #[test]
    fn a_recording_with_gaps_is_refused() {
        let mut lost = append();
        lost[11] |= 0x80;
        assert!(matches!(Recording::of_pages(&lost), Err(CaptureError::Lost { lost: 1 })));
    }

    proptest! {
        #[test]
        fn any_pages_are_read_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..9_000)) {
            let _ = Recording::of_pages(&bytes);
        }
    }
}
