//! Times of files in virtual time, and calls that are delayed instead.

use super::*;

#[test]
fn times_of_files_are_those_of_the_programs_clock() {
    let name = "times_of_files_are_those_of_the_programs_clock";
    let Some(folder) = possible(name, &["sh", "touch", "sleep", "find", "stat", "date", "cp"]) else {
        return;
    };
    folder.write("old", "old");
    let script = "touch a; sleep 100; touch b; find . -newer a -name '[ab]'; sleep 50; echo x >> a; find . -newer b -name a\n\
        echo $(($(date +%s) - $(stat -c %Y a))) $(($(stat -c %Y a) - $(stat -c %Y b))) $(($(stat -c %Z a) - $(stat -c %Y a)))\n\
        touch -d '2001-01-01 UTC' b; stat -c %Y b; cp -p a c; echo $(($(stat -c %Y c) - $(stat -c %Y a)))\n\
        test a -nt old && echo newer; chmod 600 old; sleep 9; test old -nt a || echo older";
    let (answer, _) = executed(&folder, &["sh", "-c", script]);
    let told: Vec<&str> = answer.out.lines().collect();
    assert_eq!(told, ["./b", "./a", "0 50 0", "978307200", "0", "newer", "older"], "{}", answer.talk);
}

#[test]
fn make_builds_what_is_older_and_nothing_else() {
    let name = "make_builds_what_is_older_and_nothing_else";
    let Some(folder) = possible(name, &["make", "sh", "cat"]) else { return };
    folder.write(
        "Makefile",
        "all: x y\nx: a\n\t@echo making x; sleep 10; cat a > x\ny: x b\n\t@echo making y; cat x b > y\n",
    );
    folder.write("a", "a");
    folder.write("b", "b");
    let script = "make -j2; make; sleep 5; echo >> b; make; echo >> a; make -j2; make";
    let (answer, _) = executed(&folder, &["sh", "-c", script]);
    let made: Vec<&str> = answer.out.lines().filter(|line| line.starts_with("making")).collect();
    assert_eq!(made, ["making x", "making y", "making y", "making x", "making y"], "{}", answer.out);
    assert!(!answer.talk.contains("skew"), "{}", answer.talk);
    assert_eq!(answer.out.matches("Nothing to be done").count(), 2, "{}", answer.out);
}

#[test]
fn in_real_time_calls_take_as_long_as_the_drive_does_and_clocks_are_the_machines() {
    let name = "in_real_time_calls_take_as_long_as_the_drive_does_and_clocks_are_the_machines";
    let Some(folder) = possible(name, &["dd", "sleep", "sh"]) else { return };
    let script = "sleep 0.2 & dd if=/dev/zero of=x bs=4k count=30 oflag=dsync; wait; stat -c %s x | cat";
    let began = Instant::now();
    let answer = folder.petrio(&[
        "exec",
        "scenario.toml",
        "--real-time",
        "-q",
        "--json",
        "report.json",
        "--",
        "sh",
        "-c",
        script,
    ]);
    let took = began.elapsed().as_secs_f64();
    assert_eq!((answer.code, answer.out.trim()), (Some(0), "122880"), "{}", answer.talk);
    let own: f64 = answer.talk.split(" copied, ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    // Thirty turns, and no more than the machine's noise beyond what the report says.
    assert!(own > 29.0 / 120.0 && own < took, "{own} of {took}");
    let report = folder.json("report.json");
    assert!(report["executed"]["late_median_us"].as_u64().unwrap() < 50_000, "{}", report["executed"]);
    let answer = folder.petrio(&["exec", "scenario.toml", "--real-time", "--compute", "none", "--", "true"]);
    assert_eq!(answer.code, Some(2), "{}", answer.talk);
}

#[test]
fn children_beside_each_other_do_the_same_each_time() {
    let name = "children_beside_each_other_do_the_same_each_time";
    let Some(folder) = possible(name, &["make", "sh", "cat", "wc"]) else { return };
    folder.write(
        "Makefile",
        ".PHONY: all\nall: x\nx: a.o b.o c.o d.o e.o f.o\n\t@cat $^ > x; wc -c < x | cat\n\
         %.o: Makefile\n\t@cat $< | cat > $@; cat $@ | wc -c >> $@\n",
    );
    // Which of them the machine lets run first, and whose end is seen first, is another thing each time.
    // In another folder: what is in the program's own is laid out before it begins.
    let reports = Folder::new();
    let path = reports.path("report.json").display().to_string();
    let told = || {
        let words =
            ["exec", "scenario.toml", "--compute", "fixed:1us", "-q", "--json", &path, "--", "make", "-j3"];
        let answer = folder.petrio(&words);
        assert_eq!((answer.code, answer.out.trim()), (Some(0), "816"), "{}", answer.talk);
        reports.json("report.json")
    };
    let first = told();
    (1..4).for_each(|_| assert_eq!(told(), first));
}
