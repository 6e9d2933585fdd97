//! Scenarios of several hosts: networks, parallel file systems, file services, shared disks, parallel programs.

mod beegfs;
mod clusters;
mod collectives;
mod lustre;
mod lustre_disks;
mod metadata;
mod metadata_at_scale;
mod networks;
mod nfs;
mod nfs_failures;
mod nfs_of_1990;
mod nfs_server_of_1990;
mod one_sided;
mod parallel;
mod phases;
mod pvfs_failures;
mod san;
mod shares;
mod streams;
mod support;
