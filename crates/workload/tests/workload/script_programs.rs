//! Scripts of file operations: what they ask for, how they read back, and what they refuse.

use petrio_colours::{FileId, FileOp, Operation};
use petrio_time::Time;
use petrio_workload::Phase;
use petrio_workload::program::{
    FileProgram, Placement, Prepared, ProgramError, Script, ScriptParameters, Step,
};
use proptest::prelude::*;

fn prepared(text: &str) -> Prepared {
    ScriptParameters::new(text).prepare(&Placement::new("test")).unwrap()
}

fn steps(text: &str) -> Vec<Step> {
    all_steps(&mut prepared(text).programs[0])
}

fn all_steps(program: &mut dyn FileProgram) -> Vec<Step> {
    std::iter::from_fn(|| match program.next(Time::ZERO).unwrap() {
        Step::End => None,
        step => Some(step),
    })
    .collect()
}

pub(super) fn operations(text: &str) -> Vec<FileOp> {
    steps(text)
        .into_iter()
        .filter_map(|step| match step {
            Step::Operation(operation) => Some(operation),
            _ => None,
        })
        .collect()
}

/// `write 2 0+4096`: the operation, the file's number, offset and length.
pub(super) fn brief(text: &str) -> Vec<String> {
    operations(text)
        .iter()
        .map(|op| format!("{} {} {}+{}", op.operation.name(), op.file.0, op.offset, op.length))
        .collect()
}

