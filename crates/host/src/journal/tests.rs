//! The journal against worked examples.

#![allow(clippy::unwrap_used)]
use super::*;
use crate::kernel_profile::JournalGeneration;

fn journal(blocks: u64) -> Journal {
    Journal::new(JournalParameters {
        first_block: 1_000,
        blocks,
        generation: JournalGeneration::Jbd2,
        tags_per_descriptor: 508,
        revokes_per_block: 1_020,
        commit_interval: Time::from_millis(5_000),
        largest_parts: 4,
        checkpoint_threshold: None,
    })
}

fn key(index: u64) -> BlockKey {
    BlockKey { file: 0, index }
}

/// A handle that dirties blocks, and the commit of its transaction.
fn commit(journal: &mut Journal, blocks: impl IntoIterator<Item = u64>) -> (CommitPlan, Finished) {
    let Start::In(id) = journal.start(8, Time::ZERO) else { panic!("no room") };
    blocks.into_iter().for_each(|block| journal.dirty(id, key(block)));
    journal.stop(id, 8);
    assert!(journal.request(id));
    assert!(journal.wants_commit());
    assert_eq!(journal.lock(), Some(id));
    let plan = journal.begin_logging().unwrap();
    (plan, journal.finish())
}

#[test]
fn one_changed_block_logs_a_descriptor_its_copy_and_the_commit_block() {
    let mut journal = journal(4_096);
    let (plan, finished) = commit(&mut journal, [7, 7, 7]);
    assert_eq!((plan.logged + 1, plan.copies), (3, 1));
    assert_eq!(finished.blocks, [key(7)]);
    assert_eq!(journal.space_left(), 4_095 - 3 - KEPT_BACK);
}

#[test]
fn only_the_first_commit_into_an_empty_log_writes_the_superblock() {
    let mut journal = journal(4_096);
    assert!(commit(&mut journal, [1]).0.superblock);
    assert!(!commit(&mut journal, [1]).0.superblock);
}

#[test]
fn a_block_logged_again_needs_writing_in_place_once() {
    let mut journal = journal(4_096);
    commit(&mut journal, [1, 2]);
    commit(&mut journal, [1, 2]);
    // The first transaction has nothing left to be written: its log space can be given back.
    assert_eq!(journal.space_left(), 4_095 - 8 - KEPT_BACK);
    assert_eq!(journal.release(), 4);
    journal.in_place(key(1));
    assert_eq!(journal.releasable(), 0);
    journal.in_place(key(2));
    assert_eq!(journal.release(), 4);
    assert_eq!(journal.space_left(), 4_095 - KEPT_BACK);
}

#[test]
fn more_than_a_descriptor_holds_takes_a_second_one() {
    let mut journal = journal(65_536);
    assert_eq!(commit(&mut journal, 0..508).0.logged, 509);
    assert_eq!(commit(&mut journal, 1_000..1_509).0.logged, 511);
}

#[test]
fn a_transaction_greater_than_a_quarter_of_the_journal_is_committed_first() {
    let mut journal = journal(1_024);
    let Start::In(id) = journal.start(256, Time::ZERO) else { panic!() };
    for block in 0..200 {
        journal.dirty(id, key(block));
    }
    journal.stop(id, 256);
    assert_eq!(journal.start(57, Time::ZERO), Start::AfterCommit(id));
    assert!(journal.wants_commit());
    assert_eq!(journal.start(56, Time::ZERO), Start::In(id));
}

#[test]
fn a_handle_waits_for_a_locked_transaction_and_then_joins_the_next() {
    let mut journal = journal(1_024);
    let Start::In(first) = journal.start(8, Time::ZERO) else { panic!() };
    journal.dirty(first, key(1));
    journal.request(first);
    journal.lock();
    assert_eq!(journal.open_handles(), 1);
    assert_eq!(journal.start(8, Time::ZERO), Start::AfterLock);
    journal.dirty(first, key(2));
    journal.stop(first, 8);
    assert_eq!(journal.open_handles(), 0);
    assert_eq!(journal.begin_logging().unwrap().copies, 2);
    assert_eq!(journal.start(8, Time::ZERO), Start::In(first + 1));
}

