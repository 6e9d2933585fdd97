//! Operations as a real kernel was seen to do them (Linux 6.18, XFS of 4 GiB, write cache, relatime), in numbers.

use super::measured::Setting;
use super::play::play_operation;
use super::scripts::OperationScript;
use super::sequence::Sequence;

fn setting(fs: &str, cache: &str) -> Setting {
    Setting { fs: fs.to_owned(), size_mib: 4_096, cache: cache.to_owned(), mount: "default".to_owned() }
}

#[track_caller]
fn sends((fs, cache): (&str, &str), name: &str, phases: &str, measured: &str) {
    let script = OperationScript::of(name, phases).unwrap();
    let predicted = play_operation(&setting(fs, cache), &script).unwrap();
    let log_kib = if fs == "xfs" { 0.5 } else { 4.0 };
    assert!(Sequence::parse(measured).unwrap().matches(&predicted, log_kib), "{name}: {predicted}");
}

#[test]
fn xfs_writes_what_was_measured() {
    let xfs = ("xfs", "wb");
    sends(xfs, "append_4k_fsync", "write fsync close", "fsync[W4K@data F W1.5K@log F]");
    sends(xfs, "overwrite_4k_fdatasync", "write fdatasync close", "fdatasync[W4K@data F]");
    sends(xfs, "append_4k_O_DIRECT_O_DSYNC", "write close", "write[W4K@data F W1.5K@log F]");
    sends(xfs, "fsync_of_clean_file", "write fsync close", "fsync[F]");
    sends(xfs, "syncfs_clean", "syncfs", "-");
    sends(("xfs", "wt"), "append_4k_fsync", "write fsync close", "fsync[W4K@data W1.5K@log]");
}

#[test]
fn xfs_changes_names_as_was_measured() {
    let xfs = ("xfs", "wb");
    sends(xfs, "create_fsync_file", "create fsync close", "fsync[F W2K@log F]");
    sends(xfs, "rename_new_name_fsync_dir", "rename fsyncdir", "fsyncdir[F W1.5K@log F]");
    sends(xfs, "truncate_64k_to_4k_fsync", "truncate fsync close", "fsync[F W1.5K@log F]");
    sends(xfs, "mkdir_fsync_it", "mkdir fsyncdir", "fsyncdir[F W2K@log F]");
}

#[test]
fn xfs_reads_inodes_by_clusters_and_data_by_windows() {
    let xfs = ("xfs", "wb");
    let phases = "open read close syncfs";
    let measured = "open[R16K@inode] read[R16K@data] syncfs[F W1K@log F]";
    sends(xfs, "read_first_4k_of_1m_file_remount", phases, measured);
    sends(xfs, "list_dir_100_remount", "list", "list[R16K@inode R4K@dirblock]");
}

#[test]
fn ext4_writes_what_was_measured() {
    let ext4 = ("ext4", "wb");
    sends(ext4, "append_4k_fsync", "write fsync close", "fsync[W4K@data W16K@log F W4K@log F]");
    sends(ext4, "overwrite_4k_fdatasync", "write fdatasync close", "fdatasync[W4K@data F]");
}

#[test]
fn ext4_finds_its_way_to_a_file_after_a_mount_and_writes_down_where_it_was_mounted() {
    let ext4 = ("ext4", "wb");
    let measured = "open[R4K@dir R4K@itable R4K@dir] read[R4K@data] \
                    syncfs[W4K@log W12K@log F W4K@log F W4K@sb W4K@itable]";
    sends(ext4, "read_4k_of_4k_file_remount", "open read close syncfs", measured);
    sends(ext4, "list_dir_100_remount", "list syncfs", "list[R4K@dir R4K@itable R4K@dir] syncfs[F]");
}

/// Each with what it leaves in the log, as measured with a write cache.
#[test]
fn attributes_names_and_ranges_send_what_was_measured() {
    let (xfs, ext4) = (("xfs", "wb"), ("ext4", "wb"));
    sends(xfs, "chmod_fsync", "chmod fsync close", "fsync[F W1K@log F]");
    sends(ext4, "chmod_fsync", "chmod fsync close", "fsync[W8K@log F W4K@log F]");
    sends(xfs, "setxattr_100b_fsync", "setxattr fsync close", "fsync[F W1K@log F]");
    sends(ext4, "setxattr_100b_fsync", "setxattr fsync close", "fsync[W12K@log F W4K@log F]");
    sends(xfs, "link_fsync_dir", "link fsyncdir", "fsyncdir[F W1.5K@log F]");
    sends(ext4, "link_fsync_dir", "link fsyncdir", "fsyncdir[W12K@log F W4K@log F]");
    let (name, phases) = ("O_TMPFILE_write_4k_link_fsync_dir", "open write fsync link fsyncdir close");
    sends(xfs, name, phases, "fsync[W4K@data F W2.5K@log F] fsyncdir[F W1.5K@log F]");
    sends(ext4, name, phases, "fsync[W4K@data W24K@log F W4K@log F] fsyncdir[W20K@log F W4K@log F]");
    let phases = "fallocate fsync write fdatasync write2 fdatasync2 write3 fdatasync3 close";
    let name = "fallocate_1m_fsync_write_4k_fdatasync_again";
    let measured = "fsync[F W1.5K@log F] fdatasync[W4K@data F W1K@log F] fdatasync2[W4K@data F] \
                    fdatasync3[W4K@data F W1K@log F]";
    sends(xfs, name, phases, measured);
    let measured = "fsync[W16K@log F W4K@log F] fdatasync[W4K@data W8K@log F W4K@log F] fdatasync2[W4K@data F] \
                    fdatasync3[W4K@data W20K@log F W4K@log F]";
    sends(ext4, name, phases, measured);
    for setting in [xfs, ext4] {
        let phases = "write sync_file_range close";
        sends(setting, "sync_file_range_4k_of_overwrite", phases, "sync_file_range[W4K@data]");
    }
}

#[test]
fn ext4_commits_before_a_syncfs_waits_for_its_data() {
    let measured = "syncfs[W40K@data W28K@log F W4K@log F W12K@log F W4K@log F \
                    W4K@gdt W4K@bbitmap W4K@ibitmap W8K@itable W4K@dir]";
    sends(("ext4", "wb"), "syncfs_after_10_creates_4k", "creates syncfs", measured);
}
