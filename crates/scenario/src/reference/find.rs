//! A key by the path that somebody remembers.
//!
//! Names of parts may stand in it or be left out (`fs.data.journal`, `fs.journal`), so may keys between (`disk.cache`
//! for `disk.NAME.drive.cache`); a word that some keys may be finds these.

use super::Of;
use super::tree::Key;
use petrio_units::nearest;

/// A key that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Where it stands: `fs.NAME.journal`.
    pub path: String,
    /// Of which file it is.
    pub of: Of,
    /// In which sort of table it stands, such as `kind = "files"`.
    pub within: Vec<String>,
    /// The key.
    pub key: Key,
}

/// Nothing has that path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotFound {
    /// Keys that are near, at most a few.
    pub near: Vec<String>,
}

/// So many suggestions are read.
const NEAR_MAX: usize = 6;

/// Finds keys by a dotted path: of a scenario or, where it begins with the word for another file (`machine.calls`), of
/// that. Several are given where it may mean several.
///
/// # Errors
/// There is none; what is near.
pub fn find(path: &str) -> Result<Vec<Answer>, NotFound> {
    // As it is shown, with NAME for each name, a path is found as well.
    let pieces: Vec<&str> = path.split('.').map(str::trim).filter(|piece| *piece != "NAME").collect();
    let (first, rest) = pieces.split_first().map_or(("", &[][..]), |(first, rest)| (*first, rest));
    let other = Of::ALL.into_iter().find(|of| of.word() == first);
    let (of, pieces) = other.map_or((Of::Scenario, pieces.as_slice()), |of| (of, rest));
    let whole = of.key();
    if pieces.is_empty() {
        return Ok(vec![Answer { path: String::new(), of, within: Vec::new(), key: whole }]);
    }
    let all = all_keys(&whole, of);
    let mut found = straight(&whole, of, pieces);
    if found.is_empty() {
        // A word may be a key somewhere and what a key takes elsewhere: whoever says it may mean either.
        let mut takes: Vec<Answer> = all.iter().filter(|answer| has_word(answer, pieces)).cloned().collect();
        narrow(&mut takes, pieces);
        let keys = all.iter().filter(|answer| fits(answer, pieces)).cloned();
        found = keys.chain(takes).collect();
    }
    let near = if found.is_empty() { near(&all, pieces) } else { Vec::new() };
    // What is near elsewhere isn't meant by who names a part of this kind.
    let is_there = |path: &String| path.split('.').next() == pieces.first().copied();
    if !near.iter().any(is_there)
        && found.is_empty()
        && let [before @ .., _] = pieces
    {
        // A name of one's own says nothing that its part doesn't.
        found = straight(&whole, of, before);
        found.retain(|answer| answer.key.named && !answer.path.is_empty());
    }
    if found.is_empty() { Err(NotFound { near }) } else { Ok(together(found)) }
}

/// Key by key from the top.
fn straight(whole: &Key, of: Of, pieces: &[&str]) -> Vec<Answer> {
    let top = Answer { path: String::new(), of, within: Vec::new(), key: whole.clone() };
    let mut at = vec![top];
    let mut pieces = pieces.iter().peekable();
    while let Some(piece) = pieces.next() {
        let mut next: Vec<Answer> = Vec::new();
        for answer in &at {
            next.extend(below(answer).into_iter().filter(|inner| inner.key.name == **piece));
            if answer.key.owns.iter().any(|own| own == piece) {
                let part = whole.keys.iter().find(|key| key.name == **piece);
                next.extend(part.map(|key| Answer { key: key.clone(), ..at_top(key, of) }));
            }
        }
        // A name of one's own, or the number of an item, in the place of a key.
        if next.is_empty() && at.iter().any(|answer| answer.key.named || answer.key.list) {
            if pieces.peek().is_none() {
                return Vec::new();
            }
            continue;
        }
        at = next;
    }
    at
}

fn at_top(key: &Key, of: Of) -> Answer {
    let path = if key.named { format!("{}.NAME", key.name) } else { key.name.clone() };
    Answer { path, of, within: Vec::new(), key: key.clone() }
}

/// The keys right below one, those of its variants included.
fn below(answer: &Answer) -> Vec<Answer> {
    let inner = |key: &Key, by: Option<String>| {
        let dot = if answer.path.is_empty() { "" } else { "." };
        let name = if key.named { ".NAME" } else { "" };
        Answer {
            path: format!("{}{dot}{}{name}", answer.path, key.name),
            of: answer.of,
            within: answer.within.iter().cloned().chain(by).collect(),
            key: key.clone(),
        }
    };
    let own = answer.key.keys.iter().map(|key| inner(key, None));
    let of_variants = answer.key.variants.iter().flat_map(|variant| {
        let by = format!("{} = \"{}\"", variant.by, variant.word);
        variant.keys.iter().map(move |key| inner(key, (variant.by != variant.word).then(|| by.clone())))
    });
    own.chain(of_variants).collect()
}

/// Every key of a file.
fn all_keys(whole: &Key, of: Of) -> Vec<Answer> {
    let top = Answer { path: String::new(), of, within: Vec::new(), key: whole.clone() };
    let mut all = Vec::new();
    let mut todo = below(&top);
    while let Some(answer) = todo.pop() {
        todo.extend(below(&answer));
        all.push(answer);
    }
    all.sort_by(|one, other| (&one.path, &one.within).cmp(&(&other.path, &other.within)));
    all
}

