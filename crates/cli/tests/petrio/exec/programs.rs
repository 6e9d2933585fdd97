//! Programs that people use, end to end: each does what it does without petrio, and takes the time that a drive makes it take.

use super::*;

/// Whether what takes longer is tried, too.
fn long() -> bool {
    std::env::var_os("PETRIO_LONG_TESTS").is_some()
}

/// Runs a shell's script that must succeed; what it printed and how long it took.
fn script(folder: &Folder, text: &str) -> (String, f64) {
    let (answer, report) = executed(folder, &["sh", "-ec", text]);
    assert_eq!(answer.code, Some(0), "{text}: {} {}", answer.out, answer.talk);
    (answer.out, seconds(&report))
}

fn compiled(folder: &Folder, compiler: &[&str], name: &str, text: &str) -> bool {
    folder.write(name, text);
    let (program, arguments) = compiler.split_first().unwrap();
    let done = Command::new(program).args(arguments).arg(name).current_dir(folder.path(".")).output();
    done.is_ok_and(|done| done.status.success())
}

#[test]
fn a_database_in_one_file_loads_queries_and_compacts() {
    let Some(folder) = possible("a_database_in_one_file_loads_queries_and_compacts", &["sqlite3"]) else {
        return;
    };
    let rows = if long() { 500_000 } else { 5_000 };
    let load = format!(
        "create table t(a integer primary key, b text); with recursive n(i) as (select 1 union all select i + 1 from n \
         where i < {rows}) insert into t select i, printf('%0100d', i) from n; select count(*), length(max(b)) from t; \
         delete from t where a % 2; vacuum; select count(*) from t; pragma integrity_check;"
    );
    let sql = format!("sqlite3 x.db \"{load}\"");
    let (out, took) = script(&folder, &sql);
    assert_eq!(out, format!("{rows}|100\n{}\nok\n", rows / 2));
    // A commit is a turn of the platter at least, and flash is faster; more memory is never slower.
    assert!(took > 3.0 / 120.0, "{took}");
    folder.write("scenario.toml", flash());
    let (_, faster) = script(&folder, &sql);
    assert!(faster < 0.7 * took, "{faster} {took}");
}

#[test]
fn a_repository_is_cloned_and_packed() {
    let Some(folder) = possible("a_repository_is_cloned_and_packed", &["git", "sh", "seq"]) else { return };
    let files = if long() { 3_000 } else { 60 };
    let text = format!(
        "export HOME=$PWD GIT_CONFIG_NOSYSTEM=1; git init -q a; cd a; git config user.email a@b; git config user.name a\n\
         for i in $(seq {files}); do mkdir -p d$((i % 7)); seq $i > d$((i % 7))/f$i; done\n\
         git add .; git commit -qm one; git status --porcelain; cd ..\n\
         git clone -q --no-local a b; cd b; git gc -q; git fsck --no-progress; git ls-files | wc -l; git status --porcelain"
    );
    let (out, took) = script(&folder, &text);
    assert_eq!(out.trim(), files.to_string());
    assert!(took > 1.0 / 120.0, "{took}");
}

#[test]
fn archives_compilers_and_pipelines_do_what_they_do() {
    let name = "archives_compilers_and_pipelines_do_what_they_do";
    let Some(folder) = possible(name, &["tar", "gzip", "gcc", "make", "sh", "seq", "sort", "cmp"]) else {
        return;
    };
    let parts = if long() { 60 } else { 4 };
    let (out, _) = script(
        &folder,
        &format!(
            "mkdir s; for i in $(seq {parts}); do echo \"int f$i(int x) {{ return x + $i; }}\" > s/f$i.c; done\n\
             {{ for i in $(seq {parts}); do echo \"int f$i(int);\"; done; echo '#include <stdio.h>'; echo 'int main(void) {{ int x = 0;'\n\
             for i in $(seq {parts}); do echo \"x = f$i(x);\"; done; printf %s 'printf(\"%d\\n\", x); return 0; }}'; }} > s/main.c\n\
             printf 'OBJECTS = $(patsubst %%.c,%%.o,$(wildcard s/*.c))\\nx: $(OBJECTS)\\n\\tgcc -o x $(OBJECTS)\\n' > Makefile\n\
             make -j2 > made; ./x; make | grep -c 'up to date'\n\
             tar czf s.tgz s; mkdir t; tar xzf s.tgz -C t; for f in s/*; do cmp $f t/$f; done\n\
             seq 20000 | sort -r | sort -n | tail -1 | tee last | wc -c; cat last"
        ),
    );
    assert_eq!(out, format!("{}\n1\n6\n20000\n", parts * (parts + 1) / 2));
}

