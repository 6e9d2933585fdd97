//! An independent page cache: vectors of folios, searched from end to end. It knows files only, no processes.

use super::*;
use crate::read_ahead::Window;

#[derive(Clone, Debug)]
struct Folio {
    file: FileKey,
    first: u64,
    pages: Vec<State>,
    marker: bool,
    referenced: bool,
    locked: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct State {
    uptodate: bool,
    dirty: bool,
    writeback: bool,
}

impl Folio {
    fn holds(&self, file: FileKey, index: u64) -> bool {
        self.file == file && index >= self.first && index < self.first + self.pages.len() as u64
    }

    fn unwritten(&self) -> bool {
        self.pages.iter().any(|page| page.dirty || page.writeback)
    }
}

/// Lists by their numbers, the newest folio first.
const INACTIVE: usize = 0;
const ACTIVE: usize = 1;
const PARKED: usize = 2;

#[derive(Debug)]
pub(super) struct Naive {
    policy: CachePolicy,
    largest: u64,
    lists: [Vec<Folio>; 3],
    /// Files in the order of their turn, with their age; whether they were turned.
    dirty_files: Vec<(FileKey, Time)>,
    turned_files: Vec<(FileKey, Time)>,
    /// Evicted pages and the age then; only where they are remembered.
    evicted: Option<Vec<(FileKey, u64, u64)>>,
    age: u64,
    came_back: u64,
    came_back_before: u64,
    pending: [u64; 2],
}

impl Naive {
    pub(super) fn new(parameters: &PageCacheParameters) -> Self {
        Self {
            policy: parameters.policy,
            largest: parameters.largest_folio.get() / 4_096,
            lists: [vec![], vec![], vec![]],
            dirty_files: vec![],
            turned_files: vec![],
            evicted: parameters.refault_distance.then(Vec::new),
            age: 0,
            came_back: 0,
            came_back_before: 0,
            pending: [0; 2],
        }
    }

    fn place(&self, file: FileKey, index: u64) -> Option<(usize, usize)> {
        self.lists.iter().enumerate().find_map(|(list, folios)| {
            folios.iter().position(|folio| folio.holds(file, index)).map(|position| (list, position))
        })
    }

    fn state(&mut self, file: FileKey, index: u64) -> Option<&mut State> {
        let (list, position) = self.place(file, index)?;
        let folio = &mut self.lists[list][position];
        Some(&mut folio.pages[(index - folio.first) as usize])
    }

    pub(super) fn look(&self, file: FileKey, index: u64) -> Option<Page> {
        let (list, position) = self.place(file, index)?;
        let folio = &self.lists[list][position];
        let state = folio.pages[(index - folio.first) as usize];
        Some(Page {
            first: folio.first,
            pages: folio.pages.len() as u32,
            uptodate: state.uptodate,
            dirty: state.dirty,
            writeback: state.writeback,
            marker: folio.marker,
            active: list != INACTIVE,
            referenced: folio.referenced,
        })
    }

    pub(super) fn count(&self, wanted: impl Fn(&Page) -> bool, files: &[FileKey], indices: u64) -> u64 {
        let pages = files.iter().flat_map(|file| (0..indices).filter_map(|index| self.look(*file, index)));
        pages.filter(|page| wanted(page)).count() as u64
    }

    pub(super) fn pages_of(&self, list: usize) -> u64 {
        self.lists[list].iter().map(|folio| folio.pages.len() as u64).sum()
    }

    pub(super) fn access(&mut self, file: FileKey, index: u64, pages: u64) -> u32 {
        let mut firsts: Vec<u64> =
            (index..index + pages).filter_map(|at| self.look(file, at)).map(|page| page.first).collect();
        firsts.dedup();
        for first in &firsts {
            let (list, position) = self.place(file, *first).unwrap();
            let mut folio = self.lists[list].remove(position);
            if self.policy == CachePolicy::Lru {
                self.lists[INACTIVE].insert(0, folio);
            } else if folio.referenced && list == INACTIVE {
                folio.referenced = false;
                self.age += folio.pages.len() as u64;
                self.lists[ACTIVE].insert(0, folio);
            } else {
                folio.referenced = true;
                self.lists[list].insert(position, folio);
            }
        }
        firsts.len() as u32
    }

    fn add(&mut self, file: FileKey, first: u64, pages: u64, marker: bool, uptodate: bool, locked: bool) {
        let mut list = INACTIVE;
        if let Some(evicted) = &mut self.evicted {
            // The memory of the last of its pages that has one counts.
            let inside =
                |entry: &&(FileKey, u64, u64)| entry.0 == file && entry.1 >= first && entry.1 < first + pages;
            let memory = evicted.iter().filter(inside).max_by_key(|entry| entry.1).map(|entry| entry.2);
            evicted.retain(|entry| !inside(&entry));
            let active = self.pages_of(ACTIVE) + self.pages_of(PARKED);
            if memory.is_some_and(|then| self.age - then <= active) {
                list = ACTIVE;
                self.age += pages;
                self.came_back += pages;
            }
        }
        let state = State { uptodate, ..State::default() };
        let folio =
            Folio { file, first, pages: vec![state; pages as usize], marker, referenced: false, locked };
        self.lists[list].insert(0, folio);
    }

