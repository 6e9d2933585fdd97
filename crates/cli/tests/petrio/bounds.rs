//! What has no end, no mean or no room is refused or told, with a figure.

use crate::support::{Folder, null_in, root, unwrapped};
use std::io::Write;
use std::process::{Command, Stdio};

#[test]
fn numbers_to_fit_that_have_no_end_are_refused() {
    let answer = Folder::new().petrio(&["fit", "/dev/zero"]);
    assert_eq!(answer.code, Some(2), "{}", answer.talk);
    assert!(answer.talk.contains("a line of more than 65536 bytes"), "{}", answer.talk);
}

#[test]
fn a_mean_that_there_is_none_of_is_left_out_and_said_so() {
    let folder = Folder::new();
    let specification = root().join("examples/users/office.toml").display().to_string();
    let set = "category.letter.size={ pareto = { minimum = \"1 KiB\", shape = 0.5 } }";
    let files = "user.clerk.uses.letter.files={ pareto = { minimum = 1, shape = 0.5 } }";
    for more in [vec![], vec!["--set", files], vec!["--set", set]] {
        let mut arguments = vec!["users", "info", &specification, "--json"];
        arguments.extend(&more);
        let answer = folder.petrio(&arguments);
        assert_eq!(answer.code, Some(0), "{more:?}: {}", answer.talk);
        assert_eq!(null_in(&serde_json::from_str(&answer.out).unwrap(), ""), None, "{more:?}");
    }
    let answer = folder.petrio(&["users", "info", &specification, "--set", files]);
    assert!(answer.out.contains("no mean"), "{}", answer.out);
}

#[test]
fn more_users_than_there_can_be_are_refused_with_the_key_before_the_first_file_is_laid_out() {
    let folder = Folder::new();
    let specification = root().join("examples/users/office.toml").display().to_string();
    let set = "files.users=4294967295";
    let answer = folder.petrio(&["fs", "create", &specification, "--dir", "made", "--set", set]);
    assert_eq!(answer.code, Some(2), "{}", answer.talk);
    let said = "users: 4294967295 users with 5 files and directories each at least";
    assert!(answer.talk.contains(said), "{}", answer.talk);
    assert!(folder.names().is_empty(), "{:?}", folder.names());
}

#[test]
fn a_small_file_that_unpacks_without_end_takes_neither_memory_nor_disk() {
    let folder = Folder::new();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(b"PAR1").unwrap();
    for _ in 0..200 {
        packed.write_all(&[0; 1 << 20]).unwrap();
    }
    folder.write("bomb.gz", packed.finish().unwrap());
    let answer = folder.petrio(&["trace", "info", "bomb.gz"]);
    assert_eq!(answer.code, Some(2), "{}{}", answer.out, answer.talk);
    assert!(unwrapped(&answer.talk).contains("which no Parquet file does"), "{}", answer.talk);
}

