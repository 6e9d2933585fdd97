//! Signals that come while calls are held: they end those that they would end in any kernel, and no others.

use super::{executed, possible};

/// Children end while their parent, who catches that, opens, writes, closes, looks at and removes files: calls that no kernel lets fail
/// for a signal.
const CHILDREN: &str = r#"
my ($caught, $interrupted) = (0, 0);
$SIG{CHLD} = sub { $caught++ };
for (1 .. 60) {
  my $pid = fork();
  exit 0 if !$pid;
  for my $n (1 .. 10) {
    open(my $file, '>', "f$n") or do { $interrupted++; next };
    syswrite($file, "x") or $interrupted++;
    close($file) or $interrupted++;
    stat("f$n") or $interrupted++;
    unlink("f$n") or $interrupted++;
  }
  waitpid($pid, 0) == $pid or die "a child got lost";
}
print "$caught caught, $interrupted interrupted\n";
"#;

#[test]
fn the_end_of_a_child_interrupts_no_call_on_files() {
    let Some(folder) = possible("the_end_of_a_child_interrupts_no_call_on_files", &["perl"]) else { return };
    folder.write("children.pl", CHILDREN);
    for compute in ["measured", "none"] {
        let answer = folder.petrio(&[
            "exec",
            "scenario.toml",
            "-q",
            "--compute",
            compute,
            "--",
            "perl",
            "children.pl",
        ]);
        assert_eq!((answer.code, answer.out.trim()), (Some(0), "60 caught, 0 interrupted"), "{compute}");
    }
}

/// A shell that catches the ends of children closes its end of each pipe all the same, or it would wait for itself for ever.
#[test]
fn a_shell_that_starts_a_child_for_each_line_comes_to_its_end() {
    let Some(folder) = possible("a_shell_that_starts_a_child_for_each_line_comes_to_its_end", &["sh"]) else {
        return;
    };
    let script = "for i in 1 2 3 4 5 6 7 8 9; do echo $(printf %03d $i); done | tail -n 1";
    let answer = folder.petrio(&["exec", "scenario.toml", "-q", "--", "sh", "-c", script]);
    assert_eq!((answer.code, answer.out.trim()), (Some(0), "009"), "{}", answer.talk);
}

/// What waits is ended by a signal that is caught, at its time, and says how much of the sleep was left (nanosleep is call 35 on x86-64).
#[test]
fn a_signal_ends_a_sleep_and_what_was_left_of_it_is_told() {
    let test = "a_signal_ends_a_sleep_and_what_was_left_of_it_is_told";
    let Some(folder) = possible(test, &["perl"]).filter(|_| cfg!(target_arch = "x86_64")) else { return };
    let script = r#"
$SIG{ALRM} = sub { $rung++ };
my ($span, $left) = (pack("q2", 10, 0), pack("q2", 0, 0));
alarm 3;
my $slept = syscall(35, $span, $left);
my ($seconds, $parts) = unpack("q2", $left);
printf "%d %d %.3f ", $slept, $rung, $seconds + $parts / 1e9;
pipe(my $reads, my $writes);
alarm 2;
my $read = sysread($reads, my $bytes, 1);
printf "%s %d\n", defined $read ? "read" : "interrupted", $rung;
"#;
    folder.write("sleeps.pl", script);
    let (answer, report) = executed(&folder, &["perl", "sleeps.pl"]);
    assert_eq!(answer.out.trim(), "-1 1 7.000 interrupted 2", "{}", answer.talk);
    let seconds = super::seconds(&report);
    assert!((5.0..5.2).contains(&seconds), "{seconds}");
}

/// Stopped and continued, a sleeper sleeps on.
#[test]
fn who_is_stopped_and_continued_sleeps_on() {
    let Some(folder) = possible("who_is_stopped_and_continued_sleeps_on", &["sh", "sleep"]) else { return };
    let script = "sleep 5 & sleep 1; kill -STOP $!; sleep 1; kill -CONT $!; wait $!; echo $?";
    let (answer, report) = executed(&folder, &["sh", "-c", script]);
    assert_eq!(answer.out.trim(), "0", "{}", answer.talk);
    assert!(super::seconds(&report) >= 5.0, "{}", super::seconds(&report));
}
