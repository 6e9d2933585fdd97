//! Names of parts on the pages of others, and of volumes on those of hosts.

/// What a part is called on the page of the part around it: the last of its path.
pub(crate) fn name_in<'n>(name: &'n str, around: &str) -> &'n str {
    name.strip_prefix(around).and_then(|rest| rest.strip_prefix('/')).unwrap_or(name)
}

/// What workloads call the volume on a holder of a host that has several such: the holder's name behind the host's, as seen
/// from the host. What the host owns, or what stands beside it, has its folder in its name, which isn't said twice.
pub(crate) fn name_on(host: &str, holder: &str) -> String {
    let own = holder.strip_prefix(host).and_then(|rest| rest.strip_prefix('/'));
    let beside = host.rsplit_once('/').and_then(|(folder, _)| holder.strip_prefix(folder)?.strip_prefix('/'));
    format!("{host}/{}", own.or(beside).unwrap_or(holder))
}
