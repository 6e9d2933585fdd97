//! Arbitrary bytes read as the kernel's trace of a block device, and as a journal's superblock and descriptor.
#![no_main]

use libfuzzer_sys::fuzz_target;
use petrio_live::capture::{JournalArea, Recording, TagFormat, requests_text};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(recording) = Recording::parse(bytes) {
        let text = requests_text(recording.issued(), &JournalArea::default());
        assert_eq!(text.split_whitespace().count(), recording.issued().count());
    }
    let format = TagFormat::of_superblock(bytes).unwrap_or_default();
    if let Some(blocks) = format.blocks_logged(bytes) {
        assert!(blocks.len() <= bytes.len() / 8);
    }
});
