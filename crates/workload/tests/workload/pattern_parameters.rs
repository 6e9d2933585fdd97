//! Patterns as a scenario writes them: with units, nothing unknown, and nothing that would be ignored.

use petrio_units::{Bytes, Fraction};
use petrio_workload::program::pattern::{Access, Durability, FsyncCall, Interface, Pattern, Timing};
use petrio_workload::program::{FileWorkload, PatternParameters, Placement};

const KIB: u64 = 1 << 10;

fn placement() -> Placement {
    Placement::new("test")
}

#[test]
#[expect(clippy::too_many_lines, reason = "a list of what is refused")]
fn what_no_program_can_have_or_would_ignore_is_refused() {
    let base = || PatternParameters::new(Access::Rewrite, Bytes(4 * KIB), Bytes(64 * KIB));
    let random = || PatternParameters { pattern: Pattern::Random, ..base() };
    let cases: Vec<(PatternParameters, &str)> = vec![
        (PatternParameters { record: Bytes(0), ..base() }, "record: it is zero"),
        (PatternParameters { processes: 0, ..base() }, "processes: it is zero"),
        (PatternParameters { passes: 0, ..base() }, "passes: it is zero"),
        (
            PatternParameters { record: Bytes(KIB << 10), ..base() },
            "record: the record (1 MiB) is larger than the file (64 KiB)",
        ),
        (
            PatternParameters { file_size: Bytes(u64::MAX), ..base() },
            "file_size: a file can't be longer than 8 EiB",
        ),
        (
            PatternParameters { operations: Some(1), amount: Some(Bytes(1)), ..base() },
            "amount: `operations` says already",
        ),
        (PatternParameters { stride: Some(2), ..base() }, "stride: only a strided pattern has one"),
        (PatternParameters { pattern: Pattern::Strided, ..base() }, "stride: a strided pattern needs one"),
        (
            PatternParameters { read_share: Fraction::new(0.5), ..base() },
            "read_share: only `operation = \"mixed\"`",
        ),
        (PatternParameters { operation: Access::Mixed, ..base() }, "read_share: a mixture needs one"),
        (
            PatternParameters { share_by_process: true, ..base() },
            "share_by_process: only `operation = \"mixed\"`",
        ),
        (
            PatternParameters { alignment: Some(Bytes(KIB)), ..base() },
            "alignment: only a random pattern has one",
        ),
        (PatternParameters { repetition: true, ..base() }, "repetition: only a random pattern"),
        (PatternParameters { alignment: Some(Bytes(0)), ..random() }, "alignment: it is zero"),
        (
            PatternParameters { operation: Access::Read, fsync: Durability::AtEnd, ..base() },
            "fsync: nothing is written",
        ),
        (
            PatternParameters { operation: Access::Read, data_sync: true, ..base() },
            "data_sync: nothing is written",
        ),
        (PatternParameters { fsync: Durability::Every(0), ..base() }, "fsync: every 0 writes"),
        (
            PatternParameters { fsync_call: FsyncCall::Fdatasync, ..base() },
            "fsync_call: `fsync` is \"never\"",
        ),
        (PatternParameters { sync: true, data_sync: true, ..base() }, "data_sync: `sync` includes it"),
        (
            PatternParameters { direct: true, interface: Interface::Stdio, ..base() },
            "direct: the C library's buffer",
        ),
        (
            PatternParameters { direct: true, record: Bytes(100), ..base() },
            "record: 100 B is no multiple of 512 B",
        ),
        (
            PatternParameters { operation: Access::Write, cached: true, ..base() },
            "cached: a new file has nothing",
        ),
        (
            PatternParameters { timing: Timing::WithClose, ..base() },
            "timing: without `open_close` no file is closed",
        ),
        (PatternParameters { files: u32::MAX, processes: u32::MAX, ..base() }, "more than 16777216 files"),
    ];
    for (parameters, begins) in cases {
        let error = parameters.prepare(&placement()).map(|_| ()).unwrap_err().to_string();
        assert!(error.starts_with(begins), "{error}\n  instead of {begins}");
    }
    let at_root = Placement { first_file: 0, ..placement() };
    assert!(base().prepare(&at_root).is_err());
}

#[test]
fn a_scenario_writes_patterns_with_units_and_nothing_unknown() {
    let json = r#"{ "program": "pattern", "pattern": "random", "operation": "mixed", "read_share": "70 %", "record": "8 KiB",
        "file_size": "1 GiB", "fsync": { "every": 16 }, "think_time": "5 ms", "interface": "system" }"#;
    let FileWorkload::Pattern(pattern) = serde_json::from_str(json).unwrap() else { panic!("another sort") };
    assert_eq!(
        (pattern.record, pattern.fsync, pattern.accesses()),
        (Bytes(8 * KIB), Durability::Every(16), 131_072)
    );
    let again: FileWorkload =
        serde_json::from_str(&serde_json::to_string(&FileWorkload::Pattern(pattern.clone())).unwrap())
            .unwrap();
    assert_eq!(again, FileWorkload::Pattern(pattern));
    let unknown = json.replace("think_time", "thinktime");
    assert!(serde_json::from_str::<FileWorkload>(&unknown).unwrap_err().to_string().contains("thinktime"));
}
