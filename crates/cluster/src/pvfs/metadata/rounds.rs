//! The rounds of an operation: what is asked at once, and what then.

use super::ask::{Ask, Operation, Rounds, Stage};
use super::known::{Known, Want};
use super::message::{Kind, Message};
use super::namespace::{Namespace, Site};
use petrio_colours::FileId;
use petrio_kernel::Time;
use petrio_units::numbers::as_number;
use smallvec::SmallVec;

/// Bytes of a name, where nobody says how long names are.
const NAME: u64 = 8;
/// Names that one request for a directory's is answered with at most (`PVFS_REQ_LIMIT_DIRENT_COUNT`).
pub const NAMES_AT_ONCE: u64 = 512;
/// Objects whose attributes one request asks for at most (`PVFS_SYS_LIMIT_LISTATTR`).
const LISTED_AT_ONCE: u64 = 60;

/// Whoever works out the rounds of an operation of a client.
#[derive(Debug)]
pub struct Client<'c> {
    /// What never changes.
    pub site: &'c Site,
    /// What differs between runs.
    pub salt: u64,
    /// What the client knows.
    pub known: &'c mut Known,
    /// What is where.
    pub names: &'c mut Namespace,
    /// Now.
    pub now: Time,
}

impl Client<'_> {
    /// The rounds of an operation. What it changes is changed, and what it is told is known, from then on: whoever asks while it is under
    /// way sees its end.
    pub fn rounds(&mut self, operation: Operation) -> Rounds {
        let mut rounds = Rounds::new();
        match operation {
            Operation::Mount => self.mount(&mut rounds),
            Operation::Lookup { parent, object, is_directory } => {
                self.lookup(parent, object, is_directory, &mut rounds);
            }
            Operation::Attributes { object, is_directory, size } => {
                let want = Want { size, ..Want::default() };
                self.attributes(object, is_directory, want, &mut rounds);
            }
            Operation::Create { parent, file } => self.create(parent, file, &mut rounds),
            Operation::MakeDirectory { parent, directory } => {
                self.make_directory(parent, directory, &mut rounds);
            }
            Operation::Remove { parent, object, is_directory } => {
                self.remove(parent, object, is_directory, &mut rounds);
            }
            Operation::Rename { from, to, object, replaced } => {
                self.rename((from, to), object, replaced, &mut rounds);
            }
            Operation::ReadDirectory { directory, names, wanted, first } => {
                self.read_directory(directory, names, wanted, first, &mut rounds);
            }
            Operation::Access { file, end, writes } => self.access(file, end, writes, &mut rounds),
            Operation::Flush { file } => self.flush(file, &mut rounds),
            Operation::FlushAll => {
                let all = 0..self.site.striping.servers;
                let ask = |server| Ask { server, ..self.ask(Kind::Flush, FileId::ROOT, Message::flush()) };
                rounds.push(all.map(ask).collect());
            }
            Operation::Truncate { file, length } => self.truncate(file, length, &mut rounds),
            Operation::SetAttributes { object, is_directory } => {
                self.attributes(object, is_directory, CAPABILITY, &mut rounds);
                rounds.push(one(self.ask(Kind::SetAttributes, object, Message::set_attributes())));
                self.known.forget_attributes(object);
            }
        }
        rounds
    }

    /// What is asked for something that isn't there, or mayn't be done: a name is looked up in vain.
    pub fn in_vain(&mut self, parent: FileId, object: FileId) -> Rounds {
        let mut rounds = Rounds::new();
        self.attributes(parent, true, CAPABILITY, &mut rounds);
        let (_, server) = self.place_of_name(parent, object);
        let ask = self.ask(Kind::LookupPath, object, Message::lookup(NAME, false));
        rounds.push(one(Ask { server, parent, ..ask }));
        rounds
    }

    fn home(&self, object: FileId) -> u32 {
        self.site.home(object, self.salt)
    }

    /// A request to an object's own server.
    fn ask(&self, kind: Kind, object: FileId, message: Message) -> Ask {
        let server = self.home(object);
        Ask { kind, server, object, parent: FileId::ROOT, count: 1, message, others: SmallVec::new() }
    }

    /// The configuration, of the server that is named first, and then of all that it names.
    fn mount(&self, rounds: &mut Rounds) {
        let servers = self.site.striping.servers;
        let message = Message::configuration(servers.into());
        let ask = |server| Ask { server, ..self.ask(Kind::GetConfig, FileId::ROOT, message) };
        rounds.push(one(ask(0)));
        if servers > 1 {
            rounds.push((0..servers).map(ask).collect());
        }
    }

    /// Attributes, unless what is wanted of them is known (sys-getattr.sm).
    fn attributes(&mut self, object: FileId, is_directory: bool, want: Want, rounds: &mut Rounds) {
        if self.known.has(object, want, &self.site.valid, self.now) {
            return;
        }
        if is_directory {
            let (_, most) = self.site.parts();
            let message = Message::directory_attributes(most.into());
            rounds.push(one(self.ask(Kind::GetAttributes, object, message)));
            let home = self.home(object);
            let parts = self.names.parts(self.site, object);
            let part = |part| Ask {
                server: self.site.part_server(home, part),
                ..self.ask(Kind::GetAttributes, object, Message::part_attributes())
            };
            rounds.push((0..parts).map(part).collect());
        } else {
            let servers = self.names.data_servers(self.site, object, self.salt);
            let is_stuffed = self.names.is_stuffed(self.site, object);
            let files = servers.len() as u64;
            let message = Message::file_attributes(files, is_stuffed);
            rounds.push(one(self.ask(Kind::GetAttributes, object, message)));
            if want.size && !is_stuffed {
                let ask = self.ask(Kind::TreeGetFileSize, object, Message::tree_sizes(files, false));
                rounds.push(one(Ask { others: servers, ..ask }));
            }
        }
        let is_stuffed = !is_directory && self.names.is_stuffed(self.site, object);
        self.known.told(object, (want.size, true), is_stuffed, self.now);
    }

    /// A name, and the attributes of what it stands for (sys-lookup.sm).
    fn lookup(&mut self, parent: FileId, object: FileId, is_directory: bool, rounds: &mut Rounds) {
        if object != FileId::ROOT && !self.known.has_name(object, &self.site.valid, self.now) {
            self.attributes(parent, true, CAPABILITY, rounds);
            let (_, server) = self.place_of_name(parent, object);
            // Attributes come along where the object lies on the same server.
            let at_home = server == self.home(object);
            let message = Message::lookup(NAME, at_home);
            let ask = self.ask(Kind::LookupPath, object, message);
            rounds.push(one(Ask { server, parent, ..ask }));
            self.known.told_name(object, self.now);
            if at_home {
                let is_stuffed = !is_directory && self.names.is_stuffed(self.site, object);
                self.known.told(object, (false, false), is_stuffed, self.now);
            }
        }
        self.attributes(object, is_directory, Want::default(), rounds);
    }

    /// The part of a directory that has a name, and its server.
    fn place_of_name(&mut self, parent: FileId, object: FileId) -> (u32, u32) {
        let part = self.names.part_of(self.site, parent, object);
        (part, self.site.part_server(self.home(parent), part))
    }

    /// A name comes to a directory. Its server tells the new object's, where that is another (as was counted), and where the directory
    /// grows too large, its new part's (crdirent.sm).
    fn enter(&mut self, parent: FileId, object: FileId, rounds: &mut Rounds) {
        let (part, server) = self.place_of_name(parent, object);
        let of_object = self.home(object);
        let mut others = SmallVec::new();
        if of_object != server {
            others.push(of_object);
        }
        let ask = self.ask(Kind::CreateEntry, object, Message::create_entry(NAME));
        rounds.push(one(Ask { server, parent, others, ..ask }));
        if let Some((new, names)) = self.names.enter(self.site, parent, part) {
            // The client waits for the split, which its request set off.
            let message = Message::split(names, NAME);
            let ask = self.ask(Kind::SplitEntries, parent, message);
            let ask = Ask { server: self.site.part_server(ask.server, new), parent, count: names, ..ask };
            rounds.push(one(ask));
        }
    }

    fn create(&mut self, parent: FileId, file: FileId, rounds: &mut Rounds) {
        self.names.make(file, parent, false);
        self.attributes(parent, true, CAPABILITY, rounds);
        let servers = self.names.data_servers(self.site, file, self.salt);
        let is_stuffed = self.names.is_stuffed(self.site, file);
        let message = Message::create(servers.len() as u64, is_stuffed);
        rounds.push(one(Ask { parent, ..self.ask(Kind::Create, file, message) }));
        self.enter(parent, file, rounds);
        self.known.told(file, (true, false), is_stuffed, self.now);
        self.known.told_name(file, self.now);
        // Its times have changed.
        self.known.forget_attributes(parent);
    }

    fn make_directory(&mut self, parent: FileId, directory: FileId, rounds: &mut Rounds) {
        self.names.make(directory, parent, true);
        self.attributes(parent, true, CAPABILITY, rounds);
        let (first, _) = self.site.parts();
        let message = Message::make_directory(first.into());
        rounds.push(one(Ask { parent, ..self.ask(Kind::MakeDirectory, directory, message) }));
        self.enter(parent, directory, rounds);
        self.known.told_name(directory, self.now);
        self.known.forget_attributes(parent);
    }

    fn remove(&mut self, parent: FileId, object: FileId, is_directory: bool, rounds: &mut Rounds) {
        self.attributes(parent, true, CAPABILITY, rounds);
        self.remove_entry(parent, object, rounds);
        self.remove_object(object, is_directory, rounds);
    }

    fn remove_entry(&mut self, parent: FileId, object: FileId, rounds: &mut Rounds) {
        let (part, server) = self.place_of_name(parent, object);
        let ask = self.ask(Kind::RemoveEntry, object, Message::remove_entry(NAME));
        rounds.push(one(Ask { server, parent, ..ask }));
        self.names.leave(self.site, parent, part);
        self.known.forget_name(object);
    }

    /// An object and its data files go (remove.sm).
    fn remove_object(&mut self, object: FileId, is_directory: bool, rounds: &mut Rounds) {
        self.attributes(object, is_directory, Want::default(), rounds);
        if !is_directory {
            let servers = self.names.data_servers(self.site, object, self.salt);
            let message = Message::tree_remove(servers.len() as u64, false);
            rounds.push(one(Ask { others: servers, ..self.ask(Kind::TreeRemove, object, message) }));
        }
        rounds.push(one(self.ask(Kind::Remove, object, Message::remove())));
        self.known.forget(object);
        self.names.forget(object);
    }

    /// A name moves (sys-rename.sm): both directories are asked for their attributes at once, and then for both names.
    fn rename(
        &mut self,
        (from, to): (FileId, FileId),
        object: FileId,
        replaced: Option<FileId>,
        rounds: &mut Rounds,
    ) {
        let (_, most) = self.site.parts();
        let attributes = Message::directory_attributes(most.into());
        let parents = [from, to].map(|parent| self.ask(Kind::GetAttributes, parent, attributes));
        rounds.push(parents.into_iter().collect());
        let mut names = Stage::new();
        for parent in [from, to] {
            let (_, server) = self.place_of_name(parent, object);
            let ask = self.ask(Kind::LookupPath, object, Message::lookup(NAME, false));
            names.push(Ask { server, parent, ..ask });
        }
        rounds.push(names);
        if let Some(replaced) = replaced {
            self.attributes(object, false, CAPABILITY, rounds);
            self.attributes(replaced, false, CAPABILITY, rounds);
            let (_, server) = self.place_of_name(to, replaced);
            let ask = self.ask(Kind::ChangeEntry, object, Message::change_entry(NAME));
            rounds.push(one(Ask { server, parent: to, ..ask }));
        } else {
            self.enter(to, object, rounds);
        }
        self.remove_entry(from, object, rounds);
        if let Some(replaced) = replaced {
            self.remove_object(replaced, false, rounds);
        }
        self.names.moves(object, to);
        self.known.told_name(object, self.now);
        self.known.forget_attributes(from);
        self.known.forget_attributes(to);
    }

    /// Names; how many a directory has no cache keeps, so that its attributes are asked for each time (sys-readdir.sm). Where attributes
    /// of files are wanted, too, each server is asked for those of its own, and for the sizes of its data files (sys-readdirplus.sm).
    ///
    /// A request is for names on one server: where those that are wanted lie on several, each is asked for its own.
    fn read_directory(
        &mut self,
        directory: FileId,
        names: u64,
        (from, count): (u64, u64),
        first: Option<FileId>,
        rounds: &mut Rounds,
    ) {
        let at_once = if first.is_some() { LISTED_AT_ONCE } else { NAMES_AT_ONCE };
        let parts = u64::from(self.names.parts(self.site, directory));
        let up_to = names.min(from.saturating_add(count));
        let (begins, mut done) = (from.min(names), from.min(names));
        for part in 0..parts {
            let of_part = names * (part + 1) / parts;
            // Whoever asks where nothing is left hears of that from the last server.
            let is_passed = from > 0 && of_part <= from && part + 1 < parts;
            let is_enough = done - begins >= count.max(1);
            if is_passed || is_enough {
                continue;
            }
            let end = of_part.min(up_to);
            loop {
                let next = at_once.min(end - done);
                let begin = rounds.len();
                self.read_names((directory, as_number(part)), next, rounds);
                if let Some(FileId(first)) = first {
                    let files = (done..done + next).map(|file| FileId(first.saturating_add(as_number(file))));
                    self.list(&files.collect::<Vec<_>>(), rounds);
                    // The call that asks for both gives no hints.
                    for ask in rounds.iter_mut().skip(begin).flatten() {
                        let has_credential = ask.kind == Kind::GetAttributes;
                        ask.message = ask.message.without_hints(has_credential);
                    }
                }
                done += next;
                if done >= end {
                    break;
                }
            }
        }
    }

    fn read_names(&mut self, (directory, part): (FileId, u32), names: u64, rounds: &mut Rounds) {
        self.attributes(directory, true, Want { entries: true, ..CAPABILITY }, rounds);
        let ask = self.ask(Kind::ReadDirectory, directory, Message::read_directory(names, NAME));
        rounds.push(one(Ask { server: self.site.part_server(ask.server, part), count: names, ..ask }));
    }

    fn list(&mut self, files: &[FileId], rounds: &mut Rounds) {
        let servers = self.site.striping.servers;
        let (mut objects, mut sizes) = (Stage::new(), Stage::new());
        for server in 0..servers {
            let (mut stuffed, mut striped, mut data) = (0, 0, 0);
            for &file in files {
                let is_stuffed = self.names.is_stuffed(self.site, file);
                let own = self.home(file) == server;
                stuffed += u64::from(own && is_stuffed);
                striped += u64::from(own && !is_stuffed);
                let has_data = self.names.data_servers(self.site, file, self.salt).contains(&server);
                data += u64::from(has_data && !is_stuffed);
            }
            let ask = |count, message, to: &mut Stage| {
                to.push(Ask { server, count, ..self.ask(Kind::ListAttributes, FileId::ROOT, message) });
            };
            if stuffed + striped > 0 {
                let of_stuffed = Message::list_files(stuffed, 1, true);
                let of_striped = Message::list_files(striped, self.site.striping.per_file.into(), false);
                let none = Message::list_files(0, 0, false);
                let both = |of: fn(Message) -> u64| of(of_stuffed) + of(of_striped) - of(none);
                let message = Message { sent: both(|m| m.sent), received: both(|m| m.received) };
                ask(stuffed + striped, message, &mut objects);
            }
            let mut left = data;
            while left > 0 {
                let next = left.min(LISTED_AT_ONCE);
                ask(next, Message::list_sizes(next), &mut sizes);
                left -= next;
            }
        }
        rounds.extend([objects, sizes].into_iter().filter(|stage| !stage.is_empty()));
        for &file in files {
            self.known.told_name(file, self.now);
        }
    }

    /// What an access needs first: attributes with a capability; and beyond the first stripe of a stuffed file, that a write gets it all
    /// of its data files, and that a read is sure that it hasn't got them (sys-io.sm).
    fn access(&mut self, file: FileId, end: u64, writes: bool, rounds: &mut Rounds) {
        let asked = rounds.len();
        self.attributes(file, false, CAPABILITY, rounds);
        let believes = match rounds.len() > asked {
            true => self.names.is_stuffed(self.site, file),
            false => self.known.believes_stuffed(file),
        };
        if believes && end > self.site.striping.unit {
            match writes {
                true => self.unstuff(file, rounds),
                false => self.attributes(file, false, Want { anew: true, ..CAPABILITY }, rounds),
            }
        }
        if writes {
            self.known.forget_size(file);
        }
    }

    /// A file gets all of its data files, and its client their handles.
    fn unstuff(&mut self, file: FileId, rounds: &mut Rounds) {
        self.names.unstuff(file);
        let message = Message::unstuff(self.site.striping.per_file.into());
        rounds.push(one(self.ask(Kind::Unstuff, file, message)));
        self.known.told(file, (false, true), false, self.now);
    }

    /// All data files, and the file itself (sys-flush.sm).
    fn flush(&mut self, file: FileId, rounds: &mut Rounds) {
        self.attributes(file, false, Want::default(), rounds);
        let servers = self.names.data_servers(self.site, file, self.salt);
        let ask = |server| Ask { server, ..self.ask(Kind::Flush, file, Message::flush()) };
        rounds.push(servers.into_iter().chain([self.home(file)]).map(ask).collect());
    }

    /// Attributes are asked for anew; a file that grows beyond its first stripe is unstuffed (sys-truncate.sm).
    fn truncate(&mut self, file: FileId, length: u64, rounds: &mut Rounds) {
        self.attributes(file, false, Want { anew: true, ..CAPABILITY }, rounds);
        if self.names.is_stuffed(self.site, file) && length > self.site.striping.unit {
            self.unstuff(file, rounds);
        }
        let servers = self.names.data_servers(self.site, file, self.salt);
        let message = Message::truncate(servers.len() as u64);
        let ask = |server| Ask { server, ..self.ask(Kind::Truncate, file, message) };
        rounds.push(servers.into_iter().map(ask).collect());
        self.known.forget_size(file);
    }
}

/// Attributes with a capability.
const CAPABILITY: Want = Want { size: false, entries: false, capability: true, anew: false };

fn one(ask: Ask) -> Stage {
    SmallVec::from_iter([ask])
}
