//! Names that are told beside hand-made events.

use super::*;
use crate::file_trace::fanotify::watch::{NameChange, Renaming};
use crate::file_trace::join::names::Entry;
use crate::file_trace::join::naming::Border;

const FOLDER: Inode = Inode { device: 254 << 20, number: 2 };

impl Play {
    /// What is told is told from now on, and the root's name is known.
    fn told(full: bool) -> Self {
        let mut play = Self::new(full);
        play.joiner.matching.is_on = true;
        play.joiner.names.put_folder_by_path(FOLDER, "/");
        play
    }

    fn tell(&mut self, told: Vec<NameChange>) {
        self.now_ns += 1_000;
        let border = Border { from_ns: self.now_ns - 100, to_ns: self.now_ns };
        self.joiner.tell(told, border, self.now_ns - 1_000);
    }

    /// A new file, written and deleted; its inode is free again.
    fn short_life(&mut self) {
        let new = vec![What::Allocated { inode: FILE, mode: 0o100_644 }];
        self.call(SHELL, Call::Open, &[CREATE | WRITE_ONLY], new, 3);
        self.close(SHELL, 3);
        let gone = vec![What::Unlinked { inode: FILE, size: 0 }, What::Freed(FILE)];
        self.call(SHELL, Call::Unlink, &[], gone, 0);
    }

    fn rename(&mut self) {
        self.call(SHELL, Call::Rename, &[], vec![], 0);
    }
}

fn in_root(name: &str) -> Entry {
    Entry { folder: FOLDER, name: name.into() }
}

fn told(inode: Inode, what: Renaming) -> NameChange {
    NameChange { thread: SHELL, is_folder: false, inode, what }
}

fn moved(inode: Inode, from: &str, to: &str) -> NameChange {
    told(inode, Renaming::Moved(in_root(from), in_root(to)))
}

fn paths(events: &[Event]) -> Vec<(EventKind, Option<&str>, u32)> {
    events.iter().map(|event| (event.kind, event.path.as_deref(), event.file.generation)).collect()
}

#[test]
fn short_lived_files_with_the_same_inode_have_their_own_names() {
    let mut play = Play::told(false);
    play.short_life();
    play.short_life();
    let made = |name| told(FILE, Renaming::Made(in_root(name)));
    let gone = |name| told(FILE, Renaming::Gone(in_root(name)));
    play.tell(vec![made("a"), gone("a"), made("b"), gone("b")]);
    let events = play.events();
    let each = |path, generation| {
        [EventKind::Create, EventKind::Close, EventKind::Unlink].map(|kind| (kind, Some(path), generation))
    };
    assert_eq!(paths(&events), [each("/a", 0), each("/b", 1)].concat());
}

#[test]
fn a_name_may_be_told_before_its_file_is_seen() {
    let mut play = Play::told(false);
    play.tell(vec![told(FILE, Renaming::Made(in_root("a")))]);
    play.short_life();
    play.tell(vec![]);
    assert!(play.events().iter().all(|event| event.path.as_deref() == Some("/a")));
}

#[test]
fn a_file_without_a_name_takes_none_from_the_next_one() {
    const NAMELESS: u64 = 0o20_200_000;
    let mut play = Play::told(false);
    let new = || vec![What::Allocated { inode: FILE, mode: 0o100_600 }];
    play.call(SHELL, Call::Open, &[NAMELESS | WRITE_ONLY], new(), 3);
    play.close(SHELL, 3);
    play.happens(SHELL, What::Freed(FILE));
    play.call(SHELL, Call::Open, &[CREATE | WRITE_ONLY], new(), 3);
    play.tell(vec![told(FILE, Renaming::Made(in_root("a")))]);
    let events = play.events();
    let expected =
        [(EventKind::Create, None, 0), (EventKind::Close, None, 0), (EventKind::Create, Some("/a"), 1)];
    assert_eq!(paths(&events), expected);
}

#[test]
fn renames_go_with_what_is_told_in_order_and_take_effect_in_their_time() {
    let mut play = Play::told(false);
    play.joiner.learn_entry(FILE, in_root("a"), Some(5));
    play.open(SHELL, 0, 3);
    play.read(SHELL, 3, 0, 5, &[]);
    play.rename();
    play.rename();
    play.close(SHELL, 3);
    play.tell(vec![moved(FILE, "a", "b"), moved(FILE, "b", "c")]);
    let events = play.events();
    let names: Vec<_> =
        events.iter().map(|event| (event.path.as_deref(), event.new_path.as_deref())).collect();
    let expected =
        [(Some("/a"), None), (Some("/a"), Some("/b")), (Some("/b"), Some("/c")), (Some("/c"), None)];
    assert_eq!(names, expected);
    assert!(events.iter().all(|event| event.file.inode == FILE.number));
}

