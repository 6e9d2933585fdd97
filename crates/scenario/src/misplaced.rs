//! What a file is that was given in the place of a scenario or of a user specification: the sort is named, with the
//! command that takes it, instead of all that is wrong with it as something else.

use crate::reference::Of;
use crate::text::tree::{self, Mistake, Table};
use crate::text::{Problem, Sources};
use petrio_files::inputs::Inputs;
use petrio_files::shown;
use petrio_trace::{EventReader, TraceOptions};
use petrio_workload::measurement::Format;
use std::io::{Cursor, Read};
use std::path::Path;
use std::sync::OnceLock;

/// So much of a file tells what it is.
const BEGINNING_BYTES: usize = 1 << 16;

/// What was found in the place of `wanted`.
struct Found {
    what: String,
    help: String,
}

impl Found {
    fn problem(self, name: &str, wanted: Of) -> Problem {
        let article = wanted.title().to_lowercase();
        Problem::error(format!("{name} is {}, and not {article}", self.what)).help(self.help)
    }
}

/// Of a text that is TOML, by its keys: none of them is one of `wanted`, and some are another's.
pub(crate) fn by_keys(name: &str, root: &Table<'_>, wanted: Of) -> Option<Problem> {
    let written: Vec<&str> = root.get_ref().keys().map(|key| key.get_ref().as_ref()).collect();
    // Many sorts of file have these.
    let told = |of: Of| {
        let telling = |key: &&&str| !["title", "name", "source", "kind"].contains(*key);
        written.iter().filter(telling).filter(|key| keys(of).iter().any(|known| known == **key)).count()
    };
    if written.is_empty() || told(wanted) > 0 {
        return None;
    }
    let others = Of::ALL.into_iter().filter(|of| *of != wanted);
    let (_, of) = others.map(|of| (told(of), of)).filter(|(told, _)| *told > 0).max_by_key(|(n, _)| *n)?;
    let name = shown::text(name).to_string();
    let help = match of {
        Of::Scenario => format!("petrio run {name} runs it"),
        Of::Users => format!(
            "petrio users run {name} --dir DIR runs the users; in a scenario write kind = \"users\" and \
             specification = \"{name}\""
        ),
        Of::Device => format!("a scenario uses the drive: [disk.NAME] with file = \"{name}\""),
        Of::Machine => format!("a scenario uses it: [host.NAME] with machine = \"{name}\""),
        Of::Report => format!("petrio compare takes it as JSON: {name}"),
        Of::Faults => format!("petrio emulate SCENARIO --faults {name} lets devices misbehave so"),
        Of::Kernel => format!("a scenario uses it: [host.NAME] with kernel = \"{name}\""),
    };
    Some(Found { what: of.title().to_lowercase(), help }.problem(&name, wanted))
}

/// Whether a text is a scenario or a user specification: the one of which more keys stand at its top, however wrong it is
/// otherwise. Nothing where none of them does.
pub fn sort_of(text: &str) -> Option<Of> {
    let (root, _) = tree::parse(text, 0);
    let told = |of: Of| {
        // What only one of the two has.
        let others = if of == Of::Scenario { Of::Users } else { Of::Scenario };
        let has = |of: Of, key: &str| keys(of).iter().any(|known| known == key);
        let mut written = root.get_ref().keys().map(|key| key.get_ref().as_ref());
        written.by_ref().filter(|key| has(of, key) && !has(others, key)).count()
    };
    let (scenario, users) = (told(Of::Scenario), told(Of::Users));
    match scenario.max(users) {
        0 => None,
        _ if users > scenario => Some(Of::Users),
        _ => Some(Of::Scenario),
    }
}

/// The keys at the top of a file. They are found once: every scenario that is loaded asks, and the whole schema is read for it.
fn keys(of: Of) -> &'static [String] {
    static KEYS: [OnceLock<Vec<String>>; Of::ALL.len()] = [const { OnceLock::new() }; Of::ALL.len()];
    KEYS[of as usize].get_or_init(|| {
        let key = of.key();
        let of_variants = key.variants.iter().flat_map(|variant| &variant.keys);
        key.keys.iter().chain(of_variants).map(|key| key.name.clone()).collect()
    })
}

