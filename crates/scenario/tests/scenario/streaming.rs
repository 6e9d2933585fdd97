//! Streams through a file system: a larger window and more disks make them no slower, until the link is the limit.

use crate::common::once_of;
use petrio_scenario::load_text;

/// One program reads a file in memory's order; MB/s.
fn read(disks: u32, read_ahead: &str) -> f64 {
    let array = "[raid.r]\nlevel = 0\non = \"d*\"\nstripe_unit = \"64 KiB\"\n";
    let (array, below) = if disks > 1 { (array, "r") } else { ("", "d") };
    let text = format!(
        r#"
[disk.d]
model = "seagate-st3146707lc"
count = {disks}

{array}
[fabric.san]
on = "{below}"
rate = "212.5 MB/s"
adapter = "10 us"
latency = "5 us"

[host.h]
machine = "poweredge-1850"
kernel = "linux-2.6.27"
read_ahead = "{read_ahead}"

[fs.data]
type = "ext3"
on = "san"

[workload.reader]
kind = "files"
on = "data"
operation = "read"
record = "64 KiB"
file_size = "64 MiB"
"#
    );
    let text = if disks > 1 { text } else { text.replace("count = 1\n", "") };
    let loaded = load_text("test.toml", &text, None, &[]).unwrap();
    once_of(&loaded).served.throughput_bytes_per_s.value / 1e6
}

#[test]
fn a_larger_read_ahead_makes_a_stream_no_slower() {
    let rates = ["128 KiB", "512 KiB", "2 MiB"].map(|window| read(1, window));
    assert!(rates.windows(2).all(|pair| pair[1] > pair[0] * 0.98), "{rates:?}");
    // Data of 78.6 MB/s pass the head at the outermost tracks, of which one twelfth of the time goes for changes of head.
    assert!(rates.iter().all(|rate| *rate > 70.0 && *rate < 78.6), "{rates:?}");
}

#[test]
fn striped_disks_read_as_fast_as_their_link() {
    let one = read(1, "4 MiB");
    let rates = [2, 5, 10].map(|disks| read(disks, "4 MiB"));
    assert!(rates[0] > 1.6 * one, "one disk {one}, two, five and ten {rates:?}");
    assert!(rates.windows(2).all(|pair| pair[1] > pair[0] * 0.97), "{rates:?}");
    assert!(rates[1] > 0.85 * 212.5, "{rates:?}");
}

#[test]
fn a_platter_that_turns_twice_as_fast_streams_twice_as_fast_if_its_skews_leave_the_head_its_time() {
    let text = |changes: &str| {
        format!(
            r#"
[disk.d]
model = "seagate-st3146707lc"
{changes}
[workload.stream]
kind = "synthetic"
on = "d"
requests = 4000
[[workload.stream.generators]]
read_fraction = "100 %"
sequential_fraction = "100 %"
time_critical_fraction = "100 %"
inter_arrival = {{ constant = "0 s" }}
size = {{ constant = "64 KiB" }}
"#
        )
    };
    let rate = |changes: &str| {
        let loaded = load_text("test.toml", &text(changes), None, &[]);
        let loaded = loaded.unwrap_or_else(|problems| panic!("{problems:?}"));
        once_of(&loaded).served.throughput_bytes_per_s.value / 1e6
    };
    let (now, skewed) = (rate(""), "drive.geometry.skew_scale = 2.0");
    let faster = |more: &str| rate(&format!("drive.mechanics.rotation = \"20000 rpm\"\n{more}")) / now;
    assert!(faster(skewed) > 1.8, "{} of {now}", faster(skewed));
    assert!(faster("") < faster(skewed), "{}", faster(""));
}