#[test]
fn dd_is_taken_at_its_word_with_each_flag() {
    let Some(folder) = possible("dd_is_taken_at_its_word_with_each_flag", &["dd", "cmp", "sh", "head"])
    else {
        return;
    };
    folder.write("in", vec![7; 1 << 20]);
    let mut times = Vec::new();
    for flag in ["direct", "dsync", "sync", "append", "nonblock", "noctty", "nofollow", "noatime"] {
        let text = format!(
            "dd if=in of=x bs=64k count=16 oflag={flag} conv=notrunc 2>e || {{ cat e; exit 1; }}; cmp in x\n\
             case {flag} in append|dsync|sync) ;; *) dd if=in of=/dev/null bs=64k iflag={flag} 2>&1;; esac"
        );
        times.push(script(&folder, &text).1);
    }
    script(
        &folder,
        "dd if=in of=y bs=64k iflag=fullblock,count_bytes,skip_bytes count=65536 skip=100 2>&1; cmp -n 65536 in y",
    );
    // Writes that wait for the platter take a turn each, those into memory none.
    assert!(times[1] > 15.0 / 120.0 && times[2] > 15.0 / 120.0, "{times:?}");
    assert!(times[3] < times[1], "{times:?}");
}

#[test]
fn fio_measures_the_simulated_drive() {
    let Some(folder) = possible("fio_measures_the_simulated_drive", &["fio"]) else { return };
    let job = |engine: &str, more: &[&str]| {
        let engine = format!("--ioengine={engine}");
        let base = [
            "fio",
            "--name=j",
            "--filename=x",
            "--size=8M",
            "--bs=4k",
            "--rw=randread",
            "--number_ios=100",
            "--thread",
            "--clocksource=clock_gettime",
            "--output-format=json",
            "--direct=1",
            &engine,
        ];
        let (answer, report) = executed(&folder, &[&base[..], more].concat());
        assert_eq!(answer.code, Some(0), "{engine}: {} {}", answer.out, answer.talk);
        let from = answer.out.find('{').unwrap();
        let told: Value = serde_json::from_str(&answer.out[from..]).unwrap();
        (told["jobs"][0]["read"]["lat_ns"]["mean"].as_f64().unwrap(), report)
    };
    for engine in ["psync", "libaio"] {
        let (mean, _) = job(engine, &[]);
        // Some milliseconds: a seek and half a turn, less where blocks lie side by side.
        assert!(mean > 2e6 && mean < 30e6, "{engine}: {mean}");
    }
    let (_, report) = job("mmap", &["--direct=0"]);
    assert!(report["executed"]["mapped"].as_u64() >= Some(1), "{}", report["executed"]);
}

#[test]
fn static_programs_are_seen_as_others_are() {
    let Some(folder) = possible("static_programs_are_seen_as_others_are", &["gcc"]) else { return };
    let text = "#include <fcntl.h>\n#include <unistd.h>\nint main(void) { int f = open(\"x\", O_CREAT | O_WRONLY, 0600);\n\
        for (int i = 0; i < 20; i++) { pwrite(f, \"x\", 1, 0); fsync(f); } return 0; }\n";
    if !compiled(&folder, &["gcc", "-static", "-o", "s"], "s.c", text) {
        println!("skipped: static_programs_are_seen_as_others_are: no static C library");
        return;
    }
    let (answer, report) = executed(&folder, &["./s"]);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    assert!(seconds(&report) > 19.0 / 120.0, "{report}");
}

