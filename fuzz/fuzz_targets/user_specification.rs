//! Arbitrary text read as a user specification; what it describes on a small scale is laid out, and its users run for a while.
#![no_main]

use libfuzzer_sys::fuzz_target;
use petrio_units::Measurable;
use petrio_workload::distribution::Draw;
use petrio_workload::namespace::FileKind;
use petrio_workload::program::{Placement, Step};
use petrio_workload::users::{UserSpecification, Users};

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

fuzz_target!(|text: &str| {
    let specification = match petrio_scenario::load_users_text("fuzz", text, &[]) {
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
    let Ok(prepared) = specification.prepare(&Users::new("", 2, 2), &Placement::new("fuzz"), None) else {
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
});
