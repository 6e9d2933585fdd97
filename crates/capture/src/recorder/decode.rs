//! From a record of the ring buffer to a [`KernelEvent`], by the offsets that the format files give.
//!
//! Decided once for each event, then done millions of times: a table by the record's first number holds what the event
//! means and where its fields lie.

use super::block::Commit;
use super::block::Letters;
use super::catalogue::{Listened, Meaning};
use super::format::{Field, Format};
use super::kernel_event::{Inode, KernelEvent, RequestStage, ThreadName, What};
use petrio_time::numbers::low_half;

/// Fields that an event has at most.
const FIELDS_MAX: usize = 5;

#[derive(Clone, Copy, Debug)]
struct EventLayout {
    meaning: Meaning,
    fields: [Option<Field>; FIELDS_MAX],
}

/// Reads records.
#[derive(Clone, Debug, Default)]
pub(crate) struct Decoder {
    rows: Vec<Option<EventLayout>>,
    thread: Field,
}

impl Decoder {
    /// Learns an event from its format; false where a field that it needs isn't there.
    pub(crate) fn learn(&mut self, listened: &Listened, format: &Format) -> bool {
        let Some(thread) = format.field("common_pid") else { return false };
        self.thread = thread;
        let mut fields = [None; FIELDS_MAX];
        for (slot, name) in fields.iter_mut().zip(listened.fields) {
            *slot = format.field(name);
            if slot.is_none() && !name.is_empty() {
                return false;
            }
        }
        let id = usize::from(format.id);
        if self.rows.len() <= id {
            self.rows.resize(id + 1, None);
        }
        self.rows[id] = Some(EventLayout { meaning: listened.meaning, fields });
        true
    }

    /// Reads a record; none where it is of an event that wasn't learnt, or too short for it.
    pub(crate) fn decode(&self, time_ns: u64, record: &[u8]) -> Option<KernelEvent> {
        let id = u16::from_le_bytes(record.get(..2)?.try_into().ok()?);
        let row = self.rows.get(usize::from(id))?.as_ref()?;
        let thread = low_half(self.thread.number(record)?);
        Some(KernelEvent { time_ns, thread, what: row.decode(record)? })
    }
}

impl EventLayout {
    fn number(&self, index: usize, record: &[u8]) -> Option<u64> {
        self.fields[index]?.number(record)
    }

    fn inode(&self, record: &[u8]) -> Option<Inode> {
        Some(Inode { device: low_half(self.number(0, record)?), number: self.number(1, record)? })
    }

    #[expect(clippy::too_many_lines, reason = "a list: one arm for each event of the kernel")]
    fn decode(&self, record: &[u8]) -> Option<What> {
        Some(match self.meaning {
            Meaning::Enter(call) => {
                let mut arguments = [0; FIELDS_MAX];
                for (argument, field) in arguments.iter_mut().zip(self.fields) {
                    if let Some(field) = field {
                        *argument = field.number(record)?;
                    }
                }
                What::Enter(call, arguments)
            }
            Meaning::Exit(call) => What::Exit(call, self.number(0, record)? as i64),
            Meaning::Fork => {
                What::Fork { child: low_half(self.number(0, record)?), flags: self.number(1, record)? }
            }
            Meaning::Executed => What::Executed {
                path: String::from_utf8_lossy(self.fields[0]?.text_elsewhere(record)).into(),
                former: low_half(self.number(1, record)?),
            },
            Meaning::Ended => What::Ended,
            Meaning::Pages(lookup) => {
                let first = self.number(2, record)?;
                let last = if self.fields[3].is_some() { self.number(3, record)? } else { first };
                What::Pages { lookup, inode: self.inode(record)?, first, last }
            }
            Meaning::Added => {
                let first = self.number(2, record)?;
                let pages = 1_u64.checked_shl(low_half(self.number(3, record)?)).unwrap_or(1).max(1);
                What::Added { inode: self.inode(record)?, first, last: first.saturating_add(pages - 1) }
            }
            Meaning::WriteBegin => {
                What::WriteBegin { inode: self.inode(record)?, position: self.number(2, record)? }
            }
            Meaning::Extent => What::Extent {
                inode: self.inode(record)?,
                block: self.number(2, record)?,
                blocks: low_half(self.number(3, record)?),
                device_block: self.number(4, record)?,
            },
            Meaning::Allocated => {
                What::Allocated { inode: self.inode(record)?, mode: low_half(self.number(2, record)?) }
            }
            Meaning::Freed => What::Freed(self.inode(record)?),
            Meaning::Touched => What::Touched(self.inode(record)?),
            Meaning::Unlinked => What::Unlinked { inode: self.inode(record)?, size: self.number(2, record)? },
            Meaning::Request(stage) => {
                let letters: Letters = padded(self.fields[3]?.text(record));
                let (mut name, mut error) = (ThreadName::default(), 0);
                match (self.fields[4], stage) {
                    (Some(field), RequestStage::Completed) => {
                        error = low_half(field.number(record)?).cast_signed();
                    }
                    (Some(field), _) => name = padded(field.text(record)),
                    (None, _) => {}
                }
                What::Request {
                    stage,
                    device: low_half(self.number(0, record)?),
                    sector: self.number(1, record)?,
                    sectors: low_half(self.number(2, record)?),
                    letters,
                    name,
                    error,
                }
            }
            Meaning::Commit => What::Commit {
                device: low_half(self.number(0, record)?),
                commit: Commit {
                    transaction: self.number(1, record)?,
                    handles: self.number(2, record)?,
                    blocks: self.number(3, record)?,
                    blocks_logged: self.number(4, record)?,
                },
            },
        })
    }
}

