//! Which storage targets mirror each other, as it is written.

use crate::host::linux::mount::CheckSite;
use crate::schema::Names;
use petrio_models::cluster::beegfs::{Group, Mirroring};
use petrio_page::numbers::counted;

/// The most targets that are told apart.
const MOST: usize = 1 << 15;

fn group(primary: usize, secondary: Option<usize>) -> Group {
    let number = |at: usize| u16::try_from(at).unwrap_or(u16::MAX);
    Group { primary: number(primary), secondary: secondary.map(number) }
}

/// What files' chunks lie on; none where that makes no sense, which is told.
pub(super) fn groups(
    path: &str,
    mirror: &Mirroring,
    targets: &[usize],
    site: &mut CheckSite<'_, '_, '_>,
) -> Option<Vec<Group>> {
    let at = format!("{path}.mirror");
    if targets.len() > MOST {
        let message =
            format!("{} are more than can be told apart", counted(targets.len() as u64, "target", "targets"));
        site.checker.error(&format!("{path}.targets"), message, format!("name {MOST} at most"));
        return None;
    }
    let groups: Vec<Group> = match mirror {
        Mirroring::All(false) => (0..targets.len()).map(|own| group(own, None)).collect(),
        Mirroring::All(true) => {
            if targets.is_empty() {
                return None;
            }
            let half = targets.len() / 2;
            if !targets.len().is_multiple_of(2) {
                let count = counted(targets.len() as u64, "target", "targets");
                let message = format!("{count} can't be put into groups of two");
                site.checker.error(&at, message, "name one more, or write the groups");
                return None;
            }
            (0..half).map(|own| group(own, Some(own + half))).collect()
        }
        Mirroring::Groups(all) => {
            let mut groups = Vec::new();
            for names in all {
                groups.push(named(path, names, targets, site)?);
            }
            if groups.is_empty() {
                site.checker.error(&at, "no group holds nothing", "write mirror = true, or leave it out");
                return None;
            }
            groups
        }
    };
    let mut used: Vec<u16> =
        groups.iter().flat_map(|own| [Some(own.primary), own.secondary]).flatten().collect();
    used.sort_unstable();
    if let Some(twice) = used.windows(2).find(|two| two[0] == two[1]) {
        let there = targets.get(usize::from(twice[0])).and_then(|there| site.linux.fs.get_index(*there));
        let message = format!("\"{}\" is in two groups", there.map_or("", |(name, _)| name));
        site.checker.error(&at, message, "a target has one other");
        return None;
    }
    Some(groups)
}

/// A group of two names.
fn named(path: &str, names: &[String], targets: &[usize], site: &mut CheckSite<'_, '_, '_>) -> Option<Group> {
    let at = format!("{path}.mirror");
    if names.len() != 2 {
        let count = counted(names.len() as u64, "target", "targets");
        let message = format!("a mirror group is of two targets, and one here is of {count}");
        site.checker.error(&at, message, "write such as [\"storage0/target\", \"storage1/target\"]");
        return None;
    }
    let mut found = Vec::new();
    for name in names {
        let there = site.file_systems(path, "mirror", &Names::one(name));
        let [there] = there[..] else {
            if !there.is_empty() {
                let message = format!("\"{name}\" stands for {} file systems", there.len());
                site.checker.error(&at, message, "name one of them");
            }
            return None;
        };
        let Some(own) = targets.iter().position(|target| *target == there) else {
            let message = format!("\"{name}\" isn't one of its targets");
            site.checker.error(&at, message, "name it in `targets`, too");
            return None;
        };
        found.push(own);
    }
    Some(group(found[0], Some(found[1])))
}