fn refusal(text: &str) -> String {
    match ScriptParameters::new(text).prepare(&Placement::new("test")) {
        Ok(_) => panic!("accepted: {text}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn each_statement_asks_for_what_it_says() {
    let text = "file a 64 KiB cached; file b 1 MiB\ndirectory d\n\
                create d/n; write a 4KiB 8 KiB direct data-sync; read b 0 4 KiB stdio; append d/n 3 KiB sync\n\
                fsync a; fdatasync d/n; fsync .; truncate b 512 B; stat d; readdir d; open a; close a; sync\n\
                mkdir d/e; rename d/n d/e/n; rename b a; unlink d/e/n; rmdir d/e";
    let found = brief(text);
    let expected = [
        "create 4 0+0",
        "write 1 4096+8192",
        "read 2 0+4096",
        "write 4 0+3072",
        "fsync 1 0+0",
        "fdatasync 4 0+0",
        "fsync 0 0+0",
        "truncate 2 0+512",
        "stat 3 0+0",
        "readdir 3 0+0",
        "open 1 0+0",
        "close 1 0+0",
        "sync 0 0+0",
        "mkdir 5 0+0",
        "rename 4 0+0",
        "rename 2 0+0",
        "unlink 4 0+0",
        "rmdir 5 0+0",
    ];
    assert_eq!(found, expected);
    let ops = operations(text);
    assert!(ops[1].flags.direct && ops[1].flags.data_sync && !ops[1].flags.sync);
    assert!(ops[2].flags.stdio && ops[3].flags.sync);
    assert_eq!((ops[0].parent, ops[14].parent, ops[14].replaced), (FileId(3), FileId(5), None));
    assert_eq!((ops[15].parent, ops[15].replaced), (FileId::ROOT, Some(FileId(1))));
    assert_eq!((ops[16].parent, ops[17].parent), (FileId(5), FileId(3)));
}

#[test]
fn the_table_says_what_is_there_before_and_what_is_made() {
    let files = prepared("file a 64 KiB cached; directory d; create d/n; mkdir e; stat a").files;
    let list: Vec<_> = files
        .entries()
        .iter()
        .map(|entry| (entry.file.0, files.path(entry.file).unwrap(), entry.is_directory, entry.present))
        .collect();
    let expected = [
        (1, "test.a".to_owned(), false, true),
        (2, "test.d".to_owned(), true, true),
        (3, "test.d/n".to_owned(), false, false),
        (4, "test.e".to_owned(), true, false),
    ];
    assert_eq!(list, expected);
    let a = files.get(FileId(1)).unwrap();
    assert_eq!((a.size, a.cached, files.bytes(), files.next_file()), (65_536, true, 65_536, 5));
}

#[test]
fn appends_follow_the_file_as_it_grows_and_shrinks() {
    let text = "file a 10 B; append a 4 B; write a 20 B 2 B; append a 1 B; truncate a 5 B; append a 1 B; \
                unlink a; create a; append a 7 B; append a 1 B";
    let offsets: Vec<u64> =
        operations(text).iter().filter(|op| op.operation == Operation::Write).map(|op| op.offset).collect();
    assert_eq!(offsets, [10, 20, 22, 5, 0, 7]);
}

#[test]
fn a_block_that_leaves_nothing_behind_repeats_without_growing() {
    // Unrolled, this would be far beyond the limit.
    let text = "repeat 1_000_000_000 { create a; append a 4 KiB; repeat 3 { fsync a }; unlink a }";
    let mut program = prepared(text).programs.remove(0);
    let mut names = Vec::new();
    for _ in 0..12 {
        let Step::Operation(op) = program.next(Time::ZERO).unwrap() else { panic!("ended") };
        assert_eq!((op.file, op.offset), (FileId(1), 0));
        names.push(op.operation.name());
    }
    let once = ["create", "write", "fsync", "fsync", "fsync", "unlink"];
    assert_eq!(names, [once, once].concat());
}

#[test]
fn repeats_multiply_and_the_whole_script_repeats() {
    let text = "file a 8 KiB; read a 0 4 KiB; repeat 3 { stat a; repeat 5 { read a 4 KiB 4 KiB }; stat a }";
    let mut parameters = ScriptParameters::new(text);
    parameters.repeat = 7;
    let mut program = parameters.prepare(&Placement::new("test")).unwrap().programs.remove(0);
    assert_eq!(all_steps(&mut program).len(), 7 * (1 + 3 * (1 + 5 + 1)));
    assert_eq!(program.next(Time::ZERO).unwrap(), Step::End);
}

#[test]
fn a_block_that_leaves_files_behind_gets_new_ones_each_time() {
    assert_eq!(
        brief("repeat 3 { create m-%; append m-% 1 B }"),
        ["create 1 0+0", "write 1 0+1", "create 2 0+0", "write 2 0+1", "create 3 0+0", "write 3 0+1",]
    );
    // The file that is replaced is gone, and its number comes again for the next one made under its name.
    let renames = operations("repeat 4 { create f; rename f g }");
    let numbers: Vec<_> = renames.iter().map(|op| (op.file.0, op.replaced.map(|file| file.0))).collect();
    let expected =
        [(1, None), (1, None), (2, None), (2, Some(1)), (1, None), (1, Some(2)), (2, None), (2, Some(1))];
    assert_eq!(numbers, expected);
}

#[test]
fn thinking_barriers_and_phases_are_steps() {
    let steps = steps(
        "phase preparation; think 5 ms; create a; barrier; phase measured; fsync a; phase closing; sync",
    );
    let kinds: Vec<Step> = steps.into_iter().filter(|step| !matches!(step, Step::Operation(_))).collect();
    let expected = [
        Step::Phase(Phase::Preparation),
        Step::Think(Time::from_millis(5)),
        Step::Barrier,
        Step::Phase(Phase::Measured),
        Step::Phase(Phase::Closing { counted: false }),
    ];
    assert_eq!(kinds, expected);
}

#[test]
fn processes_have_directories_of_their_own() {
    let mut parameters = ScriptParameters::new("file a 4 KiB; create b; fsync .; rename b a");
    parameters.processes = 2;
    let mut prepared = parameters.prepare(&Placement { first_process: 7, ..Placement::new("w") }).unwrap();
    let paths: Vec<_> =
        prepared.files.entries().iter().map(|entry| prepared.files.path(entry.file).unwrap()).collect();
    assert_eq!(paths, ["w.0", "w.0/a", "w.0/b", "w.1", "w.1/a", "w.1/b"]);
    for (number, program) in prepared.programs.iter_mut().enumerate() {
        let base = 1 + 3 * number as u32;
        let ops = all_steps(program);
        let found: Vec<_> = ops
            .iter()
            .map(|step| match step {
                Step::Operation(op) => (op.process, op.file.0, op.parent.0, op.replaced.map(|file| file.0)),
                other => panic!("{other:?}"),
            })
            .collect();
        let process = 7 + number as u32;
        let expected = [
            (process, base + 2, base, None),
            (process, base, base, None),
            (process, base + 2, base, Some(base + 1)),
        ];
        assert_eq!(found, expected);
    }
}

#[track_caller]
pub(super) fn says((text, begins): (&str, &str)) {
    let message = refusal(text);
    assert!(message.starts_with(begins), "{text}\n  says {message}\n  not  {begins}");
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let known = [
        (
            "create a\n  wirte a 0 4 KiB",
            "line 2, column 3: \"wirte\" is no statement; did you mean \"write\"?",
        ),
        (
            "frobnicate",
            "line 1, column 1: \"frobnicate\" is no statement; statements begin with file, directory,",
        ),
        ("create a; write a 0 4", "line 1, column 21: the length: \"4\" has no unit; write \"4 KiB\""),
        (
            "create a; write a 0 4 KIB",
            "line 1, column 21: the length: \"KIB\" in \"4 KIB\" is not a unit of a size",
        ),
        ("create a; write a 0", "line 1, column 20: the length is missing"),
        (
            "create a; write a 0 4 KiB snyc",
            "line 1, column 27: \"snyc\" is no flag of an access; did you mean \"sync\"?",
        ),
        ("create a; write a 0 4 KiB sync sync", "line 1, column 32: \"sync\" stands here twice"),
        ("create a; read a 0 4 KiB sync", "line 1, column 11: a read has nothing that could be made durable"),
        ("create", "line 1, column 7: the file's name is missing"),
        ("create a b", "line 1, column 10: \"b\" is one word too many after \"create\""),
        ("read a 0 4 KiB", "line 1, column 1: there is no \"a\" here"),
        ("create a; create a", "line 1, column 11: there is a \"a\" already"),
        ("create a; unlink a; stat a", "line 1, column 21: there is no \"a\" here"),
        ("create d/a", "line 1, column 1: there is no directory \"d\" here"),
        ("create d; create d/a", "line 1, column 11: \"d\" on the way of \"d/a\" is a file"),
        ("mkdir d; read d 0 1 B", "line 1, column 10: \"d\" is a directory; a file is needed"),
        ("mkdir d; create d/a; rmdir d", "line 1, column 22: the directory \"d\" isn't empty"),
        ("mkdir d; rename d d/e", "line 1, column 10: \"d/e\" lies within \"d\""),
        ("mkdir d; mkdir d/e; rename d d/e/f", "line 1, column 21: \"d/e/f\" lies within \"d\""),
        ("create a; rename a a", "line 1, column 11: \"a\" and \"a\" are the same"),
        ("create a; mkdir d; rename a d", "line 1, column 20: one of \"a\" and \"d\" is a directory"),
        ("rename . a", "line 1, column 1: the directory in which the script runs can't be renamed"),
        ("create ../a", "line 1, column 8: \"../a\" has . or .. on its way"),
        ("create /a", "line 1, column 8: \"/a\" begins at the root"),
        ("create a%", "line 1, column 1: % is the number of the repetition"),
        ("repeat 0 { stat . }", "line 1, column 8: repeated 0 times"),
        ("repeat x { stat . }", "line 1, column 8: \"x\" is no number of repetitions"),
        ("repeat 2 { think 1 s }", "line 1, column 1: this repeat has no operation in it"),
        ("repeat 2 { stat .", "line 1, column 1: the } of this repeat is missing"),
        ("stat . }", "line 1, column 8: } stands here, and no block is open"),
        ("stat . {", "line 1, column 8: { stands here"),
        ("phase begin", "line 1, column 7: \"begin\" is no phase; they are preparation, measured, closing"),
        ("stat .; file a 4 KiB", "line 1, column 9: declarations of files and directories stand before"),
        ("file a 4 KiB", "line 1, column 1: the script has no operation in it"),
        ("", "line 1, column 1: the script has no operation in it"),
        ("think -5 ms; stat .", "line 1, column 7: the time to think: "),
        ("create a; write a 8 EiB 1 B", "line 1, column 11: the access reaches beyond 8 EiB"),
        ("repeat 2000000 { create f-% }", "line 1, column 18: the script has more than 1048576 steps here"),
    ];
    known.into_iter().for_each(says);
    let deep = "repeat 2 { ".repeat(20) + "stat ." + &"}".repeat(20);
    assert!(refusal(&deep).contains("more than 16 repeats within repeats"));
}

#[test]
fn an_append_beyond_the_longest_file_is_an_error_when_it_comes() {
    let mut program = prepared("file a 0; repeat 9 { append a 1 EiB }").programs.remove(0);
    let error = std::iter::repeat_with(|| program.next(Time::ZERO)).take(9).find_map(Result::err).unwrap();
    assert!(matches!(error, ProgramError::FileTooLong { file: FileId(1) }), "{error}");
}

/// Pieces of scripts, right and wrong.
fn near_script() -> impl Strategy<Value = String> {
    let words = [
        "file",
        "create",
        "open",
        "read",
        "write",
        "append",
        "truncate",
        "fsync",
        "mkdir",
        "rmdir",
        "rename",
        "unlink",
        "readdir",
        "stat",
        "sync",
        "think",
        "barrier",
        "phase",
        "repeat",
        "cached",
        "a",
        "b",
        "d",
        "d/a",
        ".",
        "%",
        "x-%",
        "0",
        "3",
        "4 KiB",
        "1 EiB",
        "18446744073709551615 B",
        "5 ms",
        "direct",
        "{",
        "}",
        ";",
        "\n",
        "# no",
        "measured",
        "ü",
    ];
    prop::collection::vec(prop::sample::select(words.to_vec()), 0..60).prop_map(|words| words.join(" "))
}

/// Statements that can be read, most of which make sense after others.
fn statements() -> impl Strategy<Value = String> {
    let statement = prop::sample::select(vec![
        "create a",
        "create b",
        "create d/a",
        "mkdir d",
        "mkdir d/e",
        "unlink a",
        "unlink b",
        "rmdir d",
        "rename a b",
        "rename b a",
        "rename a d/a",
        "rename d f",
        "append a 1 KiB",
        "write b 0 4 KiB sync",
        "truncate a 0",
        "fsync .",
        "readdir d",
        "stat a",
        "sync",
        "think 1 ms",
        "barrier",
        "phase closing",
        "repeat 3 {",
        "repeat 1000000 {",
        "}",
        "}",
        "create x-%",
        "stat x-%",
        "unlink x-%",
        "link a h",
        "link b d/h",
        "unlink h",
        "symlink a s",
        "unlink s",
        "tmpfile t",
        "write t 0 4 KiB",
        "link t n",
        "close t",
        "chmod a",
        "setxattr a 100 B",
        "removexattr a",
        "fallocate a 0 1 MiB keep-size",
        "fallocate b 4 KiB 4 KiB",
        "sync_file_range a 0 4 KiB",
    ]);
    prop::collection::vec(statement, 1..12)
        .prop_map(|list| format!("file a 1 KiB; stat a; {}", list.join("; ")))
}

/// What names lead to, followed one step at a time: an independent count of what there is, and by how many names.
#[derive(Default)]
struct Alive {
    names: std::collections::BTreeMap<FileId, u32>,
    nameless: std::collections::BTreeSet<FileId>,
}

impl Alive {
    fn of(prepared: &Prepared) -> Self {
        let present = prepared.files.entries().iter().filter(|entry| entry.present);
        Self { names: present.map(|entry| (entry.file, 1)).collect(), ..Self::default() }
    }

    fn has(&self, file: FileId) -> bool {
        file == FileId::ROOT || self.names.contains_key(&file)
    }

    /// A name comes; whether it may.
    fn gains(&mut self, file: FileId, is_new: bool) -> bool {
        let names = self.names.entry(file).or_default();
        *names += 1;
        (*names == 1) == is_new
    }

    /// A name goes; whether there was one.
    fn loses(&mut self, file: FileId) -> bool {
        let Some(names) = self.names.get_mut(&file) else { return false };
        *names -= 1;
        if *names == 0 {
            self.names.remove(&file);
        }
        true
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_048, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_text_never_panics(text in ".{0,200}") {
        let _ = ScriptParameters::new(text).prepare(&Placement::new("test"));
    }

    #[test]
    fn almost_scripts_never_panic(text in near_script()) {
        let _ = ScriptParameters::new(text).prepare(&Placement::new("test"));
    }

    #[test]
    fn a_script_never_makes_what_is_there_nor_uses_what_is_not(text in statements()) {
        if let Ok(mut prepared) = ScriptParameters::new(text).prepare(&Placement::new("test")) {
            let mut alive = Alive::of(&prepared);
            for _ in 0..1_000 {
                let Ok(Step::Operation(op)) = prepared.programs[0].next(Time::ZERO) else { continue };
                match op.operation {
                    Operation::Create | Operation::Mkdir | Operation::Symlink | Operation::Tmpfile => {
                        prop_assert!(alive.gains(op.file, true));
                        if op.operation == Operation::Tmpfile {
                            alive.nameless.insert(op.file);
                        }
                    }
                    Operation::Link => prop_assert!(alive.gains(op.file, false)),
                    Operation::Unlink | Operation::Rmdir => prop_assert!(alive.loses(op.file)),
                    Operation::Close if alive.nameless.remove(&op.file) => prop_assert!(alive.loses(op.file)),
                    _ => prop_assert!(alive.has(op.file)),
                }
                prop_assert!(alive.has(op.parent));
                prop_assert!(op.replaced.is_none_or(|replaced| alive.loses(replaced)));
            }
        }
    }

    #[test]
    fn what_is_printed_reads_back_the_same(text in prop_oneof![near_script(), statements()]) {
        if let Ok(script) = text.parse::<Script>() {
            let printed = script.to_string();
            prop_assert_eq!(printed.parse::<Script>().map_err(|error| error.to_string()), Ok(script), "{}", printed);
        }
    }
}

#[test]
fn a_long_script_reads_back_the_same() {
    let text = "file a 64 KiB cached; directory d\ncreate d/n; write a 0 4 KiB direct sync; append d/n 3 KiB stdio\n\
                repeat 3 { fsync a; repeat 2\n{ read a 1 B 2 B; think 1.5 ms } }; rename a b; phase closing; barrier; sync";
    let script: Script = text.parse().unwrap();
    let printed = script.to_string();
    assert_eq!(printed.parse::<Script>().unwrap(), script);
    assert_eq!(steps(&printed), steps(text));
    assert_ne!("create a; stat a".parse::<Script>().unwrap(), "create a; stat b".parse::<Script>().unwrap());
}

#[test]
fn rests_that_are_drawn_have_their_mean_and_differ_between_processes() {
    let script =
        ScriptParameters { processes: 2, ..ScriptParameters::new("repeat 1000 { think about 2 s; sync }") };
    let mut prepared = script.prepare(&Placement::new("test")).unwrap();
    let mut rests = |process: usize| -> Vec<Time> {
        let mut all = Vec::new();
        loop {
            match prepared.programs[process].next(Time::ZERO).unwrap() {
                Step::Think(rest) => all.push(rest),
                Step::End => return all,
                _ => {}
            }
        }
    };
    let (one, other) = (rests(0), rests(1));
    let mean = one.iter().map(|rest| rest.as_seconds()).sum::<f64>() / 1000.0;
    assert!((mean - 2.0).abs() < 0.2, "{mean}");
    assert!(one.len() == 1000 && one.iter().zip(&other).all(|(one, other)| one != other));
    let text: Script = "think about 2 s".parse().unwrap();
    assert_eq!(text.to_string().trim(), "think about 2 s");
}
