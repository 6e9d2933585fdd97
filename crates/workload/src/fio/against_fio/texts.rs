//! Texts as vendors, clouds and databases have them (written anew, of their shapes), each run by a shell with a `fio` that is fio itself, told to
//! reach nothing (`ioengine=null`) and to log what it does. What is read out of the same text here must do the same.
//!
//! Whatever takes time or makes files is taken out of fio's calls: engine, clones of a job, run times, directories; a disk without a size has
//! that of [`DISK_BYTES`] here as there. Syncs among reads and writes aren't looked at: fio 3.33 makes one behind each read, too, while the
//! number of writes stands at a multiple, and later ones (`last_ddir_issued` in io_u.c) behind a write alone, as here.

use super::{Access, COMPARED, logged};
use crate::due::Due;
use crate::fio::{FioFile, FioJob, FioWork, Nothing};
use crate::program::Placement;
use crate::source::RequestSource;
use petrio_colours::Direction;
use petrio_time::Time;
use std::path::Path;
use std::process::Command;

/// How large disks are whose size no text says.
const DISK_BYTES: u64 = 64 << 30;

/// Kinds of texts, by what they are, and how many calls' or jobs' accesses they are.
const TEXTS: [(&str, usize, &str); 14] = [
    (
        "a cloud's page about its volumes",
        1,
        "sudo fio --directory=/mnt/vol0 --ioengine=psync --name fio_test_file --direct=1 --rw=randwrite --bs=16k --size=1G \\\n  \
         --numjobs=16 --time_based --runtime=180 --group_reporting --norandommap\n",
    ),
    (
        "a cloud's page about a whole disk",
        1,
        "sudo fio --filename=/dev/sdb --direct=1 --rw=randread --bs=4k --ioengine=libaio --iodepth=256 --runtime=120 --numjobs=4 \\\n  \
         --time_based --group_reporting --name=iops-test-job --eta-newline=1 --readonly\n",
    ),
    (
        "the same with writes among reads",
        1,
        "sudo fio --filename=/dev/oracleoci/oraclevdb --direct=1 --rw=randrw --rwmixread=60 --bs=64k --ioengine=libaio --iodepth=64 \\\n  \
         --runtime=120 --time_based --name=throughput-test-job\n",
    ),
    (
        "a job file within a script",
        2,
        "cat > rw.fio <<EOF\n[global]\nsize=2g\ndirect=1\niodepth=16\nioengine=libaio\nbs=8k\n\n[writer1]\nrw=randwrite\n\n\
         [reader1]\nstonewall\nrw=randread\nEOF\nfio rw.fio\n",
    ),
    (
        "a log that is made durable",
        1,
        "mkdir -p test-data\nfio --rw=write --ioengine=sync --fdatasync=1 --directory=test-data --size=22m --bs=2300 --name=mytest\n",
    ),
    (
        "a script that goes through block sizes",
        4,
        "SIZE=2G\nrun() {\n  for BS in \"$@\"; do\n    echo \"mixed, $BS\"\n    R=$(timeout 35 fio --name=rand_rw_\"$BS\" --ioengine=libaio --rw=randrw \
         --rwmixread=50 --bs=\"$BS\" --iodepth=64 --numjobs=2 --size=\"$SIZE\" --runtime=30 --gtod_reduce=1 --direct=1 \
         --filename=\"./test.fio\" --group_reporting --minimal 2> /dev/null)\n  done\n}\nrun 4k 64k 512k 1m\n",
    ),
    (
        "a database's pages, several files",
        1,
        "fio -name=innodb -directory=/data -rw=randwrite -bs=16k -fsync=8 -size=4g -nrfiles=4 -ioengine=psync -direct=1 \
         -runtime=60 -group_reporting\n",
    ),
    (
        "places of different popularity",
        1,
        "for size in 16k\ndo\n  fio -filename=/dev/vdb -direct=1  -rw=randread -random_distribution=zipf:1.2 -bs=$size -size=8G -numjobs=32 \
         -runtime=3000 -group_reporting --name=test; true;\ndone\n",
    ),
    (
        "shares of writes counted through",
        5,
        "bs=16k\nfor write in $(seq 0 25 100)\ndo\n  fio --name=seq_${write} --rwmixwrite=$write --bs=$bs --filesize=1G --direct=1 --rw=rw \
         --output=w_${write}.json --output-format=json\ndone\n",
    ),
    (
        "a container",
        1,
        "docker run --rm -v /srv/data:/data bench/fio:3 fio --name=write-test --rw=randwrite --bs=4k --size=500M --numjobs=4 --iodepth=32 \
         --runtime=60 --filename=test\n",
    ),
    (
        "a drive written full before it is tested",
        2,
        "DEV=/dev/nvme0n1\nfio --name=precondition --filename=$DEV --ioengine=libaio --direct=1 --rw=write --bs=128k --iodepth=32 --loops=2 --size=100%\n\
         fio --name=steady --filename=${DEV} --ioengine=libaio --direct=1 --rw=randrw --rwmixread=70 --bs=4k --iodepth=32 --runtime=1200 \
         --time_based\n",
    ),
    (
        "a mail server's mix of sizes",
        1,
        "fio --name=mail --filename=/dev/sdc --rw=randrw --rwmixread=65 --bssplit=4k/44:8k/15:16k/9:32k/12:64k/20 --ba=4k --size=16g \
         --ioengine=libaio --iodepth=8 --direct=1\n",
    ),
    (
        "virtual desktops: in order and not",
        1,
        "fio --name=vdi --filename=vdi.img --size=8g --rw=randrw --rwmixread=20 --bs=4k --percentage_random=80 --ioengine=libaio \
         --iodepth=32 --direct=1\n",
    ),
    (
        "clones that begin further on, and sizes of a range",
        1,
        "fio --name=stream --filename=/dev/md0 --rw=randwrite --bsrange=64k-1m --size=4g --offset=1g --offset_increment=10g --numjobs=4 \
         --randseed=4711 --ioengine=io_uring --iodepth=4\n",
    ),
];