#[test]
fn a_program_that_has_ended_or_was_not_seen_yet_has_its_rename_all_the_same() {
    let mut play = Play::told(false);
    let of_child = |told: NameChange| NameChange { thread: CHILD, ..told };
    play.happens(SHELL, FORK);
    play.call(CHILD, Call::Rename, &[], vec![], 0);
    play.happens(CHILD, What::Ended);
    play.tell(vec![of_child(moved(FILE, "a", "b"))]);
    play.tell(vec![of_child(moved(OTHER, "c", "d"))]);
    // All this happened before the border.
    play.now_ns -= 1_900;
    play.joiner.take(KernelEvent { time_ns: play.now_ns, thread: SHELL, what: FORK });
    play.happens(CHILD, What::Enter(Call::Rename, [0; 5]));
    play.now_ns -= 900;
    play.happens(CHILD, What::Exit(Call::Rename, 0));
    play.now_ns += 10_000;
    play.tell(vec![]);
    let inodes: Vec<_> = play.events().iter().map(|event| event.file.inode).collect();
    assert_eq!(inodes, [FILE.number, OTHER.number]);
}

#[test]
fn renames_of_others_take_effect_in_their_order() {
    let mut play = Play::told(false);
    let by = |thread, told: NameChange| NameChange { thread, is_folder: true, ..told };
    play.tell((1..50).map(|n: u32| by(100 + n, moved(OTHER, "d", &format!("d{n}")))).collect());
    play.tell(vec![]);
    let file = Entry { folder: OTHER, name: "f".into() };
    assert_eq!(play.joiner.names.compose(&file).as_deref(), Some("/d49/f"));
}

#[test]
fn renames_that_are_more_than_what_is_told_stay_without_until_the_next_border() {
    let mut play = Play::told(false);
    play.rename();
    play.rename();
    play.tell(vec![moved(FILE, "a", "b")]);
    play.rename();
    play.tell(vec![moved(OTHER, "c", "d")]);
    play.tell(vec![]);
    assert_eq!(play.joiner.counts.unmatched_names, 2);
    let events = play.events();
    let inodes: Vec<_> = events.iter().map(|event| event.file.inode).collect();
    assert_eq!(inodes, [0, 0, OTHER.number]);
}

#[test]
fn a_rename_across_a_border_is_counted_with_those_behind_it() {
    let mut play = Play::told(false);
    play.happens(SHELL, What::Enter(Call::Rename, [0; 5]));
    play.tell(vec![moved(FILE, "a", "b")]);
    play.happens(SHELL, What::Exit(Call::Rename, 0));
    play.rename();
    play.tell(vec![moved(OTHER, "c", "d")]);
    let events = play.events();
    let inodes: Vec<_> = events.iter().map(|event| event.file.inode).collect();
    assert_eq!(inodes, [FILE.number, OTHER.number]);
}

#[test]
fn a_new_folder_has_its_name_and_what_is_in_it_moves_with_it() {
    let mut play = Play::told(false);
    let new = vec![What::Allocated { inode: OTHER, mode: 0o040_755 }];
    play.call(SHELL, Call::MakeDirectory, &[], new, 0);
    play.short_life();
    play.rename();
    play.short_life();
    let folder = |what| NameChange { is_folder: true, ..told(OTHER, what) };
    let made = || told(FILE, Renaming::Made(Entry { folder: OTHER, name: "f".into() }));
    play.tell(vec![
        folder(Renaming::Made(in_root("d"))),
        made(),
        folder(Renaming::Moved(in_root("d"), in_root("e"))),
        made(),
    ]);
    let events = play.events();
    let names: Vec<_> = events.iter().map(|event| event.path.as_deref().unwrap()).collect();
    assert_eq!(names, ["/d", "/d/f", "/d/f", "/d/f", "/d", "/e/f", "/e/f", "/e/f"]);
    assert_eq!((events[0].file.inode, events[4].file.inode), (OTHER.number, OTHER.number));
}

fn any_told() -> impl Strategy<Value = NameChange> {
    let inode = || (0_u64..4).prop_map(|number| Inode { device: 1, number });
    let entry = move || (inode(), "[ab]").prop_map(|(folder, name)| Entry { folder, name: name.into() });
    let what = prop_oneof![
        entry().prop_map(Renaming::Made),
        entry().prop_map(Renaming::Gone),
        (entry(), entry()).prop_map(|(from, to)| Renaming::Moved(from, to)),
    ];
    (0_u32..5, any::<bool>(), inode(), what).prop_map(|(thread, is_folder, inode, what)| NameChange {
        thread,
        is_folder,
        inode,
        what,
    })
}

proptest! {
    #[test]
    fn whatever_is_told_beside_any_events_comes_out_in_order(
        steps in prop::collection::vec(
            ((0_u32..5, any_what()), prop::option::of(prop::collection::vec(any_told(), 0..5))), 0..60
        )
    ) {
        let mut play = Play::told(true);
        for ((thread, what), told) in steps {
            play.happens(thread, what);
            if let Some(told) = told {
                play.tell(told);
            }
        }
        let out = play.events();
        prop_assert!(out.windows(2).all(|pair| pair[0].time <= pair[1].time));
    }
}
