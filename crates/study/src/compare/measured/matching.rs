//! Which workload of a scenario does what a row of a measurement tells of.

use super::observed::{Key, Observed};
use petrio_page::numbers::bytes;
use petrio_scenario::report::Report;
use petrio_scenario::workload::Workload;
use petrio_scenario::{Loaded, workload_name};
use petrio_workload::iozone::test_named;
use petrio_workload::measurement::Kind;
use petrio_workload::program::PatternParameters;
use petrio_workload::program::accesses::{AccessKind, AccessParameters};
use petrio_workload::program::pattern::{Access, Interface};

/// A workload that can be held against a row.
struct KnownWorkload {
    name: String,
    does: Does,
}

/// What a workload does, as far as it says.
enum Does {
    /// Goes through files by a pattern.
    Files(Box<PatternParameters>),
    /// Accesses as fio's.
    Accesses(Box<AccessParameters>),
    /// Anything else; of a saved report nobody knows.
    Other,
}

/// The workloads of a scenario, and the tests and jobs that they are sought for.
pub(super) struct Matching {
    known: Vec<KnownWorkload>,
    /// Whether all rows are of one test or job.
    one_name: bool,
}

impl Matching {
    /// Of a scenario or, where there is none, of a saved report.
    pub(super) fn of(loaded: Option<&Loaded>, saved: Option<&Report>, names: &[&str]) -> Self {
        let known = match (loaded, saved) {
            (Some(loaded), _) => loaded.scenario.workload.iter().map(known).collect(),
            (None, Some(report)) => {
                let rows = report.each().flat_map(|served| &served.workloads);
                rows.map(|row| KnownWorkload { name: row.workload.clone(), does: Does::Other }).collect()
            }
            (None, None) => Vec::new(),
        };
        Self { known, one_name: names.windows(2).all(|pair| pair[0] == pair[1]) }
    }

    /// The names of the workloads.
    pub(super) fn names(&self) -> Vec<&str> {
        self.known.iter().map(|known| known.name.as_str()).collect()
    }

    /// The workload that does what the row tells of.
    pub(super) fn workload(&self, key: &Key) -> Option<&str> {
        let found = if key.is_test { self.of_test(key) } else { self.of_job(key) };
        found.map(|known| known.name.as_str())
    }

    /// An iozone test is played by what does the same; of several, as reread and read are, by the one that is called so. Of a workload
    /// of which only the name is known, the name has the sizes in it.
    fn of_test(&self, key: &Key) -> Option<&KnownWorkload> {
        let same: Vec<&KnownWorkload> = self.known.iter().filter(|known| does_test(known, key)).collect();
        let called = same.iter().find(|known| is_called(&known.name, key));
        match (called, same.as_slice()) {
            (Some(known), _) => Some(known),
            // Which of several is meant nobody knows.
            (None, [only]) => Some(only),
            (None, _) => None,
        }
    }

    /// A job is played by the workload of its name, alone or behind that of the workload that names the job file; or by the only one.
    fn of_job(&self, key: &Key) -> Option<&KnownWorkload> {
        let name = workload_name(&key.name);
        let behind = format!("-{name}");
        let mut behind = self.known.iter().filter(|known| known.name.ends_with(&behind));
        let exact = self.known.iter().find(|known| known.name == name);
        exact.or_else(|| behind.next().filter(|_| behind.next().is_none())).or(match self.known.as_slice() {
            [only] if self.one_name => Some(only),
            _ => None,
        })
    }

    /// The one kind of requests that a workload has, where it has but one.
    pub(super) fn sole_kind(&self, name: &str) -> Option<Kind> {
        match &self.known.iter().find(|known| known.name == name)?.does {
            Does::Files(pattern) => match pattern.operation {
                Access::Read => Some(Kind::Read),
                Access::Write | Access::Rewrite => Some(Kind::Write),
                Access::Mixed => None,
            },
            Does::Accesses(accesses) => match accesses.operation {
                AccessKind::Read => Some(Kind::Read),
                AccessKind::Write => Some(Kind::Write),
                _ => None,
            },
            Does::Other => None,
        }
    }

    /// Rows that are held against a workload of their name which does it with accesses of another size.
    pub(super) fn otherwise(&self, observed: &[Observed]) -> Option<String> {
        observed.iter().filter(|row| !row.key.is_test).find_map(|row| {
            let Key { name, kind, record, .. } = &row.key;
            let (known, record) = (self.of_job(&row.key)?, (*record)?);
            let (least, most) = sizes(known, *kind)?;
            (record < least || record > most).then(|| {
                format!(
                    "\"{name}\" was measured with accesses of {}, and workload \"{}\" has accesses of {}: they aren't the same load",
                    bytes(record),
                    known.name,
                    if least == most { bytes(least) } else { format!("{} to {}", bytes(least), bytes(most)) }
                )
            })
        })
    }
}

fn known((name, workload): (&String, &Workload)) -> KnownWorkload {
    let does = match workload {
        Workload::Files(load) => Does::Files(Box::new(load.parameters.clone())),
        Workload::Accesses(load) => Does::Accesses(Box::new(load.parameters.clone())),
        Workload::DeviceAccesses(load) => Does::Accesses(Box::new(load.parameters.clone())),
        _ => Does::Other,
    };
    KnownWorkload { name: name.clone(), does }
}

/// The least and the greatest access of a kind.
fn sizes(known: &KnownWorkload, kind: Kind) -> Option<(u64, u64)> {
    match &known.does {
        Does::Files(pattern) => Some((pattern.record.get(), pattern.record.get())),
        Does::Accesses(accesses) => Some(match (kind, &accesses.write_record) {
            (Kind::Write, Some(sizes)) => sizes.bounds(),
            _ => accesses.record.bounds(),
        }),
        Does::Other => None,
    }
}

