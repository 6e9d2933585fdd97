//! Validation of file systems on the machine at hand: what any machine can do, in a directory, quickly.

use miette::Diagnostic;
use petrio_validation::fs::{Clock, FsProgress, FsQuestion, FsValidationError, Label, validate_fs};

#[test]
fn a_directory_is_measured_and_what_needs_more_is_left_out_and_nothing_stays() {
    let directory = tempfile::tempdir().unwrap();
    let question = FsQuestion {
        directory: Some(directory.path().to_owned()),
        only: vec!["random-read".to_owned(), "memory-cliff".to_owned()],
        quick: true,
        ..FsQuestion::default()
    };
    let (mut notes, mut begun) = (Vec::new(), 0);
    let found = validate_fs(&question, &mut |step| match step {
        FsProgress::Note(note) => notes.push(note.to_owned()),
        FsProgress::Begin(..) => begun += 1,
        FsProgress::Point(_) | FsProgress::Row(_) | FsProgress::LeftOut(_) => {}
    })
    .unwrap();
    assert_eq!((begun, found.rows.len()), (1, 1));
    let row = &found.rows[0];
    assert!(row.measured > 0.0 && row.predicted > 0.0 && row.error_percent.is_finite());
    assert!((row.measured_least..=row.measured_greatest).contains(&row.measured));
    assert_eq!((row.clock, row.label), (Clock::Processor, Label::Predicted));
    assert_eq!(found.left_out[0].experiment, "memory-cliff");
    assert_eq!(found.left_out[0].points, 2);
    // The catalogue's machine isn't this one, and the directory's file system may be any.
    assert!(notes.iter().any(|note| note.contains("petrio calibrate")), "{notes:?}");
    assert!(notes.iter().any(|note| note.contains(directory.path().to_str().unwrap())), "{notes:?}");
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn a_misspelt_experiment_and_a_missing_profile_are_refused_with_advice() {
    let refused = |question: FsQuestion| validate_fs(&question, &mut |_| {}).unwrap_err();
    let misspelt = refused(FsQuestion { only: vec!["memory-clif".to_owned()], ..FsQuestion::default() });
    assert!(matches!(misspelt, FsValidationError::UnknownExperiment { .. }));
    assert_eq!(misspelt.help().unwrap().to_string(), "did you mean \"memory-cliff\"?");
    let missing = refused(FsQuestion { machine: Some("nowhere.toml".into()), ..FsQuestion::default() });
    assert!(missing.to_string().contains("nowhere.toml"), "{missing}");
    let kernel = refused(FsQuestion { kernel: Some("linux-6-18".to_owned()), ..FsQuestion::default() });
    assert_eq!(kernel.help().unwrap().to_string(), "did you mean \"linux-6.18\"?");
}