/// Whether the path ends with the last piece and has the others in their order before it.
fn fits(answer: &Answer, pieces: &[&str]) -> bool {
    let mut own = answer.path.split('.').filter(|piece| *piece != "NAME");
    let ends = pieces.last() == Some(&answer.key.name.as_str());
    ends && pieces.iter().all(|piece| own.any(|known| known == *piece))
}

/// Whether the last piece is a word that the key may be, below all the others.
fn has_word(answer: &Answer, pieces: &[&str]) -> bool {
    let Some((last, before)) = pieces.split_last() else { return false };
    let mut own = answer.path.split('.');
    let words = answer.key.words.iter().map(|word| word.word.trim_matches('"'));
    let mut words = words.chain(answer.key.variants.iter().map(|variant| variant.word.as_str()));
    words.any(|word| word == *last) && before.iter().all(|piece| own.any(|known| known == *piece))
}

/// Of a sort of table that was asked for by its word, that one alone.
fn narrow(found: &mut [Answer], pieces: &[&str]) {
    let Some(word) = pieces.last() else { return };
    for key in found.iter_mut().map(|answer| &mut answer.key) {
        if key.variants.iter().any(|variant| variant.word == **word) {
            key.variants.retain(|variant| variant.word == **word);
        }
    }
}

/// What is the same key in several sorts of table is told once.
fn together(found: Vec<Answer>) -> Vec<Answer> {
    let mut told: Vec<Answer> = Vec::new();
    for answer in found {
        match told.iter_mut().find(|known| known.path == answer.path && known.key == answer.key) {
            Some(known) => known.within.extend(answer.within),
            None => told.push(answer),
        }
    }
    told
}

/// Keys whose paths, or last pieces, look like what was asked for.
fn near(all: &[Answer], pieces: &[&str]) -> Vec<String> {
    let plain = |answer: &Answer| answer.path.replace(".NAME", "");
    let paths: Vec<String> = all.iter().map(plain).collect();
    let mut found: Vec<String> =
        nearest(&pieces.join("."), paths.iter().map(String::as_str)).into_iter().map(str::to_owned).collect();
    let last = pieces.last().copied().unwrap_or_default();
    let names = all.iter().map(|answer| answer.key.name.as_str());
    if let Some(name) = nearest(last, names) {
        found.extend(all.iter().filter(|answer| answer.key.name == name).map(plain));
    }
    let mut seen: Vec<String> = Vec::new();
    for path in found {
        if !seen.contains(&path) && seen.len() < NEAR_MAX {
            seen.push(path);
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(path: &str) -> Vec<String> {
        find(path).unwrap_or_default().into_iter().map(|answer| answer.path).collect()
    }

    #[test]
    fn a_key_is_found_with_and_without_the_names_of_its_parts() {
        for path in ["fs.journal", "fs.data.journal", "host.server.fs.data.journal", "host.fs.journal"] {
            assert_eq!(paths(path), ["fs.NAME.journal"], "{path}");
        }
        assert_eq!(paths("host.memory"), ["host.NAME.memory"]);
        assert_eq!(paths("measure.stop.time"), ["measure.stop.time"]);
        assert_eq!(paths("machine.calls.read"), ["calls.read"]);
    }

    #[test]
    fn keys_between_may_be_left_out() {
        assert_eq!(paths("disk.cache.segments"), ["disk.NAME.drive.cache.segments"]);
        assert_eq!(paths("workload.read_fraction"), ["workload.NAME.generators.read_fraction"]);
    }

    #[test]
    fn a_word_finds_the_keys_that_may_be_it() {
        assert!(paths("workload.read").contains(&"workload.NAME.operation".to_owned()));
        assert!(paths("fs.ext4").contains(&"fs.NAME.type".to_owned()));
        assert_eq!(paths("workload.file-trace"), ["workload.NAME"]);
    }

    #[test]
    fn what_is_mistyped_gets_what_is_near() {
        let near = |path: &str| find(path).map_or_else(|not| not.near, |_| panic!("{path} is found"));
        assert_eq!(near("fs.jornal")[0], "fs.journal");
        assert!(near("fs.data.comit_interval").contains(&"fs.commit_interval".to_owned()));
        assert_eq!(near("host.memroy")[0], "host.memory");
        assert!(near("zzzzzz").is_empty());
        assert_eq!(paths("fs.data"), ["fs.NAME"]);
    }

    #[test]
    fn every_key_is_found_by_its_path_and_explained() {
        let mut keys = 0;
        for of in Of::ALL {
            for answer in all_keys(&of.key(), of) {
                let path = match of {
                    Of::Scenario => answer.path.clone(),
                    of => format!("{}.{}", of.word(), answer.path),
                };
                // Each look goes through all schemas: one in eight is looked for.
                if keys % 8 == 0 {
                    let found = find(&path).unwrap_or_default();
                    assert!(found.iter().any(|known| known.path == answer.path), "{path}");
                }
                assert!(!answer.key.takes.is_empty(), "{path}: what may it be?");
                keys += 1;
            }
        }
        assert!(keys > 400, "{keys}");
    }
}
