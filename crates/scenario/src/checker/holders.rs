//! What names of parts that hold blocks stand for, and who uses these.

use super::{Checker, PlannedHolder, Words};
use crate::parts::Directory;
use crate::schema::Names;
use std::collections::BTreeSet;
use std::rc::Rc;

/// What a file system may lie on.
pub(crate) const HOLDERS: Words = Words { one: "disk or array", many: "disks and arrays" };

/// Each name of those at `at`, with where it stands.
pub(crate) fn each_name<'n>(names: &'n Names, at: &str) -> impl Iterator<Item = (&'n str, String)> {
    let is_list = names.iter().count() > 1;
    let path = move |index| if is_list { format!("{at}.{index}") } else { at.to_owned() };
    names.iter().enumerate().map(move |(index, written)| (written, path(index)))
}

impl Checker<'_, '_> {
    /// What is named by itself is named once; `why` says why.
    pub(crate) fn named_once(&mut self, names: &Names, at: &str, why: &str) {
        let mut known = BTreeSet::new();
        for (written, path) in each_name(names, at) {
            if !known.insert(written) {
                let help = format!("name each once: {why}");
                self.error(&path, format!("\"{written}\" is named twice"), help);
            }
        }
    }

    pub(crate) fn pool(&mut self) -> Rc<Directory> {
        if let Some(pool) = &self.pool {
            return Rc::clone(pool);
        }
        let part = |(number, holder): (usize, &PlannedHolder)| {
            self.disks.get(number).map_or_else(|| holder.name.clone(), |(_, part)| part.clone())
        };
        let names: Vec<(String, String)> = self
            .holders
            .iter()
            .enumerate()
            .map(|(number, holder)| (holder.name.clone(), part((number, holder))))
            .collect();
        let pool = Rc::new(self.directory(&names));
        self.pool = Some(Rc::clone(&pool));
        pool
    }

    /// The one holder that a name stands for.
    pub(crate) fn only(&mut self, path: &str, name: &str, what: &str) -> Option<u32> {
        let pool = self.pool();
        let found = self.find(path, &Names::one(name), &pool, HOLDERS);
        if found.len() > 1 {
            let message =
                format!("a {what} lies on one disk or array, and \"{name}\" stands for {}", found.len());
            self.error(path, message, "name one of them, or make an array of them: [raid.NAME]");
            return None;
        }
        found.first().copied()
    }

    /// All holders that names stand for.
    pub(crate) fn holders_called(&mut self, path: &str, names: &Names) -> Vec<u32> {
        let pool = self.pool();
        self.find(path, names, &pool, HOLDERS)
    }

    /// Notes who uses a holder; nobody else may.
    pub(crate) fn claim(&mut self, holder: u32, user: &str, path: &str) {
        match self.users.get(&holder) {
            None => {
                self.users.insert(holder, user.to_owned());
            }
            Some(other) => {
                let PlannedHolder { name, key, .. } = &self.holders[holder as usize];
                let message = format!("the {key} \"{name}\" is used by {other} already");
                self.error(path, message, "give each one of its own");
            }
        }
    }
}
