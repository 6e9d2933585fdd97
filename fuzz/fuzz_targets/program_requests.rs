//! Arbitrary bytes read as captured file requests, and played back by all of their processes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use petrio_workload::program::requests::{Opener, RequestOperation};
use petrio_workload::program::{Placement, RequestParameters, Step};
use std::io::Cursor;
use std::sync::Arc;

fuzz_target!(|input: (Option<bool>, &[u8])| {
    let (reads, bytes) = input;
    let operation = reads.map(|reads| if reads { RequestOperation::Read } else { RequestOperation::Write });
    let parameters = RequestParameters { operation, ..RequestParameters::new("fuzz") };
    let bytes = bytes.to_vec();
    let opener: Arc<Opener> = Arc::new(move || Ok(Box::new(Cursor::new(bytes.clone()))));
    let Ok(mut prepared) = parameters.prepare_with(&Placement::new("fuzz"), &opener) else { return };
    for program in &mut prepared.programs {
        while program.next(None).expect("the file was looked over before") != Step::End {}
    }
});
