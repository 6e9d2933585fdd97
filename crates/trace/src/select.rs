//! Which events of a trace are wanted: by kind, process, path, device, time and direction.

use super::event::{Event, EventKind, FileKey};
use petrio_colours::Direction;
use petrio_time::Time;
use rustc_hash::FxHashMap;

/// What is wanted. An empty list wants everything; an event has to be wanted by every list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Kinds.
    pub kinds: Vec<EventKind>,
    /// Processes.
    pub processes: Vec<u32>,
    /// Patterns of paths, old or new; see [`matches()`].
    pub paths: Vec<String>,
    /// Devices, of the file or of an extent.
    pub devices: Vec<u32>,
    /// From this time on.
    pub from: Option<Time>,
    /// Before this time.
    pub to: Option<Time>,
    /// Only what reads (with `writes`: or writes): reads of files, and requests to devices.
    pub reads: bool,
    /// Only what writes (with `reads`: or reads): writes of files, and requests to devices.
    pub writes: bool,
}

/// Selects from the events of one trace, in their order. A trace may give a file's path with its first event only:
/// those after it are on that path, too.
#[derive(Clone, Debug)]
pub struct Selector {
    wanted: Selection,
    /// Whether the path that each file had last is wanted.
    files: FxHashMap<FileKey, bool>,
}

impl Selector {
    /// Selects what is wanted.
    pub fn new(wanted: Selection) -> Self {
        Self { wanted, files: FxHashMap::default() }
    }

    /// Whether an event is wanted.
    pub fn wants(&mut self, event: &Event) -> bool {
        self.wanted.wants_but_path(event) & self.wants_path(event)
    }

    fn wants_path(&mut self, event: &Event) -> bool {
        if self.wanted.paths.is_empty() {
            return true;
        }
        if event.path.is_none() && event.new_path.is_none() {
            return event.file.is_known() && self.files.get(&event.file).copied().unwrap_or_default();
        }
        let wanted = self.wanted.wants_path(event);
        if event.file.is_known() {
            self.files.insert(event.file, wanted);
        }
        wanted
    }
}

impl Selection {
    /// Whether an event is wanted, by what it says itself.
    pub fn wants(&self, event: &Event) -> bool {
        self.wants_but_path(event) && self.wants_path(event)
    }

    fn wants_but_path(&self, event: &Event) -> bool {
        let any = |list: &[u32], found: &dyn Fn(u32) -> bool| {
            list.is_empty() || list.iter().any(|&item| found(item))
        };
        (self.kinds.is_empty() || self.kinds.contains(&event.kind))
            && any(&self.processes, &|process| process == event.process)
            && any(&self.devices, &|device| {
                event.file.device == device || event.extents.iter().any(|extent| extent.device == device)
            })
            && self.from.is_none_or(|from| event.time >= from)
            && self.to.is_none_or(|to| event.time < to)
            && self.wants_direction(event)
    }

    fn wants_path(&self, event: &Event) -> bool {
        let mut paths = [&event.path, &event.new_path].into_iter().flatten();
        self.paths.is_empty() || paths.any(|path| self.paths.iter().any(|pattern| matches(pattern, path)))
    }

    fn wants_direction(&self, event: &Event) -> bool {
        let direction = match event.kind {
            EventKind::Read => Some(Direction::Read),
            EventKind::Write => Some(Direction::Write),
            kind if kind.is_of_device() => event.direction,
            _ => None,
        };
        match (self.reads, self.writes) {
            (false, false) => true,
            (reads, writes) => {
                (reads && direction == Some(Direction::Read))
                    || (writes && direction == Some(Direction::Write))
            }
        }
    }
}

/// Whether a pattern matches a whole text: `*` stands for any characters but a slash, `**` for any characters, `?` for
/// one character but a slash. Everything else stands for itself.
///
/// ```
/// use petrio_trace::select::matches;
/// assert!(matches("/data/*.db", "/data/a.db") && !matches("/data/*.db", "/data/old/a.db"));
/// assert!(matches("/data/**", "/data/old/a.db"));
/// ```
pub fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    // Where the last star of either sort stands, and how much of the text it has taken: the usual way without
    // recursion, for which going back to a `*` and then to the `**` before it is enough.
    let (mut at, mut read) = (0, 0);
    let mut single: Option<(usize, usize)> = None;
    let mut double: Option<(usize, usize)> = None;
    loop {
        let byte = text.get(read).copied();
        match (pattern.get(at), byte) {
            (None, None) => return true,
            (Some(b'*'), _) if pattern.get(at + 1) == Some(&b'*') => {
                at += 2;
                (double, single) = (Some((at, read)), None);
                continue;
            }
            (Some(b'*'), _) => {
                at += 1;
                single = Some((at, read));
                continue;
            }
            (Some(b'?'), Some(byte)) if byte != b'/' => {
                (at, read) = (at + 1, read + 1);
                continue;
            }
            (Some(&wanted), Some(byte)) if wanted == byte && wanted != b'?' => {
                (at, read) = (at + 1, read + 1);
                continue;
            }
            _ => {}
        }
        if let Some((after, taken)) = single {
            if text.get(taken).is_some_and(|&byte| byte != b'/') {
                single = Some((after, taken + 1));
                (at, read) = (after, taken + 1);
                continue;
            }
            single = None;
        }
        match double {
            Some((after, taken)) if taken < text.len() => {
                double = Some((after, taken + 1));
                (at, read) = (after, taken + 1);
            }
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_in_a_shell() {
        for (pattern, text) in [
            ("/a/*", "/a/b"),
            ("/a/**", "/a/b/c"),
            ("**/x", "/a/b/x"),
            ("/a/?", "/a/b"),
            ("**/*.c", "/a/b/x.c"),
            ("*", "x"),
            ("**", ""),
        ] {
            assert!(matches(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in
            [("/a/*", "/a/b/c"), ("/a/?", "/a/"), ("x", "xy"), ("*/x", "/a/b/x"), ("/a/*.c", "/a/c")]
        {
            assert!(!matches(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn a_file_keeps_the_path_that_its_first_event_gave() {
        let event = |inode, path: Option<&str>| Event {
            file: FileKey { inode, ..FileKey::UNKNOWN },
            path: path.map(Into::into),
            ..Event::new(Time::ZERO, EventKind::Write)
        };
        let paths = vec!["/a/**".to_owned()];
        let mut selector = Selector::new(Selection { paths, ..Selection::default() });
        let seen = [
            event(1, Some("/a/b")),
            event(2, Some("/c")),
            event(1, None),
            event(2, None),
            event(3, None),
            event(0, None),
        ];
        let wanted: Vec<bool> = seen.iter().map(|event| selector.wants(event)).collect();
        assert_eq!(wanted, [true, false, true, false, false, false]);
    }

    #[test]
    fn an_event_has_to_be_wanted_by_every_list() {
        let event = Event {
            process: 7,
            path: Some("/a/b".into()),
            ..Event::new(Time::from_nanos(5), EventKind::Read)
        };
        let wanted = Selection {
            kinds: vec![EventKind::Read],
            processes: vec![6, 7],
            paths: vec!["/a/*".to_owned()],
            from: Some(Time::from_nanos(5)),
            to: Some(Time::from_nanos(6)),
            reads: true,
            ..Selection::default()
        };
        assert!(wanted.wants(&event));
        assert!(!Selection { to: Some(Time::from_nanos(5)), ..wanted.clone() }.wants(&event));
        assert!(!Selection { devices: vec![3], ..wanted.clone() }.wants(&event));
        assert!(!Selection { reads: false, writes: true, ..wanted }.wants(&event));
    }
}
