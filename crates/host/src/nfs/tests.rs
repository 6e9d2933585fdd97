//! Lengths field by field, and what a client asks as its knowledge grows and ages.

use super::wire::{Parts, lengths};
use super::*;
use petrio_kernel::Time;

/// The call and the reply of a client whose host's name has five letters.
fn of(version: Version, procedure: Procedure, parts: Parts) -> (u64, u64) {
    lengths(version, procedure, parts, 5)
}

#[test]
fn calls_and_replies_of_version_3_have_the_length_of_their_fields() {
    // Record mark, header, AUTH_SYS with the name padded to eight, verifier.
    let header = 4 + 24 + (4 + 4 + 4 + 4 + 8 + 4 + 4 + 4) + 8;
    let handle = 4 + 28;
    let name = |name| Parts { name, ..Parts::default() };
    let none = Parts::default();
    let rows = [
        (Procedure::Null, none, (44, 24)),
        (Procedure::GetAttributes, none, (header + handle, 24 + 4 + 84)),
        (Procedure::LookUp, name(2), (header + handle + 8, 24 + 4 + handle + 88 + 88)),
        (Procedure::LookUp, Parts { missed: true, ..name(2) }, (header + handle + 8, 24 + 4 + 88)),
        (Procedure::Access, none, (header + handle + 4, 24 + 4 + 88 + 4)),
        (Procedure::Read, Parts { back: 65_536, ..none }, (header + handle + 12, 24 + 4 + 88 + 12 + 65_536)),
        (Procedure::Write, Parts { out: 1, ..none }, (header + handle + 8 + 4 + 4 + 4 + 4, 24 + 4 + 92 + 16)),
        (Procedure::Commit, none, (header + handle + 12, 24 + 4 + 92 + 8)),
        (Procedure::Create, name(2), (header + handle + 8 + 4 + 28, 24 + 4 + 36 + 88 + 116)),
        (Procedure::Create, Parts { exclusive: true, ..name(2) }, (header + handle + 8 + 4 + 8, 268)),
        (Procedure::Remove, name(2), (header + handle + 8, 24 + 4 + 116)),
        (Procedure::Rename, Parts { other: 4, ..name(2) }, (header + 2 * (handle + 8), 24 + 4 + 2 * 116)),
        (Procedure::Link, name(4), (header + 2 * handle + 8, 24 + 4 + 88 + 116)),
        (Procedure::SymbolicLink, Parts { other: 6, ..name(2) }, (header + handle + 8 + 28 + 12, 268)),
        (Procedure::FileSystemStatus, none, (header + handle, 24 + 4 + 4 + 52)),
    ];
    for (procedure, parts, lengths) in rows {
        assert_eq!(of(Version::V3, procedure, parts), lengths, "{procedure:?}");
    }
    // The root's handle is shorter, and a longer host name makes every call longer.
    assert_eq!(of(Version::V3, Procedure::GetAttributes, Parts { root: true, ..none }).0, 96);
    assert_eq!(lengths(Version::V3, Procedure::GetAttributes, none, 9).0, 104 + 4);
}

#[test]
fn calls_and_replies_of_version_2_have_the_length_of_their_fields() {
    let header = 4 + 24 + (4 + 4 + 4 + 4 + 8 + 4 + 4 + 4) + 8;
    let name = Parts { name: 2, ..Parts::default() };
    let none = Parts::default();
    let rows = [
        (Procedure::GetAttributes, none, (header + 32, 24 + 4 + 68)),
        (Procedure::LookUp, name, (header + 32 + 8, 24 + 4 + 32 + 68)),
        (Procedure::LookUp, Parts { missed: true, ..name }, (header + 32 + 8, 24 + 4)),
        (Procedure::Read, Parts { back: 8192, ..none }, (header + 32 + 12, 24 + 4 + 68 + 4 + 8192)),
        (Procedure::Write, Parts { out: 8192, ..none }, (header + 32 + 12 + 4 + 8192, 24 + 4 + 68)),
        (Procedure::Create, name, (header + 32 + 8 + 32, 24 + 4 + 32 + 68)),
        (Procedure::Remove, name, (header + 32 + 8, 24 + 4)),
        (Procedure::FileSystemStatus, none, (header + 32, 24 + 4 + 20)),
    ];
    for (procedure, parts, lengths) in rows {
        assert_eq!(of(Version::V2, procedure, parts), lengths, "{procedure:?}");
    }
}