/// Whether a workload does what a test does, with files, records and processes as many and as large.
fn does_test(known: &KnownWorkload, key: &Key) -> bool {
    let Does::Files(pattern) = &known.does else { return is_called(&known.name, key) };
    let Some((operation, order, interface)) = test_named(&key.name) else { return false };
    // A mapping (-B) takes the place of the calls.
    let by_calls = |interface| if interface == Interface::Mapped { Interface::System } else { interface };
    let alike = |said: Option<u64>, has: u64| said.is_none_or(|said| said == has);
    // iozone's mixture is of processes, and in an order that its screen doesn't tell (-+B).
    let is_mixed = operation == Access::Mixed;
    pattern.operation == operation
        && pattern.share_by_process == is_mixed
        && (pattern.pattern == order || is_mixed)
        && by_calls(pattern.interface) == interface
        && alike(key.file_size, pattern.file_size.get())
        && alike(key.record, pattern.record.get())
        && alike(key.processes.map(u64::from), pattern.processes.into())
}

/// Whether a workload has the name that `petrio init --from` gives a test: "read", "read-64k-4k", "2-read-64k-4k-of-2". Sizes that are
/// in the name are those of the row.
fn is_called(name: &str, key: &Key) -> bool {
    let without_number = name.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let name = match without_number.strip_prefix('-') {
        Some(rest) if without_number.len() < name.len() => rest,
        _ => name,
    };
    let Some(rest) = name.strip_prefix(key.name.as_str()) else { return false };
    let mut parts = rest.split('-').skip(1).peekable();
    if !(rest.is_empty() || rest.starts_with('-')) {
        return false;
    }
    let mut sizes = Vec::new();
    while let Some(size) = parts.peek().and_then(|part| size_of(part)) {
        sizes.push(size);
        parts.next();
    }
    let of_sizes = match sizes.as_slice() {
        [] => true,
        [file, record] => {
            key.file_size.is_none_or(|size| size == *file) && key.record.is_none_or(|size| size == *record)
        }
        _ => false,
    };
    let of_processes = match (parts.next(), parts.next()) {
        (None, _) => true,
        (Some("of"), Some(count)) => {
            let count = count.parse::<u32>().ok();
            count.is_some() && key.processes.is_none_or(|processes| Some(processes) == count)
        }
        _ => false,
    };
    of_sizes && of_processes && parts.next().is_none()
}

/// "64k", "8m", "2g".
fn size_of(word: &str) -> Option<u64> {
    let at = word.len().checked_sub(1)?;
    let unit: u64 = match word.as_bytes()[at] {
        b'k' => 1 << 10,
        b'm' => 1 << 20,
        b'g' => 1 << 30,
        _ => return None,
    };
    word.get(..at)?.parse::<u64>().ok()?.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str, file_size: u64, record: u64, processes: u32) -> Key {
        Key {
            name: name.to_owned(),
            kind: Kind::Accesses,
            file_size: Some(file_size << 10),
            record: Some(record << 10),
            processes: Some(processes),
            is_test: true,
        }
    }

    #[test]
    fn a_job_is_played_by_the_workload_of_its_name_or_behind_another_or_by_the_only_one() {
        let of = |names: &[&str], one_name: bool| {
            let known =
                names.iter().map(|name| KnownWorkload { name: (*name).to_owned(), does: Does::Other });
            let matching = Matching { known: known.collect(), one_name };
            let key = Key { kind: Kind::Read, is_test: false, ..key("4k reads", 64, 4, 1) };
            matching.workload(&key).map(str::to_owned)
        };
        assert_eq!(of(&["x", "4k-reads", "load-4k-reads"], false).as_deref(), Some("4k-reads"));
        assert_eq!(of(&["x", "load-4k-reads"], false).as_deref(), Some("load-4k-reads"));
        assert_eq!(of(&["a-4k-reads", "b-4k-reads"], false), None, "nobody knows which");
        assert_eq!(of(&["x"], true).as_deref(), Some("x"));
        assert_eq!(of(&["x"], false), None, "several jobs are more than one workload");
    }

    #[test]
    fn a_mixture_of_processes_is_iozones_and_one_of_accesses_is_not() {
        use petrio_units::{Bytes, Fraction};
        let of = |share_by_process, processes| {
            let pattern = PatternParameters {
                read_share: Fraction::new(0.5),
                share_by_process,
                processes,
                ..PatternParameters::new(Access::Mixed, Bytes(4 << 10), Bytes(64 << 10))
            };
            KnownWorkload { name: "m".to_owned(), does: Does::Files(Box::new(pattern)) }
        };
        let key = key("mixed", 64, 4, 2);
        assert!(does_test(&of(true, 2), &key));
        assert!(!does_test(&of(false, 2), &key) && !does_test(&of(true, 4), &key));
    }

    #[test]
    fn the_names_that_init_gives_tests_are_known() {
        let small = key("read", 64, 4, 1);
        for name in ["read", "read-64k-4k", "3-read-64k-4k", "read-of-1", "read-64k-4k-of-1"] {
            assert!(is_called(name, &small), "{name}");
        }
        for name in [
            "reread",
            "reread-64k-4k",
            "read-64k-8k",
            "read-64k",
            "read-of-2",
            "reads",
            "read-64k-4k-of",
            "3read",
        ] {
            assert!(!is_called(name, &small), "{name}");
        }
        assert!(is_called("random-read-1m-16k", &key("random-read", 1024, 16, 1)));
        assert!(!is_called("random-read-1m-16k", &key("read", 1024, 16, 1)));
    }
}
