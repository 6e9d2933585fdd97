//! Rows that are read and refused, and what a prediction is judged by.

use super::measured::read_grid;
use super::*;
use std::collections::BTreeMap;

const HEADER: &str = "users,block_bytes,op,link_mbit,resp_mean_ms,resp_p50_ms";

fn read(rows: &str) -> Result<Vec<MeasuredTimes>, String> {
    let mut cells = BTreeMap::new();
    let text = format!("{HEADER}\n{rows}\n");
    read_grid(Path::new("g.csv"), text.as_bytes(), &mut cells).map_err(|error| error.to_string())?;
    Ok(cells.into_values().collect())
}

#[test]
fn rows_that_make_no_sense_are_refused_with_their_line() {
    for (row, why) in [
        ("0,1024,read_seq,40,1,1", "users is 0"),
        ("1,0,read_seq,40,1,1", "block_bytes is 0"),
        ("1,1024,append,40,1,1", "\"append\" is no operation"),
        ("1,1024,read_seq_filesync,40,1,1", "is no operation"),
        ("1,1024,read_seq,0,1,1", "link_mbit is 0"),
        ("1,1024,read_seq,40,nan,1", "resp_mean_ms is NaN"),
        ("1,1024", "2 fields"),
    ] {
        let message = read(row).unwrap_err();
        assert!(message.contains("line 2") && message.contains(why), "{message}");
    }
    assert!(!read_grid(Path::new("o.csv"), b"config,op\nx,y\n", &mut BTreeMap::new()).unwrap());
}

#[test]
fn what_fills_a_link_takes_as_long_as_the_link_does() {
    let rows = "1,65536,read_seq,40,13.8,13.8\n1,65536,read_seq,40,13.7,13.7\n4,1024,write_rand_unstable,40,0.98,0.98";
    let measured = read(rows).unwrap();
    assert_eq!(measured.len(), 2);
    let inputs = Inputs::none();
    let rows = predict_times((&inputs, Path::new("nowhere")), &measured, &mut |_, _| {}).unwrap();
    // 65,536 bytes and 132 of headers in 46 frames with 66 bytes each; four times 1,024 and 124 in one each.
    let link = |bytes: f64, frames: f64| (bytes + 66.0 * frames) * 8.0 / 40e6 * 1e3;
    assert!((rows[0].predicted_ms / link(65_668.0, 46.0) - 1.0).abs() < 0.02, "{rows:?}");
    assert!((rows[1].predicted_ms / (4.0 * link(1_148.0, 1.0)) - 1.0).abs() < 0.02, "{rows:?}");
    let verdicts = judge_times(&rows);
    assert!(verdicts.iter().all(|judged| judged.verdict == crate::verdict::Judgement::Holds), "{verdicts:?}");
    let off = NfsTimeRow { error_percent: 9.0, ..rows[0].clone() };
    assert_eq!(judge_times(&[off])[1].verdict, crate::verdict::Judgement::Misses);
}
