//! What operations cost by version and options, and when a table agrees.

use super::operations::Operation;
use super::*;
use petrio_files::inputs::Inputs;
use std::path::PathBuf;

/// The calls of an operation's second repetition, when all that is known once is known.
fn calls_of(operation: &str, options: &str) -> String {
    let options = MountOptions::parse(options).unwrap();
    let calls = play::play(Operation::of(operation).unwrap(), operation, &options, true, 2);
    // Of what was waited for once for all, the first.
    order(&calls[usize::from(operation != "idle_70s")], &options)
}

#[test]
fn what_a_client_knows_decides_what_it_asks_in_version_3() {
    let rows = [
        ("stat_cold", "LOOKUP"),
        ("stat_warm", ""),
        ("stat_warm_after_5s", "GETATTR"),
        ("stat_missing_again", ""),
        ("create_write_4K_close", "LOOKUP CREATE WRITE"),
        ("create_excl_close", "CREATE SETATTR"),
        ("read_64K_cold", "LOOKUP ACCESS READ"),
        ("read_1M_cold", "LOOKUP ACCESS READx8"),
        ("read_64K_warm", "GETATTR"),
        ("read_64K_after_server_change", "GETATTR ACCESS READ"),
        ("seq_write_16M_64Kcalls_close", "LOOKUP CREATE WRITEx16 COMMIT"),
        ("rnd_write_8K_x16_each_fsync", "LOOKUP ACCESS WRITEx16"),
        ("ls_1000_cold", "LOOKUP GETATTR ACCESS READDIRPLUSx2"),
        ("unlink_open_then_close", "LOOKUP RENAME REMOVE"),
        ("mkdir", "MKDIR"),
        ("fcntl_lock_unlock_open_fd", "lockdv4:LOCK lockdv4:UNLOCK"),
    ];
    for (operation, calls) in rows {
        assert_eq!(calls_of(operation, "vers=3"), calls, "{operation}");
    }
}

#[test]
fn version_4_opens_closes_and_delegates() {
    let rows = [
        ("create_write_4K_close", "OPEN WRITE CLOSE"),
        ("read_64K_cold", "OPEN READ CLOSE"),
        ("read_64K_warm", ""),
        ("append_4K_close_warm", "DELEGRETURN OPEN_NOATTR WRITE CLOSE"),
        ("read_64K_after_server_change", "OPEN_NOATTR READ CLOSE"),
        ("unlink_after_read", "DELEGRETURN REMOVE"),
        ("chmod_warm", "SETATTR"),
        ("fcntl_lock_unlock_open_fd", "LOCK LOCKU FREE_STATEID"),
        ("copy_file_range_1M", "OPENx2 COPY CLOSEx2"),
        ("read_4K_warm_after_70s", "OPEN_NOATTR CLOSE"),
        ("idle_70s", "SEQUENCE DELEGRETURNx20"),
    ];
    for (operation, calls) in rows {
        assert_eq!(calls_of(operation, "vers=4.2"), calls, "{operation}");
    }
}

#[test]
fn versions_lack_what_came_after_them() {
    assert_eq!(calls_of("copy_file_range_1M", "vers=4.1"), "OPENx2 READx8 CLOSE WRITE CLOSE");
    assert_eq!(calls_of("append_4K_close_warm", "vers=4.0"), "DELEGRETURN OPEN WRITE CLOSE");
    assert_eq!(calls_of("fcntl_lock_unlock_open_fd", "vers=4.0"), "LOCK LOCKU RELEASE_LOCKOWNER");
    assert_eq!(calls_of("getxattr_user_warm", "vers=4.1"), "ACCESS");
}

