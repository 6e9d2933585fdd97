//! Messages of operations, and when a table agrees.

use super::*;
use petrio_files::inputs::Inputs;

fn outcome(name: &str, servers: u32, stuffing: bool) -> Messages {
    play(&site(servers, stuffing).unwrap(), &Played::of(name).unwrap())[0].0.clone()
}

#[test]
fn data_flow_where_they_are_too_many_for_one_message() {
    let small = outcome("write_4k", 4, true);
    assert_eq!(small.structure(), ">SMALL_IO x1 <SMALL_IO_resp x1");
    assert_eq!(small.bytes, (4_420, 64));
    let large = outcome("read_2m", 4, true);
    assert_eq!(large.structure(), ">IO x4 <IO_resp x4 <FLOWDATA x8");
    assert_eq!(large.bytes, (1_280, 2_097_536));
}

#[test]
fn bytes_move_as_many_as_are_written_and_more_servers_need_no_fewer_messages() {
    for size in ["1k", "4k", "6656b", "8k", "64k", "100k", "1m", "3m"] {
        let mut last = 0;
        for servers in 1..9 {
            let messages = outcome(&format!("write_{size}"), servers, true);
            let number: u64 = messages.kinds().map(|(_, times)| times).sum();
            assert!(number >= last, "{size} on {servers}");
            last = number.min(3);
        }
    }
}

#[test]
fn a_table_is_judged_row_by_row_and_what_isn_t_known_counts() {
    let folder = tempfile::tempdir().unwrap();
    let table = "config,op,servers,msgs_up,msgs_down,bmi_bytes_up,bmi_bytes_down,s2s_segs,s2s_bytes,structure\n\
        s1,write_4k,1,1,1,4396,64,0,0,>SMALL_IO x1 <SMALL_IO_resp x1\n\
        s1,read_4k,1,1,1,300,9160,0,0,>SMALL_IO x1 <SMALL_IO_resp x1\n\
        s1,create,1,4,4,920,580,0,0,>CREATE x1 <CREATE_resp x1\n\
        s1,dance,1,1,1,1,1,0,0,>DANCE x1\n\
        s0,create,0,1,1,1,1,0,0,>CREATE x1\n";
    std::fs::write(folder.path().join(measured::MESSAGES), table).unwrap();
    let found = judge_messages(&Inputs::here(), folder.path()).unwrap();
    let verdicts: Vec<_> = found.rows.iter().map(|row| (row.agrees, row.as_long)).collect();
    assert_eq!(verdicts, [(true, true), (true, false), (false, true)]);
    assert_eq!(
        (found.not_played, found.unknown.as_slice()),
        (2, &["dance".to_owned(), "create".to_owned()][..])
    );
    assert!(found.judged().iter().all(|judged| judged.verdict == crate::verdict::Judgement::Misses));
}
