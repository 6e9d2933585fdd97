//! Timers of all kinds, waits that have an end, and children that are stopped, in virtual time: as the machine's own kernel has them.

use super::{executed, possible, seconds};
use std::time::{Duration, Instant};

/// What a program of Python prints; it must succeed.
fn python(test: &str, text: &str) -> Option<(Vec<String>, f64)> {
    let folder = possible(test, &["python3"])?;
    folder.write("program.py", text);
    let began = Instant::now();
    let (answer, report) = executed(&folder, &["python3", "-B", "program.py"]);
    assert_eq!(answer.code, Some(0), "{} {}", answer.out, answer.talk);
    // Nobody waits for it.
    assert!(began.elapsed() < Duration::from_secs(60));
    Some((answer.out.lines().map(str::to_owned).collect(), seconds(&report)))
}

/// Descriptors that tell of time: how often they went off, what is left, what was set before, by any of their names.
const DESCRIPTORS: &str = r"
import ctypes, os, struct, time
c = ctypes.CDLL(None)
def parts(t): return int(t), round(t % 1 * 1e9)
def times(old):
    a, b, s, n = struct.unpack('qqqq', old.raw)
    return round(a + b / 1e9, 2), round(s + n / 1e9, 2)
def settime(fd, every, at, flags=0):
    old = ctypes.create_string_buffer(32)
    assert c.timerfd_settime(fd, flags, struct.pack('qqqq', *parts(every), *parts(at)), old) == 0
    return times(old)
def gettime(fd):
    old = ctypes.create_string_buffer(32)
    assert c.timerfd_gettime(fd, old) == 0
    return times(old)
def count(fd): return struct.unpack('Q', os.read(fd, 8))[0]
began = time.monotonic()
def passed(): return round(time.monotonic() - began, 1)
one = c.timerfd_create(1, 0)
settime(one, 1, 1)
time.sleep(5.5)
print(count(one), gettime(one), count(one), passed())
settime(one, 0, 1); time.sleep(2)
print(settime(one, 0, 3), gettime(one))
other = os.dup(one)
print(settime(other, 0, 2)[1], count(one), passed())
settime(one, 0, 4); settime(one, 0, 0)
print(gettime(other))
settime(one, 0, 7); os.close(other)
if os.fork() == 0: os._exit(count(one))
os.close(one)
print(os.waitstatus_to_exitcode(os.wait()[1]), passed())
gone = c.timerfd_create(1, 0); settime(gone, 1e-6, 1e-6); os.close(gone)
time.sleep(1000); print(passed())
day = c.timerfd_create(0, 0); settime(day, 0, time.time() + 3, 1); print(count(day), passed())
settime(day, 0, 100, 1); print(count(day), passed())
";

#[test]
fn descriptors_tell_how_often_their_time_came_whoever_has_them() {
    let Some((told, took)) = python("descriptors_tell_how_often_their_time_came", DESCRIPTORS) else {
        return;
    };
    // What went off and wasn't read before it was set anew is forgotten; a child reads what its parent has set and closed.
    let expected = [
        "5 (1.0, 0.5) 1 6.0",
        "(0.0, 0.0) (0.0, 3.0)",
        "3.0 1 10.0",
        "(0.0, 0.0)",
        "1 17.0",
        "1017.0",
        "1 1020.0",
        "1 1020.0",
    ];
    assert_eq!(told, expected);
    assert!((1020.0..1020.5).contains(&took), "{took}");
}

/// Timers that send signals, to the process, to one thread with a value, or none; and the alarm.
const SIGNALS: &str = r"
import ctypes, os, signal, struct, threading, time
c = ctypes.CDLL(None)
got = []
signal.signal(signal.SIGUSR1, lambda *_: got.append(1))
def create(notify, sig, value=0, tid=0, clock=1):
    event = ctypes.create_string_buffer(struct.pack('Qiii', value, sig, notify, tid), 64)
    timer = ctypes.c_int()
    assert c.syscall(222, clock, event, ctypes.byref(timer)) == 0
    return timer.value
def settime(timer, every, at):
    new = struct.pack('qqqq', int(every), round(every % 1 * 1e9), int(at), round(at % 1 * 1e9))
    assert c.syscall(223, timer, 0, new, None) == 0
def left(timer):
    now = ctypes.create_string_buffer(32)
    assert c.syscall(224, timer, now) == 0
    a, b, s, n = struct.unpack('qqqq', now.raw)
    return round(a + b / 1e9, 2), round(s + n / 1e9, 2)
def sleep(until):
    while time.monotonic() < until: time.sleep(max(0, until - time.monotonic()))