#[test]
fn python_with_threads_children_and_a_loop_of_events() {
    let Some(folder) = possible("python_with_threads_children_and_a_loop_of_events", &["python3"]) else {
        return;
    };
    let text = "import asyncio, sqlite3, subprocess, threading, time, os\n\
        began = time.time()\n\
        def work(number):\n    with open(f'f{number}', 'w') as file:\n        for _ in range(5): file.write('x' * 100); file.flush(); os.fsync(file.fileno())\n\
        all = [threading.Thread(target=work, args=(number,)) for number in range(4)]\n\
        [one.start() for one in all]; [one.join() for one in all]\n\
        assert subprocess.run(['cat', 'f0'], capture_output=True).stdout == b'x' * 500\n\
        base = sqlite3.connect('b.db'); base.execute('create table t(a)'); base.execute('insert into t values (7)'); base.commit()\n\
        assert base.execute('select a from t').fetchall() == [(7,)]\n\
        async def one(): await asyncio.sleep(3); return 1\n\
        async def both(): return sum(await asyncio.gather(one(), one()))\n\
        assert asyncio.run(both()) == 2\n\
        print(round(time.time() - began))";
    let (answer, report) = executed(&folder, &["python3", "-c", text]);
    assert_eq!((answer.code, answer.out.trim()), (Some(0), "3"), "{}", answer.talk);
    assert!(seconds(&report) > 3.0 + 5.0 / 120.0, "{report}");
}

#[test]
fn racing_threads_race_the_same_way_each_time_where_computing_is_not_measured() {
    let name = "racing_threads_race_the_same_way_each_time_where_computing_is_not_measured";
    let Some(folder) = possible(name, &["gcc"]) else { return };
    let text = "#include <pthread.h>\n#include <stdio.h>\n#include <unistd.h>\n#include <fcntl.h>\n#include <stdatomic.h>\n\
        static atomic_int next; static int f;\n\
        static void *work(void *me) { for (int i; (i = next++) < 400;) { char text[32]; int n = snprintf(text, 32, \"%d %ld\\n\", i, (long)me);\n\
        pwrite(f, text, n, i * 16); } return 0; }\n\
        int main(void) { pthread_t all[4]; f = open(\"x\", O_CREAT | O_WRONLY, 0600);\n\
        for (long i = 0; i < 4; i++) pthread_create(all + i, 0, work, (void *)i);\n\
        for (int i = 0; i < 4; i++) pthread_join(all[i], 0); return 0; }\n";
    if !compiled(&folder, &["gcc", "-O1", "-pthread", "-o", "race"], "race.c", text) {
        println!("skipped: {name}: no C library to compile with");
        return;
    }
    let once = || script(&folder, "./race; cat x");
    let (first, took) = once();
    for _ in 0..3 {
        assert!(once() == (first.clone(), took));
    }
    // Threads that wait for each other in memory alone get on all the same.
    let text = "#include <pthread.h>\n#include <stdatomic.h>\n#include <unistd.h>\nstatic atomic_int turn;\n\
        static void *work(void *me) { for (int i = 0; i < 3; i++) { while (turn % 2 != (long)me) ; getppid(); turn++; write(2, \"\", 0); } return 0; }\n\
        int main(void) { pthread_t a, b; pthread_create(&a, 0, work, (void *)0); pthread_create(&b, 0, work, (void *)1);\n\
        pthread_join(a, 0); pthread_join(b, 0); return 0; }\n";
    assert!(compiled(&folder, &["gcc", "-O1", "-pthread", "-o", "spin"], "spin.c", text));
    script(&folder, "./spin");
}

