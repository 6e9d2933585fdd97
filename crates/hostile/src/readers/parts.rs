//! What systems are made of: drives, machines and kernels of the catalogue's form, parts that scenarios use, DiskSim's
//! parameters; and numbers to fit.

use super::programs::first;
use super::{Reader, Verdict, reason};
use crate::samples::{files, seed};
use petrio_distribution::fit::FitOptions;
use petrio_scenario::catalogue::disksim::{Files, import_from};
use petrio_study::fit::{Data, Unit, fit_data};
use petrio_units::Bytes;

pub(super) fn readers() -> Vec<Reader> {
    vec![
        Reader { name: "drive", read: drive, samples: || files(&["catalogue/devices"], ".toml") },
        Reader { name: "machine", read: machine, samples: || files(&["catalogue/machines"], ".toml") },
        Reader { name: "kernel", read: kernel, samples: || files(&["catalogue/kernels"], ".toml") },
        Reader { name: "used_part", read: used_part, samples: || files(&["examples/parts"], ".toml") },
        Reader { name: "network", read: network, samples: || files(&["catalogue/networks"], ".toml") },
        Reader { name: "array", read: array, samples: || files(&["catalogue/arrays"], ".toml") },
        Reader { name: "placement", read: placement, samples: placements },
        Reader { name: "disksim_parameters", read: disksim, samples: || vec![seed("disksim-parameters")] },
        Reader { name: "fit_numbers", read: fit_numbers, samples: numbers },
        Reader { name: "faults", read: faults, samples: || files(&["examples/faults"], ".toml") },
        Reader { name: "nbd_client", read: nbd_client, samples: conversations },
    ]
}

/// Reads a part from a file beside a scenario that names it.
fn beside(scenario: &str, bytes: &[u8]) -> Verdict {
    let folder = tempfile::tempdir().map_err(|error| reason(&error))?;
    std::fs::write(folder.path().join("part.toml"), bytes).map_err(|error| reason(&error))?;
    let loaded = petrio_scenario::load_text("hostile", scenario, Some(folder.path()), &[]);
    loaded.map(drop).map_err(|problems| first(&problems))
}

fn drive(bytes: &[u8]) -> Verdict {
    beside(
        "[disk.d]\nfile = \"part.toml\"\n[workload.w]\nkind = \"synthetic\"\non = \"d\"\nrequests = 10\n\
         [[workload.w.generators]]\nread_fraction = \"50 %\"\nsequential_fraction = \"10 %\"\n\
         inter_arrival = \"20 ms\"\nsize = \"4 KiB\"\n",
        bytes,
    )
}

/// A part that a scenario uses twice, and whose file may use itself.
fn used_part(bytes: &[u8]) -> Verdict {
    beside(
        "[host.node]\nuse = \"part.toml\"\ncount = 2\n[box.b.host.other]\nuse = \"part.toml\"\n\
         [workload.w]\nkind = \"script\"\non = \"**/data\"\nscript = \"create a; append a 8 KiB; fsync a\"\n",
        bytes,
    )
}

/// A file system on a disk, of a host that is described in files of the catalogue but for one.
fn on_host(machine: &str, kernel: &str) -> String {
    format!(
        "[host.h]\nmachine = \"{machine}\"\nkernel = \"{kernel}\"\n[disk.d]\nmodel = \"constant-rate\"\n\
         [fs.f]\ntype = \"ext4\"\non = \"d\"\n\
         [workload.w]\nkind = \"script\"\non = \"f\"\nscript = \"create a; append a 8 KiB; fsync a\"\n"
    )
}

fn machine(bytes: &[u8]) -> Verdict {
    beside(&on_host("./part.toml", "linux-6.18"), bytes)
}

fn kernel(bytes: &[u8]) -> Verdict {
    beside(&on_host("epyc-9005-2vcpu", "./part.toml"), bytes)
}

fn network(bytes: &[u8]) -> Verdict {
    let host = "machine = \"epyc-9005-2vcpu\"\nkernel = \"linux-6.18\"\ncount = 2\n";
    beside(
        &format!(
            "[network.lan]\nuse = \"part.toml\"\n[host.client]\n{host}[host.server]\n{host}\
             [host.server.disk.d]\nmodel = \"constant-rate\"\n[host.server.fs.data]\ntype = \"ext4\"\non = \"d\"\n\
             [pvfs.work]\nclients = \"client*\"\nservers = \"server*/data\"\n\
             [workload.w]\nkind = \"script\"\non = \"client*/work\"\nscript = \"create a; append a 8 KiB; fsync a\"\n"
        ),
        bytes,
    )
}

fn array(bytes: &[u8]) -> Verdict {
    beside(
        "[disk.d]\nmodel = \"seagate-cheetah-9lp\"\ncount = 6\n[raid.r]\nuse = \"part.toml\"\nlevel = 5\non = \"d*\"\n\
         [workload.w]\nkind = \"synthetic\"\non = \"r\"\nrequests = 10\n\
         [[workload.w.generators]]\nread_fraction = \"50 %\"\ninter_arrival = \"20 ms\"\nsize = \"4 KiB\"\n",
        bytes,
    )
}