/// The first of some bytes, with zeros behind them.
fn padded<const BYTES: usize>(text: &[u8]) -> [u8; BYTES] {
    let mut padded = [0; BYTES];
    for (to, from) in padded.iter_mut().zip(text) {
        *to = *from;
    }
    padded
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::catalogue::listened;
    use super::super::kernel_event::Call;
    use super::*;
    use proptest::prelude::*;

    fn decoder() -> Decoder {
        let mut decoder = Decoder::default();
        for (id, listened) in listened(true).iter().enumerate() {
            let mut text = format!("ID: {}\nfield:int common_pid; offset:4; size:4; signed:1;\n", id + 10);
            for (index, name) in listened.fields.iter().filter(|name| !name.is_empty()).enumerate() {
                let offset = 8 + index * 8;
                text.push_str(&format!("field:u64 {name}; offset:{offset}; size:8; signed:0;\n"));
            }
            assert!(decoder.learn(listened, &Format::parse(&text)), "{listened:?}");
        }
        decoder
    }

    fn id_of(folder: &str) -> u16 {
        listened(true).iter().position(|listened| listened.folder() == folder).unwrap() as u16 + 10
    }

    fn record(folder: &str, fields: &[u64]) -> Vec<u8> {
        let mut record = id_of(folder).to_le_bytes().to_vec();
        record.extend([0, 0]);
        record.extend(77_i32.to_le_bytes());
        record.extend(fields.iter().flat_map(|field| field.to_le_bytes()));
        record
    }

    #[test]
    fn fields_come_in_the_order_of_the_meaning() {
        let decoder = decoder();
        let read = decoder.decode(5, &record("syscalls/sys_enter_pread64", &[3, 4096, 8192])).unwrap();
        assert_eq!((read.time_ns, read.thread), (5, 77));
        assert_eq!(read.what, What::Enter(Call::ReadAt, [3, 4096, 8192, 0, 0]));
        let failed = decoder.decode(5, &record("syscalls/sys_exit_openat", &[-2_i64 as u64])).unwrap();
        assert_eq!(failed.what, What::Exit(Call::Open, -2));
        let added = record("filemap/mm_filemap_add_to_page_cache", &[254 << 20, 99, 16, 2]);
        let inode = Inode { device: 254 << 20, number: 99 };
        assert_eq!(decoder.decode(5, &added).unwrap().what, What::Added { inode, first: 16, last: 19 });
    }

    #[test]
    fn a_record_that_is_too_short_or_unknown_is_none() {
        let decoder = decoder();
        assert_eq!(decoder.decode(0, &record("syscalls/sys_enter_pread64", &[3, 4096])), None);
        assert_eq!(decoder.decode(0, &[255, 255, 0, 0, 1, 0, 0, 0]), None);
        assert_eq!(decoder.decode(0, &[]), None);
    }

    #[test]
    fn an_event_without_a_needed_field_is_not_learnt() {
        let format = Format::parse("ID: 3\nfield:int common_pid; offset:4; size:4; signed:1;\n");
        let all = listened(false);
        let read = all.iter().find(|listened| listened.folder() == "syscalls/sys_enter_read").unwrap();
        assert!(!Decoder::default().learn(read, &format));
    }

    proptest! {
        #[test]
        fn any_record_is_decoded_without_panic(
            id in 0_u16..160, rest in proptest::collection::vec(any::<u8>(), 0..80)
        ) {
            let mut record = id.to_le_bytes().to_vec();
            record.extend(rest);
            let _ = decoder().decode(1, &record);
        }
    }
}
