//! What is run: scenarios, scripts of calls, captured requests, users' specifications, the manifests of their files.

use super::Reader;
use crate::samples::{files, seed};
use petrio_live::namespace::Manifest;
use petrio_units::Measurable;
use petrio_workload::distribution::Draw;
use petrio_workload::namespace::FileKind;
use petrio_workload::program::requests::Opener;
use petrio_workload::program::{Placement, RequestParameters, Script, ScriptParameters, Step};
use petrio_workload::users::{UserSpecification, Users};
use std::io::Cursor;
use std::sync::Arc;

pub(super) fn readers() -> Vec<Reader> {
    vec![
        Reader {
            name: "scenario",
            read: scenario,
            samples: || files(&["examples", "examples/users", "examples/ivy"], ".toml"),
        },
        Reader { name: "program_script", read: script, samples: scripts },
        Reader { name: "program_requests", read: requests, samples: || vec![seed("requests")] },
        Reader { name: "user_specification", read: users, samples: || files(&["examples/users"], ".toml") },
        Reader { name: "files_manifest", read: manifest, samples: manifests },
    ]
}

fn scenario(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Err(problems) = petrio_scenario::load_text("hostile", text, None, &[]) {
        assert!(problems.iter().count() > 0, "refused without a reason");
    }
}

fn scripts() -> Vec<Vec<u8>> {
    let texts = [
        "file a 64 KiB\nopen a\nread a 4 KiB\nwrite a 4 KiB 8 KiB\nfsync a\nclose a\n",
        "repeat 100\n  create m\n  write m 8 KiB\n  fsync m\n  close m\nend\n",
        "file b 1 MiB; think 5 ms; read b 0 B 64 KiB; unlink b",
    ];
    texts.map(|text| text.as_bytes().to_vec()).to_vec()
}

fn script(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(script) = text.parse::<Script>() else { return };
    assert!(
        script.to_string().parse::<Script>().is_ok_and(|again| again == script),
        "prints as another script"
    );
    let Ok(mut prepared) = ScriptParameters::new(text).prepare(&Placement::new("hostile")) else { return };
    let program = &mut prepared.programs[0];
    for _ in 0..10_000 {
        match program.next(None) {
            Ok(Step::End) | Err(_) => break,
            Ok(_) => {}
        }
    }
}

fn requests(bytes: &[u8]) {
    let parameters = RequestParameters::new("hostile");
    let bytes = bytes.to_vec();
    let opener: Arc<Opener> = Arc::new(move || Ok(Box::new(Cursor::new(bytes.clone()))));
    let Ok(mut prepared) = parameters.prepare_with(&Placement::new("hostile"), &opener) else { return };
    for program in &mut prepared.programs {
        loop {
            match program.next(None) {
                Ok(Step::End) => break,
                Ok(_) => {}
                Err(error) => panic!("the file was looked over before: {error}"),
            }
        }
    }
}

/// Many files and users are allowed, and take their time.
fn is_small(specification: &UserSpecification) -> bool {
    let files = specification.files.count <= 1_000 && specification.files.users.unwrap_or(0) <= 4;
    let users = specification
        .user
        .values()
        .all(|kind| kind.sessions_at_once.unwrap_or(1) <= 4 && kind.open_files.unwrap_or(1) <= 16);
    let entry = specification.readings.entry.get().max(1) as f64;
    let directories = specification.category.values().filter(|category| category.kind == FileKind::Directory);
    let entries: f64 = directories.map(|category| reach(&category.size) / entry).sum();
    let has_room = (1.0 + entries) * f64::from(specification.files.count) <= 100_000.0;
    let used = specification.user.values().flat_map(|kind| kind.uses.values());
    let drawn: f64 = used.map(|used| reach(&used.files)).sum();
    files && users && has_room && drawn <= 1_000.0
}

/// How large draws are, roughly.
fn reach<Q: Measurable>(draw: &Draw<Q>) -> f64 {
    draw.distribution().map_or(0.0, |draw| draw.mean().abs() + draw.variance().sqrt())
}

fn users(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let specification = match petrio_scenario::load_users_text("hostile", text, &[]) {
        Ok(specification) => specification,
        Err(problems) => {
            assert!(problems.iter().count() > 0, "refused without a reason");
            return;
        }
    };
    assert_eq!(specification.check(), Ok(()));
    if !is_small(&specification) {
        return;
    }
    if let Ok(namespace) = specification.namespace(2, 1) {
        assert_eq!(specification.namespace(2, 1), Ok(namespace));
    }
    let Ok(prepared) = specification.prepare(&Users::new("", 2, 2), &Placement::new("hostile"), None) else {
        return;
    };
    for mut program in prepared.programs {
        for _ in 0..300 {
            match program.next(None) {
                Ok(Step::Operation(op)) => {
                    let there = prepared.files.get(op.file).is_some();
                    let elsewhere = prepared.elsewhere.values().any(|table| table.get(op.file).is_some());
                    assert!(there || elsewhere, "a call on a file that isn't in the tables");
                }
                Ok(Step::End) | Err(_) => break,
                Ok(_) => {}
            }
        }
    }
}

fn manifests() -> Vec<Vec<u8>> {
    let specifications = files(&["examples/users"], ".toml").into_iter().filter_map(|bytes| {
        let specification =
            petrio_scenario::load_users_text("sample", std::str::from_utf8(&bytes).ok()?, &[]).ok()?;
        serde_json::to_vec(&Manifest::new(specification, 2, 1)).ok()
    });
    specifications.collect()
}

fn manifest(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(manifest) = Manifest::of_text(text) else { return };
    let again = serde_json::to_string(&manifest).map(|text| Manifest::of_text(&text));
    assert!(matches!(again, Ok(Ok(again)) if again == manifest), "written as another one");
    // Many files are allowed, and take their time.
    if manifest.users <= 4 && is_small(&manifest.specification) {
        let _ = manifest.namespace();
    }
}