#[test]
fn checkpoints_are_asked_for_when_less_than_a_quarter_is_free() {
    let mut journal = journal(1_025);
    let mut block = 0;
    let mut committed = 0;
    while let Start::In(id) = journal.start(8, Time::ZERO) {
        journal.stop(id, 8);
        commit(&mut journal, block..block + 30);
        block += 30;
        committed += 1;
    }
    // 32 log blocks each: after 23 of them 288 of 1,024 are free, 32 of which are kept back, which is enough for one
    // more.
    assert_eq!(committed, 24);
    assert_eq!(journal.start(8, Time::ZERO), Start::AfterCheckpoint);
    let mut oldest = Vec::new();
    assert_eq!(journal.oldest(&mut oldest), None);
    assert_eq!(oldest.len(), 30);
    oldest.into_iter().for_each(|key| journal.in_place(key));
    assert_eq!(journal.start(8, Time::ZERO), Start::AfterCheckpoint);
    assert_eq!(journal.release(), 32);
    assert!(matches!(journal.start(8, Time::ZERO), Start::In(_)));
}

#[test]
fn the_threshold_is_a_parameter() {
    let mut journal = journal(1_025);
    journal.parameters.checkpoint_threshold = Some(0.5);
    let mut committed = 0;
    while let Start::In(id) = journal.start(8, Time::ZERO) {
        journal.stop(id, 8);
        commit(&mut journal, committed * 30..committed * 30 + 30);
        committed += 1;
    }
    assert_eq!(committed, 16);
}

#[test]
fn a_block_that_is_dirty_again_holds_the_checkpoint_back() {
    let mut journal = journal(1_024);
    commit(&mut journal, [1, 2]);
    let Start::In(id) = journal.start(8, Time::ZERO) else { panic!() };
    journal.dirty(id, key(2));
    let mut oldest = Vec::new();
    assert_eq!(journal.oldest(&mut oldest), Some(id));
    assert_eq!(oldest, [key(1)]);
    assert!(journal.holds(key(2)) && !journal.holds(key(1)));
}

#[test]
fn the_log_wraps_around_and_its_runs_with_it() {
    let mut journal = journal(102);
    for block in 0..3 {
        commit(&mut journal, [block * 10, block * 10 + 1]);
        for block in [block * 10, block * 10 + 1] {
            journal.in_place(key(block));
        }
        assert_eq!(journal.release(), 4);
    }
    // 12 taken and freed; the next 95 blocks end 6 before the end of the log and begin again behind the superblock.
    let Start::In(id) = journal.start(8, Time::ZERO) else { panic!() };
    (0..93).for_each(|block| journal.dirty(id, key(block)));
    journal.stop(id, 8);
    journal.request(id);
    journal.lock();
    let plan = journal.begin_logging().unwrap();
    assert_eq!(plan.logged, 94);
    assert_eq!(journal.log_runs(0, plan.logged), [(1_013, 89), (1_001, 5)]);
    assert_eq!(journal.log_runs(plan.logged, 1), [(1_006, 1), (1_001, 0)]);
}

#[test]
fn a_freed_block_is_neither_logged_nor_written_in_place() {
    let mut journal = journal(1_024);
    commit(&mut journal, [1]);
    let Start::In(id) = journal.start(8, Time::ZERO) else { panic!() };
    journal.dirty(id, key(1));
    journal.dirty(id, key(2));
    journal.revoke(key(1));
    journal.stop(id, 8);
    assert_eq!(journal.release(), 3);
    journal.request(id);
    journal.lock();
    // The block that is left, its descriptor, and a revoke block.
    assert_eq!(journal.begin_logging().unwrap().logged, 3);
}

#[test]
fn as_many_blocks_of_a_file_are_held_as_its_transactions_will_commit() {
    let mut journal = journal(4_096);
    let Start::In(id) = journal.start(8, Time::ZERO) else { panic!("no room") };
    for block in [1, 2, 2, 3] {
        journal.dirty(id, key(block));
    }
    journal.forget(key(3));
    assert_eq!(journal.held_of(0), 2);
    journal.stop(id, 8);
    journal.lock();
    journal.begin_logging();
    let Start::In(next) = journal.start(8, Time::ZERO) else { panic!("no room") };
    for block in [2, 4] {
        journal.dirty(next, key(block));
    }
    assert_eq!(journal.held_of(0), 3, "one of them is in both");
    journal.finish();
    assert_eq!(journal.held_of(0), 2);
    assert_eq!(journal.held_of(7), 0);
}

/// T_COMMIT_JFLUSH in `jbd2_trans_will_send_data_barrier`: who comes later has to flush by himself.
#[test]
fn a_commit_flushes_for_those_who_come_before_its_flush_is_sent() {
    let mut journal = journal(4_096);
    let Start::In(id) = journal.start(8, Time::ZERO) else { panic!("no room") };
    assert!(journal.will_flush(id));
    journal.stop(id, 8);
    journal.request(id);
    journal.lock();
    journal.begin_logging();
    assert!(journal.will_flush(id));
    journal.begin_flush();
    assert!(!journal.will_flush(id));
    journal.finish();
    assert!(!journal.will_flush(id));
}
