//! `petrio compare SCENARIO measured:FILE` beside a live system. What is measured is written by a formula (Pollaczek and Khinchine's mean wait
//! of a single server, M/G/1), so that it is known what the device's parameters are; or was recorded of a real one.

use crate::support::{Answer, Folder, figure, unwrapped};
use serde_json::Value;
use std::fmt::Write as _;

/// A device that takes 4 ms and then 40 MB/s, and is asked for nothing by itself that matters here.
pub(crate) const DEVICE: &str = "\
[disk.d]
drive = { kind = \"constant-rate\", name = \"a device\", blocks = \"1 GiB\", latency = \"4 ms\", rate = \"40 MB/s\" }

[workload.w]
kind = \"synthetic\"
on = \"d\"
requests = 1000
generators = [{ read_fraction = 1, inter_arrival = { exponential = { mean = \"20 ms\" } }, size = \"4 KiB\" }]
";

/// What such a device takes for a request, seconds.
#[derive(Clone, Copy)]
struct Truth {
    latency: f64,
    rate: f64,
}

const SAME: Truth = Truth { latency: 4e-3, rate: 40e6 };
const READ: f64 = 4096.0;
const WRITE: f64 = 65_536.0;

/// What iostat would print of it at loads from little to much: reads of 4 KiB and writes of 64 KiB, or `sizes` of both.
fn iostat(truth: Truth, busy: impl Fn(u32) -> f64, reports: u32, sizes: (f64, f64)) -> String {
    let mut text = "Linux 6.1.0 (host)\n\n".to_owned();
    let mut report = |number: u32, cells: &str| {
        let _ = write!(
            text,
            "2026-12-01T{:02}:{:02}:{:02}+0000\n\
             Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz  aqu-sz  %util\n\
             sda {cells}\n\n",
            number * 10 / 3_600,
            number * 10 / 60 % 60,
            number * 10 % 60
        );
    };
    report(0, "1 4 0 0 99 4 1 64 0 0 99 64 9 99");
    let service = |bytes: f64| truth.latency + bytes / truth.rate;
    let (first, second) = (service(sizes.0), service(sizes.1));
    for number in 1..=reports {
        // Reads are more or less than half of it, from one report to the next.
        let share = [0.3, 0.5, 0.7][number as usize % 3];
        let (mean, square) =
            (share * first + (1.0 - share) * second, share * first * first + (1.0 - share) * second * second);
        let load = busy(number);
        let rate = load / mean;
        let wait = rate * square / (2.0 * (1.0 - load));
        let (reads, writes) = (rate * share, rate * (1.0 - share));
        let under_way = reads * (wait + first) + writes * (wait + second);
        report(
            number,
            &format!(
                "{reads:.4} {:.4} 0 0 {:.5} 0 {writes:.4} {:.4} 0 0 {:.5} 0 {under_way:.4} {:.3}",
                reads * sizes.0 / 1024.0,
                (wait + first) * 1e3,
                writes * sizes.1 / 1024.0,
                (wait + second) * 1e3,
                load * 100.0
            ),
        );
    }
    text
}

/// From hardly anything to three quarters of what it can do, in no order.
fn ramp(number: u32) -> f64 {
    0.02 + 0.73 * f64::from(number * 17 % 48) / 48.0
}

/// Compares with as many requests as are enough for what is held.
fn compared(folder: &Folder, arguments: &[&str]) -> Answer {
    compared_with("6000", folder, arguments)
}

fn compared_with(requests: &str, folder: &Folder, arguments: &[&str]) -> Answer {
    let question =
        ["compare", "device.toml", "measured:iostat.txt", "--json", "c.json", "--replications", "3"];
    let answer = folder.petrio(&[&question[..], &["--requests", requests], arguments].concat());
    assert!(answer.code.is_some());
    answer
}

/// What a parameter is known to by noise alone is a good deal less than 2 %.
const MANY: &str = "24000";

fn of(text: &str) -> Folder {
    let folder = Folder::new();
    folder.write("device.toml", DEVICE);
    folder.write("iostat.txt", text);
    folder
}

fn device(folder: &Folder) -> Value {
    folder.json("c.json")["devices"][0].clone()
}

#[test]
fn a_device_as_the_scenario_says_is_predicted_at_every_load() {
    let folder = of(&iostat(SAME, ramp, 48, (READ, WRITE)));
    let answer = compared(&folder, &["--html", "c.html"]);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    let found = device(&folder);
    let points = found["points"].as_array().unwrap();
    assert_eq!((points.len(), &found["busy_intervals"]), (8, &Value::from(48)));
    for point in points {
        for sort in ["reads", "writes", "both"] {
            let ratio = figure(&point[sort], "/ratio/value");
            // Bins have intervals of several mixes and loads, and their mean is what is run.
            assert!((ratio - 1.0).abs() < 0.08, "{sort} of {point}");
        }
        let (measured, predicted) = (figure(point, "/measured_busy"), figure(point, "/predicted_busy"));
        assert!((measured - predicted).abs() < 0.03, "{point}");
    }
    let said = unwrapped(&answer.out);
    for words in [
        "sda beside the disk d (constant-rate): 48 intervals with requests, of 48",
        "reads: the prediction stays within ±10 % at every load",
        "writes: the prediction stays within ±10 % at every load",
    ] {
        assert!(said.contains(words), "{words} in {said}");
    }
    let page = folder.text("c.html");
    for words in
        ["How long a request takes by load, sda", "How long a request takes over time, sda", "stays within"]
    {
        assert!(page.contains(words), "{words}");
    }
    let moments = found["over_time"].as_array().unwrap();
    assert_eq!((moments.len(), figure(&moments[47], "/begin_s")), (48, 470.0));
}

#[test]
fn the_parameters_of_another_device_are_found_and_hold_where_nothing_was_fitted() {
    for truth in [Truth { latency: 3e-3, rate: 60e6 }, Truth { latency: 8e-3, rate: 20e6 }] {
        let folder = of(&iostat(truth, ramp, 48, (READ, WRITE)));
        let answer = compared_with(MANY, &folder, &["--patch", "p.toml"]);
        assert_eq!(answer.code, Some(0), "{}", answer.talk);
        let calibration = device(&folder)["calibration"].clone();
        let fitted = calibration["fitted"].as_array().unwrap();
        let factor = |key: &str| {
            let own = fitted.iter().find(|fitted| fitted["key"] == key);
            figure(own.unwrap_or_else(|| panic!("{key}: {calibration}")), "/factor/value")
        };
        let (latency, rate) = (factor("disk.d.drive.latency"), factor("disk.d.drive.rate"));
        assert!((latency * 4e-3 / truth.latency - 1.0).abs() < 0.02, "{latency}");
        assert!((rate * 40e6 / truth.rate - 1.0).abs() < 0.02, "{rate}");
        let held_out = &calibration["held_out"];
        assert_eq!((&calibration["fitted_to"], &held_out["intervals"]), (&Value::from(24), &Value::from(24)));
        assert!(figure(held_out, "/before") > 0.2 && figure(held_out, "/after") < 0.05, "{held_out}");
        // The patch is a piece of a scenario, and its settings are those that petrio takes.
        let patch: toml::Table = folder.text("p.toml").parse().unwrap();
        let drive = &patch["disk"]["d"]["drive"];
        let set = |key: &str| format!("disk.d.drive.{key}={}", drive[key]);
        let again = compared(&folder, &["--set", &set("latency"), "--set", &set("rate")]);
        assert!(unwrapped(&again.out).contains("stays within ±10 % at every load"), "{}", again.out);
    }
}

#[test]
fn where_they_part_is_said_with_the_load_and_the_requests() {
    // Half as fast, which shows most where it is busy.
    let slower = iostat(Truth { latency: 8e-3, rate: 20e6 }, ramp, 48, (READ, WRITE));
    let folder = of(&slower);
    let said = unwrapped(&compared(&folder, &[]).out);
    assert!(
        said.contains("reads part at every load") && said.contains("writes part at every load"),
        "{said}"
    );
    // Data move half as fast: writes, which are long, show it from the least load on; reads only where they wait for them.
    let folder = of(&iostat(Truth { latency: 4e-3, rate: 20e6 }, ramp, 48, (READ, WRITE)));
    let said = unwrapped(&compared(&folder, &["--within", "15%"]).out);
    assert!(said.contains("writes part at every load"), "{said}");
    assert!(said.contains("reads part above "), "{said}");
    // More than the scenario's device serves.
    let folder = of(&iostat(Truth { latency: 1e-3, rate: 400e6 }, ramp, 48, (READ, WRITE)));
    let said = unwrapped(&compared(&folder, &[]).out);
    assert!(said.contains("at the highest loads more comes than the scenario's disk serves"), "{said}");
}

#[test]
fn what_the_measurement_does_not_tell_is_refused_with_the_reason() {
    let refusal = |text: &str| {
        let folder = of(text);
        let answer = compared(&folder, &["--patch", "p.toml"]);
        assert_eq!(answer.code, Some(2), "{}", answer.talk);
        assert!(!folder.names().contains(&"p.toml".to_owned()));
        assert!(folder.names().contains(&"c.json".to_owned()), "the comparison is there");
        unwrapped(&answer.talk)
    };
    let slower = Truth { latency: 8e-3, rate: 20e6 };
    let said = refusal(&iostat(slower, ramp, 9, (READ, WRITE)));
    assert!(said.contains("there are 9 intervals with requests, and 16 are needed"), "{said}");
    let said = refusal(&iostat(slower, |number| 0.001 * f64::from(number), 48, (READ, WRITE)));
    assert!(said.contains("never busier than 4.8 % of an interval"), "{said}");
}

#[test]
fn of_one_size_latency_and_rate_are_one_and_only_one_of_them_is_fitted() {
    let folder = of(&iostat(Truth { latency: 8e-3, rate: 40e6 }, ramp, 48, (READ, READ)));
    let answer = compared(&folder, &["--patch", "p.toml"]);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    let calibration = device(&folder)["calibration"].clone();
    assert_eq!(calibration["fitted"].as_array().unwrap().len(), 1, "{calibration}");
    assert_eq!(calibration["fitted"][0]["key"], "disk.d.drive.latency");
    assert!((figure(&calibration, "/fitted/0/factor/value") - 2.0).abs() < 0.04, "{calibration}");
    let said = unwrapped(&answer.out);
    assert!(
        said.contains("disk.d.drive.rate stays: the loads and sizes that there were don't tell it"),
        "{said}"
    );
}

#[test]
fn a_saturated_device_is_asked_by_as_many_as_were_under_way() {
    // Eight at a time, one after the other: each takes eight services, and 1 / service of them are done a second.
    let service = 4e-3 + READ / 40e6;
    let report = format!(
        "Device r/s rkB/s r_await w/s wkB/s w_await aqu-sz %util\nsda {:.3} {:.3} {:.5} 0 0 0 8.0 100\n\n",
        1.0 / service,
        4.0 / service,
        8.0 * service * 1e3
    );
    let folder = of(&report.repeat(9));
    let answer = compared(&folder, &[]);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    let point = device(&folder)["points"][0].clone();
    assert_eq!(point["closed"], true);
    assert!((figure(&point, "/reads/ratio/value") - 1.0).abs() < 0.01, "{point}");
    assert!((figure(&point, "/predicted_per_s") * service - 1.0).abs() < 0.01, "{point}");
}

#[test]
fn which_device_is_which_disk_is_asked_and_understood() {
    let text = iostat(SAME, ramp, 12, (READ, WRITE));
    let two = text.replace("\nsda ", "\nsdb 1 4 0 0 5 4 0 0 0 0 0 0 0.005 0.5\nsda ");
    let folder = of(&two);
    let answer = compared(&folder, &[]);
    let said = unwrapped(&answer.talk);
    assert_eq!(answer.code, Some(2));
    assert!(said.contains("nobody says which device is which disk: measured are sdb, sda"), "{said}");
    assert!(said.contains("--disk sda=d"), "{said}");
    for disk in ["sda=d", "sda=disk.d"] {
        let answer = compared(&folder, &["--disk", disk]);
        assert!(unwrapped(&answer.out).contains("sda beside the disk d"), "{}", answer.talk);
    }
    for (wrong, words) in [
        ("sdx=d", "there is no measured device sdx; there are sdb, sda"),
        ("sda=e", "there is no disk e; there are d"),
    ] {
        let said = unwrapped(&compared(&folder, &["--disk", wrong]).talk);
        assert!(said.contains(words), "{said}");
    }
    // One that is called as the disk is.
    folder.write("iostat.txt", two.replace("\nsda ", "\nd "));
    assert!(unwrapped(&compared(&folder, &[]).out).contains("d beside the disk d"));
}

#[test]
fn options_without_a_measurement_over_time_are_refused() {
    let folder = of("");
    for option in [["--patch", "p.toml"], ["--disk", "a=b"], ["--arrivals", "closed"]] {
        let answer = folder.petrio(&[&["compare", "device.toml", "device.toml"], &option[..]].concat());
        assert!(answer.talk.contains("is about a measurement over time"), "{}", answer.talk);
    }
    folder.write("iostat.txt", iostat(SAME, ramp, 12, (READ, WRITE)));
    let answer = folder.petrio(&["compare", "device.toml", "iostat.txt"]);
    assert!(answer.talk.contains("write measured:iostat.txt"), "{}", answer.talk);
    let answer = compared(&folder, &["--patch", "iostat.txt"]);
    assert_eq!(answer.code, Some(2), "a patch takes the place of no input");
}

/// A solid-state drive of four channels, for the loop device that was recorded.
const LOOP: &str = "\
[disk.d]
drive = { kind = \"simple-ssd\", name = \"a loop device\", blocks = \"256 MiB\", page = \"4 KiB\", channels = 4, read = \"80 us\", program = \"40 us\" }

[workload.w]
kind = \"synthetic\"
on = \"d\"
requests = 1000
generators = [{ read_fraction = 1, inter_arrival = { exponential = { mean = \"20 ms\" } }, size = \"4 KiB\" }]
";

#[test]
fn what_was_recorded_of_a_loop_device_is_nearer_with_the_patch() {
    let folder = Folder::new();
    folder.write("device.toml", LOOP);
    let seed = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/seeds/over-time-iostat");
    folder.write("iostat.txt", std::fs::read(seed).unwrap());
    let answer = compared_with("2000", &folder, &["--patch", "p.toml", "--html", "c.html"]);
    assert_eq!(answer.code, Some(0), "{}{}", answer.out, answer.talk);
    let held_out = device(&folder)["calibration"]["held_out"].clone();
    assert!(figure(&held_out, "/after") < figure(&held_out, "/before"), "{held_out}");
    let said = unwrapped(&answer.out);
    for words in [
        "loop0 beside the disk d (simple-ssd)",
        "fitted to",
        "tried on the",
        "requests are taken to come at any time",
    ] {
        assert!(said.contains(words), "{words} in {said}");
    }
    assert!(
        folder.text("p.toml").contains("[disk.d.drive]") || folder.text("p.toml").contains("read ="),
        "{}",
        folder.text("p.toml")
    );
}

/// A scenario's own run as iostat would have printed it: intervals of its device log. Requests are counted where they complete, as the kernel does.
fn printed(log: &str, interval: f64) -> String {
    let mut lines = log.lines();
    let heads: Vec<&str> = lines.next().unwrap().split(',').collect();
    let column = |name: &str| heads.iter().position(|head| *head == name).unwrap();
    let [from, to, direction, blocks] = ["time_s", "completed_s", "direction", "blocks"].map(column);
    // Requests, bytes and seconds of reads and of writes, by interval.
    let mut cells: Vec<[[f64; 3]; 2]> = Vec::new();
    let mut last = 0.0;
    for line in lines {
        let cell: Vec<&str> = line.split(',').collect();
        let (begin, end): (f64, f64) = (cell[from].parse().unwrap(), cell[to].parse().unwrap());
        last = f64::max(last, end);
        let number = (end / interval) as usize;
        cells.resize(cells.len().max(number + 1), [[0.0; 3]; 2]);
        let own = &mut cells[number][usize::from(cell[direction] != "read")];
        own[0] += 1.0;
        own[1] += cell[blocks].parse::<f64>().unwrap() * 512.0;
        own[2] += end - begin;
    }
    cells.truncate((last / interval) as usize);
    let mut text = String::new();
    for [reads, writes] in cells {
        let each = |of: [f64; 3]| if of[0] > 0.0 { of[2] / of[0] * 1e3 } else { 0.0 };
        let _ = write!(
            text,
            "Device r/s rkB/s r_await w/s wkB/s w_await %util\nsda {} {} {:.6} {} {} {:.6} 50\n\n",
            reads[0] / interval,
            reads[1] / interval / 1024.0,
            each(reads),
            writes[0] / interval,
            writes[1] / interval / 1024.0,
            each(writes)
        );
    }
    text
}

/// What the device does at several loads, one after the other, as iostat would print it.
fn run_at_loads(folder: &Folder, settings: &[&str]) -> String {
    let mut text = "Device r/s rkB/s r_await w/s wkB/s w_await %util\nsda 1 1 1 1 1 1 1\n\n".to_owned();
    for (seed, scale) in (1..).zip(["1", "0.6", "0.4", "0.3", "0.25"]) {
        let (seed, scale) = (format!("seed={seed}"), format!("workload.w.time_scale={scale}"));
        let run = [
            "run",
            "mixed.toml",
            "-q",
            "--no-what-if",
            "--device-log",
            "log.csv",
            "--set",
            &seed,
            "--set",
            &scale,
        ];
        let answer = folder.petrio(&[&run[..], settings].concat());
        assert_eq!(answer.code, Some(0), "{}", answer.talk);
        text.push_str(&printed(&folder.text("log.csv"), 5.0));
    }
    text
}

#[test]
fn a_scenarios_own_run_is_predicted_and_that_of_a_faster_one_gives_its_scale() {
    let mixed = DEVICE.replace("requests = 1000", "requests = 5000").replace(
        "generators = [",
        "generators = [{ read_fraction = 0, inter_arrival = { exponential = { mean = \"60 ms\" } }, size = \"64 KiB\", alignment = \"512 B\" }, ",
    ).replace("mean = \"20 ms\"", "mean = \"60 ms\"");
    let folder = of("");
    folder.write("mixed.toml", mixed);
    folder.write("iostat.txt", run_at_loads(&folder, &[]));
    let answer = compared(&folder, &[]);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    let said = unwrapped(&answer.out);
    assert!(
        said.contains("reads: the prediction stays within")
            && said.contains("writes: the prediction stays within"),
        "{said}"
    );
    let twice = ["--set", "disk.d.drive.latency=2 ms", "--set", "disk.d.drive.rate=80 MB/s"];
    folder.write("iostat.txt", run_at_loads(&folder, &twice));
    let answer = compared_with("12000", &folder, &["--patch", "p.toml"]);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    let found = device(&folder);
    for fitted in found["calibration"]["fitted"].as_array().unwrap() {
        let factor = figure(fitted, "/factor/value");
        let (wanted, near) = if fitted["key"] == "disk.d.drive.latency" { (0.5, 0.02) } else { (2.0, 0.05) };
        assert!((factor / wanted - 1.0).abs() < near, "{fitted}");
        // What was measured is a sample: the truth lies within what is said to be known.
        assert!((factor - wanted).abs() < figure(fitted, "/factor/half_width"), "{fitted}");
    }
    assert_eq!(found["calibration"]["fitted"].as_array().map(Vec::len), Some(2), "{found}");
}
