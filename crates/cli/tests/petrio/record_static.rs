//! Programs into which nothing can be loaded, recorded from outside.

use crate::support::Folder;
use std::path::Path;
use std::process::Command;

/// Compiles a program of the recorder's; false where that isn't possible here.
fn compiled(program: &Path, name: &str, more: &[&str]) -> bool {
    let source = format!("{}/../record/programs/{name}.c", env!("CARGO_MANIFEST_DIR"));
    let made =
        Command::new("cc").args(["-O1", &source, "-o"]).arg(program).args(more).arg("-lpthread").output();
    made.is_ok_and(|made| made.status.success())
}

/// What is recorded in a folder: its events on files below it, without times and numbers of processes and inodes.
fn events(folder: &Folder, recording: &str, below: &str) -> Vec<String> {
    let table = format!("{recording}.csv");
    let answer = folder.petrio(&["trace", "convert", "--force", recording, &table]);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    let text = folder.text(&table);
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let names: Vec<_> = lines.next().unwrap().split(',').collect();
    let told = |line: &str| {
        let cells = line.split(',').zip(&names);
        let kept = cells.filter(|(_, name)| {
            !["time_ps", "process", "device", "inode", "generation", "service_ps"].contains(name)
        });
        kept.map(|(cell, _)| cell).collect::<Vec<_>>().join(",").replace(below, "")
    };
    lines.filter(|line| line.contains(below)).map(told).collect()
}

#[test]
fn a_static_program_is_recorded_event_for_event_as_the_same_one_with_libraries() {
    let test = "a_static_program_is_recorded_event_for_event_as_the_same_one_with_libraries";
    let folder = Folder::new();
    let (still, loaded) = (folder.path("still"), folder.path("loaded"));
    if !compiled(&still, "calls", &["-static"]) || !compiled(&loaded, "calls", &[]) {
        println!("skipped: {test} needs a compiler that links statically");
        return;
    }
    let data = folder.path("data");
    let place = data.display().to_string();
    let mut all = Vec::new();
    for (program, how) in [("still", &[][..]), ("loaded", &[]), ("loaded", &["--outside"])] {
        std::fs::create_dir(&data).unwrap();
        let path = folder.path(program).display().to_string();
        // By itself, and started by another.
        for (name, words) in [
            (format!("{program}-alone"), vec![path.as_str(), &place]),
            (format!("{program}-of-a-shell"), vec!["sh", "-c", "\"$0\" \"$1\"; exit $?", &path, &place]),
        ] {
            std::fs::remove_dir_all(&data).unwrap();
            std::fs::create_dir(&data).unwrap();
            let words = [&["record", "--force", "--out", &name], how, &["--"], &words[..]].concat();
            let answer = folder.petrio(&words);
            assert_eq!(answer.code, Some(7), "{}", answer.talk);
            if answer.talk.contains("only be followed from outside") {
                println!("skipped: {test} needs programs that may be followed: {}", answer.talk.trim());
                return;
            }
            all.push(events(&folder, &name, &place));
        }
        std::fs::remove_dir_all(&data).unwrap();
    }
    // 5 + 1 + 1 + 1 of the file, 1 + 1 that the kernel carries, 4 of the thread, and the child's.
    let writes = all[0].iter().filter(|event| event.starts_with("write,")).count();
    assert!((14..=17).contains(&writes), "{:#?}", all[0]);
    for other in &all[1..] {
        assert_eq!(&all[0], other);
    }
}

#[test]
fn a_program_of_gos_is_recorded_with_its_threads_and_its_children() {
    const GO: &str = r#"package main
import ("fmt"; "os"; "os/exec"; "sync")
func main() {
	var all sync.WaitGroup
	for number := 0; number < 4; number++ {
		all.Add(1)
		go func() {
			defer all.Done()
			file, _ := os.Create(fmt.Sprint("part", number))
			for turn := 0; turn < 20; turn++ { file.Write(make([]byte, 4096)) }
			file.Sync()
			file.Close()
		}()
	}
	all.Wait()
	told, _ := exec.Command("sh", "-c", "cat part0 > whole; wc -c < whole").Output()
	fmt.Print(string(told))
}
"#;
    let test = "a_program_of_gos_is_recorded_with_its_threads_and_its_children";
    let folder = Folder::new();
    folder.write("main.go", GO);
    let built = Command::new("go")
        .args(["build", "-o", "program", "main.go"])
        .current_dir(folder.path("."))
        .env("CGO_ENABLED", "0")
        .output();
    if !built.is_ok_and(|built| built.status.success()) {
        println!("skipped: {test} needs Go");
        return;
    }
    let answer = folder.petrio(&["record", "--out", "load", "--", "./program"]);
    assert_eq!((answer.code, answer.out.trim()), (Some(0), "81920"), "{}", answer.talk);
    if answer.talk.contains("only be followed from outside") {
        println!("skipped: {test} needs programs that may be followed: {}", answer.talk.trim());
        return;
    }
    let below = folder.path(".").canonicalize().unwrap().display().to_string();
    let all = events(&folder, "load", &below);
    let of = |kind: &str, name: &str| {
        all.iter().filter(|event| event.starts_with(kind) && event.contains(name)).count()
    };
    for part in 0..4 {
        let name = format!("/part{part},");
        assert_eq!((of("write,", &name), of("fsync,", &name), of("create,", &name)), (20, 1, 1), "{all:#?}");
    }
    assert!(of("write,", "/whole,") > 0);
    assert!(of("read,", "/part0,") > 0);
}