/// Of a text that is no TOML, by its beginning.
pub(crate) fn by_text(name: &str, text: &str, wanted: Of) -> Option<Problem> {
    let shown_name = shown::text(name).to_string();
    let begins = text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
    let is_json = match begins.strip_prefix('[') {
        Some(rest) => rest.trim_start().starts_with(['{', '[', '"']) && !rest.starts_with('['),
        None => begins.starts_with('{'),
    };
    if let Some(format) = Format::of(text) {
        let what = format!("what {} measured", format.name());
        let mut help =
            format!("petrio compare SCENARIO.toml measured:{shown_name} holds it against a prediction");
        help.push_str(&match format == Format::Fio || petrio_workload::iozone::is_iozone(text) {
            true => format!("; petrio init --from {shown_name} writes a scenario that does the same"),
            // Its tables alone don't say how its tests were made.
            false => {
                "; for a scenario that does the same give petrio init --from its command line".to_owned()
            }
        });
        return Some(Found { what, help }.problem(&shown_name, wanted));
    }
    if is_json {
        let is_report = begins.contains("\"bottleneck\"") || begins.contains("\"stages\"");
        let (what, help) = match is_report {
            true => (
                "a report as JSON",
                format!("petrio compare {shown_name} OTHER.json holds reports against each other"),
            ),
            false => ("JSON", "name a TOML file".to_owned()),
        };
        return Some(Found { what: what.to_owned(), help }.problem(&shown_name, wanted));
    }
    if begins.contains("disksim_disk") || begins.contains("dm_disk ") {
        let help = format!(
            "petrio catalogue import {shown_name} makes a drive of it, petrio init --from {shown_name} a scenario with its arrays and loads"
        );
        return Some(
            Found { what: "a DiskSim parameter file".to_owned(), help }.problem(&shown_name, wanted),
        );
    }
    if petrio_workload::fio::is_job_file(text) {
        let help = format!(
            "petrio run {shown_name} runs it; petrio init --from {shown_name} makes a scenario of it"
        );
        return Some(Found { what: "a fio job file".to_owned(), help }.problem(&shown_name, wanted));
    }
    by_trace(name, text.as_bytes(), wanted)
}

/// Of bytes that may be a trace, in any format.
fn by_trace(name: &str, bytes: &[u8], wanted: Of) -> Option<Problem> {
    let begin = &bytes[..bytes.len().min(BEGINNING_BYTES)];
    let options = TraceOptions::default();
    // Parquet has its index at the end, of which the beginning knows nothing.
    let is_trace = begin.starts_with(b"PAR1")
        || EventReader::from_reader(name, Cursor::new(begin.to_vec()), &options)
            .is_ok_and(|mut events| matches!(events.next(), Some(Ok(_))));
    if !is_trace && petrio_trace::darshan::begins(begin) {
        let name = shown::text(name).to_string();
        let help = format!("petrio init --from {name} writes a scenario of a program that is counted alike");
        return Some(
            Found { what: "what Darshan recorded of a job".to_owned(), help }.problem(&name, wanted),
        );
    }
    if !is_trace {
        return None;
    }
    let name = shown::text(name).to_string();
    let help = match wanted {
        Of::Users => format!("petrio users learn {name} --out users.toml makes a specification of it"),
        _ => format!(
            "petrio trace info {name} tells what is in it, petrio init --from {name} writes a scenario that plays it"
        ),
    };
    Some(Found { what: "a trace".to_owned(), help }.problem(&name, wanted))
}

/// Of a file that is no text.
pub(crate) fn by_file(inputs: &Inputs, (name, path): (&str, &Path), wanted: Of) -> Option<Problem> {
    // A pipe has been read by now, and waits for nobody.
    if !inputs.path_of(path).metadata().is_ok_and(|there| there.is_file()) {
        return None;
    }
    let mut bytes = Vec::new();
    inputs.open(path).ok()?.take(BEGINNING_BYTES as u64).read_to_end(&mut bytes).ok()?;
    by_trace(name, &bytes, wanted)
}

/// What keeps a text from being TOML: what it is instead, or each mistake.
pub(crate) fn not_toml(
    name: &str,
    text: &str,
    mistakes: Vec<Mistake>,
    sources: &Sources,
    wanted: Of,
) -> Vec<Problem> {
    match by_text(name, text, wanted) {
        Some(problem) => vec![problem],
        None => {
            let told =
                |Mistake { span, message }| sources.error(span, format!("this is not TOML: {message}"));
            mistakes.into_iter().map(told).collect()
        }
    }
}