/// Stands in the place of fio: its calls, without what takes time, and each with a log of its own.
const FIO: &str = r#"#!/bin/bash
calls=$(ls "$LOGS" | wc -l)
always=(--ioengine=null --number_ios=1000)
kept=() sized= file= skip=
for word; do
  if [ -n "$skip" ]; then skip=; continue; fi
  bare=${word##-}; bare=${bare##-}
  case $bare in
    ioengine=*|numjobs=*|runtime=*|iodepth*|time_based*|ramp_time=*|directory=*|output*|eta*|minimal|group_reporting*|readonly|direct=*) ;;
    size=100%) ;;
    size=*|filesize=*) sized=1; kept+=("$word") ;;
    *.fio) if [ -f "$word" ]; then file=$word; else kept+=("$word"); fi ;;
    *) kept+=("$word") ;;
  esac
done
if [ -n "$file" ]; then
  awk -v logs="$LOGS" -v calls="$calls" '
    /^ *(ioengine|iodepth|numjobs|runtime|time_based|directory|direct)/ { next }
    { print }
    /^\[/ && !/^\[global/ { printf "ioengine=null\nnumber_ios=1000\nwrite_iolog=%s/%03d\n", logs, calls++ }' "$file" > "$file.null"
  exec "$REAL" --output=/dev/null "${kept[@]}" "$file.null"
fi
[ -n "$sized" ] || always+=(--size=$DISK)
exec "$REAL" --output=/dev/null "${kept[@]}" "${always[@]}" "--write_iolog=$LOGS/$(printf %03d "$calls")"
"#;
/// Commands around it that only pass it on.
const SUDO: &str = "#!/bin/bash\nexec \"$@\"\n";
const DOCKER: &str = "#!/bin/bash\nwhile [ \"$1\" != fio ]; do shift; done\nexec \"$@\"\n";

fn executable(path: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// What fio does for each call or job of a script.
fn by_fio(script: &str, fio: &Path) -> Vec<Vec<Access>> {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for name in ["bin", "logs", "work"] {
        std::fs::create_dir(at(name)).unwrap();
    }
    for (name, text) in [("fio", FIO), ("sudo", SUDO), ("docker", DOCKER)] {
        executable(&at("bin").join(name), text);
    }
    let path = format!("{}:{}", at("bin").display(), std::env::var("PATH").unwrap_or_default());
    let done = Command::new("bash")
        .args(["-c", script])
        .current_dir(at("work"))
        .envs([("PATH", path.as_str()), ("DISK", &DISK_BYTES.to_string())])
        .env("LOGS", at("logs"))
        .env("REAL", fio)
        .output()
        .unwrap();
    assert!(done.status.success(), "{}\n{script}", String::from_utf8_lossy(&done.stderr));
    let mut logs: Vec<_> =
        std::fs::read_dir(at("logs")).unwrap().map(|entry| entry.unwrap().path()).collect();
    logs.sort();
    logs.iter().map(|log| logged(&std::fs::read_to_string(log).unwrap()).unwrap_or_default()).collect()
}

/// What a job's first process does here.
fn here(job: &FioJob) -> Vec<Access> {
    match &job.work {
        FioWork::Files(parameters) => super::of_files(parameters),
        FioWork::Device { parameters, .. } => {
            let disks = [(0, DISK_BYTES)];
            let mut source = parameters.on_devices(&disks, &Placement::new("w")).unwrap();
            let (mut found, mut now) = (Vec::new(), Time::ZERO);
            while found.len() < COMPARED {
                match source.due().unwrap() {
                    Due::At(time) => {
                        now = now.max(time);
                        let Some(item) = source.issue(now).unwrap() else { continue };
                        let request = &item.request;
                        let writes = request.direction == Direction::Write;
                        if request.process == 0 && request.direction != Direction::Flush {
                            found.push((0, writes, request.address * 512, request.bytes()));
                        }
                        let id = request.id;
                        source.submitted(id, now).unwrap();
                        source.complete(id, now).unwrap();
                    }
                    Due::Never | Due::AfterCompletion => break,
                }
            }
            found
        }
        FioWork::Messages { .. } => panic!("it sends messages"),
    }
}

/// How many different places are accessed.
fn places(accesses: &[Access]) -> usize {
    accesses.iter().map(|access| access.2).collect::<std::collections::BTreeSet<_>>().len()
}

#[test]
fn texts_of_vendors_clouds_and_databases_do_what_fio_does_for_them() {
    let Some(fio) = super::fio() else {
        println!(
            "skipped: texts_of_vendors_clouds_and_databases_do_what_fio_does_for_them (there is no fio here)"
        );
        return;
    };
    let mut different = Vec::new();
    for (kind, calls, text) in TEXTS {
        let logs = by_fio(text, &fio);
        let file = FioFile::read(text, &Nothing).unwrap_or_else(|error| panic!("{kind}: {error}"));
        assert_eq!((logs.len(), file.jobs.len()), (calls, calls), "{kind}: calls of fio, and jobs here");
        for (number, (log, job)) in logs.iter().zip(&file.jobs).enumerate() {
            assert!(log.len() >= 500, "{kind}: fio has done {} accesses", log.len());
            let own = here(job);
            if job.work.accesses().is_some_and(|accesses| accesses.popularity.is_some()) {
                // fio's popular places lie elsewhere for each name of a file: as many different ones are asked for.
                let (fio, own) = (places(log), places(&own));
                if fio.abs_diff(own) > fio / 10 {
                    different.push(format!("{kind}: fio asks for {fio} places, here it is {own}"));
                }
                continue;
            }
            let length = log.len().min(COMPARED);
            let at = (0..length).find(|&at| own.get(at) != log.get(at));
            if let Some(at) = at {
                let near = |all: &[Access]| format!("{:?}", &all[at.min(all.len())..(at + 3).min(all.len())]);
                different.push(format!(
                    "{kind}, {number}, from {at} of {length}: fio {}, here {}",
                    near(log),
                    near(&own)
                ));
            }
        }
    }
    assert!(different.is_empty(), "{} differ:\n{}", different.len(), different.join("\n"));
}