#[test]
fn options_change_what_is_asked() {
    let rows = [
        ("stat_cold", "vers=3,noac", "GETATTRx5 LOOKUP GETATTR"),
        ("read_64K_cold", "vers=3,rsize=32768", "LOOKUP ACCESS READx2"),
        ("create_write_1M_close", "vers=3,wsize=32768", "LOOKUP CREATE WRITEx32 COMMIT"),
        ("create_write_1M_close", "vers=3,sync", "LOOKUP CREATE WRITEx16"),
        ("reopen_ro_after_close", "vers=3,nocto", ""),
        ("stat_warm", "vers=3,lookupcache=none", "LOOKUPx3"),
        ("stat_missing_again", "vers=3,lookupcache=pos", "LOOKUP"),
        ("stat_warm_after_5s", "vers=3,actimeo=60", ""),
        ("fcntl_lock_unlock_open_fd", "vers=3,nolock", ""),
        ("getxattr_posix_acl_warm", "vers=3,noacl", ""),
        ("read_64K_cold", "vers=2", "LOOKUP READx8"),
        ("create_write_64K_close", "vers=2", "GETATTR LOOKUP CREATE WRITEx8"),
    ];
    for (operation, options, calls) in rows {
        assert_eq!(calls_of(operation, options), calls, "{operation} {options}");
    }
}

#[test]
fn options_that_make_no_sense_say_what_would() {
    for (options, says) in [
        ("vers=5", "2, 3, 4, 4.0, 4.1 or 4.2"),
        ("vers=4.2,proto=udp", "isn't carried by UDP"),
        ("vers=3,rsize=0", "at least 1024"),
        ("vers=3,acregmin=-1", "whole seconds"),
        ("vers=3,lookupcache=some", "all, pos or none"),
        ("vers=3,nconnect=17", "1 to 16"),
        ("vers=3,fast", "no option of an NFS mount"),
    ] {
        let told = MountOptions::parse(options).unwrap_err().to_string();
        assert!(told.contains(says), "{options}: {told}");
    }
}

/// A folder with a table of these rows.
fn folder(name: &str, rows: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("petrio-nfs-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let head = "config,version,mount_options,other_condition,operation,rpc,count_min,count_median,count_max,reps,\
                started_median,bytes_sent_median,bytes_received_median,queue_ms_median,rtt_ms_median,execute_ms_median,source\n";
    std::fs::write(folder.join(measured::RPCS), format!("{head}{rows}")).unwrap();
    folder
}

#[test]
fn a_cell_agrees_only_if_all_of_its_rpcs_do() {
    let rows = "a,3,vers=3,,stat_cold,LOOKUP,1,1,1,5,1,112,236,0,0,0,mountstats\n\
                a,3,vers=3,,stat_cold,TOTAL,1,1,1,5,1,,,,,,mountstats\n\
                b,3,vers=3,,stat_cold,LOOKUP,1,1,1,5,1,112,736,0,0,0,mountstats\n\
                b,3,vers=3,,stat_cold,GETATTR,1,1,1,5,1,104,112,0,0,0,mountstats\n\
                c,3,vers=3,,stat_cold,LOOKUP,0,3,4,5,1,336,708,0,0,0,mountstats\n\
                c,3,vers=3,,dance,LOOKUP,1,1,1,5,1,112,236,0,0,0,mountstats\n\
                d,3,vers=3,full moon,stat_cold,LOOKUP,1,1,1,5,1,112,236,0,0,0,mountstats\n";
    let folder = folder("cells", rows);
    let found = judge_nfs(&Inputs::here(), &folder).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let agree: Vec<_> = found.rows.iter().map(|row| (row.agrees, row.as_long)).collect();
    assert_eq!(agree, [(true, true), (false, false), (true, true)]);
    assert_eq!((found.unknown, found.not_played), (vec!["dance".to_owned()], 2));
    assert_eq!(found.unknown_conditions, ["d: full moon"]);
}

#[test]
fn a_version_that_the_options_contradict_is_an_error() {
    let folder = folder("version", "a,4.1,vers=3,,stat_cold,LOOKUP,1,1,1,5,1,112,236,0,0,0,mountstats\n");
    let told = judge_nfs(&Inputs::here(), &folder).unwrap_err().to_string();
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(told.contains("is of version 4.1") && told.contains("mount version 3"), "{told}");
}