    fn is_free(&self, file: FileKey, first: u64, pages: u64) -> bool {
        (first..first + pages).all(|index| self.look(file, index).is_none())
    }

    pub(super) fn insert_window(&mut self, file: FileKey, window: &Window) {
        let mut size = u64::from(window.folio_pages).min(self.largest);
        let mut at = window.start;
        while at < window.end() {
            let mut pages = size;
            while !at.is_multiple_of(pages) || at + pages > window.end() {
                pages /= 2;
            }
            if self.is_free(file, at, pages) {
                let marker = window.marker.is_some_and(|marker| (at..at + pages).contains(&marker));
                self.add(file, at, pages, marker, false, true);
                at += pages;
            } else if size > 1 {
                size = 1;
            } else {
                at += 1;
            }
        }
    }

    pub(super) fn insert_for_write(
        &mut self,
        file: FileKey,
        index: u64,
        count: u64,
        largest: u32,
        whole: bool,
    ) {
        let mut at = index;
        while at < index + count {
            if !self.is_free(file, at, 1) {
                at += 1;
                continue;
            }
            let mut pages = u64::from(largest).min(self.largest);
            while !at.is_multiple_of(pages) || at + pages > index + count || !self.is_free(file, at, pages) {
                pages /= 2;
            }
            self.add(file, at, pages, false, whole, false);
            at += pages;
        }
    }

    pub(super) fn arrived(&mut self, file: FileKey, index: u64, pages: u64) {
        for at in index..index + pages {
            if let Some((list, position)) = self.place(file, at) {
                let folio = &mut self.lists[list][position];
                folio.pages[(at - folio.first) as usize].uptodate = true;
                folio.locked &= !folio.pages.iter().all(|page| page.uptodate);
            }
        }
    }

    pub(super) fn clear_marker(&mut self, file: FileKey, index: u64) {
        if let Some((list, position)) = self.place(file, index) {
            self.lists[list][position].marker = false;
        }
    }

    pub(super) fn make_dirty(&mut self, file: FileKey, index: u64, pages: u64, now: Time) {
        for at in index..index + pages {
            if let Some(state) = self.state(file, at) {
                state.dirty = true;
            }
        }
        let queued = self.dirty_files.iter().chain(&self.turned_files).any(|entry| entry.0 == file);
        if !queued && self.has_dirty(file) {
            self.dirty_files.push((file, now));
        }
    }

    fn has_dirty(&self, file: FileKey) -> bool {
        self.lists
            .iter()
            .flatten()
            .any(|folio| folio.file == file && folio.pages.iter().any(|page| page.dirty))
    }

    fn drop_clean_files(&mut self) {
        let clean: Vec<FileKey> = self
            .dirty_files
            .iter()
            .chain(&self.turned_files)
            .map(|entry| entry.0)
            .filter(|file| !self.has_dirty(*file))
            .collect();
        for queue in [&mut self.dirty_files, &mut self.turned_files] {
            queue.retain(|entry| !clean.contains(&entry.0));
        }
    }

    pub(super) fn begin_write(&mut self, file: FileKey, index: u64, pages: u64) {
        for at in index..index + pages {
            if let Some(state) = self.state(file, at).filter(|state| state.dirty && !state.writeback) {
                (state.dirty, state.writeback) = (false, true);
            }
        }
        self.drop_clean_files();
    }

    pub(super) fn written(&mut self, file: FileKey, index: u64, pages: u64) {
        let mut ended = Vec::new();
        for at in index..index + pages {
            if let Some(state) = self.state(file, at).filter(|state| state.writeback) {
                state.writeback = false;
                ended.push(at);
            }
        }
        for at in ended {
            if let Some((PARKED, position)) = self.place(file, at)
                && !self.lists[PARKED][position].unwritten()
            {
                let mut folio = self.lists[PARKED].remove(position);
                folio.referenced = false;
                self.lists[INACTIVE].push(folio);
            }
        }
    }

    pub(super) fn remove(&mut self, file: FileKey, from: u64, to: u64) {
        for border in [from, to] {
            if let Some((list, position)) = self.place(file, border)
                && self.lists[list][position].first != border
            {
                let folio = self.lists[list].remove(position);
                for (step, state) in folio.pages.iter().enumerate().rev() {
                    let first = folio.first + step as u64;
                    // The pages of a folio that falls apart lie behind each other, the first one nearest to the head.
                    let single = Folio {
                        first,
                        pages: vec![*state],
                        marker: folio.marker && step == 0,
                        ..folio.clone()
                    };
                    self.lists[list].insert(position, single);
                }
                if list == PARKED {
                    let (waiting, free) =
                        std::mem::take(&mut self.lists[PARKED]).into_iter().partition(Folio::unwritten);
                    self.lists[PARKED] = waiting;
                    self.lists[INACTIVE]
                        .extend(free.into_iter().map(|folio| Folio { referenced: false, ..folio }));
                }
            }
        }
        for list in &mut self.lists {
            list.retain(|folio| folio.file != file || folio.first < from || folio.first >= to);
        }
        if let Some(evicted) = &mut self.evicted {
            evicted.retain(|entry| entry.0 != file || entry.1 < from || entry.1 >= to);
        }
        self.drop_clean_files();
    }

