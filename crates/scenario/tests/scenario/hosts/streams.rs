//! fio's jobs on a network: what comes of a file of theirs is bounded by the link between the two hosts, and by nothing else once messages
//! are long and many under way.

use crate::hosts::support::run_of;
use petrio_files::inputs::Inputs;
use petrio_scenario::init::{Choices, from_file};
use petrio_scenario::report::Report;
use proptest::prelude::*;
use std::path::Path;

/// 10 Gbit/s, and EDR's 100, by bytes a second.
const ETHERNET: f64 = 10e9 / 8.0;
const EDR: f64 = 100e9 / 8.0;

/// The scenario that is made of a job file.
fn made(jobs: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("net.fio");
    std::fs::write(&file, jobs).unwrap();
    from_file(&Inputs::here(), &file, Path::new("scenario.toml"), &Choices::default())
        .unwrap_or_else(|problems| panic!("{problems:?}"))
        .text
}

fn net(options: &str) -> String {
    made(&format!(
        "[global]\nioengine=net\nport=8888\n{options}\n[receiver]\nlisten\nrw=read\n[sender]\nhostname=there\nrw=write\n"
    ))
}

fn rdma(options: &str) -> String {
    made(&format!(
        "[global]\nioengine=rdma\nport=8888\n{options}\n[server]\nrw=read\n[client]\nhostname=there\nrw=write\n"
    ))
}

/// Bytes a second of the only job's only phase, by its bytes.
fn rate(report: &Report, bytes: f64) -> f64 {
    bytes / report.jobs[0].phases[0].seconds
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn no_size_and_no_depth_passes_the_link(
        kib in 1u32..512,
        messages in 1u32..40,
        depth in 1u32..32,
        pairs in 1u32..4,
        verb in proptest::sample::select(vec!["write", "read", "send"]),
        sockets in any::<bool>(),
    ) {
        let options = format!("bs={kib}k\nsize={}k\nnumjobs={pairs}", kib * messages);
        let all = f64::from(kib * messages * pairs) * 1024.0;
        let (text, link) = match sockets {
            true => (net(&options), ETHERNET),
            false => (rdma(&format!("{options}\niodepth={depth}\nverb={verb}")), EDR),
        };
        let report = run_of(&text, &[]);
        let rate = rate(&report, all);
        prop_assert!(rate < link, "{rate} B/s on a link of {link}");
        let ranks = &report.jobs[0].ranks;
        prop_assert!(ranks.iter().all(|rank| rank.messages_s <= rank.elapsed_s * 1.000_001), "{ranks:?}");
    }
}

#[test]
fn long_messages_fill_the_link() {
    let bytes = f64::from(64 << 20);
    let sockets = rate(&run_of(&net("bs=256k\nsize=64m"), &[]), bytes);
    assert!((0.9..0.97).contains(&(sockets / ETHERNET)), "{sockets} B/s");
    let adapters = rate(&run_of(&rdma("bs=1m\nsize=64m\niodepth=16"), &[]), bytes);
    assert!((0.9..1.0).contains(&(adapters / EDR)), "{adapters} B/s");
}

#[test]
fn more_under_way_is_never_slower_and_a_read_takes_one_way_more_than_a_write() {
    let bytes = f64::from(2 << 20);
    let of = |depth: u32, verb: &str| {
        rate(&run_of(&rdma(&format!("bs=4k\nsize=2m\niodepth={depth}\nverb={verb}")), &[]), bytes)
    };
    let rates: Vec<f64> = [1, 2, 4, 16].map(|depth| of(depth, "write")).to_vec();
    assert!(rates.windows(2).all(|pair| pair[1] >= pair[0]), "{rates:?}");
    // Twice as many under way move twice as much while nothing is busy.
    assert!((1.9..2.01).contains(&(rates[1] / rates[0])), "{rates:?}");
    assert!(of(1, "read") <= rates[0]);
}

#[test]
fn an_answered_message_takes_at_least_two_passes_of_the_wire() {
    let report = run_of(&net("bs=64\nsize=64k\npingpong=1"), &[]);
    // 1,024 round trips, each twice over two links of 3.6 us.
    let each = report.jobs[0].phases[0].seconds / 1024.0;
    assert!((4.0 * 3.6e-6..60e-6).contains(&each), "{each} s a round trip");
}

#[test]
fn time_ends_a_stream_before_its_size_does() {
    let report = run_of(&net("bs=64k\nsize=1g\nruntime=20ms"), &[]);
    let seconds = report.jobs[0].phases[0].seconds;
    assert!((0.02..0.03).contains(&seconds), "{seconds} s");
}
