//! Numbered things whose numbers are used again: what is in flight, by the tag that its completion brings back.

use petrio_persist::Persist;

/// A slab.
#[derive(Clone, Debug, Persist)]
pub struct Slab<T> {
    slots: Vec<Option<T>>,
    free: Vec<u32>,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Slab<T> {
    /// Nothing.
    pub const fn new() -> Self {
        Self { slots: Vec::new(), free: Vec::new() }
    }

    /// Takes a thing in; gives its number.
    pub fn insert(&mut self, value: T) -> u32 {
        match self.free.pop() {
            Some(slot) => {
                self.slots[slot as usize] = Some(value);
                slot
            }
            None => {
                #[expect(clippy::cast_possible_truncation, reason = "so many are under way at once, not 2³²")]
                let slot = self.slots.len() as u32;
                self.slots.push(Some(value));
                slot
            }
        }
    }

    /// The thing of a number, as it is.
    pub fn get(&self, slot: u32) -> Option<&T> {
        self.slots.get(slot as usize)?.as_ref()
    }

    /// The thing of a number, to be changed.
    pub fn get_mut(&mut self, slot: u32) -> Option<&mut T> {
        self.slots.get_mut(slot as usize)?.as_mut()
    }

    /// How many there are.
    pub fn len(&self) -> u64 {
        (self.slots.len() - self.free.len()) as u64
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All things.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.slots.iter().flatten()
    }

    /// All things with their numbers.
    pub fn numbered(&self) -> impl Iterator<Item = (u32, &T)> {
        (0..).zip(&self.slots).filter_map(|(number, slot)| Some((number, slot.as_ref()?)))
    }

    /// All things, to be changed.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.slots.iter_mut().flatten()
    }

    /// Drops the thing of a number where it lies.
    pub fn discard(&mut self, slot: u32) {
        if let Some(place) = self.slots.get_mut(slot as usize)
            && place.is_some()
        {
            *place = None;
            self.free.push(slot);
        }
    }

    /// Gives the thing of a number away.
    pub fn remove(&mut self, slot: u32) -> Option<T> {
        let value = self.slots.get_mut(slot as usize)?.take()?;
        self.free.push(slot);
        Some(value)
    }
}
