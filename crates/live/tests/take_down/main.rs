//! What a signal's handler does: it takes everything down, though its owners still live. In a process of its own,
//! because it takes down everything of the process.

#![allow(clippy::unwrap_used)]

use petrio_capture::undo::{Undo, take_down_all};
use petrio_live::rig::{Facilities, LoopRig, RigParameters};
use std::fs;
use std::sync::mpsc::channel;

/// What is being made meanwhile is taken down too, and nothing more is made.
#[test]
fn everything_is_taken_down_once_and_the_latest_first() {
    let (tell, told) = channel();
    let guards = [1, 2, 3].map(|number| {
        let tell = tell.clone();
        Undo::new(move || tell.send(number).unwrap())
    });
    let facilities = Facilities::probe();
    let rig = match facilities.ext3.reason() {
        None => Some(LoopRig::set_up(&RigParameters::default()).unwrap()),
        Some(why) => {
            #[allow(clippy::print_stdout, reason = "a test that is skipped says so")]
            {
                println!(
                    "skipped: everything_is_taken_down_once_and_the_latest_first, its file system: {why}"
                );
            }
            None
        }
    };
    // One is being made when the signal comes: it is waited for.
    let (begin, begun) = channel();
    let maker = {
        let tell = tell.clone();
        std::thread::spawn(move || {
            let make = || {
                begin.send(()).unwrap();
                std::thread::sleep(std::time::Duration::from_millis(200));
                Ok::<(), ()>(())
            };
            let made = Undo::made(make, move || tell.send(4).unwrap());
            std::mem::forget(made);
        })
    };
    begun.recv().unwrap();
    if let Some(rig) = &rig {
        // Somebody is at work in it.
        fs::write(rig.directory().join("file"), "1").unwrap();
        take_down_all();
        assert!(!rig.directory().exists());
    } else {
        take_down_all();
    }
    assert_eq!(told.try_iter().collect::<Vec<_>>(), [4, 3, 2, 1]);
    maker.join().unwrap();
    // Nothing more is made: whoever wants to waits for the end.
    std::thread::spawn(move || {
        let make = || tell.send(5);
        let _guard = Undo::made(make, || ());
    });
    std::thread::sleep(std::time::Duration::from_millis(100));
    drop(guards);
    drop(rig);
    assert_eq!(told.try_iter().count(), 0);
}
