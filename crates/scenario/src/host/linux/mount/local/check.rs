//! File systems of hosts: which host mounts each, and what it lies on.

use super::super::CheckSite;
use super::FileSystem;
use crate::checker::{Checker, listed};
use crate::host::linux::FILE_SYSTEM;

/// Where a file system belongs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlannedMount {
    /// The host's number, in the order of the file.
    pub(super) host: usize,
    /// The holder that it lies on, if it lies on any.
    pub(super) on: Option<u32>,
    /// The holder that is its journal, where that is one of its own.
    pub(super) log: Option<u32>,
}

impl FileSystem {
    /// The host of a file system, and the holder that it lies on, if it lies on one: both where they make sense.
    pub(super) fn check_file_system(
        &self,
        site: &mut CheckSite<'_, '_, '_>,
        name: &str,
    ) -> (Option<usize>, Option<Option<u32>>) {
        let path = format!("{FILE_SYSTEM}.{name}");
        let place = &self.place;
        let checker = &mut *site.checker;
        for (key, count) in [("queue_requests", place.queue_requests), ("queue_depth", place.queue_depth)] {
            if count == Some(0) {
                let message = format!("with {key} = 0 nothing ever reaches the device");
                checker.error(&format!("{path}.{key}"), message, "write 1 or more, or leave it out");
            }
        }
        let host = self.host_of(site, &path, name);
        let checker = &mut *site.checker;
        let Some(on) = &place.on else { return (host, Some(None)) };
        let on = checker.only(&format!("{path}.on"), on, "file system");
        if let Some(on) = on {
            checker.claim(on, &format!("the file system \"{name}\""), &format!("{path}.on"));
        }
        (host, on.map(Some))
    }

    /// The holder that is a file system's journal, if it has one of its own; an error has been told.
    pub(super) fn check_log(&self, checker: &mut Checker<'_, '_>, name: &str) -> Result<Option<u32>, ()> {
        let kind = &self.kind;
        let Some((on, _)) = kind.log_apart() else { return Ok(None) };
        let key = if kind.ext().is_some() { "journal.on" } else { "log" };
        let path = format!("{FILE_SYSTEM}.{name}.{key}");
        if kind.ext().is_some_and(|parameters| parameters.journal_place.is_some()) {
            let message = "the journal is a device of its own, and so lies nowhere in the file system";
            let place = format!("{FILE_SYSTEM}.{name}.journal_place");
            checker.error(&place, message.to_owned(), "leave it out");
        }
        let found = checker.only(&path, on, "journal").ok_or(())?;
        checker.claim(found, &format!("the journal of \"{name}\""), &path);
        Ok(Some(found))
    }

    fn host_of(&self, site: &mut CheckSite<'_, '_, '_>, path: &str, name: &str) -> Option<usize> {
        let host = self.place.host.as_deref();
        if let Some(found) = host.and_then(|host| site.linux.host.get_index_of(host)) {
            return Some(found);
        }
        let checker = &mut *site.checker;
        let hosts: Vec<&str> = site.linux.host.keys().map(String::as_str).collect();
        match (host, hosts.as_slice()) {
            (Some(host), _) => {
                let help = listed(host, &hosts, "the hosts are");
                checker.error(&format!("{path}.host"), format!("no host is called \"{host}\""), help);
                None
            }
            (None, [_]) => Some(0),
            (None, []) => {
                let message = format!("no host mounts the file system \"{name}\"");
                let help = "add a part: [host.h] and below it machine = \"…\" and kernel = \"…\"";
                checker.error_at_key(path, message, help);
                None
            }
            (None, _) => {
                let message = format!("there are several hosts; which of them mounts \"{name}\"?");
                checker.error_at_key(path, message, format!("write host = \"{}\"", hosts[0]));
                None
            }
        }
    }
}