    pub(super) fn requeue(&mut self, file: FileKey, now: Time, turn: bool) {
        let queues = self.dirty_files.iter().chain(&self.turned_files);
        let Some((_, since)) = queues.copied().find(|entry| entry.0 == file) else { return };
        self.dirty_files.retain(|entry| entry.0 != file);
        self.turned_files.retain(|entry| entry.0 != file);
        if turn {
            self.turned_files.push((file, since));
        } else {
            self.dirty_files.push((file, now));
        }
    }

    pub(super) fn next_dirty_file(&self, older_than: Option<Time>) -> Option<FileKey> {
        let old = |entry: &&(FileKey, Time)| older_than.is_none_or(|time| entry.1 <= time);
        self.dirty_files.iter().chain(&self.turned_files).find(old).map(|entry| entry.0)
    }

    fn evict(&mut self, folio: &Folio) -> u64 {
        let pages = folio.pages.len() as u64;
        if let Some(evicted) = &mut self.evicted {
            evicted.extend((folio.first..folio.first + pages).map(|index| (folio.file, index, self.age)));
            self.age += pages;
        }
        pages
    }

    /// What reclaim does with the last folio of the inactive list; the pages freed.
    fn look_at_last(&mut self) -> u64 {
        let mut folio = self.lists[INACTIVE].pop().unwrap();
        let referenced = std::mem::take(&mut folio.referenced);
        let dirty = folio.pages.iter().any(|page| page.dirty);
        let mixed = self.policy == CachePolicy::ActiveInactiveMixed;
        if mixed && (folio.locked || (referenced && dirty)) {
            self.lists[INACTIVE].insert(0, folio);
        } else if folio.unwritten() {
            self.lists[PARKED].insert(0, folio);
        } else if folio.locked {
            self.lists[INACTIVE].insert(0, folio);
        } else {
            return self.evict(&folio);
        }
        0
    }

    fn shrink_inactive(&mut self, scan: u64) -> u64 {
        let (mut scanned, mut freed) = (0, 0);
        while scanned < scan && !self.lists[INACTIVE].is_empty() {
            scanned += self.lists[INACTIVE].last().unwrap().pages.len() as u64;
            freed += self.look_at_last();
        }
        freed
    }

    fn shrink_active(&mut self, scan: u64) {
        let mut scanned = 0;
        while scanned < scan && !self.lists[ACTIVE].is_empty() {
            let folio = self.lists[ACTIVE].pop().unwrap();
            scanned += folio.pages.len() as u64;
            self.lists[INACTIVE].insert(0, folio);
        }
    }

    pub(super) fn reclaim(&mut self, wanted: u64) -> u64 {
        let mut freed = 0;
        if self.policy == CachePolicy::Lru {
            let mut position = self.lists[INACTIVE].len();
            while freed < wanted && position > 0 {
                position -= 1;
                let folio = &self.lists[INACTIVE][position];
                if folio.unwritten() {
                    let folio = self.lists[INACTIVE].remove(position);
                    self.lists[PARKED].insert(0, folio);
                } else if !folio.locked {
                    let folio = self.lists[INACTIVE].remove(position);
                    freed += self.evict(&folio);
                }
            }
            return freed;
        }
        let mixed = self.policy == CachePolicy::ActiveInactiveMixed;
        for priority in (0..=12).rev() {
            if freed >= wanted {
                break;
            }
            let sizes = [self.pages_of(ACTIVE), self.pages_of(INACTIVE)];
            let mut scan = sizes.map(|size| size >> priority);
            if mixed {
                for (list, scan) in scan.iter_mut().enumerate() {
                    self.pending[list] += *scan + 1;
                    *scan = 0;
                    if self.pending[list] >= 32 || priority == 0 {
                        *scan = std::mem::replace(&mut self.pending[list], 0);
                    }
                }
            } else if sizes[1] >= sizes[0] + self.pages_of(PARKED) && self.came_back == self.came_back_before
            {
                scan[0] = 0;
            }
            while scan != [0, 0] && freed < wanted {
                let [active, inactive] = scan.map(|scan| scan.min(32));
                // The older kernel looks at the active list first, the newer at the inactive one.
                if mixed {
                    self.shrink_active(active);
                }
                freed += self.shrink_inactive(inactive);
                if !mixed {
                    self.shrink_active(active);
                }
                scan = [scan[0] - active, scan[1] - inactive];
            }
            if mixed {
                self.pending = [self.pending[0] + scan[0], self.pending[1] + scan[1]];
            }
        }
        self.came_back_before = self.came_back;
        freed
    }
}