#[test]
fn go_java_and_packages_of_python_run() {
    let name = "go_java_and_packages_of_python_run";
    if !long() {
        println!("skipped: {name}: takes longer (PETRIO_LONG_TESTS)");
        return;
    }
    let Some(folder) = possible(name, &["sh"]) else { return };
    let go = "package main\nimport (\"fmt\"; \"os\"; \"sync\")\nfunc main() {\n var all sync.WaitGroup\n for i := 0; i < 8; i++ {\n  all.Add(1)\n  \
        go func(i int) { defer all.Done(); f, _ := os.Create(fmt.Sprint(\"g\", i)); for j := 0; j < 5; j++ { f.WriteString(\"x\"); f.Sync() }; f.Close() }(i)\n }\n \
        all.Wait()\n fmt.Println(\"done\")\n}\n";
    match is_installed("go") && compiled(&folder, &["go", "build", "-o", "g"], "g.go", go) {
        true => {
            let (out, took) = script(&folder, "./g; cat g7");
            assert_eq!(out, "done\nxxxxx");
            assert!(took > 5.0 / 120.0, "{took}");
        }
        false => println!("skipped: {name}: go isn't installed"),
    }
    let java = "import java.io.*; class J { public static void main(String[] a) throws Exception {\n\
        Thread[] all = new Thread[4]; for (int i = 0; i < 4; i++) { int n = i; all[i] = new Thread(() -> { try (RandomAccessFile f = \
        new RandomAccessFile(\"j\" + n, \"rwd\")) { for (int k = 0; k < 5; k++) f.write(k); } catch (IOException e) { throw new RuntimeException(e); } }); all[i].start(); }\n\
        for (Thread t : all) t.join(); long b = System.currentTimeMillis(); Thread.sleep(2000); System.out.println((System.currentTimeMillis() - b) / 1000); } }\n";
    match is_installed("javac") && compiled(&folder, &["javac"], "J.java", java) {
        true => assert_eq!(script(&folder, "java -XX:TieredStopAtLevel=1 J").0, "2\n"),
        false => println!("skipped: {name}: no JDK is installed"),
    }
    match is_installed("pip") {
        true => {
            fs::create_dir_all(folder.path("p/own")).unwrap();
            folder.write("p/own/__init__.py", "value = 7\n");
            folder.write(
                "p/setup.py",
                "from setuptools import setup\nsetup(name='own', version='1', packages=['own'])\n",
            );
            let text = "pip install --no-index --no-build-isolation --no-deps -q --target t ./p 2>&1; PYTHONPATH=t python3 -c 'import own; print(own.value)'";
            // Without what builds packages (setuptools, wheel) it fails by itself, too.
            let native = Command::new("sh").args(["-c", text]).current_dir(folder.path("")).output().unwrap();
            fs::remove_dir_all(folder.path("t")).ok();
            if native.stdout.ends_with(b"7\n") {
                let (answer, _) = executed(&folder, &["sh", "-c", text]);
                assert!(answer.out.ends_with("7\n"), "{} {}", answer.out, answer.talk);
            } else {
                println!("skipped: {name}: pip can't build packages here");
            }
        }
        false => println!("skipped: {name}: pip isn't installed"),
    }
}