began = time.monotonic()
timer = create(0, signal.SIGUSR1)
settime(timer, 1, 2); print(left(timer))
sleep(began + 6.5); print(len(got), left(timer))
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
sleep(began + 10.5)
print(signal.sigtimedwait([signal.SIGUSR1], 5).si_code, c.syscall(225, timer))
c.syscall(226, timer); print(c.syscall(224, timer, ctypes.create_string_buffer(32)))
none = create(1, 0); settime(none, 0.7, 3); sleep(began + 12.5); print(left(none))
sleep(began + 14.5); print(left(none))
def waits():
    info = signal.sigwaitinfo([signal.SIGUSR2]); print(info.si_code, round(time.monotonic() - began, 1))
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2])
thread = threading.Thread(target=waits); thread.start()
settime(create(4, signal.SIGUSR2, 7, thread.native_id), 0, 3); thread.join()
signal.signal(signal.SIGALRM, lambda *_: got.append(1))
got.clear(); signal.setitimer(signal.ITIMER_REAL, 1.5, 2)
time.sleep(1.2); print([round(t, 1) for t in signal.getitimer(signal.ITIMER_REAL)], len(got))
signal.setitimer(signal.ITIMER_REAL, 0); print(signal.getitimer(signal.ITIMER_REAL))
signal.alarm(10); time.sleep(0.6); print(signal.alarm(5), signal.alarm(0))
ticks = os.times().elapsed; time.sleep(3); print(round(os.times().elapsed - ticks, 1))
";

#[cfg(target_arch = "x86_64")]
#[test]
fn timers_send_their_signals_and_say_what_is_left() {
    let Some((told, _)) = python("timers_send_their_signals_and_say_what_is_left", SIGNALS) else { return };
    let expected = [
        "(1.0, 2.0)",
        "5 (1.0, 0.5)",
        // SI_TIMER; of four times the last three found the first one's signal still on its way.
        "-2 3",
        "-1",
        "(0.7, 1.0)",
        "(0.7, 0.4)",
        "-2 17.5",
        "[0.3, 2.0] 0",
        "(0.0, 0.0)",
        "9 5",
        "3.0",
    ];
    assert_eq!(told, expected);
}

/// Waits that end by themselves, and such as don't wait.
const WAITS: &str = r"
import ctypes, os, signal, socket, struct, time
c = ctypes.CDLL(None)
began = time.monotonic()
def passed(): return round(time.monotonic() - began, 1)
def fails(what):
    try: return what()
    except OSError as error: return error.errno
a, b = socket.socketpair()
a.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack('qq', 2, 500000))
print(fails(lambda: a.recv(1)), fails(lambda: os.read(a.fileno(), 1)), passed())
if os.fork() == 0: time.sleep(1); b.send(b'x'); os._exit(0)
print(a.recv(1), passed())
os.wait()
print(fails(lambda: b.recvmsg(1, 0, socket.MSG_DONTWAIT)), passed())
a.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack('qq', 1, 0))
a.setblocking(True)
while fails(lambda: a.send(bytes(1 << 16), socket.MSG_DONTWAIT)) != 11: pass
print(fails(lambda: a.send(b'x')), passed())
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
print(signal.sigtimedwait([signal.SIGUSR1], 10), passed())
parent = os.getpid()
if os.fork() == 0: time.sleep(2); os.kill(parent, signal.SIGUSR1); os._exit(0)
print(signal.sigtimedwait([signal.SIGUSR1], 10).si_signo, passed())
os.wait()
def select(fd, seconds):
    left = ctypes.create_string_buffer(struct.pack('qq', seconds, 0), 16)
    got = c.select(fd + 1, ctypes.create_string_buffer((1 << fd).to_bytes(128, 'little'), 128), None, None, left)
    return got, round(sum(x * y for x, y in zip(struct.unpack('qq', left.raw), (1, 1e-6))), 1)
a, b = os.pipe()
print(select(a, 3), passed())
if os.fork() == 0: time.sleep(2); os.write(b, b'x'); os._exit(0)
print(select(a, 10), passed())
os.wait()
";

#[test]
fn waits_with_an_end_end_in_virtual_time() {
    let Some((told, _)) = python("waits_with_an_end_end_in_virtual_time", WAITS) else { return };
    let expected = [
        "11 11 5.0",
        "b'x' 6.0",
        "11 6.0",
        "11 7.0",
        "None 17.0",
        "10 19.0",
        "(0, 0.0) 22.0",
        "(1, 8.0) 24.0",
    ];
    assert_eq!(told, expected);
}

/// A child is stopped and goes on, and its parent waits for each.
const STOPPED: &str = r"
import os, signal, time
began = time.monotonic()
def passed(): return round(time.monotonic() - began, 1)
child = os.fork()
if child == 0:
    time.sleep(3)
    os.kill(os.getpid(), signal.SIGSTOP)
    time.sleep(4)
    os._exit(3)
_, status = os.waitpid(child, os.WUNTRACED)
print(os.WIFSTOPPED(status), passed())
time.sleep(5)
os.kill(child, signal.SIGCONT)
_, status = os.waitpid(child, os.WUNTRACED | os.WCONTINUED)
print(os.WIFCONTINUED(status))
_, status = os.waitpid(child, os.WUNTRACED)
print(os.WEXITSTATUS(status), passed())
";

#[test]
fn who_waits_for_a_child_to_be_stopped_goes_on_when_it_is() {
    let Some((told, _)) = python("who_waits_for_a_child_to_be_stopped_goes_on_when_it_is", STOPPED) else {
        return;
    };
    assert_eq!(told, ["True 3.0", "True", "3 12.0"]);
}
