//! Readers on arbitrary input: never a panic, and what is written reads back.

use super::support::{options, read_bytes, sound};
use petrio_colours::Direction;
use petrio_time::Time;
use petrio_trace::{BlockRecord, FormatName, PetrioWriter, TraceOptions};
use proptest::prelude::*;

fn any_format() -> impl Strategy<Value = FormatName> {
    prop::sample::select(FormatName::ALL.to_vec())
}

/// Bytes that come near to a trace: pieces of sound ones, numbers at the edges, separators, and noise.
fn near_trace() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        any_format().prop_map(sound),
        "[0-9]{1,22}".prop_map(String::into_bytes),
        prop::sample::select(vec!["-1", "nan", "1e400", "0x", ".", "18446744073709551615", "4294967296"])
            .prop_map(|text| text.as_bytes().to_vec()),
        "[ ,\t\r\n#+]{1,3}".prop_map(String::into_bytes),
        "(R|W|F|Q|D|C|Read|Hit|8,0|\\[001\\]|block_rq_issue:)".prop_map(String::into_bytes),
        prop::collection::vec(any::<u8>(), 0..20),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn any_record() -> impl Strategy<Value = BlockRecord> {
    let direction = prop::sample::select(vec![Direction::Read, Direction::Write, Direction::Flush]);
    let picos = prop::option::of(0..u64::MAX / 4);
    let flags = any::<(bool, bool, bool)>();
    (0..u64::MAX / 1_000, picos, any::<(u32, u32)>(), direction, flags, 0..u64::MAX / 2, 1..=u32::MAX)
        .prop_map(
            |(
                step,
                measured,
                (process, device),
                direction,
                (synchronous, force_unit_access, metadata),
                address,
                blocks,
            )| {
                let flush = direction == Direction::Flush;
                BlockRecord {
                    time: Time::from_picos(step),
                    measured: measured.map(Time::from_picos),
                    process,
                    device,
                    direction,
                    force_unit_access,
                    synchronous,
                    metadata,
                    address: if flush { 0 } else { address },
                    blocks: if flush { 0 } else { blocks },
                }
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..2_000), format in any_format()) {
        let _ = read_bytes(&bytes, &options(format));
        let _ = read_bytes(&bytes, &TraceOptions::default());
    }

    #[test]
    fn almost_traces_never_panic_and_records_come_in_order(bytes in near_trace(), format in any_format()) {
        for options in [options(format), TraceOptions::default()] {
            if let Ok(records) = read_bytes(&bytes, &options) {
                prop_assert!(records.windows(2).all(|pair| pair[0].time <= pair[1].time));
                prop_assert!(records.iter().all(|record| record.direction == Direction::Flush || record.blocks > 0));
            }
        }
    }

    #[test]
    fn what_is_written_reads_back_the_same(mut records in prop::collection::vec(any_record(), 1..50)) {
        let mut now = Time::ZERO;
        for record in &mut records {
            now += record.time;
            record.time = now;
        }
        let mut writer = PetrioWriter::new(Vec::new()).unwrap();
        for record in &records {
            writer.write(record).unwrap();
        }
        let kept = TraceOptions { rebase: false, ..TraceOptions::default() };
        prop_assert_eq!(read_bytes(&writer.into_inner(), &kept).unwrap(), records);
    }
}
