//! What systems are made of: drives, machines and kernels of the catalogue's form, DiskSim's parameters; and numbers to fit.

use super::Reader;
use crate::samples::{files, seed};
use petrio_scenario::catalogue::disksim::{Files, import_from};
use petrio_study::fit::{Data, Unit, fit_data};
use petrio_workload::fit::FitOptions;
use std::path::Path;

pub(super) fn readers() -> Vec<Reader> {
    vec![
        Reader { name: "drive", read: drive, samples: || files(&["catalogue/devices"], ".toml") },
        Reader { name: "machine", read: machine, samples: || files(&["catalogue/machines"], ".toml") },
        Reader { name: "kernel", read: kernel, samples: || files(&["catalogue/kernels"], ".toml") },
        Reader { name: "disksim_parameters", read: disksim, samples: || vec![seed("disksim-parameters")] },
        Reader { name: "fit_numbers", read: fit_numbers, samples: numbers },
    ]
}

/// Reads a part from a file beside a scenario that names it.
fn beside(scenario: &str, bytes: &[u8]) {
    let Ok(folder) = tempfile::tempdir() else { return };
    if std::fs::write(folder.path().join("part.toml"), bytes).is_err() {
        return;
    }
    let loaded = petrio_scenario::load_text("hostile", scenario, Some(Path::new(folder.path())), &[]);
    if let Err(problems) = loaded {
        assert!(problems.iter().count() > 0, "refused without a reason");
    }
}

fn drive(bytes: &[u8]) {
    beside(
        "[disk.d]\nmodel = \"./part.toml\"\n[workload.w]\nkind = \"random\"\non = \"d\"\nrequests = 10\n",
        bytes,
    );
}

/// A file system on a disk, of a host that is described in a file.
fn on_host(which: &str) -> String {
    format!(
        "[host.h]\n{which} = \"./part.toml\"\n[disk.d]\nmodel = \"constant-rate\"\n[fs.f]\nhost = \"h\"\non = \"d\"\n\
         [workload.w]\nkind = \"script\"\nfs = \"f\"\nscript = \"create a; write a 8 KiB; fsync a\"\n"
    )
}

fn machine(bytes: &[u8]) {
    beside(&on_host("machine"), bytes);
}

fn kernel(bytes: &[u8]) {
    beside(&on_host("kernel"), bytes);
}

/// Every file that is named has the same bytes, so that `source` and seek files are reached too.
struct Same<'a>(&'a [u8]);

impl Files for Same<'_> {
    fn read(&self, _name: &str) -> Result<Vec<u8>, String> {
        Ok(self.0.to_vec())
    }
}

fn disksim(bytes: &[u8]) {
    if let Err(error) = import_from(&Same(bytes), "hostile.parv") {
        assert!(!error.to_string().is_empty(), "refused without a reason");
    }
}

fn numbers() -> Vec<Vec<u8>> {
    let texts = ["1\n2\n3.5\n4e3\n8\n13\n", "a,b\n1,2\n3,4\n5,9\n\"7\",1\n", "1 KiB\n4 KiB\n512 B\n"];
    texts.map(|text| text.as_bytes().to_vec()).to_vec()
}

/// Numbers of a list or of a table's column; its first byte says which, and their unit.
fn fit_numbers(bytes: &[u8]) {
    let how = bytes.first().copied().unwrap_or_default();
    // Many values are fitted like few, and slower.
    if bytes.len() > 512 {
        return;
    }
    let column = [None, Some("a"), Some("2")][usize::from(how % 3)];
    let unit = [Unit::None, Unit::Bytes, Unit::Time][usize::from(how / 3 % 3)];
    let options = FitOptions { phases: 3, ..FitOptions::default() };
    let data = Data::Text { name: "hostile".to_owned(), source: Box::new(bytes), column, unit };
    match fit_data(data, &options, &|_| {}) {
        Ok(fitted) => assert!(fitted.toml(fitted.report.chosen()).contains('=')),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