#[test]
fn a_server_of_databases_starts_serves_and_stops() {
    let name = "a_server_of_databases_starts_serves_and_stops";
    if !long() {
        println!("skipped: {name}: takes longer (PETRIO_LONG_TESTS)");
        return;
    }
    let Some(folder) = possible(name, &["sh", "psql", "setpriv"]) else { return };
    let text = "PATH=$PATH:$(ls -d /usr/lib/postgresql/*/bin); export PATH; initdb -D db -A trust -N >made || exit 77\n\
        printf \"unix_socket_directories='$PWD'\\nlisten_addresses=''\\n\" >> db/postgresql.conf\n\
        pg_ctl -D db -w -t 1000 -l log start >made; psql -qh $PWD postgres -c 'create table t(a int)'\n\
        for i in 1 2 3 4 5; do echo \"insert into t values ($i);\"; done | psql -qh $PWD postgres\n\
        psql -Ath $PWD postgres -c 'select sum(a) from t'; pg_ctl -D db -w -t 1000 stop >made; tail -1 log";
    // It refuses to be root's.
    fs::set_permissions(folder.path("."), std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    let is_root = rustix::process::getuid().is_root();
    let other = ["setpriv", "--reuid=65534", "--clear-groups"];
    let words = [if is_root { &other[..] } else { &[] }, &["sh", "-ec", text]].concat();
    let (answer, report) = executed(&folder, &words);
    if answer.code == Some(77) {
        println!("skipped: {name}: no server is installed: {}", answer.talk);
        return;
    }
    assert!(
        answer.out.starts_with("15\n") && answer.out.contains("is shut down"),
        "{} {}",
        answer.out,
        answer.talk
    );
    // Five commits, a turn each at least.
    assert!(seconds(&report) > 5.0 / 120.0, "{report}");
}

/// As the objects of a repository that was cloned, which git links once more and compares.
#[test]
fn a_file_of_several_names_stays_one_when_it_gets_another() {
    let test = "a_file_of_several_names_stays_one_when_it_gets_another";
    let Some(folder) = possible(test, &["sh", "ln", "stat"]) else { return };
    if !rustix::process::getuid().is_root() {
        println!("skipped: {test}: overlays of users keep no index of files of several names");
        return;
    }
    folder.write("one", "text");
    fs::hard_link(folder.path("one"), folder.path("two")).unwrap();
    let script = "stat -c %i one > before; ln one three; stat -c %i one two three | sort -u | cmp - before; stat -c %h one";
    let (answer, _) = executed(&folder, &["sh", "-c", script]);
    assert_eq!((answer.code, answer.out.trim()), (Some(0), "3"), "{}", answer.talk);
}

/// Files are copied without the program's memory, from and to places that it names, and written by accesses that say themselves how
/// durable they are to be.
const ACCESSES: &str = r"
import ctypes, os, struct, sys
file = os.open('x', os.O_RDWR)
if sys.argv[1] == 'copy':
    to, at = os.open('y', os.O_CREAT | os.O_WRONLY), 0
    while (sent := os.sendfile(to, file, at, 1 << 20)) > 0: at += sent
    other = os.open('z', os.O_CREAT | os.O_WRONLY)
    at = 0
    while (sent := os.copy_file_range(file, other, 1 << 20, at, at)) > 0: at += sent
elif sys.argv[1] == 'durable':
    for _ in range(20): os.pwritev(file, [bytes(2048), bytes(2048)], 0, os.RWF_DSYNC)
else:
    c = ctypes.CDLL(None)
    context = ctypes.c_ulong()
    assert c.syscall(206, 4, ctypes.byref(context)) == 0
    data = ctypes.create_string_buffer(1 << 16)
    parts = (ctypes.c_ulong * 4)(ctypes.addressof(data), 1 << 16, ctypes.addressof(data), 1 << 16)
    one = ctypes.create_string_buffer(struct.pack('QIIHhIQQq', 0, 0, 2, 8, 0, file, ctypes.addressof(parts), 2, 0), 64)
    many = (ctypes.c_void_p * 1)(ctypes.addressof(one))
    for _ in range(20): assert c.syscall(209, context, 1, many) == 1
";

#[cfg(target_arch = "x86_64")]
#[test]
fn accesses_are_where_they_say_and_as_durable_as_they_say() {
    let name = "accesses_are_where_they_say_and_as_durable_as_they_say";
    let Some(folder) = possible(name, &["python3"]) else { return };
    folder.write("accesses.py", ACCESSES);
    folder.write("x", "a".repeat(4 << 20));
    let executed = |what: &str| {
        let (answer, report) = executed(&folder, &["python3", "-B", "accesses.py", what]);
        assert_eq!(answer.code, Some(0), "{what}: {}", answer.talk);
        (report["bytes"].as_u64().unwrap(), seconds(&report))
    };
    // Each byte is read and written once for each copy, beside the program itself.
    let (bytes, _) = executed("copy");
    let more = bytes.checked_sub(4 * (4 << 20)).unwrap();
    assert!(more < 1 << 16, "{bytes}");
    // Overwriting one place durably takes a turn each time, also of two parts that are submitted.
    let (_, took) = executed("durable");
    assert!(took > 20.0 / 120.0, "{took}");
    let (bytes, took) = executed("submitted");
    let more = bytes.checked_sub(20 * (2 << 16)).unwrap();
    assert!(more < 1 << 16 && took > 20.0 / 120.0, "{bytes} {took}");
}
