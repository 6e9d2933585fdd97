//! What a client knows of objects, and how long it believes it.

use petrio_colours::FileId;
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_stage::fast_map::FastMap;
use std::collections::VecDeque;

/// For how long a client believes what it was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub struct Validity {
    /// Attributes (`ACACHE_DEFAULT_TIMEOUT_MSECS`).
    pub attributes: Time,
    /// A file's size (`ACACHE_DEFAULT_DYNAMIC_TIMEOUT_MSECS`).
    pub size: Time,
    /// Names (`NCACHE_DEFAULT_TIMEOUT_MSECS`).
    pub names: Time,
    /// Capabilities (`PVFS2_DEFAULT_CAPABILITY_TIMEOUT`).
    pub capabilities: Time,
}

impl Default for Validity {
    /// As OrangeFS 2.10 has them.
    fn default() -> Self {
        let seconds = Time::from_whole_seconds;
        Self { attributes: seconds(60), size: seconds(10), names: seconds(60), capabilities: seconds(600) }
    }
}

/// Objects that a cache holds at most (`ACACHE_DEFAULT_HARD_LIMIT`).
const MOST: usize = 10_240;

/// What is wanted of an object's attributes beside those that all have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Want {
    /// A file's size.
    pub(super) size: bool,
    /// How many names a directory has: no cache keeps that.
    pub(super) entries: bool,
    /// A capability.
    pub(super) capability: bool,
    /// Whatever is known, servers are asked.
    pub(super) anew: bool,
}

#[derive(Clone, Copy, Debug, Default, Persist)]
struct Object {
    attributes: Option<Time>,
    size: Option<Time>,
    name: Option<Time>,
    capability: Option<Time>,
    /// The file was stuffed when it was asked for.
    is_stuffed: bool,
}

/// A client's caches of attributes, names and capabilities.
#[derive(Clone, Debug, Default, Persist)]
pub struct Known {
    objects: FastMap<FileId, Object>,
    /// In the order in which they came to be known: the oldest make room.
    order: VecDeque<FileId>,
}

impl Known {
    fn object(&mut self, file: FileId) -> &mut Object {
        if !self.objects.contains_key(&file) {
            self.order.push_back(file);
            while self.order.len() > MOST {
                let Some(oldest) = self.order.pop_front() else { break };
                self.objects.remove(&oldest);
            }
        }
        self.objects.entry(file).or_default()
    }

    /// Whether what is wanted of an object is known.
    pub(super) fn has(&self, file: FileId, want: Want, valid: &Validity, now: Time) -> bool {
        let Some(object) = self.objects.get(&file) else { return false };
        let is_young = |since: Option<Time>, most: Time| since.is_some_and(|since| now - since <= most);
        !want.anew
            && !want.entries
            && is_young(object.attributes, valid.attributes)
            && (!want.size || is_young(object.size, valid.size))
            && (!want.capability || is_young(object.capability, valid.capabilities))
    }

    /// Whether the name of an object is known.
    pub(super) fn has_name(&self, file: FileId, valid: &Validity, now: Time) -> bool {
        let name = self.objects.get(&file).and_then(|object| object.name);
        name.is_some_and(|since| now - since <= valid.names)
    }

    /// Whether a file is believed to be stuffed.
    pub(super) fn believes_stuffed(&self, file: FileId) -> bool {
        self.objects.get(&file).is_some_and(|object| object.is_stuffed)
    }

    /// Servers told an object's attributes, with or without its size and a capability.
    pub(super) fn told(
        &mut self,
        file: FileId,
        (size, capability): (bool, bool),
        is_stuffed: bool,
        now: Time,
    ) {
        let object = self.object(file);
        object.attributes = Some(now);
        object.size = size.then_some(now);
        object.is_stuffed = is_stuffed;
        if capability {
            object.capability = Some(now);
        }
    }

    pub(super) fn told_name(&mut self, file: FileId, now: Time) {
        self.object(file).name = Some(now);
    }

    /// What is known of an object's attributes isn't right any more.
    pub(super) fn forget_attributes(&mut self, file: FileId) {
        if let Some(object) = self.objects.get_mut(&file) {
            (object.attributes, object.size) = (None, None);
        }
    }

    pub(super) fn forget_size(&mut self, file: FileId) {
        if let Some(object) = self.objects.get_mut(&file) {
            object.size = None;
        }
    }

    pub(super) fn forget_name(&mut self, file: FileId) {
        if let Some(object) = self.objects.get_mut(&file) {
            object.name = None;
        }
    }

    /// An object is gone.
    pub(super) fn forget(&mut self, file: FileId) {
        if let Some(object) = self.objects.get_mut(&file) {
            *object = Object::default();
        }
    }
}