#[test]
fn version_2_writes_stable_pieces_of_8_kib_and_has_no_access() {
    let (mut client, mut export) = client("vers=2,proto=udp,wsize=32768");
    let mut process = client.on(&mut export);
    let flags = OpenFlags { read: false, write: true, create: true, ..READ };
    let number = process.open(Node::ROOT, &["f"], flags).unwrap();
    process.write(number, 20_000);
    process.close(number);
    let calls = client.take_calls();
    let names: Vec<&str> = calls.iter().map(|call| call.procedure.name(Version::V2)).collect();
    assert_eq!(names, ["LOOKUP", "CREATE", "WRITE", "WRITE", "WRITE"]);
    let written: Vec<_> = calls.iter().filter_map(|call| Some((call.data, call.stability?))).collect();
    let stable = |bytes| (bytes, Stability::FileSync);
    assert_eq!(written, [stable(8192), stable(8192), stable(3616)]);
    // No record mark over UDP.
    assert_eq!(
        calls[0].sent,
        of(Version::V2, Procedure::LookUp, Parts { name: 1, ..Parts::default() }).0 - 4
    );
}

#[test]
fn compounds_have_the_length_of_their_operations() {
    let name = Parts { name: 2, ..Parts::default() };
    let none = Parts::default();
    let rows = [
        (Procedure::GetAttributes, none, (172, 240)),
        (Procedure::LookUp, name, (188, 288)),
        (Procedure::LookUp, Parts { missed: true, ..name }, (188, 96)),
        (Procedure::Access, none, (180, 168)),
        (Procedure::Read, Parts { back: 65_536, ..none }, (188, 65_640)),
        (Procedure::Write, Parts { out: 4096, ..none }, (4288, 112)),
        (Procedure::Write, Parts { out: 4096, attributes: true, ..none }, (4304, 184)),
        (Procedure::Commit, none, (172, 104)),
        (Procedure::Close, none, (180, 112)),
        (Procedure::Close, Parts { attributes: true, ..none }, (196, 176)),
        (Procedure::Remove, name, (168, 116)),
    ];
    for (procedure, parts, lengths) in rows {
        assert_eq!(of(Version::V42, procedure, parts), lengths, "{procedure:?}");
    }
    // SEQUENCE with its session is what 4.1 has and 4.0 hasn't.
    let without = of(Version::V40, Procedure::GetAttributes, none);
    assert_eq!((172 - without.0, 240 - without.1), (36, 44));
}

fn client(options: &str) -> (Client, Export) {
    let mut client = Client::new(MountOptions::parse(options).unwrap(), 5);
    let mut export = Export::new(true);
    client.on(&mut export).mount(1);
    client.take_calls();
    (client, export)
}

fn names(client: &mut Client, version: Version) -> Vec<&'static str> {
    client.take_calls().iter().map(|call| call.procedure.name(version)).collect()
}

const READ: OpenFlags = OpenFlags {
    read: true,
    write: false,
    create: false,
    exclusive: false,
    truncate: false,
    append: false,
    direct: false,
    sync: false,
    directory: false,
};

#[test]
fn attributes_are_believed_for_longer_the_longer_they_have_not_changed() {
    let (mut client, mut export) = client("vers=3");
    let file = export.make(Node::ROOT, "f", Kind::File(1)).unwrap();
    client.on(&mut export).stat(Node::ROOT, &["f"]).unwrap();
    client.take_calls();
    // 3 s at first, and twice as long whenever nothing has changed for that long.
    let mut asked = Vec::new();
    for second in 1..=30 {
        let mut process = client.on(&mut export);
        process.advance(Time::from_whole_seconds(1));
        process.stat(Node::ROOT, &["f"]).unwrap();
        let calls = names(&mut client, Version::V3);
        if calls.contains(&"GETATTR") && second < 30 {
            asked.push(second);
        }
    }
    assert_eq!(asked, [3, 9, 21]);
    // What another has changed is believed for the shortest time again.
    export.touch(file);
    client.on(&mut export).advance(Time::from_whole_seconds(60));
    client.on(&mut export).stat(Node::ROOT, &["f"]).unwrap();
    client.take_calls();
    client.on(&mut export).advance(Time::from_whole_seconds(3));
    client.on(&mut export).stat(Node::ROOT, &["f"]).unwrap();
    assert_eq!(names(&mut client, Version::V3), ["GETATTR"]);
}