#[test]
fn a_parquet_trace_from_a_pipe_is_read_like_the_file() {
    let folder = Folder::new();
    let trace = std::fs::read(root().join("examples/traces/compile-files.parquet")).unwrap();
    folder.write("whole.parquet", &trace);
    let file = folder.petrio(&["trace", "info", "whole.parquet"]);
    let mut child = folder
        .command(&["trace", "info", "/dev/stdin"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || pipe.write_all(&trace));
    let piped = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    let piped = String::from_utf8(piped.stdout).unwrap();
    assert_eq!(piped.replace("/dev/stdin", "whole.parquet"), file.out);
}

/// Runs with so much address space, in KiB; what a shell's `ulimit -v` gives.
fn within(folder: &Folder, kibibytes: u64, arguments: &str) -> (Option<i32>, String) {
    let petrio = env!("CARGO_BIN_EXE_petrio");
    let script = format!("ulimit -v {kibibytes}; exec {petrio} {arguments}");
    let output = Command::new("sh")
        .args(["-c", &script])
        .current_dir(folder.path("."))
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn under_a_limit_of_memory_what_needs_more_is_an_error_and_no_abort() {
    let folder = Folder::with(crate::support::RANDOM);
    for (set, word) in
        [("measure.replications=2147483647", "ulimit -v"), ("measure.replications=10000000", "ulimit -v")]
    {
        let (code, talk) = within(&folder, 4_000_000, &format!("run scenario.toml -q --set {set}"));
        assert_eq!(code, Some(2), "{set}: {talk}");
        assert!(unwrapped(&talk).contains(word), "{set}: {talk}");
    }
    let (code, talk) =
        within(&folder, 4_000_000, "run scenario.toml -q --set disk.d0.queue_depth=4294967295");
    assert_eq!(code, Some(0), "{talk}");
}

#[test]
fn a_line_of_megabytes_and_a_name_that_turns_the_terminal_red_are_shown_short_and_harmless() {
    let folder = Folder::with(&format!("title = \"{}\" x\n", "y".repeat(10_000_000)));
    let answer = folder.petrio(&["run", "scenario.toml"]);
    assert_eq!(answer.code, Some(2));
    assert!(answer.talk.len() < 10_000, "{} bytes", answer.talk.len());
    let name = "red\u{1b}[31m.toml";
    for arguments in [["run", name], ["check", name], ["fit", name]] {
        let answer = folder.petrio(&arguments);
        assert_eq!(answer.code, Some(2));
        assert!(!answer.talk.contains('\u{1b}'), "{arguments:?}: {}", answer.talk);
    }
    let answer = folder.petrio(&["trace", "info", name]);
    assert!(!answer.talk.contains('\u{1b}'), "{}", answer.talk);
}

#[test]
fn files_of_petabytes_in_a_simulated_file_system_are_refused_under_a_limit_of_memory() {
    let folder = Folder::new();
    let specification = root().join("examples/users/office.toml").display().to_string();
    let arguments = format!(
        "fs create {specification} --simulated --set 'category.letter.size={{ constant = \"512 TiB\" }}'"
    );
    let (code, talk) = within(&folder, 2_000_000, &arguments);
    assert_eq!(code, Some(2), "{talk}");
    assert!(unwrapped(&talk).contains("of memory would be needed"), "{talk}");
}

const REPLAY: &str = r#"[disk.d]
model = "sata-750gb-7200"
[host.h]
machine = "epyc-9005-2vcpu"
kernel = "linux-6.18"
[fs.data]
type = "ext4"
on = "d"
[workload.many]
kind = "events"
on = "data"
file = "files.csv"
"#;

#[test]
fn a_trace_of_more_files_than_there_is_memory_for_is_refused() {
    let folder = Folder::new();
    let mut trace =
        b"# petrio event trace, version 1\ntime_ps,kind,process,device,inode,path,offset,length\n".to_vec();
    for file in 1..=700_000 {
        writeln!(trace, "{file},read,7,1,{file},/d/{file},0,4096").unwrap();
    }
    folder.write("files.csv", trace);
    folder.write("many.toml", REPLAY);
    for (kibibytes, arguments, what) in [
        (330_000, "trace characterise files.csv", "events speak of is more than can be held"),
        (330_000, "users learn files.csv", "events speak of is more than can be held"),
        (250_000, "check many.toml", "events speak of is more than can be held"),
    ] {
        let (code, talk) = within(&folder, kibibytes, arguments);
        let said = unwrapped(&talk);
        assert_eq!(code, Some(2), "{arguments}: {talk}");
        assert!(said.contains(what) && said.contains("ulimit -v"), "{arguments}: {talk}");
        assert!(said.contains("help"), "{arguments}: {talk}");
    }
    // Between what its events need and what all of it needs: where that is depends on how the program was compiled.
    let of_files = |kibibytes| {
        let (code, talk) = within(&folder, kibibytes, "check many.toml");
        let said = unwrapped(&talk);
        code == Some(2)
            && said.contains("its 700001 files are more than can be held")
            && said.contains("help")
    };
    assert!((480_000..660_000).step_by(20_000).any(of_files));
}