fn placements() -> Vec<Vec<u8>> {
    let texts = [
        "file,partition,server\nout,0,node0/data\nout,1,node1/data\n\"a, b\",17,node2/data\n",
        "file, partition, server\nresults/out,18446744073709551615,node2/data\n",
    ];
    texts.map(|text| text.as_bytes().to_vec()).to_vec()
}

/// A table of which server has which partition.
fn placement(bytes: &[u8]) -> Verdict {
    beside(
        "[network.lan]\nlink = { rate = \"1 Gbit/s\", latency = \"5 us\" }\n\
         [host.node]\nmachine = \"epyc-9005-2vcpu\"\nkernel = \"linux-6.18\"\ncount = 3\n\
         [host.node.disk.d]\nmodel = \"constant-rate\"\n[host.node.fs.data]\ntype = \"ext4\"\non = \"d\"\n\
         [share.work]\nclients = \"node*\"\nservers = \"node*/data\"\nplacement = { profile = \"part.toml\" }\n\
         [workload.w]\nkind = \"script\"\non = \"node*/work\"\nscript = \"create a; append a 8 KiB; fsync a\"\n",
        bytes,
    )
}

/// Every file that is named has the same bytes, so that `source` and seek files are reached too.
struct Same<'a>(&'a [u8]);

impl Files for Same<'_> {
    fn read(&self, _name: &str) -> Result<Vec<u8>, String> {
        Ok(self.0.to_vec())
    }
}

fn disksim(bytes: &[u8]) -> Verdict {
    import_from(&Same(bytes), "hostile.parv").map(drop).map_err(|error| reason(&error))
}

fn numbers() -> Vec<Vec<u8>> {
    // The first byte says what they are read as: numbers, a column's times, bytes.
    let texts = ["6\n2\n3.5\n4e3\n8\n13\n", "a,b\n1,2\n3,4\n5,9\n\"7\",1\n", "0\n4096\n512\n1024\n"];
    texts.map(|text| text.as_bytes().to_vec()).to_vec()
}

/// A profile of faults.
fn faults(bytes: &[u8]) -> Verdict {
    let text = super::text(bytes)?;
    let read =
        petrio_scenario::load_faults_text("hostile", text, &[("d".to_owned(), Bytes::from_mib(1 << 20))]);
    read.map(drop).map_err(|problems| first(&problems))
}

/// What a client of the network block device says: it goes to a device, reads, writes and ends.
fn conversations() -> Vec<Vec<u8>> {
    let option = |option: u32, words: &[u8]| {
        let length = u32::try_from(words.len()).unwrap_or_default();
        [&b"IHAVEOPT"[..], &option.to_be_bytes(), &length.to_be_bytes(), words].concat()
    };
    let request = |kind: u16, offset: u64, length: u32, data: &[u8]| {
        let head = [&0x2560_9513u32.to_be_bytes()[..], &[0, 0], &kind.to_be_bytes(), &[7; 8]].concat();
        [&head[..], &offset.to_be_bytes(), &length.to_be_bytes(), data].concat()
    };
    let greeted = [0, 0, 0, 3];
    let go = option(7, b"\0\0\0\x02d1\0\x01\0\x03");
    let wrote = request(1, 512, 512, &[5; 512]);
    let rest = [wrote, request(0, 0, 1_024, &[]), request(3, 0, 0, &[]), request(2, 0, 0, &[])].concat();
    vec![
        [&greeted[..], &option(8, &[]), &option(3, &[]), &go, &rest].concat(),
        [&greeted[..], &option(1, b"d0"), &rest].concat(),
        [&greeted[..], &option(2, &[])].concat(),
    ]
}

fn nbd_client(bytes: &[u8]) -> Verdict {
    let answered = petrio_emulate::nbd::converse(bytes, 1_000);
    // The greeting comes first, whatever is said; and nobody is answered more than he has asked for.
    assert!(answered.starts_with(b"NBDMAGICIHAVEOPT"));
    assert!(answered.len() <= 18 + 134 + 32 * bytes.len());
    Ok(())
}

/// Numbers of a list or of a table's column; its first byte says which, and their unit.
fn fit_numbers(bytes: &[u8]) -> Verdict {
    let how = bytes.first().copied().unwrap_or_default();
    // Many values are fitted like few, and slower.
    if bytes.len() > 512 {
        return Ok(());
    }
    let column = [None, Some("a"), Some("2")][usize::from(how % 3)];
    let unit = [Unit::None, Unit::Bytes, Unit::Time][usize::from(how / 3 % 3)];
    let options = FitOptions { phases: 3, ..FitOptions::default() };
    let data = Data::Text { name: "hostile".to_owned(), source: Box::new(bytes), column, unit };
    let fitted = fit_data(data, &options, &|_| {}).map_err(|error| reason(&error))?;
    assert!(fitted.toml(fitted.report.chosen()).contains('='));
    Ok(())
}