#[test]
fn a_delegation_opens_files_without_a_word_until_it_is_taken_back() {
    let (mut client, mut export) = client("vers=4.2");
    export.make(Node::ROOT, "f", Kind::File(8192)).unwrap();
    let open = |client: &mut Client, export: &mut Export| {
        let mut process = client.on(export);
        let number = process.open(Node::ROOT, &["f"], READ).unwrap();
        while process.read(number, 4096) > 0 {}
        process.close(number);
    };
    open(&mut client, &mut export);
    client.take_calls();
    open(&mut client, &mut export);
    assert_eq!(names(&mut client, Version::V42), Vec::<&str>::new());
    client.on(&mut export).changed_by_other(&["f"], 8192).unwrap();
    assert_eq!(names(&mut client, Version::V42), ["nfs4_cbv1:CB_RECALL", "DELEGRETURN"]);
    open(&mut client, &mut export);
    assert_eq!(names(&mut client, Version::V42), ["OPEN_NOATTR", "READ", "CLOSE"]);
}

#[test]
fn what_goes_in_one_write_is_stable_and_what_does_not_is_committed() {
    for (bytes, writes, commits) in [(4096, 1, 0), (32_768, 1, 0), (32_769, 2, 1), (65_536, 2, 1)] {
        let (mut client, mut export) = client("vers=3,wsize=32768");
        let mut process = client.on(&mut export);
        let flags = OpenFlags { read: false, write: true, create: true, ..READ };
        let number = process.open(Node::ROOT, &["f"], flags).unwrap();
        process.write(number, bytes);
        process.close(number);
        let calls = client.take_calls();
        let of = |procedure: Procedure| calls.iter().filter(move |call| call.procedure == procedure);
        assert_eq!(
            of(Procedure::Write).map(|call| call.data).sum::<u64>(),
            bytes,
            "no byte is lost or sent twice"
        );
        assert_eq!(
            (of(Procedure::Write).count(), of(Procedure::Commit).count()),
            (writes, commits),
            "{bytes}"
        );
        let stable = of(Procedure::Write).all(|call| call.stability == Some(Stability::FileSync));
        assert_eq!(stable, commits == 0);
        assert_eq!(export.size(export.at(&["f"]).unwrap()), bytes);
    }
}

#[test]
fn what_is_not_there_is_not_found_and_what_is_there_is_not_made_again() {
    let (mut client, mut export) = client("vers=4.1");
    export.make(Node::ROOT, "d", Kind::Directory(Default::default())).unwrap();
    let made = OpenFlags { write: true, create: true, exclusive: true, ..READ };
    let mut process = client.on(&mut export);
    assert_eq!(process.open(Node::ROOT, &["f"], READ), Err(NfsError::NotFound));
    let number = process.open(Node::ROOT, &["d", "f"], made).unwrap();
    process.close(number);
    assert_eq!(process.open(Node::ROOT, &["d", "f"], made), Err(NfsError::Exists));
    assert_eq!(process.make_directory(Node::ROOT, &["d"]), Err(NfsError::Exists));
    assert_eq!(process.remove_directory(Node::ROOT, &["d"]), Err(NfsError::NotEmpty));
    assert_eq!(process.unlink(Node::ROOT, &["d"]), Err(NfsError::IsADirectory));
    assert_eq!(process.unlink(Node::ROOT, &["d", "f"]), Ok(()));
    assert_eq!(process.remove_directory(Node::ROOT, &["d"]), Ok(()));
}

#[test]
fn what_is_removed_while_it_is_open_goes_with_its_last_close() {
    let (mut client, mut export) = client("vers=3");
    export.make(Node::ROOT, "f", Kind::File(1)).unwrap();
    let mut process = client.on(&mut export);
    let (one, two) =
        (process.open(Node::ROOT, &["f"], READ).unwrap(), process.open(Node::ROOT, &["f"], READ).unwrap());
    process.unlink(Node::ROOT, &["f"]).unwrap();
    process.close(one);
    assert_eq!(export.names(Node::ROOT).len(), 1, "somebody has it open");
    client.on(&mut export).close(two);
    assert_eq!(export.names(Node::ROOT).len(), 0);
}
